"""Next-word prediction on running text with its whole vocabulary, as language models of WikiText-2 are compared.

Every line ends with a word of its own, ``<eos>``; headings and empty lines count, case is kept. Words are as in the
files: what stands there as ``<unk>`` is one of them. Perplexities over fewer words than these are of another task.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.pairs.grammar import SOURCE, generated_sentences
from inductive_bias.tasks.wikitext import SHA256, SPLITS, locate_wikitext

END = "<eos>"
#: Different words of WikiText-2's training text; its held-out texts have no other.
WORDS = 33_278
#: Parts of the task by the files' names.
PARTS = dict(zip(("train", "validation", "test"), SPLITS, strict=True))
SENTENCES = 300


class WordModelling(Setting):
    """Predict each word of a running text from those before it.

    Attributes:
        text: WikiText-2, or sentences of the agreement grammar that stand in for it in small runs.
        window: words that a model reads in one step of the training; its state goes on from one window to the next.
        vocabulary_size: ids, the most frequent word first, as an adaptive softmax wants them.
        sentences: of the grammar; 300 unless said otherwise.
        data_seed: decides the sentences of the grammar.
        allow_other: read texts of your own in place of WikiText-2; the source of every split then names its file.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.WIKITEXT, card.GRAMMAR)
    kind: Literal["word_modelling"] = "word_modelling"
    text: Literal["wikitext2", "grammar"] = "wikitext2"
    window: Annotated[int, Field(ge=2)] = 35
    vocabulary_size: Annotated[int, Field(ge=2)] = WORDS
    sentences: Annotated[int, Field(ge=2)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _grammar_has_choices_of_its_own(self) -> "WordModelling":
        if self.text != "grammar" and (self.data_seed or self.sentences):
            raise ValueError(
                f"sentences={self.sentences} and data_seed={self.data_seed} belong to the text 'grammar', not to "
                f"{self.text!r}"
            )
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model for this task has to provide for: ids that it reads, and ids that it chooses among."""
        return {"vocabulary": self.vocabulary_size, "outputs": self.vocabulary_size}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``: running text, inputs and labels int64 ``[n]``.

        A label is the word after its input. One that the training text does not have is −1 and is counted in
        ``skipped``; as an input it stands as the least frequent word. Equal settings share one result per process.

        Args:
            root: Folder with ``wikitext2/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged or not the expected one, if the training text has more words than
                ``vocabulary_size``, or a text is no longer than a window.
        """
        return _load(self, files.places(root), download)


@kept(maxsize=2)
def _load(setting: WordModelling, where: files.Places, download: bool) -> TaskData:
    texts, sha256, own = {}, {}, ()
    for part, name in PARTS.items():
        if setting.text == "grammar":
            made = generated_sentences(setting.data_seed, setting.sentences or SENTENCES)(part)
            texts[part] = [word for sentence in made for word in (*sentence.words, END)]
            continue
        path = locate_wikitext(name, where, download=download)
        found = identity.read(path, f"wikitext2/{name}.txt", SHA256, allow_other=setting.allow_other)
        texts[part] = [word for line in lines_of(found.content, path) for word in (*line.split(), END)]
        sha256[f"wikitext2/{path.name}"], own = found.sha256, own + (path.name,) * found.own
    source = SOURCE if setting.text == "grammar" else identity.source_of("real:wikitext2", own)
    return words_of(setting, texts, source, sha256)


def words_of(setting: WordModelling, texts: dict[str, Sequence[str]], source: str, sha256: dict[str, str]) -> TaskData:
    """The task's data for texts of any origin; see :meth:`WordModelling.load`.

    Raises:
        DataError: if there are more words than the vocabulary holds, or a text is no longer than a window.
    """
    counts = Counter(texts["train"])
    # of equally frequent words the first by name, so that ids do not depend on the order of the text
    known = {
        word: place for place, (word, _) in enumerate(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
    }
    if len(known) > setting.vocabulary_size:
        raise DataError(
            f"{source}: the training text has {len(known)} different words; vocabulary_size must be at least as "
            f"large, not {setting.vocabulary_size}."
        )
    ids, skipped = {}, {}
    for part, text in texts.items():
        if len(text) <= setting.window + 1:
            raise DataError(f"{source}: the {part} text of {len(text)} words is no longer than a window.")
        ids[part] = torch.tensor([known.get(word, IGNORED) for word in text])
        skipped[f"unknown word, {part}"] = int((ids[part] == IGNORED).sum())
    return TaskData(
        {part: partial(_to_split, each, len(known) - 1, source) for part, each in ids.items()},
        classes=setting.vocabulary_size,
        sha256=sha256,
        is_sample=setting.text == "grammar",
        skipped=skipped,
    )


def _to_split(ids: Int64[Tensor, " n"], rarest: int, source: str) -> Split:
    return Split(torch.where(ids[:-1] == IGNORED, rarest, ids[:-1]), ids[1:], source)
