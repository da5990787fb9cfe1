"""A model of images as sequences: square patches are the tokens, and any mixer of the package mixes them."""

from typing import ClassVar, Literal

from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.models.mixer_model import MixingSpec
from inductive_bias.settings import Setting


class PatchSpec(Setting):
    """Choices of a :class:`PatchModel` (after Dosovitskiy et al. 2021, without a token of its own for the class).

    Attributes:
        sequence: the model of the patches, in rows from the upper left to the lower right.
        patch: pixels of a patch's side, which divides height and width of an image.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"image", "classes"}),)
    causal: ClassVar[bool] = False

    kind: Literal["patches"] = "patches"
    sequence: MixingSpec = MixingSpec()
    patch: int = Field(default=4, ge=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _weights_are_weighed_once(self) -> "PatchSpec":
        if self.sequence.l1 or self.sequence.l2:
            raise ValueError("give l1 and l2 to the model of patches, not to the model of its sequence")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages: ``Attention, sinusoidal, patches``."""
        return f"{self.sequence.name}, patches"

    def build(self, *, image: tuple[int, int, int], classes: int) -> "PatchModel":
        """A freshly initialised model for images of ``(channels, height, width)``.

        Raises:
            ValueError: if patches do not fill the image.
        """
        channels, height, width = image
        if height % self.patch or width % self.patch:
            raise ValueError(f"patch={self.patch} must divide the height and the width of images, {height} × {width}")
        return PatchModel(self.sequence.build(outputs=classes, channels=channels * self.patch**2), self.patch)


class PatchModel(nn.Module):
    """Patches → a model of sequences → the mean of its logits over patches."""

    def __init__(self, sequence: nn.Module, patch: int):
        super().__init__()
        self.sequence, self.patch = sequence, patch

    def tokens(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n t p"]:
        """The patches of each image, row by row; a patch is its channels, rows and columns."""
        side = self.patch
        patches = images.unflatten(3, (-1, side)).unflatten(2, (-1, side))
        return patches.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)

    def features(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d"]:
        """The penultimate layer: the mean over patches of what the read-out sees."""
        return self.sequence.states(self.tokens(images)).mean(1)

    def forward(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        return self.sequence(self.tokens(images)).mean(1)
