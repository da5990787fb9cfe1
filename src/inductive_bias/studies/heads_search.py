"""The search for the heads of RSA, and searches of equal length for attention and free matrices beside it.

The paper chooses kinds and dilations of the heads for each task. So every study that judges RSA by chosen heads tries
these places, each with one run on validation data and a seed of the search.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from inductive_bias.layers import RSASpec
from inductive_bias.studies.design import Level
from inductive_bias.studies.results import Results
from inductive_bias.studies.tuning import Tuning

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
#: What the searches vary.
VARIED = ("learning_rate", "dropout", "heads", "kinds", "dilation", "gate_logit")
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
    steps = DILATIONS[dilation]
    if isinstance(steps, tuple):
        # as many heads of each, the shortest steps first, as in the paper's models
        places = np.arange(heads - plain) * len(steps) // (heads - plain)
        steps = tuple(steps[place] for place in places)
    return RSASpec(counts=(0, 0, 0, *counts), dilation=steps, **options)


def rated(place: Mapping[str, Level], rate: float) -> dict[str, Level]:
    """A place with its learning rate, of two digits, in place of a factor of the first rate."""
    return dict(place) | {"learning_rate": float(f"{rate * place['learning_rate']:.2g}")}


def rates_and_heads(settings: Mapping[str, Level], rate: float, heads: Sequence[int] = HEADS) -> list[dict[str, Level]]:
    """Places of the second search: chosen settings with every number of heads, and every factor of the first rate."""
    return [
        rated(dict(settings) | {"learning_rate": factor, "heads": count}, rate) for count in heads for factor in FACTORS
    ]


def whole(places: Iterable[Mapping[str, Level]]) -> list[dict[str, Level]]:
    """Places with all of :data:`VARIED`: None where a setting is not searched."""
    return [dict.fromkeys(VARIED) | dict(place) for place in places]


def searched(place: Mapping[str, Level]) -> dict[str, Level]:
    """The settings of a place that are searched: those that are not None."""
    return {name: level for name, level in place.items() if level is not None}


def shared_out(heads: int, parts: tuple[int, int, int]) -> tuple[int, int, int]:
    """Heads shared out evenly among the kinds that have a part; the first of them gets what is left over."""
    each, rest = divmod(heads, sum(parts))
    counts = [part * each for part in parts]
    counts[parts.index(1)] += rest
    return tuple(counts)


def settings_tried(results: Results, tuning: Tuning, search: str) -> pd.DataFrame:
    """Every place of a step of the search: its keys and settings, ``bits`` and whether it was chosen.

    Bits are per character of the validation text; a setting that the search does not vary is missing.

    Args:
        results: of the study.
        tuning: of the study, with a key ``search`` and the settings of :data:`TRIED`.
        search: the step, a level of that key.
    """
    found = tuning.scores(results.search)
    found = found[found["search"] == search]
    keys = [name for name in tuning.keys if name != "search"]
    columns = [*keys, *tuning.settings, "score", "chosen"]
    return found[columns].rename(columns={"score": "bits"}).reset_index(drop=True)


def heads_tried(tried: pd.DataFrame, mixer: str) -> pd.DataFrame:
    """What heads of RSA gain in the search: ``kinds, dilation, gate_logit, gain`` and the other keys of a place.

    The gain is in bits per character of the validation text, over attention with the same rate, as many heads and no
    dropout: only the matrices differ.

    Args:
        tried: of :func:`settings_tried`.
        mixer: the column that names the mixer.
    """
    same = [name for name in tried.columns if name not in (*VARIED, "bits", "chosen", mixer)]
    plain = tried[(tried[mixer] == ATTENTION) & (tried["dropout"] == 0) & (tried["heads"] == HEADS[0])]
    plain = plain[[*same, "learning_rate", "bits"]].rename(columns={"bits": "attention"})
    heads = tried[tried[mixer] == RSA].merge(plain, on=[*same, "learning_rate"])
    return heads[[*same, "kinds", "dilation", "gate_logit"]].assign(gain=heads["attention"] - heads["bits"])


def gains_by_head(heads: pd.DataFrame) -> pd.DataFrame:
    """Gains of :func:`heads_tried` with the usual start of the gate: a row a pair of kinds, a column a dilation."""
    usual = heads[heads["gate_logit"] == GATE_LOGIT].astype({"dilation": str})
    gains = usual.pivot(index="kinds", columns="dilation", values="gain")
    return gains.reindex(index=usual["kinds"].unique(), columns=usual["dilation"].unique())
