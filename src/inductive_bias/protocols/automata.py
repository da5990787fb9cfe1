"""Simulating automata: the state after every action, on words that are new in every step."""

from collections.abc import Iterator

from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import FRESH_STEPS, Fresh
from inductive_bias.protocols.given import Given
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.automata import constant_rows, diverged_state_rows, state_rows
from inductive_bias.protocols.measures.memory import answers_of, mean_nll
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import TokenLevel

#: Training ends when so many evaluations on validation words in a row have found so many states right.
EVALUATIONS, SOLVED = 3, 0.9995
#: Validation words whose last states are kept.
PROBE_WORDS = 100


class StateMeasures(Measures):
    """Scores by position, over all positions, over the last quarter and of whole words; of the last weights.

    Words are fresh in every step: nothing can be learnt by heart, and an earlier evaluation is better by chance alone.
    """

    reads = "states"

    def __init__(self, given: Given):
        super().__init__(given)
        self._epoch, self._solved = 0, 0

    @property
    def should_stop(self) -> bool:
        return self._solved >= EVALUATIONS

    @property
    def wanted(self) -> float:
        """The accuracy from which an evaluation has found all."""
        return SOLVED

    def accuracy(self, right: Int64[Tensor, "n t"]) -> float:
        """Over all positions that have a label; ``right`` is that of :func:`answers_of`."""
        return right[right >= 0].double().mean().item()

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        found = answers_of(model, split)
        accuracy = self.accuracy(found.right)
        self._epoch, self._solved = epoch, self._solved + 1 if accuracy >= self.wanted else 0
        yield row("validation", "nll", mean_nll(found), split.source, epoch=epoch)
        yield row("validation", "accuracy", accuracy, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        source, split = self.given.train.source, self.given.data["test"]
        yield row("train", "steps", float(self._epoch * FRESH_STEPS), source)
        yield parameters_row(model, source)
        yield from constant_rows(self.given.task, split, "test")
        if diverged:
            yield from diverged_state_rows(split, "test")
            return
        yield from state_rows(answers_of(model, split), split, "test")
        yield from mixer_rows(model, source)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` after the last action of the first validation words."""
        some = self.given.validation
        return last_states(model, some.inputs[:PROBE_WORDS], some.slices["length"][:PROBE_WORDS])


class StateProtocol(Protocol):
    """Fresh words in every step; cross-entropy averaged over all positions."""

    slices = ("length",)
    needs = ("draw", "best_constant")
    batching = Fresh
    objective = TokenLevel
    measures = StateMeasures
