"""What all tasks on source code share: how long a function may be, how many types are known, which batches are seen."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.vocabulary import Vocabulary

#: The source of everything made up.
MADE = "generated:made-up functions"
#: What may be asked instead of a download, for people.
INSTEAD = "data='generated' needs no download"


class CodeTask(Setting):
    """Yes or no, of one function or of two.

    Attributes:
        length: Tokens at most that are read of a function; the rest is cut off.
        vocabulary_size: Ids at most: the most frequent types of the training part, and four special ones.
        batches: Of an epoch at most; None for all.
        data_seed: Decides what is made up, and nothing else.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = ()
    #: Functions of an example.
    sides: ClassVar[int] = 1
    #: Names of the values of the slice ``group``, by which scores are told apart.
    groups: ClassVar[tuple[str, ...]] = ()

    length: Annotated[int, Field(ge=2)] = 256
    vocabulary_size: Annotated[int, Field(ge=5)] = 4000
    batches: Annotated[int, Field(ge=1)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _what_is_made_up_has_choices_of_its_own(self) -> "CodeTask":
        made = self.data == "generated"
        if self.data_seed and not made:
            raise ValueError(f"data_seed={self.data_seed} belongs to the data 'generated', not to {self.data!r}")
        if self.allow_other and made:
            raise ValueError("allow_other=True belongs to data that are read from files, not to 'generated'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of tokens (0 is padding), two answers, one or two functions."""
        return {"vocabulary": self.vocabulary_size, "classes": 2, "sides": self.sides}

    @property
    def canonical(self) -> "CodeTask":
        """A task of equal data without the settings that do not change them."""
        return self.model_copy(update={"batches": None})

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``.

        Inputs are ids int64 ``[n, t]``, or ``[n, t, 2]`` of two functions side by side, padded on the right with 0;
        labels int64 ``[n]``, 1 for yes. Slices: ``length`` and ``cut``, tokens that are read and that were taken off;
        ``item`` and, of two functions, ``other``, numbers of what is drawn anew in a bootstrap; ``group``, the place of
        the example in :attr:`groups`, where there are any. Equal settings share one result per process.

        Args:
            root: Folder of the data; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one, or a split would be empty.
        """
        return self._loaded(() if self.data == "generated" else files.places(root), download)

    @abstractmethod
    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        """:meth:`load`, kept by settings and places."""


def task_data(
    task: CodeTask,
    splits: Mapping[str, Split],
    vocabulary: Vocabulary,
    sha256: Mapping[str, str],
    labels: tuple[str, str],
) -> TaskData:
    """Splits that are made already; of how many examples something was cut off is told by part.

    Raises:
        DataError: if a part has not both answers.
    """
    for name in ("train", "validation", "test"):
        if len(split := splits[name]) == 0 or len(split.labels.unique()) < len(labels):
            raise DataError(f"{split.source}: the part {name} should have both {' and '.join(labels)}, and has not.")
    cut = {f"cut, {name}": int((split.slices["cut"] > 0).sum()) for name, split in splits.items()}
    return TaskData(
        {name: partial(_itself, split) for name, split in splits.items()},
        classes=len(labels),
        sha256=sha256,
        is_sample=task.data == "generated",
        vocabulary=vocabulary,
        skipped=cut,
        label_names=labels,
    )


def _itself(split: Split) -> Split:
    return split
