"""Slot filling as a task: the tag of every word of a request, from the words so far."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.slots.files import OUTSIDE, SPLITS, Request, read_requests
from inductive_bias.tasks.slots.grammar import PATTERNS, SOURCE, all_tags, all_words, requests
from inductive_bias.tasks.vocabulary import EOS, PAD, SPECIALS, Vocabulary

#: Words that stand at least so often in the training text of each set, and tags there.
WORDS = {"atis": {1: 867, 2: 610}, "snips": {1: 11_418, 2: 4_390}, "generated": dict.fromkeys((1, 2), len(all_words()))}
TAGS = {"atis": 120, "snips": 72, "generated": len(all_tags())}
#: Made-up requests to learn from unless said otherwise, and in each held-out split.
MADE, HELD_OUT = 200, 50


class SlotFilling(Setting):
    """Tag every word of a request: ``O``, or ``B-kind`` and ``I-kind`` where a slot of a kind begins and goes on.

    ATIS (airline travel): 4,478 sentences to learn from, 500 for validation, 893 to test. SNIPS (voice assistants):
    13,084 / 700 / 700. As published, ATIS repeats sentences within its training set, and 17 of its test sentences are
    among those to learn from or for validation. The tokens ``BOS`` and ``EOS`` that frame a sentence of ATIS are left
    out: there is nothing to find in them, and they would be counted among the right tags.

    Tags that the training sentences do not have (ATIS: one in validation, six in test) cannot be answered, and count as
    missed.

    Attributes:
        data: ATIS, SNIPS, or made-up requests for flights (``generated``), which stand in for them in small runs.
        lookahead: How many further words are read before a word's tag is answered. The tag of word t is the label of
            position t + lookahead; the sentence is followed by as many end tokens, so that the last tags are answered.
        min_count: A word seen less often in training stands as unknown. With 2 a model meets unknown words in training,
            and can learn what to make of one.
        vocabulary_size: Ids, four of them special; as many as the public training text needs unless given. Fewer keep
            the most frequent words.
        tags: Different tags in the training sentences, if they are your own.
        sentences: Of the made-up requests to learn from; 200 unless said otherwise. Each held-out split has 50.
        data_seed: Decides the made-up requests.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.ATIS, card.SNIPS, card.FLIGHT_REQUESTS)
    kind: Literal["slot_filling"] = "slot_filling"
    data: Literal["atis", "snips", "generated"] = "atis"
    lookahead: Annotated[int, Field(ge=0)] = 0
    min_count: Literal[1, 2] = 2
    vocabulary_size: Annotated[int, Field(gt=len(SPECIALS))] | None = None
    tags: Annotated[int, Field(ge=2)] | None = None
    sentences: Annotated[int, Field(ge=len(PATTERNS))] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _made_up_requests_have_choices_of_their_own(self) -> "SlotFilling":
        if self.data != "generated" and (self.data_seed or self.sentences):
            raise ValueError(
                f"sentences={self.sentences} and data_seed={self.data_seed} belong to the data 'generated', not to "
                f"{self.data!r}"
            )
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from files, not to 'generated'")
        if self.tags is not None and not self.allow_other:
            raise ValueError(f"tags={self.tags} belongs to allow_other=True: those of the public sets are known")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids that it reads, and tags that it chooses among."""
        words = len(SPECIALS) + WORDS[self.data][self.min_count]
        return {"outputs": self.tags or TAGS[self.data], "vocabulary": self.vocabulary_size or words}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, each made when first asked for.

        Inputs are int64 ``[n, t]``, words as ids of the training text's vocabulary, then ``lookahead`` end tokens, then
        padding; labels are int64 ``[n, t]``, numbers of ``label_names``, −1 where there is nothing to answer. The slice
        ``length`` counts the words. Equal settings share one result per process.

        Args:
            root: Folder with ``atis/`` or ``snips/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one, or the training sentences have not as
                many tags as the setting says.
        """
        return _load(self, () if self.data == "generated" else files.places(root), download)


@kept(maxsize=4)
def _load(setting: SlotFilling, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        sizes = (setting.sentences or MADE, HELD_OUT, HELD_OUT)
        splits, sha256, source = {}, {}, SOURCE
        for number, (name, size) in enumerate(zip(SPLITS, sizes, strict=True)):
            rng = np.random.default_rng((setting.data_seed, number))
            splits[name] = requests(rng, size, every_tag=name == "train")
    else:
        splits, sha256, own = read_requests(setting.data, where, download=download, allow_other=setting.allow_other)
        source = identity.source_of(f"real:{setting.data}", own)
    return requests_of(setting, splits, source, sha256)


def requests_of(
    setting: SlotFilling, splits: Mapping[str, Sequence[Request]], source: str, sha256: Mapping[str, str]
) -> TaskData:
    """The task's data of sentences of any origin; see :meth:`SlotFilling.load`.

    Raises:
        DataError: if the sentences have another number of tags than the setting says.
    """
    size, known = setting.dimensions["vocabulary"], _tags(splits["train"])
    if len(known) != setting.dimensions["outputs"]:
        raise DataError(
            f"{source}: the training sentences have {len(known)} different tags; tags must be as many, not "
            f"{setting.dimensions['outputs']}."
        )
    vocabulary = Vocabulary.most_frequent(
        (request.words for request in splits["train"]), size, min_count=setting.min_count
    )
    unseen = set().union(*(_tags(split) for split in splits.values())) - set(known)
    names = (*known, *sorted(unseen))
    return TaskData(
        {
            name: partial(to_split, split, vocabulary, names, setting.lookahead, source)
            for name, split in splits.items()
        },
        classes=len(known),
        sha256=sha256,
        is_sample=setting.data == "generated",
        vocabulary=vocabulary,
        label_names=names,
    )


def _tags(sentences: Sequence[Request]) -> tuple[str, ...]:
    """The tags of the sentences, outside first, then by alphabet."""
    found = {tag for request in sentences for tag in request.tags}
    return (OUTSIDE, *sorted(found - {OUTSIDE})) if OUTSIDE in found else tuple(sorted(found))


def to_split(
    sentences: Sequence[Request], vocabulary: Vocabulary, names: Sequence[str], lookahead: int, source: str
) -> Split:
    """Ids, labels and lengths of sentences; see :meth:`SlotFilling.load`."""
    numbers = {name: number for number, name in enumerate(names)}
    lengths = np.fromiter((len(request.words) for request in sentences), np.int64, len(sentences))
    inputs = np.full((len(sentences), lengths.max(initial=0) + lookahead), PAD)
    labels = np.full(inputs.shape, IGNORED)
    for row, request in enumerate(sentences):
        end = len(request.words)
        inputs[row, :end] = vocabulary.encode(request.words)
        inputs[row, end : end + lookahead] = EOS
        labels[row, lookahead : end + lookahead] = [numbers[tag] for tag in request.tags]
    return Split(torch.from_numpy(inputs), torch.from_numpy(labels), source, {"length": torch.from_numpy(lengths)})
