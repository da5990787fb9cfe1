"""The search for the heads of RSA, and searches of equal length for attention and free matrices beside it.

The paper chooses kinds and dilations of the heads for each task. So every study that judges RSA by chosen heads tries
these places, each with one run on validation data and a seed of the search.
"""

from collections.abc import Mapping, Sequence
from itertools import product

from inductive_bias.layers import RSASpec
from inductive_bias.studies.design import Level

ATTENTION, RSA, TOEPLITZ = "Attention", "RSA", "Free Toeplitz"
#: Kinds of the heads with a matrix, by name: how many parts of them are real, cosines and sines.
KINDS = {"real": (1, 0, 0), "real, cos": (1, 1, 0), "cos, sin": (0, 1, 1)}
PAPER_KINDS = "cos, sin"
#: Dilations by name; the paper's are one of each kind of head.
DILATIONS = {"none": 1, "2 characters": 2, "4 characters": 4, "6 and 12 characters": (6, 12)}
UNDILATED_HEADS = "none"
#: Where μ starts in the paper's language models; other starts of undilated heads are tried, too.
GATE_LOGIT, OTHER_GATES = 1.0, (-1.0, 3.0)
#: Factors of the learning rate that attention and free matrices are tried with, and every chosen mixer later.
FACTORS = 1.0, 2**-0.5, 2**0.5
#: Numbers of heads that are tried; of RSA and of free matrices half of them have a matrix.
HEADS = 4, 8
#: Places by mixer, equally many; rates as factors of the first rate.
TRIED: Mapping[str, Sequence[Mapping[str, Level]]] = {
    ATTENTION: [
        {"learning_rate": factor, "dropout": dropout, "heads": count}
        for factor, dropout, count in product(FACTORS, (0.0, 0.05, 0.1), HEADS)
    ],
    RSA: [
        {"learning_rate": 1.0, "kinds": kinds, "dilation": dilation, "gate_logit": gate}
        for kinds, dilation, gate in [
            *product(KINDS, DILATIONS, [GATE_LOGIT]),
            *product(KINDS, [UNDILATED_HEADS], OTHER_GATES),
        ]
    ],
    TOEPLITZ: [
        {"learning_rate": factor, "dropout": dropout, "gate_logit": gate}
        for factor, dropout, gate in product(FACTORS, (0.0, 0.05), (OTHER_GATES[0], GATE_LOGIT, OTHER_GATES[1]))
    ],
}


def with_heads(
    kinds: str, dilation: str, *, heads: int, plain: int, gate_logit: float, shared: bool = False
) -> RSASpec:
    """RSA with heads of these kinds and dilation, of which ``plain`` are attention alone.

    Args:
        kinds: a key of :data:`KINDS`; the heads with a matrix are shared out evenly among them.
        dilation: a key of :data:`DILATIONS`.
        heads: all of a layer.
        plain: those without a matrix.
        gate_logit: where μ starts.
        shared: whether heads of one kind share their decay and their angle.
    """
    counts = shared_out(heads - plain, KINDS[kinds])
    options = {"heads": heads, "plain": plain, "gate_logit": gate_logit, "shared": shared}
    if dilation == UNDILATED_HEADS:
        return RSASpec(counts=(*counts, 0, 0, 0), **options)
    return RSASpec(counts=(0, 0, 0, *counts), dilation=DILATIONS[dilation], **options)


def shared_out(heads: int, parts: tuple[int, int, int]) -> tuple[int, int, int]:
    """Heads shared out evenly among the kinds that have a part; the first of them gets what is left over."""
    each, rest = divmod(heads, sum(parts))
    counts = [part * each for part in parts]
    counts[parts.index(1)] += rest
    return tuple(counts)
