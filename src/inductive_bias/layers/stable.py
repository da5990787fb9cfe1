"""Constraints that keep a recurrent layer stable: applied to its weights, in place, after every step of an optimiser.

::

    lstm = nn.LSTM(88, 200, batch_first=True)
    constraint = StableLSTM(forget=0.8)
    ...
    optimiser.step()
    constraint.apply_(lstm)                    # certified_contraction(lstm, 1.0) <= 0.99

An optimiser's momentum knows nothing of the constraint, so that every step may leave the set: apply it after each.
"""

from abc import abstractmethod
from typing import Literal

import torch
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.layers.contraction import forget_bias, gates, largest_forget_gates, refuse_other_than_rnns
from inductive_bias.layers.linear_rnn import LinearRNN
from inductive_bias.layers.projections import clip_singular_values, project_rows
from inductive_bias.settings import Setting

#: The budgets in circulation as "Miller & Hardt 2018": of the rows of a gate's recurrent weights, and of the forget
#: gate's input weights (antonior92/attractors-and-smoothness-RNN @ abae146, rnn_wrap.py).
CIRCULATING = {"input": 0.395, "forget": 0.155, "cell": 0.099, "output": 0.395}
CIRCULATING_INPUTS = 0.25
#: By so much a rounded sum of rows may miss its budget. The set is made smaller by it, so that what was projected is
#: inside in float32 too.
ROUNDING = 1e-5


class Constraint(Setting):
    """Choices of one constraint."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the constraint on the book's pages."""

    @torch.no_grad()
    def apply_(self, module: nn.Module) -> None:
        """Move the weights of ``module`` into the set, in place and without gradient.

        Weights that are not finite are of a network that diverged: no set has anything near them, and they stay, so
        that the next loss tells.

        Raises:
            ValueError: if the constraint is of another kind of module.
        """
        self._check_module(module)
        if all(bool(weight.isfinite().all()) for weight in module.parameters()):
            self._move(module)

    @abstractmethod
    def _check_module(self, module: nn.Module) -> None:
        """Refuse a module of another kind."""

    @abstractmethod
    def _move(self, module: nn.Module) -> None:
        """:meth:`apply_` for a module of the right kind whose weights are finite."""


class StableRNN(Constraint):
    """‖W‖₂ ≤ ``contraction`` in every layer of ``torch.nn.RNN``, or of a linear RNN.

    Attributes:
        contraction: λ.
        form: ``clipped`` moves singular values above λ down to it (Miller & Hardt 2019): a projection.
            ``rescaled`` multiplies the whole matrix so that its norm is λ, upwards too.
    """

    kind: Literal["stable_rnn"] = "stable_rnn"
    contraction: float = Field(default=0.99, gt=0)
    form: Literal["clipped", "rescaled"] = "clipped"

    @property
    def name(self) -> str:
        """Name of the constraint on the book's pages: ``λ ≤ 0.99``."""
        return f"λ ≤ {self.contraction:g}" if self.form == "clipped" else f"rescaled to λ = {self.contraction:g}"

    def _check_module(self, module: nn.Module) -> None:
        if not isinstance(module, LinearRNN | nn.RNN):
            raise ValueError(f"StableRNN is of torch.nn.RNN or LinearRNN, not of {type(module).__name__}")
        if isinstance(module, nn.RNN):
            refuse_other_than_rnns(module)

    def _move(self, module: nn.Module) -> None:
        if isinstance(module, LinearRNN):
            weights = [module.recurrent]
        else:
            weights = [getattr(module, f"weight_hh_l{layer}") for layer in range(module.num_layers)]
        for weight in weights:
            weight.copy_(self._inside(weight))

    def _inside(self, weight: Tensor) -> Tensor:
        if self.form == "clipped":
            return clip_singular_values(weight, self.contraction)
        return weight * (self.contraction / _above_zero(torch.linalg.matrix_norm(weight, ord=2)))


class StableLSTM(Constraint):
    """Budgets for the rows of ``torch.nn.LSTM`` with which it is certified to contract; its inputs must be in [−1, 1].

    With f for the ceiling of the forget gate and s = (λ − f)/(1 − f), a unit may have ‖W_f‖₁ ≤ s(1 − f)²,
    ‖W_i‖₁, ‖W_o‖₁ ≤ s(1 − f), ‖W_z‖₁ ≤ s(1 − f)/4, and of its forget gate ‖U_f‖₁ + b_f ≤ logit(f) − s(1 − f)². Then
    the certificate of :func:`~.contraction.certified_contraction` is at most λ. A row outside is projected (Euclidean);
    one inside is left alone.

    Attributes:
        forget: f; None in the forms that measure it.
        contraction: λ.
        form: ``budgets`` with f as given, one number for all units. ``paper``: f is measured, the largest that any
            unit's forget gate can be with the present weights but at most ``ceiling``, and the budgets follow (the
            inequalities of Miller & Hardt 2019). ``rows``: the same unit by unit. ``rescaled``: the form in
            circulation, for comparison: every *column* of a block is multiplied to reach the constants of
            :data:`CIRCULATING`, upwards too, in the first layer alone, with the bias free. It guarantees nothing.
        ceiling: of a measured f.
    """

    kind: Literal["stable_lstm"] = "stable_lstm"
    form: Literal["budgets", "paper", "rows", "rescaled"] = "budgets"
    forget: float | None = Field(default=None, gt=0.5, lt=1)
    contraction: float = Field(default=0.99, gt=0, lt=1)
    ceiling: float = Field(default=0.98, gt=0.5, lt=1)

    @model_validator(mode="after")
    def _forget_belongs_to_budgets(self) -> "StableLSTM":
        if (self.form == "budgets") != (self.forget is not None):
            need = "must be given" if self.form == "budgets" else "must be None"
            raise ValueError(f"forget {need} where form={self.form!r}, not {self.forget}")
        ceiling = self.forget if self.form == "budgets" else self.ceiling
        if ceiling >= self.contraction:
            raise ValueError(f"the forget gate's ceiling {ceiling} must be below contraction={self.contraction}")
        if _logit(ceiling) <= (self.contraction - ceiling) * (1 - ceiling):
            raise ValueError(f"a forget gate of at most {ceiling} leaves no room for inputs: choose a larger one")
        return self

    @property
    def name(self) -> str:
        """Name of the constraint on the book's pages: ``unit by unit``."""
        words = {
            "budgets": f"forget gate ≤ {self.forget:g}" if self.forget else "",
            "paper": "as in the paper",
            "rows": "unit by unit",
            "rescaled": "rescaled",
        }
        return words[self.form]

    def _check_module(self, module: nn.Module) -> None:
        if not isinstance(module, nn.LSTM):
            raise ValueError(f"StableLSTM is of torch.nn.LSTM, not of {type(module).__name__}")
        refuse_other_than_rnns(module)

    def _move(self, module: nn.Module) -> None:
        if self.form == "rescaled":
            _rescale_columns(module)
            return
        for layer in range(module.num_layers):
            self._apply_to(module, layer)

    def _apply_to(self, lstm: nn.LSTM, layer: int) -> None:
        ceiling = self.forget if self.form == "budgets" else self.ceiling
        _limit_forget_gate(lstm, layer, _logit(ceiling) - self._room(ceiling) * (1 - ceiling))
        forget = torch.full((lstm.hidden_size,), ceiling, dtype=torch.float64)
        if self.form != "budgets":
            # where the gate stays below its ceiling, the recurrent rows may be larger; these then only lower it
            forget = largest_forget_gates(lstm, layer, 1.0).clamp(max=ceiling).cpu()
            forget = forget if self.form == "rows" else forget.max().expand_as(forget)
        room = self._room(forget) * (1 - ROUNDING)
        budgets = {"input": room, "forget": room * (1 - forget), "cell": room / 4, "output": room}
        for gate, block in gates(lstm, f"weight_hh_l{layer}").items():
            block.copy_(project_rows(block, budgets[gate].to(block)))

    def _room(self, forget: float | Tensor) -> float | Tensor:
        """s(1 − f): with it the certificate is f + s(1 − f) = λ."""
        return self.contraction - forget


def _limit_forget_gate(lstm: nn.LSTM, layer: int, most: float) -> None:
    """Input weights and bias of every unit moved to the nearest with ‖U_f‖₁ + b_f ≤ ``most``; b_f has its sign."""
    inputs, bias = gates(lstm, f"weight_ih_l{layer}")["forget"], forget_bias(lstm, layer)
    outside = inputs.double().abs().sum(1) + bias > most
    if not bool(outside.any()):
        return
    row, budget = torch.cat((inputs.double(), bias[:, None]), 1)[outside], most * (1 - ROUNDING)
    if not lstm.bias:
        inputs[outside] = project_rows(row[:, :-1], budget).to(inputs)
        return
    # the bias counts with its sign: moved far above 0, it never meets it, and the set is an ℓ1 ball, moved as well
    far = float(row.abs().sum(1).max()) + abs(budget) + 1
    row[:, -1] += far
    row = project_rows(row, budget + far)
    inputs[outside] = row[:, :-1].to(inputs)
    # both bias vectors take half of what their sum has to give
    change = (row[:, -1] - far - bias[outside]).to(inputs) / 2
    for name in ("ih", "hh"):
        gates(lstm, f"bias_{name}_l{layer}")["forget"][outside] += change


def _rescale_columns(lstm: nn.LSTM) -> None:
    blocks = gates(lstm, "weight_hh_l0")
    for gate, budget in CIRCULATING.items():
        blocks[gate].mul_(budget / _above_zero(blocks[gate].abs().sum(0)))
    inputs = gates(lstm, "weight_ih_l0")["forget"]
    inputs.mul_(CIRCULATING_INPUTS / _above_zero(inputs.abs().sum(0)))


def _above_zero(size: Tensor) -> Tensor:
    """What may be divided by: what is zero stays zero, since no factor brings it to a size."""
    return size.clamp(min=torch.finfo(size.dtype).tiny)


def _logit(share: float) -> float:
    return float(torch.logit(torch.tensor(share, dtype=torch.float64)))
