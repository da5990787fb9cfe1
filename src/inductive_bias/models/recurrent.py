"""Recurrent layers between a sequence and a linear read-out, and nothing else: linear, tanh, LSTM or GRU.

Bare on purpose: what its states do is then all that the model does (no normalisation, no skip connection).
"""

from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field, PositiveInt, model_validator
from torch import Tensor, nn

from inductive_bias.layers import LinearRNN, StableLSTM, StableRNN
from inductive_bias.layers.contraction import gates
from inductive_bias.layers.rnn_state import advance, refuse_more_layers
from inductive_bias.models.convolution import refuse_both_or_neither
from inductive_bias.models.readouts import AdaptiveReadout
from inductive_bias.settings import Setting

Cell = Literal["linear", "tanh", "lstm", "gru"]
#: As on the pages. The study of recurrent heads takes its three levels from here, and the GRU is none of them.
NAMES: dict[str, str] = {"linear": "Linear RNN", "tanh": "tanh RNN", "lstm": "LSTM"}
#: PyTorch's layer of each cell that goes step by step.
LAYERS: dict[str, type[nn.RNNBase]] = {"tanh": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


class RecurrentSpec(Setting):
    """Choices of a :class:`RecurrentModel`.

    Attributes:
        cell: ``linear`` (h_t = W h_{t−1} + U x_t), ``tanh`` (h_t = tanh(W h_{t−1} + U x_t + b)), ``lstm`` or ``gru``
            (those of PyTorch).
        states: size of h.
        layers: one on top of the other; a linear RNN has one.
        embedding: of tokens, which pass tanh, so that no input is larger than 1; real values are read as they are.
        dropout: on the inputs of every layer and of the read-out (none within the recurrence). In training it makes
            inputs larger by 1 / (1 − ``dropout``), so that the certificate of a constrained LSTM is of evaluation.
        constraint: what the weights are moved into before training and after every step.
        spectral_norm: W of a tanh RNN starts as a random matrix of PyTorch's kind, scaled to have this norm.
        chrono: an LSTM starts with units that remember for up to about so many steps (Tallec & Ollivier 2018, eq. 16):
            b_f ~ log U(1, ``chrono`` − 1) and b_i = −b_f. PyTorch's own start forgets half of the past at every step.
        context: only so many of the last inputs decide an output: every state is computed from a state of zeros that
            many steps ago (the *truncated* model of Miller & Hardt 2019; an n-gram model of n − 1 = ``context``).
        bptt: steps of truncated back-propagation: in training, states go on through the whole sequence, but no gradient
            passes the boundaries after every so many steps. Values are those of the whole model, and so are gradients
            in evaluation mode.
        cutoffs: ids at which the clusters of an adaptive softmax begin; empty for a linear read-out.
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = (
        frozenset({"outputs", "channels"}),
        frozenset({"outputs", "vocabulary"}),
    )
    causal: ClassVar[bool] = True

    kind: Literal["recurrent"] = "recurrent"
    cell: Cell = "tanh"
    states: int = Field(default=16, ge=1)
    layers: int = Field(default=1, ge=1)
    embedding: int = Field(default=64, ge=1)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    constraint: Annotated[StableRNN | StableLSTM, Field(discriminator="kind")] | None = None
    spectral_norm: float | None = Field(default=None, gt=0)
    chrono: int | None = Field(default=None, ge=3)
    context: int | None = Field(default=None, ge=1)
    bptt: int | None = Field(default=None, ge=1)
    cutoffs: tuple[PositiveInt, ...] = ()
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _fits_the_cell(self) -> "RecurrentSpec":
        if self.cell == "linear" and self.layers > 1:
            raise ValueError(f"a linear RNN has one layer, not layers={self.layers}: more are one larger layer")
        if self.constraint and self.cell == "gru":
            raise ValueError(f"there is no constraint for cell='gru', of kind {self.constraint.kind!r} or another")
        if self.constraint and (self.constraint.kind == "stable_lstm") != (self.cell == "lstm"):
            raise ValueError(f"a constraint of kind {self.constraint.kind!r} does not fit cell={self.cell!r}")
        if self.spectral_norm and self.cell != "tanh":
            raise ValueError(f"spectral_norm belongs to cell='tanh', not to {self.cell!r}")
        if self.chrono and (self.cell != "lstm" or self.constraint):
            raise ValueError(f"chrono={self.chrono} is the start of the gates of an LSTM without a constraint")
        if self.bptt and self.cell == "linear":
            raise ValueError(f"bptt={self.bptt} is of cells that go step by step: a linear RNN sums all lags at once")
        if self.bptt and self.context:
            raise ValueError(
                f"give either bptt={self.bptt}, which cuts gradients, or context={self.context}, which cuts states"
            )
        return self

    @model_validator(mode="after")
    def _cutoffs_rise(self) -> "RecurrentSpec":
        if list(self.cutoffs) != sorted(set(self.cutoffs)):
            raise ValueError(f"cutoffs must rise, each above the one before, but they are {self.cutoffs}")
        return self

    @property
    def name(self) -> str:
        """Name of the model on the book's pages."""
        return "GRU" if self.cell == "gru" else NAMES[self.cell]

    def build(self, *, outputs: int, channels: int | None = None, vocabulary: int | None = None) -> "RecurrentModel":
        """A freshly initialised model of real-valued sequences, or of tokens.

        Raises:
            ValueError: if not exactly one of ``channels`` and ``vocabulary`` is given.
        """
        refuse_both_or_neither(channels, vocabulary)
        return RecurrentModel(self, outputs=outputs, channels=channels, vocabulary=vocabulary)


class RecurrentModel(nn.Module):
    """Real values ``[b, t, channels]`` or tokens ``[b, t]`` → states → ``[b, t, outputs]``, from a state of zeros.

    Attributes:
        embedding: of tokens; None for real values.
        rnn: the recurrent layers: :class:`~inductive_bias.layers.LinearRNN`, or one of PyTorch's (:data:`LAYERS`).
        readout: linear, or an adaptive softmax.
    """

    def __init__(
        self, spec: RecurrentSpec, *, outputs: int, channels: int | None = None, vocabulary: int | None = None
    ):
        super().__init__()
        self.cell, self.context, self.bptt, self.constraint = spec.cell, spec.context, spec.bptt, spec.constraint
        self.embedding = None if vocabulary is None else nn.Embedding(vocabulary, spec.embedding)
        width = channels if vocabulary is None else spec.embedding
        if spec.cell == "linear":
            self.rnn = LinearRNN(width, spec.states)
            self.rnn.output = nn.Identity()  # its read-out is this model's
        else:
            # torch warns of dropout between layers where there is one layer only
            between = spec.dropout if spec.layers > 1 else 0.0
            self.rnn = LAYERS[spec.cell](width, spec.states, spec.layers, batch_first=True, dropout=between)
        self.dropout = nn.Dropout(spec.dropout)
        linear = not spec.cutoffs
        self.readout = (
            nn.Linear(spec.states, outputs) if linear else AdaptiveReadout(spec.states, outputs, spec.cutoffs)
        )
        if spec.spectral_norm:
            StableRNN(contraction=spec.spectral_norm, form="rescaled").apply_(self.rnn)
        if spec.chrono:
            remember_(self.rnn, spec.chrono)
        self.constrain_()

    def constrain_(self) -> None:
        """Move the weights into the constraint's set, in place; called after every step of the training.

        Weights of which one is not finite stay as they are: no set has them, and the loss tells that the run diverged.
        """
        if self.constraint and all(bool(weight.isfinite().all()) for weight in self.rnn.parameters()):
            self.constraint.apply_(self.rnn)

    def driven(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t c"]:
        """What the first layer reads.

        Raises:
            ValueError: if an LSTM with a constraint is given a number outside [−1, 1], on a CPU: its guarantee would
                not hold. (On a GPU, to read the inputs would stall every step.)
        """
        if self.embedding is not None:
            return torch.tanh(self.embedding(inputs))
        if self.constraint and self.cell == "lstm" and inputs.device.type == "cpu" and inputs.abs().amax() > 1:
            raise ValueError(f"inputs of a constrained LSTM must lie in [−1, 1], not up to {inputs.abs().amax():g}")
        return inputs.to(self.readout.weight.dtype)

    def states(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """h₁ … h_t: what the read-out sees."""
        driven = self.dropout(self.driven(inputs))
        return self._from_zero(driven) if self.context is None else self._truncated(driven)

    def _from_zero(self, driven: Float[Tensor, "b t c"]) -> Float[Tensor, "b t d"]:
        if self.cell == "linear":
            return self.rnn.states(driven)
        return self._detaching(driven) if self.bptt and self.training else self.rnn(driven)[0]

    def _detaching(self, driven: Float[Tensor, "b t c"]) -> Float[Tensor, "b t d"]:
        """The same states, whose gradients end where ``bptt`` steps have been made."""
        state, found = None, []
        for part in driven.split(self.bptt, dim=1):
            states, state = self.rnn(part, state)
            state = tuple(each.detach() for each in state) if self.cell == "lstm" else state.detach()
            found.append(states)
        return torch.cat(found, 1)

    def _truncated(self, driven: Float[Tensor, "b t c"]) -> Float[Tensor, "b t d"]:
        """Each state from its own window; the first ones have all the past there is."""
        t, context = driven.shape[1], min(self.context, driven.shape[1])
        first = self._from_zero(driven[:, : context - 1]) if context > 1 else driven.new_zeros(len(driven), 0, 0)
        windows = driven.unfold(1, context, 1).movedim(-1, 2).flatten(0, 1)
        last = self._from_zero(windows)[:, -1].unflatten(0, (-1, t - context + 1))
        return torch.cat((first, last), 1) if context > 1 else last

    def memory(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t m"]:
        """All that a step hands to the next: h, and for an LSTM h and the cell's content c side by side.

        Whatever the context. ``m`` is the size of h, of an LSTM twice that.

        Raises:
            ValueError: if there is more than one layer.
        """
        if self.cell != "linear":
            refuse_more_layers(self.rnn)
        driven = self.driven(inputs)
        if self.cell != "lstm":
            return self._from_zero(driven)
        state, found = None, []
        for step in driven.split(1, dim=1):
            _, state = advance(self.rnn, step, state)
            found.append(state)
        return torch.stack(found, 1)

    def carried(
        self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"], state: object = None
    ) -> tuple[Float[Tensor, "b t d"], object]:
        """What the read-out sees, going on from a state, and the state after the last input, cut off from the gradient.

        ``state`` is what an earlier call gave, None for zeros. With a ``context`` nothing is carried: the model starts
        from zeros for every output.

        Raises:
            ValueError: if the cell is linear, which sums all lags at once.
        """
        if self.cell == "linear":
            raise ValueError("a linear RNN has no state to go on from: it sums all lags at once")
        if self.context is not None:
            return self.dropout(self.states(inputs)), None
        outputs, state = self.rnn(self.dropout(self.driven(inputs)), state)
        return self.dropout(outputs), state.detach() if isinstance(state, Tensor) else tuple(s.detach() for s in state)

    def features(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b d"]:
        """The last state."""
        if self.context is not None:
            inputs = inputs[:, -self.context :]
        return self._from_zero(self.dropout(self.driven(inputs)))[:, -1]

    def last(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b k"]:
        """The output at the last position alone: that of ``forward``, without computing the others."""
        return self.readout(self.dropout(self.features(inputs)))

    def forward(self, inputs: Float[Tensor, "b t c"] | Int64[Tensor, "b t"]) -> Float[Tensor, "b t k"]:
        return self.readout(self.dropout(self.states(inputs)))


@torch.no_grad()
def remember_(lstm: nn.LSTM, steps: int) -> None:
    """Set the biases of forget and input gates so that units remember for 1 to about ``steps`` steps, in place.

    Of all layers: b_f ~ log U(1, steps − 1) and b_i = −b_f (Tallec & Ollivier 2018, eq. 16). PyTorch adds two biases;
    the second of these gates is 0.
    """
    for layer in range(lstm.num_layers):
        first, second = (gates(lstm, f"bias_{of}_l{layer}") for of in ("ih", "hh"))
        lasting = torch.empty_like(first["forget"]).uniform_(1, steps - 1).log()
        first["forget"].copy_(lasting)
        first["input"].copy_(-lasting)
        for gate in ("forget", "input"):
            second[gate].zero_()
