"""Agreement by scoring: minimal pairs of sentences, and the readers of the sets that hold them."""

from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs, pair_correct

__all__ = ["MinimalPairs", "pair_correct"]
