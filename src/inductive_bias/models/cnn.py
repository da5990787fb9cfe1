"""A convolutional network with max-out and global average pooling: the model biased towards translation."""

from typing import ClassVar, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from pydantic import Field, PositiveInt, model_validator
from torch import Tensor, nn

from inductive_bias.settings import Setting


class CNNSpec(Setting):
    """Choices of a :class:`CNN`; the defaults are the paper's ``vcnn_mnist7`` (Abnar et al. 2020, the Reflect code).

    Each block has ``filters`` 3×3 kernels, of which max-out keeps ``units`` maps (so ``units`` divides ``filters``),
    and max-pools by ``pools``. The read-out sees the ``average`` of each of the last maps, as in the paper, or every
    cell of them (``flat``).
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"image", "classes"}),)
    causal: ClassVar[bool] = False

    kind: Literal["cnn"] = "cnn"
    filters: tuple[PositiveInt, ...] = (128, 64, 64)
    units: tuple[PositiveInt, ...] = (128, 64, 16)
    pools: tuple[PositiveInt, ...] = (1, 2, 2)
    dropout: float = Field(default=0.3, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=2e-9, ge=0)
    readout: Literal["average", "flat"] = "average"

    @model_validator(mode="after")
    def _blocks_agree(self) -> "CNNSpec":
        if not len(self.filters) == len(self.units) == len(self.pools) > 0:
            raise ValueError(
                f"filters {self.filters}, units {self.units} and pools {self.pools} must have one entry a block"
            )
        for filters, units in zip(self.filters, self.units, strict=True):
            if filters % units:
                raise ValueError(f"max-out keeps units={units} of filters={filters}: units must divide filters")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "CNN"

    def build(self, *, image: tuple[int, int, int], classes: int) -> "CNN":
        """A freshly initialised model for images of ``(channels, height, width)``."""
        cells = 1
        if self.readout == "flat":
            height, width = image[1:]
            for pool in self.pools:
                height, width = height // pool, width // pool
            cells = height * width
        return CNN(image[0], self.filters, self.units, self.pools, classes, dropout=self.dropout, cells=cells)


def max_out(maps: Float[Tensor, "n filters h w"], units: int) -> Float[Tensor, "n units h w"]:
    """The largest of each group of ``filters / units`` neighbouring maps (Goodfellow et al. 2013)."""
    return maps.unflatten(1, (units, -1)).amax(2)


class ConvolutionBlock(nn.Module):
    """3×3 convolution → max-out → batch normalisation → ReLU → max-pool → dropout."""

    def __init__(self, channels: int, filters: int, units: int, pool: int, *, dropout: float):
        super().__init__()
        self.convolution = nn.Conv2d(channels, filters, kernel_size=3, padding=1)
        self.units, self.pool = units, pool
        self.norm = nn.BatchNorm2d(units)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n units h2 w2"]:
        x = self.convolution(x)
        if self.convolution.out_channels != self.units:
            x = max_out(x, self.units)
        x = torch.relu(self.norm(x))
        if self.pool > 1:
            x = F.max_pool2d(x, self.pool)
        return self.dropout(x)


class CNN(nn.Module):
    """Convolution blocks, global average pooling and a linear read-out.

    Global pooling forgets where a feature was: it turns the equivariance of the blocks into (near) invariance. With
    ``cells`` of the last maps the read-out sees each of these instead.
    """

    def __init__(
        self,
        channels: int,
        filters: tuple[int, ...],
        units: tuple[int, ...],
        pools: tuple[int, ...],
        classes: int,
        *,
        dropout: float = 0.0,
        cells: int = 1,
    ):
        super().__init__()
        self.flat = cells > 1
        inputs = (channels, *units[:-1])
        self.blocks = nn.ModuleList(
            ConvolutionBlock(*sizes, dropout=dropout) for sizes in zip(inputs, filters, units, pools, strict=True)
        )
        self.readout = nn.Linear(units[-1] * cells, classes)
        # channels last is the layout that the CPU and tensor-core kernels want: 1.5 to 2 times as fast here
        self.to(memory_format=torch.channels_last)

    @property
    def strides(self) -> list[int]:
        """Input pixels per feature-map pixel after each block."""
        strides, stride = [], 1
        for block in self.blocks:
            stride *= block.pool
            strides.append(stride)
        return strides

    def stages(self, images: Float[Tensor, "n c h w"]) -> dict[str, Float[Tensor, "n c2 h2 w2"]]:
        """The feature maps of every block, first to last."""
        x, found = images.contiguous(memory_format=torch.channels_last), {}
        for number, block in enumerate(self.blocks, start=1):
            x = found[f"block {number}"] = block(x)
        return found

    def features(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n d"]:
        """The penultimate layer: the average of each of the last block's maps, or all cells of them."""
        x = images.contiguous(memory_format=torch.channels_last)
        for block in self.blocks:
            x = block(x)
        return x.flatten(1) if self.flat else x.mean((2, 3))

    def forward(self, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
        return self.readout(self.features(images))
