"""One recurrent layer between a sequence and a linear read-out, and nothing else: linear, tanh or LSTM.

Bare on purpose: what its states do is then all that the model does (no normalisation, no skip connection).
"""

from typing import ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from inductive_bias.attention import LinearRNN
from inductive_bias.settings import Setting

Cell = Literal["linear", "tanh", "lstm"]
NAMES: dict[str, str] = {"linear": "Linear RNN", "tanh": "tanh RNN", "lstm": "LSTM"}


class RecurrentSpec(Setting):
    """Choices of a :class:`RecurrentModel`.

    Attributes:
        cell: ``linear`` (h_t = W h_{t−1} + U x_t), ``tanh`` (h_t = tanh(W h_{t−1} + U x_t + b)) or ``lstm``.
        states: size of h.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (frozenset({"outputs", "channels"}),)
    causal: ClassVar[bool] = True
    kind: Literal["recurrent"] = "recurrent"
    cell: Cell = "tanh"
    states: int = Field(16, ge=1)
    l1: float = Field(0.0, ge=0)
    l2: float = Field(0.0, ge=0)

    @property
    def name(self) -> str:
        """As on the pages."""
        return NAMES[self.cell]

    def build(self, *, outputs: int, channels: int) -> "RecurrentModel":
        """A freshly initialised model of real-valued sequences."""
        return RecurrentModel(self, channels, outputs)


class RecurrentModel(nn.Module):
    """Real values ``[b, t, channels]`` → states → ``[b, t, outputs]``, from a state of zeros.

    Attributes:
        rnn: the recurrent layer: :class:`~inductive_bias.attention.LinearRNN`, ``torch.nn.RNN`` or ``torch.nn.LSTM``.
        readout: linear.
    """

    def __init__(self, spec: RecurrentSpec, channels: int, outputs: int):
        super().__init__()
        self.cell = spec.cell
        if spec.cell == "linear":
            self.rnn = LinearRNN(channels, spec.states)
            self.rnn.output = nn.Identity()  # its read-out is this model's
        else:
            kind = nn.RNN if spec.cell == "tanh" else nn.LSTM
            self.rnn = kind(channels, spec.states, batch_first=True)
        self.readout = nn.Linear(spec.states, outputs)

    def states(self, inputs: Float[Tensor, "b t c"]) -> Float[Tensor, "b t d"]:
        """h₁ … h_t: what the read-out sees."""
        return self.rnn.states(inputs) if self.cell == "linear" else self.rnn(inputs)[0]

    def memory(self, inputs: Float[Tensor, "b t c"]) -> Float[Tensor, "b t m"]:
        """All that a step hands to the next: h, and for an LSTM h and the cell's content c side by side."""
        if self.cell != "lstm":
            return self.states(inputs)
        last, found = None, []
        for step in inputs.split(1, dim=1):
            _, last = self.rnn(step, last)
            found.append(torch.cat(last, -1)[0])
        return torch.stack(found, 1)

    def features(self, inputs: Float[Tensor, "b t c"]) -> Float[Tensor, "b d"]:
        """The last state."""
        return self.states(inputs)[:, -1]

    def forward(self, inputs: Float[Tensor, "b t c"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.states(inputs))
