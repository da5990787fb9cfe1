"""Number prediction on labelled preambles of one's own: a file, cut into splits that share no preamble."""

import hashlib
from collections import Counter
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
        file: its path, from the working directory if it is relative; ``.gz`` is unzipped.
        sha256: of the file, filled in when the setting is made: another content is another trial.
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
    sha256: str | None = None
    test_share: Annotated[float, Field(gt=0, lt=1)] = 0.2
    validation_share: Annotated[float, Field(gt=0, lt=1)] = 0.1
    split_seed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _is_there(self) -> "OwnPreambles":
        object.__setattr__(self, "sha256", self._digest(files.raw_bytes(Path(self.file))))
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
        path = Path(self.file)
        raw = files.raw_bytes(path)
        self._digest(raw)
        return _load(self, files.unzipped(raw, path))

    def _digest(self, raw: bytes) -> str:
        found = hashlib.sha256(raw).hexdigest()
        if self.sha256 not in (None, found):
            raise DataError(
                f"{self.file} has changed: its SHA-256 is {found[:12]}…, not {self.sha256[:12]}…; a trial belongs to "
                "the file that it was made with"
            )
        return found


@lru_cache(maxsize=4)
def _load(setting: OwnPreambles, content: bytes) -> TaskData:
    path = Path(setting.file)
    parsed = read_preambles(content, path)
    shares = [setting.test_share, setting.validation_share]
    test, validation, train = split_by_preamble(parsed.rows, shares, by=_stratum, seed=setting.split_seed)
    splits = {"train": train, "validation": validation, "test": test}
    if known := [row for row in test if row.attractors != UNKNOWN]:
        splits["attractors"] = known
    sources = dict.fromkeys(splits, identity.source_of("", [path.name]))
    return encoded(setting, splits, sources, skipped=parsed.skipped, sha256={path.name: setting.sha256})


def _stratum(row: Row) -> int:
    return 2 * (row.attractors - UNKNOWN) + row.label


def read_preambles(content: bytes, path: Path) -> Parsed:
    """The rows of a file as :class:`OwnPreambles` describes it; empty lines and preambles are counted.

    Raises:
        DataError: If it is not text, holds no preamble, or a line is not of this layout; the line is named.
    """
    rows, skipped = [], Counter()
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
            rows.append(Row(preamble, label, *counts))
        else:
            skipped[EMPTY] += 1
    if not rows:
        raise DataError(f"{path} should hold labelled preambles, but there is none in it.")
    return Parsed(rows, skipped, {}, (path.name,))


def _count(text: str, name: str, least: int, path: Path, number: int) -> int:
    if not text:
        return UNKNOWN
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise DataError(
            f"{path}, line {number}: {name} should be a whole number of at least {least}, or empty where it is not "
            f"known, and is {text!r}."
        )
    return int(text)
