"""Agreement by scoring: minimal pairs of sentences, and the readers of the sets that hold them."""

from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs, Scoring, pair_correct
from inductive_bias.tasks.pairs.own import minimal_pairs

__all__ = ["MinimalPairs", "Scoring", "minimal_pairs", "pair_correct"]
