"""An LSTM that is unrolled, and whose steps share no weights: the same sums as an LSTM, without its recurrence."""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.settings import Setting


class UnrolledSpec(Setting):
    """Choices of an :class:`UnrolledLSTM`.

    Attributes:
        length: steps that have weights; of a longer sequence the rest is not read.
        states: size of h.
        embedding: of tokens, which pass tanh, as in :class:`~inductive_bias.models.RecurrentSpec`; shared by all steps.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"outputs", "vocabulary"}),)
    causal: ClassVar[bool] = True

    kind: Literal["unrolled"] = "unrolled"
    length: int = Field(ge=1)
    states: int = Field(default=16, ge=1)
    embedding: int = Field(default=64, ge=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "Unrolled LSTM"

    def build(self, *, outputs: int, vocabulary: int) -> "UnrolledLSTM":
        """A freshly initialised model of tokens; every step starts as PyTorch's LSTM does, by a draw of its own."""
        return UnrolledLSTM(self, outputs=outputs, vocabulary=vocabulary)


class UnrolledLSTM(nn.Module):
    """Tokens ``[b, t]`` → states → ``[b, t, outputs]``: step k is an LSTM's, with weights that no other step has.

    With equal weights at all steps it would be that LSTM. After its last step states stay as they are.
    """

    def __init__(self, spec: UnrolledSpec, *, outputs: int, vocabulary: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, spec.embedding)
        self.steps = nn.ModuleList(nn.LSTMCell(spec.embedding, spec.states) for _ in range(spec.length))
        self.readout = nn.Linear(spec.states, outputs)

    def states(self, inputs: Int64[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """h₁ … h_t: what the read-out sees."""
        driven, state, found = torch.tanh(self.embedding(inputs)), None, []
        for step, given in zip(self.steps, driven.unbind(1), strict=False):
            state = step(given, state)
            found.append(state[0])
        found += [found[-1]] * (inputs.shape[1] - len(found))
        return torch.stack(found, 1)

    def forward(self, inputs: Int64[Tensor, "b t"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs))
