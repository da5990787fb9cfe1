"""Next-character prediction: one text, cut by position into what is learned from and what is held out.

Texts: Tiny Shakespeare (public domain); text8 (Wikipedia, CC BY-SA and GFDL), for which these cuts are the usual ones;
a later Wikipedia in the same 27 symbols (CC BY-SA), of which a part may be read; or sentences of the agreement grammar,
a stand-in for small runs. Small slices of text8 made for *word* models are not offered: one word in 25 has become
``<UNK>`` there. Its rare words, on which a character model spends many of its bits, are gone, and five characters have
come in that text8 does not have, so that no BPC on it could be compared with a published one.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Int64
from pydantic import Field, model_validator
from torch import Tensor

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.pairs.grammar import SOURCE, generated_sentences
from inductive_bias.tasks.plain_texts import AS_WRITTEN, read_own_texts, read_plain_text

#: Share of the text, from its beginning, at which the training text ends, and the validation text.
CUTS = (0.90, 0.95)
#: The id of every character that the training text does not have; as a label it is `IGNORED`.
UNKNOWN = 0
#: A held-out text with a larger share of such characters is another kind of text.
MOST_UNKNOWN = 0.01
GRAMMAR_SENTENCES = 2_000


class CharacterModelling(Setting):
    """Predict each character from those before it in its window.

    The first 90 % of the text are learned from, the next 5 % are validation, the last 5 % test: no character is in two
    of them, and no shuffling lets a scene be in both.

    Attributes:
        text: Tiny Shakespeare, text8, Wikipedia, or the generated agreement grammar that stands in for them in small
            runs.
        form: Of Wikipedia: in the 27 symbols of text8, or as written.
        window: Characters that a window predicts; the first of them has one character of context, the last ``window``.
        vocabulary_size: Ids: one for unknown characters and one each for those of the training text, sorted (65 of Tiny
            Shakespeare, 27 of text8).
        characters: The text is its first so many characters; None for all. Of split files: the training text is.
        sentences: Of the grammar; 2,000 unless said otherwise.
        data_seed: Decides the sentences of the grammar.
        allow_other: Read a text of your own in place of the published one; the source of every split then names its
            file. Three files, such as ``tinyshakespeare/input.train.txt``, ``input.validation.txt`` and
            ``input.test.txt``, are the splits.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.SHAKESPEARE, card.TEXT8, card.WIKIPEDIA_TEXT, card.GRAMMAR)
    #: Whether held-out text is cut into windows; else it runs on as the training text does.
    in_windows: ClassVar[bool] = True
    kind: Literal["character_modelling"] = "character_modelling"
    text: Literal["tinyshakespeare", "text8", "wikipedia", "grammar"] = "tinyshakespeare"
    form: Literal["like text8", "as written"] = "like text8"
    window: Annotated[int, Field(ge=2)] = 128
    vocabulary_size: Annotated[int, Field(ge=3)] = 66
    characters: Annotated[int, Field(ge=1)] | None = None
    sentences: Annotated[int, Field(ge=1)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _grammar_has_choices_of_its_own(self) -> "CharacterModelling":
        if self.text != "grammar" and (self.data_seed or self.sentences):
            raise ValueError(
                f"sentences={self.sentences} and data_seed={self.data_seed} belong to the text 'grammar', "
                f"not to {self.text!r}"
            )
        if self.text != "wikipedia" and self.form != "like text8":
            raise ValueError(f"form={self.form!r} belongs to the text 'wikipedia', not to {self.text!r}")
        if self.text == "grammar" and self.allow_other:
            raise ValueError("allow_other=True belongs to a text that is read from a file, not to 'grammar'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model for this task has to provide for: ids that it reads, and ids that it chooses among."""
        return {"vocabulary": self.vocabulary_size, "outputs": self.vocabulary_size}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, each made when first asked for.

        ``train`` is the text itself, inputs and labels int64 ``[n]``: a label is the character after its input.
        The others are windows side by side, int64 ``[n, window]``, so that every character but the first, and what is
        left after the last whole window, is predicted once. A label that the training text does not have is -1
        and counted in ``skipped``. Equal settings share one result per process.

        Args:
            root: Folder with ``tinyshakespeare/``, ``text8/`` or ``wikipedia_en/``; searched before
                ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If the file is missing, damaged, or not the expected one; if the training text has more
                characters than ``vocabulary_size``; if a part is shorter than a window; or if more than 1 % of the
                characters of a held-out part are unknown.
        """
        return _load(self, root, files.places(root), download)


@kept(maxsize=4)
def _load(setting: CharacterModelling, root: Path | str | None, where: files.Places, download: bool) -> TaskData:
    if setting.text == "grammar":
        made = generated_sentences(setting.data_seed, setting.sentences or GRAMMAR_SENTENCES)("train")
        text, sha256, source = "".join(" ".join(sentence.words) + "\n" for sentence in made), {}, SOURCE
    else:
        name = AS_WRITTEN if setting.form == "as written" else setting.text
        if setting.allow_other and (ours := read_own_texts(name, root)):
            source = identity.source_of("", [path.name for path in ours.paths.values()])
            parts = ours.texts | {"train": ours.texts["train"][: setting.characters]}
            return characters_of_parts(setting, parts, source, ours.sha256, ours.paths)
        text, sha256, own = read_plain_text(name, root, download, allow_other=setting.allow_other)
        source = identity.source_of(f"real:{setting.text}", own)
    return characters_of(setting, text[: setting.characters], source, sha256)


class NextCharacter(CharacterModelling):
    """Texts of whose windows the last position alone is asked for: one prediction from ``window`` characters.

    It is the setting in which full and truncated models are compared in theory (Miller & Hardt 2019, section 3).
    """

    kind: Literal["next_character"] = "next_character"


class CharacterStream(CharacterModelling):
    """Texts read on from window to window: the past is the whole text so far.

    Gradients end with a window of the training, states do not. All splits are running text, int64 ``[n]``.
    """

    in_windows = False
    kind: Literal["character_stream"] = "character_stream"


class SegmentStream(CharacterStream):
    """Running text for models that remember the segment before: every position of a segment is scored.

    A segment is a ``window``. What is remembered goes on within a split, and every split begins without a past.
    """

    kind: Literal["segment_stream"] = "segment_stream"


def characters_of(setting: CharacterModelling, text: str, source: str, sha256: dict[str, str]) -> TaskData:
    """The task's data for a text of any origin; see :meth:`CharacterModelling.load`.

    Raises:
        DataError: if a part is no longer than a window, or its characters do not fit the vocabulary.
    """
    first, second = (int(len(text) * cut) for cut in CUTS)
    parts = {"train": text[:first], "validation": text[first:second], "test": text[second:]}
    return characters_of_parts(setting, parts, source, sha256, dict.fromkeys(parts, source))


def characters_of_parts(
    setting: CharacterModelling,
    parts: dict[str, str],
    source: str,
    sha256: dict[str, str],
    places: Mapping[str, object],
) -> TaskData:
    """The task's data for the text of every split; ``places`` says in messages where each comes from.

    Raises:
        DataError: as :func:`characters_of`.
    """
    for name, part in parts.items():
        if len(part) <= setting.window:
            raise DataError(f"{places[name]}: the {name} text of {len(part)} characters is no longer than a window.")
    alphabet = sorted(set(parts["train"]))
    if len(alphabet) >= setting.vocabulary_size:
        raise DataError(
            f"{places['train']}: the training text has {len(alphabet)} different characters; vocabulary_size must be "
            f"larger, not {setting.vocabulary_size}."
        )
    encoded = {name: encode(part, alphabet) for name, part in parts.items()}
    skipped = {}
    for name, ids in encoded.items():
        skipped[f"unknown character, {name}"] = unknown = int((ids == UNKNOWN).sum())
        if unknown > MOST_UNKNOWN * len(ids):
            raise DataError(
                f"{places[name]}: {unknown} of the {len(ids)} characters of the {name} text are not in the training "
                "text."
            )
    return TaskData(
        {
            name: partial(_to_split, ids, setting.window if setting.in_windows and name != "train" else None, source)
            for name, ids in encoded.items()
        },
        classes=setting.vocabulary_size,
        sha256=sha256,
        is_sample=setting.text == "grammar",
        skipped=skipped,
        alphabet="".join(alphabet),
    )


def encode(text: str, alphabet: list[str]) -> Int64[Tensor, " n"]:
    """Ids from 1 in the order of ``alphabet``; `UNKNOWN` for every other character."""
    # one number a character: a hundred million of them are a matter of seconds in NumPy alone
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    ids = np.full(max(int(codes.max(initial=0)), *map(ord, alphabet)) + 1, UNKNOWN)
    ids[[ord(character) for character in alphabet]] = np.arange(1, len(alphabet) + 1)
    return torch.from_numpy(ids[codes])


def decode(ids: Int64[Tensor, " n"], alphabet: str) -> str:
    """The text of ids as :func:`encode` gives them; `UNKNOWN` becomes U+FFFD, the sign for what cannot be shown."""
    return "".join(f"\N{REPLACEMENT CHARACTER}{alphabet}"[number] for number in ids.tolist())


def _to_split(ids: Int64[Tensor, " n"], window: int | None, source: str) -> Split:
    inputs, labels = ids[:-1], torch.where(ids[1:] == UNKNOWN, IGNORED, ids[1:])
    if window is None:
        return Split(inputs, labels, source)
    whole = len(inputs) // window * window
    return Split(inputs[:whole].unflatten(0, (-1, window)), labels[:whole].unflatten(0, (-1, window)), source)
