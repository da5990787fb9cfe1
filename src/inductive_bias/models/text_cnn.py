"""A convolutional network for text (Kim 2014, arXiv:1408.5882): kernels of several lengths side by side, one layer."""

from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from pydantic import Field, PositiveInt
from torch import Tensor, nn

from inductive_bias.models.code_classifier import FunctionSpec


class TextCNNSpec(FunctionSpec):
    """Choices of a TextCNN. Kim reads the maximum over time alone; here the mean too, as of all encoders.

    Attributes:
        kernels: their lengths.
        filters: of each length.
    """

    kind: Literal["text_cnn"] = "text_cnn"
    kernels: tuple[PositiveInt, ...] = Field(default=(3, 4, 5), min_length=1)
    filters: int = Field(default=128, ge=1)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "TextCNN"

    def encoder(self) -> "TextCNN":
        """A freshly initialised encoder of convolutions."""
        return TextCNN(self.width, self.kernels, self.filters)


class TextCNN(nn.Module):
    """ReLU of every kernel at every place, with zeros before the first token and after the last.

    Args:
        width: of the inputs.
        kernels: lengths; an even one sees one more token behind its place than before.
        filters: of each length.

    Attributes:
        d: of the outputs.
    """

    def __init__(self, width: int, kernels: tuple[int, ...], filters: int):
        super().__init__()
        self.d = len(kernels) * filters
        self.convolutions = nn.ModuleList(nn.Conv1d(width, filters, each) for each in kernels)

    def forward(self, x: Float[Tensor, "b t c"], real: Bool[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """What every kernel finds around every token."""
        x, found = (x * real[..., None]).mT, []
        for each in self.convolutions:
            beyond = each.kernel_size[0] - 1
            found.append(torch.relu(each(F.pad(x, (beyond // 2, beyond - beyond // 2)))))
        return torch.cat(found, 1).mT
