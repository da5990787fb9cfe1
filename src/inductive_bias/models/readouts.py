"""Read-outs over many classes: the adaptive softmax, whose rare words share what the frequent ones have alone."""

from collections.abc import Sequence

from jaxtyping import Float, Int64
from torch import Tensor, nn


class AdaptiveReadout(nn.Module):
    """Log-probabilities of many words at the cost of few (Grave et al. 2017): PyTorch's adaptive softmax.

    Words are numbered from the most frequent down. Those before the first cut-off, and one entry per cluster of the
    others, are one softmax; each cluster has a softmax of its own, on a projection that is four times smaller than that
    of the cluster before. All words together have probability 1, so that perplexities mean what they say.

    Args:
        states: size of what is read.
        outputs: words.
        cutoffs: ids at which clusters begin, rising, below ``outputs``.
    """

    def __init__(self, states: int, outputs: int, cutoffs: Sequence[int]):
        super().__init__()
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(states, outputs, list(cutoffs))

    def forward(self, states: Float[Tensor, "... d"]) -> Float[Tensor, "... k"]:
        """Log-probabilities of all words."""
        return self.softmax.log_prob(states.flatten(0, -2)).unflatten(0, states.shape[:-1])

    def nll(self, states: Float[Tensor, "n d"], labels: Int64[Tensor, " n"]) -> Float[Tensor, " n"]:
        """−ln of the probability of every label, without the others."""
        return -self.softmax(states, labels).output
