"""Polyphonic music: which keys sound in the next step."""

import math
from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.batching import BucketedSteps
from inductive_bias.protocols.measures import Row, mixer_rows, parameters_row, row
from inductive_bias.protocols.measures.music import music_rows, nll_per_step, scores
from inductive_bias.protocols.measures.states import last_states
from inductive_bias.protocols.objectives import NextKeys
from inductive_bias.protocols.selection import SelectingMeasures
from inductive_bias.tasks.music import baseline_nlls

#: Validation pieces whose last states are kept.
PROBE_PIECES = 100


class MusicMeasures(SelectingMeasures):
    """Negative log-likelihood in nats per step, summed over the 88 keys: mean over steps, not over pieces.

    Small sets are overfitted: what is measured at the end, and kept, is the model at the epoch of the lowest validation
    error, as in Bai et al. (2018). Beside it stand two predictions that know no music (``baseline_nll``, by ``kind``).
    """

    reads = "states"

    def at_start(self, model: nn.Module) -> Iterator[Row]:
        return mixer_rows(model, self.given.train.source, epoch=0)

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        nll = nll_per_step(scores(model, split), split)
        self._best.update(model, nll, epoch)
        yield row("validation", "nll", nll, split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        data = self.given.data
        yield from self.restored(model, diverged=diverged)
        for name in ("validation", "test"):
            if diverged:
                for metric in ("nll", "frame_accuracy"):
                    yield row(name, metric, math.nan, data[name].source)
                continue
            yield from music_rows(model, data[name], name)
        for kind, value in baseline_nlls(data).items():
            yield row("test", "baseline_nll", value, data["test"].source, kind=kind)
        source = self.given.train.source
        yield parameters_row(model, source)
        if not diverged:
            yield from mixer_rows(model, source)

    def arrays(self, model: nn.Module) -> dict[str, Float[Tensor, "..."]]:
        """Nats per step of every test piece, in their order."""
        split = self.given.data["test"]
        return {"piece_nll/test": (scores(model, split).nll / split.slices["length"]).float()}

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[100, d]`` after the last step of the first validation pieces."""
        split = self.given.validation
        return last_states(model, split.inputs[:PROBE_PIECES].float(), split.slices["length"][:PROBE_PIECES])


class MusicProtocol(Protocol):
    """Batches of whole pieces of similar length; cross-entropy per step, summed over the keys."""

    slices = ("length",)
    batching = BucketedSteps
    objective = NextKeys
    measures = MusicMeasures
