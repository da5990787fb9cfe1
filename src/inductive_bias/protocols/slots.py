"""Slot filling: a tag for every word."""

from collections.abc import Iterator

import torch
from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.protocols.base import Measures, Protocol
from inductive_bias.protocols.batching import Bucketed
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.slots import METRICS, tag_rows, text_rows
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import TokenLevel
from inductive_bias.tasks.vocabulary import lengths_of

#: Validation sentences whose last states are kept.
PROBE_SENTENCES = 100


class SlotMeasures(Measures):
    """F1 of spans (exact ends and kind, all sentences together), with precision, recall and the share of right tags."""

    reads = "states"

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        yield from tag_rows(model, self.given.validation, "validation", self.given.data.label_names, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        data = self.given.data
        for name in ("validation", "test"):
            if diverged:
                yield from (row(name, metric, torch.nan, data[name].source) for metric in METRICS)
                continue
            yield from tag_rows(model, data[name], name, data.label_names)
            yield from text_rows(data[name], name, data.label_names, data.classes)
        source = self.given.train.source
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` after the last token of the first validation sentences."""
        tokens = self.given.validation.inputs[:PROBE_SENTENCES]
        return last_states(model, tokens, lengths_of(tokens))


class SlotProtocol(Protocol):
    """Batches of sentences of similar length; cross-entropy averaged over their words.

    Only causal models may be trained. A later word is no answer here, so that reading both ways would be no cheating;
    but how far back a model's memory reaches, and what is lost when it is cut to the last k words, can be asked only of
    one that reads forward. Later words are had by the task's ``lookahead`` instead.
    """

    slices = ("length",)
    batching = Bucketed
    objective = TokenLevel
    measures = SlotMeasures

    def check(self, model: nn.Module) -> None:
        """Refuse data without names of their tags.

        Raises:
            SettingError: naming the trial.
        """
        if not self.given.data.label_names:
            raise SettingError(f"{self.given.origin}: the data have no label_names, and spans are read off names")
        super().check(model)
