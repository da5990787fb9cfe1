"""Language modelling on a text of one's own: a folder with three files, or one text that is cut into three."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.lines import text_of
from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs
from inductive_bias.tasks.pairs.spelling import tokenise
from inductive_bias.tasks.rows import cut_into_rows
from inductive_bias.tasks.vocabulary import Vocabulary
from inductive_bias.tasks.wikitext import Sentences, cut_sentences

#: What the file of each split may be called, without ``.txt``.
NAMES = {"train": ("train",), "validation": ("validation", "valid", "dev"), "test": ("test",)}
#: Shares of the sentences of one text, in their order, that are learnt from and that are for validation.
SHARES = (0.8, 0.1)


class OwnText(Setting):
    """The next word of a text of one's own; no public data are read.

    ``file`` is a folder with ``train.txt``, ``validation.txt`` (or ``valid.txt``, ``dev.txt``) and ``test.txt``; or one
    text, a file or all ``.txt`` files of a folder in the order of their names: its first 80 % of sentences are then
    learnt from, the next 10 % are for validation and the rest for the test. ``.gz`` may follow. Words are made
    lower-case and cut as in WikiText-2; a sentence ends with ``.``, ``!``, ``?`` or with its line.

    Attributes:
        file: its path, from the working directory if it is relative. It is no part of a trial's id.
        sha256: of the content, filled in when the setting is made: another text is another trial.
        vocabulary_size: ids, the four special ones included: the most frequent words of the training text.
        max_tokens: positions of the models, ``BOS`` and ``EOS`` included; longer sentences go on in further rows.

    Raises:
        DataError: If a file cannot be read or is no text, a split is missing or has no sentence, or the text is not the
            one with ``sha256``.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = ()
    kind: Literal["own_text"] = "own_text"
    file: str
    sha256: str | None = None
    vocabulary_size: Annotated[int, Field(ge=5)] = 10_000
    max_tokens: Annotated[int, Field(ge=2)] = 64

    @model_validator(mode="after")
    def _is_there(self) -> "OwnText":
        found = _digest(_contents(Path(self.file)))
        if self.sha256 not in (None, found):
            raise DataError(
                f"{self.file} has changed: the SHA-256 of its text is {found[:12]}…, not {self.sha256[:12]}…; a trial "
                "belongs to the text that it was made with"
            )
        object.__setattr__(self, "sha256", found)
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model has to provide for: ``vocabulary`` ids and ``positions``."""
        return {"vocabulary": self.vocabulary_size, "positions": self.max_tokens}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``; ``root`` and ``download`` change nothing.

        Inputs are int64 ``[n, t]``: ``BOS words EOS`` and padding; labels ``[n]`` count the predicted tokens of a row.

        Raises:
            DataError: If the text has changed or a split has no sentence.
        """
        contents = _contents(Path(self.file))
        if _digest(contents) != self.sha256:
            raise DataError(f"{self.file} has changed; a trial belongs to the text that it was made with")
        return _load(self, tuple((split, *pair) for split, pair in contents.items()))

    def load_pairs(
        self, vocabulary: Vocabulary, root: Path | str | None = None, *, download: bool = True
    ) -> dict[str, MinimalPairs]:
        """None: pairs are scored afterwards, see :func:`inductive_bias.scoring.score_file`."""
        return {}


#: By split, or under "" for one text: the path for people, and the bytes.
Contents = Mapping[str, tuple[Path, bytes]]


def _contents(place: Path) -> Contents:
    if not place.is_dir():
        return {"": (place, files.unzipped(files.raw_bytes(place), place))}
    there = sorted(path for path in place.iterdir() if path.name.removesuffix(".gz").endswith(".txt"))
    by_name = {path.name.removesuffix(".gz").removesuffix(".txt"): path for path in there}
    splits = {split: next((by_name[each] for each in names if each in by_name), None) for split, names in NAMES.items()}
    if all(splits.values()):
        return {split: (path, files.unzipped(files.raw_bytes(path), path)) for split, path in splits.items()}
    if any(splits.values()):
        absent = [split for split, path in splits.items() if path is None]
        raise DataError(f"{place} should have a file for each split, but has none for {', '.join(absent)} (.txt)")
    if not there:
        raise DataError(f"{place} should have texts, files that end in .txt, but has none")
    return {"": (place, b"\n".join(files.unzipped(files.raw_bytes(path), path) for path in there))}


def _digest(contents: Contents) -> str:
    if "" in contents:
        return hashlib.sha256(contents[""][1]).hexdigest()
    each = (f"{split} {hashlib.sha256(content).hexdigest()}" for split, (_, content) in sorted(contents.items()))
    return hashlib.sha256("\n".join(each).encode()).hexdigest()


def _sentences(path: Path, content: bytes) -> Sentences:
    lines = text_of(content, path).split("\n")
    found = [sentence for line in lines for sentence in cut_sentences(" ".join(tokenise(line)))]
    if not found:
        raise DataError(f"{path} should hold sentences, but there is none in it")
    return found


@lru_cache(maxsize=4)
def _load(setting: OwnText, contents: tuple[tuple[str, Path, bytes], ...]) -> TaskData:
    texts = {split: _sentences(path, content) for split, path, content in contents}
    if "" in texts:
        whole = texts.pop("")
        ends = [round(len(whole) * share) for share in (SHARES[0], sum(SHARES))]
        texts = dict(zip(NAMES, (whole[: ends[0]], whole[ends[0] : ends[1]], whole[ends[1] :]), strict=True))
        if not all(texts.values()):
            raise DataError(f"{setting.file}: {len(whole)} sentences are too few to cut into three splits")
    vocabulary = Vocabulary.most_frequent(texts["train"], setting.vocabulary_size)
    names = [path.name for _, path, _ in contents]
    source = identity.source_of("", names)

    def make(split: str) -> Split:
        inputs, labels = cut_into_rows(map(vocabulary.encode, texts[split]), setting.max_tokens)
        return Split(inputs, labels, source)

    return TaskData(
        {split: partial(make, split) for split in NAMES},
        classes=setting.vocabulary_size,
        sha256={path.name: hashlib.sha256(content).hexdigest() for _, path, content in contents},
        is_sample=False,
        vocabulary=vocabulary,
    )
