"""Language models: the next word, and the preference for the right form of a verb."""

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import product

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.protocols.base import PROBE_EXAMPLES, Measures, Protocol
from inductive_bias.protocols.batching import BucketedTokens
from inductive_bias.protocols.measures import SLICE_MEANS, Row, corpus_rows, pair_rows, perplexity, row, skipped_rows
from inductive_bias.protocols.measures.language import verb_states
from inductive_bias.protocols.objectives import NextWord
from inductive_bias.tasks.pairs import MinimalPairs


class LanguageMeasures(Measures):
    """Perplexity, and agreement by scoring sets of pairs."""

    @cached_property
    def pairs(self) -> dict[str, MinimalPairs]:
        """The sets for agreement by scoring, in the words of this trial's vocabulary."""
        return self.given.task.load_pairs(self.given.data.vocabulary, self.given.root)

    def sha256(self) -> dict[str, str]:
        return super().sha256() | {file: digest for each in self.pairs.values() for file, digest in each.sha256.items()}

    def after_epoch(self, model: nn.Module, epoch: int) -> Iterator[Row]:
        split = self.given.validation
        yield row("validation", "perplexity", perplexity(model, split.inputs), split.source, epoch=epoch)

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        if diverged:
            yield from self._diverged()
            return
        yield from skipped_rows(self.given.data.skipped, "train", self.given.train.source)
        for name in ("validation", "test"):
            yield from corpus_rows(model, self.given.data[name], name)
        for pairs in self.pairs.values():
            yield from pair_rows(model, pairs)

    def probe(self, model: nn.Module) -> Float[Tensor, "n d"]:
        """States ``[≤ 1000, d]`` that choose the verb, in the first set that is scored by it.

        After the last word of a sentence, where other models are probed, only its end is still to be told. Without such
        a set, that state it is.
        """
        for pairs in self.pairs.values():
            if pairs.by_verb:
                return verb_states(model, pairs, PROBE_EXAMPLES)
        return super().probe(model)

    def _diverged(self) -> Iterator[Row]:
        """NaN for what every comparison reads, so that a diverged trial stays in the tables."""
        for name, metric in product(("validation", "test"), ("nll", "perplexity")):
            yield row(name, metric, math.nan, self.given.data[name].source)
        for name, pairs in self.pairs.items():
            for metric in ("accuracy", *(SLICE_MEANS[s][0] for s in pairs.slices if s in SLICE_MEANS)):
                yield row("pairs", metric, math.nan, pairs.source, pairs=name)


class LanguageProtocol(Protocol):
    """Mean cross-entropy per token, or distillation; batches with about equally many tokens."""

    needs = ("load_pairs",)
    batching = BucketedTokens
    objective = NextWord
    measures = LanguageMeasures
