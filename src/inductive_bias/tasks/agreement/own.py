"""Number prediction on labelled preambles of one's own: a file, cut into splits that share no preamble."""

import hashlib
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.agreement.rows import LABELS, UNKNOWN, VBP, VBZ, Parsed, Row, split_by_preamble
from inductive_bias.tasks.agreement.task import NumberPrediction, encoded
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.lines import lines_of
from inductive_bias.tasks.pairs.spelling import tokenise

#: What the number of a verb may be called, in any case.
NUMBERS = {"singular": VBZ, "plural": VBP, "sg": VBZ, "pl": VBP} | {name.lower(): at for name, at in LABELS.items()}
COLUMNS = ("text", "number", "attractors", "distance")
EMPTY_LINE, EMPTY = "empty line", "empty preamble"


class OwnPreambles(NumberPrediction):
    """Is the next verb singular (0) or plural (1)? From the words before it, of a file of one's own.

    A line is ``text<TAB>number[<TAB>attractors[<TAB>distance]]``: the words before the verb; ``singular`` or
    ``plural`` (also ``sg``, ``pl``, ``VBZ``, ``VBP``); how many nouns of the other number stand between subject and
    verb; words from the subject to the verb, 1 for neighbours. The last two may be left out or empty where they are not
    known. The first line may name the columns. Words are made lower-case and cut as in WikiText-2.

    Splits: ``train``, ``validation`` and ``test``, cut by distinct preamble, numbers and attractors in proportion; and
    ``attractors``, the rows of the test whose attractors are known, if there are any. Slices: ``attractors`` and
    ``distance``, where known.

    Attributes:
        file: its path, from the working directory if it is relative; ``.gz`` is unzipped. No path is part of a trial's
            id: the content is, by ``sha256``.
        validation_file: likewise, if validation has a file of its own; then the test needs one too, nothing is cut, and
            ``file`` is learnt from.
        test_file: likewise.
        sha256: of the files, filled in when the setting is made: another content is another trial.
        test_share: of the rows, for the test.
        validation_share: of the rows, for validation; the rest is trained on.
        split_seed: Decides which preamble falls where.

    Raises:
        DataError: If the file cannot be read, or is not the one with ``sha256``.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = ()
    kind: Literal["own_preambles"] = "own_preambles"
    file: str
    validation_file: str | None = None
    test_file: str | None = None
    sha256: str | None = None
    test_share: Annotated[float, Field(gt=0, lt=1)] = 0.2
    validation_share: Annotated[float, Field(gt=0, lt=1)] = 0.1
    split_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _is_there(self) -> "OwnPreambles":
        if (self.validation_file is None) != (self.test_file is None):
            raise ValueError("validation_file and test_file belong together: give both, or none")
        object.__setattr__(self, "sha256", self._digest(self._raw()))
        return self

    @model_validator(mode="after")
    def _something_is_left_to_learn_from(self) -> "OwnPreambles":
        if self.test_share + self.validation_share >= 1:
            raise ValueError(f"test_share={self.test_share} and validation_share={self.validation_share} leave nothing")
        return self

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits, made when first asked for; equal settings share one result per process.

        ``root`` and ``download`` change nothing: the file lies where ``file`` says.

        Raises:
            DataError: If the file has changed or is not of this layout, if nothing is left of a split, or if
                ``train_size`` is more than there is.
        """
        raw = self._raw()
        self._digest(raw)
        return _load(self, tuple(files.unzipped(content, path) for path, content in raw.items()))

    def _raw(self) -> dict[Path, bytes]:
        """The bytes of every file, in the order of the splits."""
        named = filter(None, (self.file, self.validation_file, self.test_file))
        return {Path(name): files.raw_bytes(Path(name)) for name in named}

    def _digest(self, raw: Mapping[Path, bytes]) -> str:
        each = [hashlib.sha256(content).hexdigest() for content in raw.values()]
        found = each[0] if len(each) == 1 else hashlib.sha256("\n".join(each).encode()).hexdigest()
        if self.sha256 not in (None, found):
            raise DataError(
                f"{self.file} has changed: its SHA-256 is {found[:12]}…, not {self.sha256[:12]}…; a trial belongs to "
                "the file that it was made with"
            )
        return found


@lru_cache(maxsize=4)
def _load(setting: OwnPreambles, contents: tuple[bytes, ...]) -> TaskData:
    paths = [Path(name) for name in (setting.file, setting.validation_file, setting.test_file) if name]
    read = [read_preambles(content, path) for content, path in zip(contents, paths, strict=True)]
    skipped = sum((Counter(parsed.skipped) for parsed in read), Counter())
    if len(read) == 1:
        shares = [setting.test_share, setting.validation_share]
        test, validation, train = split_by_preamble(read[0].rows, shares, by=_stratum, seed=setting.split_seed)
    else:
        train, validation, test = (parsed.rows for parsed in read)
    _refuse_one_class(train, paths[0])
    splits = {"train": train, "validation": validation, "test": test}
    if known := [row for row in test if row.attractors != UNKNOWN]:
        splits["attractors"] = known
    sources = dict.fromkeys(splits, identity.source_of("", [path.name for path in paths]))
    sha256 = {path.name: hashlib.sha256(content).hexdigest() for path, content in setting._raw().items()}
    return encoded(setting, splits, sources, skipped=skipped, sha256=sha256)


def _refuse_one_class(rows: Sequence[Row], path: Path) -> None:
    if len(labels := {row.label for row in rows}) == 1:
        word = next(name for name, label in NUMBERS.items() if label in labels)
        raise DataError(f"{path}: every verb to learn from is {word}; with one number nothing can be learnt.")


def _warn_of_oddities(numbered: Sequence[tuple[int, Row]], path: Path) -> None:
    """Say which preambles have both numbers, and whether most rows repeat earlier ones."""
    first: dict[str, tuple[int, int]] = {}
    contradictory, repeated, seen = [], 0, set()
    for number, row in numbered:
        line, label = first.setdefault(row.preamble, (number, row.label))
        if label != row.label:
            contradictory.append((line, number))
        repeated += row in seen
        seen.add(row)
    if contradictory:
        line, number = contradictory[0]
        warnings.warn(
            f"{path}: {len(contradictory)} rows have the preamble of an earlier row and the other number, the first in "
            f"line {number} (as in line {line}): no model can tell both",
            stacklevel=4,
        )
    if repeated > len(numbered) / 2:
        warnings.warn(
            f"{path}: {repeated} of {len(numbered)} rows repeat earlier ones; was it put together twice?", stacklevel=4
        )


def _stratum(row: Row) -> int:
    return 2 * (row.attractors - UNKNOWN) + row.label


def read_preambles(content: bytes, path: Path) -> Parsed:
    """The rows of a file as :class:`OwnPreambles` describes it; empty lines and preambles are counted.

    Raises:
        DataError: If it is not text, holds no preamble, or a line is not of this layout; the line is named.
    """
    numbered, skipped = [], Counter()
    for number, line in enumerate(lines_of(content, path), start=1):
        columns = [column.strip() for column in line.split("\t")]
        if not any(columns):
            skipped[EMPTY_LINE] += 1
            continue
        if number == 1 and tuple(name.lower() for name in columns) == COLUMNS[: len(columns)]:
            continue
        if not 2 <= len(columns) <= len(COLUMNS):
            raise DataError(
                f"{path}, line {number}: expected 2 to 4 columns with tabs between, {', '.join(COLUMNS)}; "
                f"found {len(columns)}."
            )
        label = NUMBERS.get(columns[1].lower())
        if label is None:
            raise DataError(f"{path}, line {number}: number should be singular or plural, and is {columns[1]!r}.")
        counts = [
            _count(text, name, least, path, number)
            for text, name, least in zip(columns[2:], COLUMNS[2:], (0, 1), strict=False)
        ]
        if preamble := " ".join(tokenise(columns[0])):
            numbered.append((number, Row(preamble, label, *counts)))
        else:
            skipped[EMPTY] += 1
    if not numbered:
        raise DataError(f"{path} should hold labelled preambles, but there is none in it.")
    _warn_of_oddities(numbered, path)
    return Parsed([row for _, row in numbered], skipped, {}, (path.name,))


def _count(text: str, name: str, least: int, path: Path, number: int) -> int:
    if not text:
        return UNKNOWN
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise DataError(
            f"{path}, line {number}: {name} should be a whole number of at least {least}, or empty where it is not "
            f"known, and is {text!r}."
        )
    return int(text)
