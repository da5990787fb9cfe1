"""Character models: cross-entropy in bits per character (BPC), and what their mixers have learned."""

import math
from collections.abc import Iterator

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import PROBE_EXAMPLES, Measures, Protocol
from inductive_bias.protocols.batching import Windows
from inductive_bias.protocols.measures import Row, mixer_rows, row, skipped_rows
from inductive_bias.protocols.measures.characters import bits, by_context, mean_bits
from inductive_bias.protocols.objectives import TokenLevel
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.training import predict

#: The part of a window whose characters have at least half a window of context.
SECOND_HALF = "second half"


class CharacterMeasures(Measures):
    """Held-out text in windows side by side."""

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        yield row("validation", "bpc", mean_bits(bits(model, split.inputs, split.labels)), split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test"):
            split = self.given.data[name]
            if diverged:
                yield row(name, "bpc", math.nan, split.source)
                yield row(name, "bpc", math.nan, split.source, part=SECOND_HALF)
                continue
            found = bits(model, split.inputs, split.labels)
            yield row(name, "bpc", mean_bits(found), split.source)
            yield row(name, "bpc", mean_bits(found[:, found.shape[1] // 2 :]), split.source, part=SECOND_HALF)
            yield row(name, "characters", float(found.isfinite().sum()), split.source)
            for longest, value in by_context(found):
                yield row(name, "bpc", value, split.source, context=longest)
        source = self.given.train.source
        yield from skipped_rows(self.given.data.skipped, "train", source)
        yield from mixer_rows(model, source)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """Features of the last character of the first validation windows, ``[n, d]``."""
        # not the sentences' batching: it takes id 0 for padding
        device = next(model.parameters()).device
        chunks = ordered_chunks(self.given.validation.inputs[:PROBE_EXAMPLES])
        return predict(lambda chunk: model.features(chunk.to(device)).float().cpu(), chunks)


class CharacterProtocol(Protocol):
    """Random windows of the training text; cross-entropy of every next character, or distillation."""

    needs = ("window",)
    batching = Windows
    objective = TokenLevel
    measures = CharacterMeasures
