"""What is asked of the times, and the rules; written before any measurement that they judge is published.

An interval is over repeats on one machine on one day: see :mod:`~inductive_bias.studies.automata.measures.speed`.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from inductive_bias.studies.automata.design import ATTENTION, BENCHMARK, LSTM, RSA
from inductive_bias.studies.automata.measures.speed import LONG, exponents, faster, lengths
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.timings import TRAINING
from inductive_bias.verdicts import all_of, equivalent, exceeds, exists, single, untestable

PAGE, ASKED = "automata/depth", "asked in the project plan of 2023; the rule is ours"
#: Q19: the least exponent of attention, that of the LSTM and how far it may be from it.
STEEP, LINEAR, NEAR = 1.5, 1.0, 0.1
#: Q20: the lengths, and what counts as faster: 5 % of the time.
SHORTEST, LONGEST, FASTER = 64, 4096, float(np.log2(1.05))


def measured(results: Results, rule: Callable[[pd.DataFrame], Finding]) -> Finding:
    """A rule over the published measurement, if there is one."""
    if BENCHMARK not in results.tables:
        nothing = untestable(f"the benchmark {BENCHMARK!r} has not been published")
        return Finding(nothing)
    return rule(results.table(BENCHMARK))


def attention_grows_faster(results: Results) -> Finding:
    """Q19: the exponents of attention and of the LSTM."""

    def rule(table: pd.DataFrame) -> Finding:
        names = {model: f"{model}, from {LONG:,} tokens on" for model in (ATTENTION, LSTM)}
        slopes = {model: exponents(table, model) for model in names}
        first, second = (single(slopes[model], name=name, unit="exponent") for model, name in names.items())
        near = equivalent(second.minus(LINEAR, name=f"{second.name}, less {LINEAR:g}"), NEAR)
        words = f"{first.name}: {first}; {second.name}: {second}"
        return Finding(all_of([exceeds(first, STEEP), near]), effect=first, note=words)

    return measured(results, rule)


def attention_is_faster_only_when_short(results: Results) -> Finding:
    """Q20: who is faster at both ends."""

    def rule(table: pd.DataFrame) -> Finding:
        ends = [faster(table, ATTENTION, LSTM, SHORTEST), faster(table, LSTM, ATTENTION, LONGEST)]
        words = "; ".join(f"{each.name}: {2**each.estimate:.2f} times as long" for each in ends)
        return Finding(all_of([exceeds(each, FASTER) for each in ends]), note=words)

    return measured(results, rule)


def being_parallel_is_faster(results: Results) -> Finding:
    """Q20-parallel: attention and RSA are faster than the LSTM at some length, corrected for the number of lengths.

    Some length, so that it fails only where neither short nor long sequences gain by being read at once. The data were
    known when this rule was written.
    """

    def rule(table: pd.DataFrame) -> Finding:
        of_training = table[table["measure"] == TRAINING]
        if absent := [model for model in (ATTENTION, RSA, LSTM) if model not in set(of_training["model"])]:
            return Finding(untestable(f"no times of {', '.join(absent)}"))
        tried = lengths(table)
        found = {model: [faster(table, model, LSTM, length) for length in tried] for model in (ATTENTION, RSA)}
        best = {model: max(contrasts, key=lambda each: each.estimate) for model, contrasts in found.items()}
        words = "; ".join(
            f"best of {len(tried)} lengths, {each.name}: {2**each.estimate:.2f} times as long" for each in best.values()
        )
        return Finding(all_of([exists(contrasts, FASTER) for contrasts in found.values()]), best[RSA], words)

    return measured(results, rule)


MACHINE = "one CPU thread, no GPU, 2 blocks of width 128, 5 repeats"

CLAIMS = (
    Claim(
        "Q19",
        PAGE,
        ASKED,
        "From 1,024 tokens on, a sequence’s time in training grows with the length to the power of 1.5 or more for "
        "attention, and in proportion to it for an LSTM (an exponent of 1, within 0.1).",
        "asked, not answered",
        attention_grows_faster,
        own=True,
        regime=MACHINE,
    ),
    Claim(
        "Q20",
        PAGE,
        ASKED,
        "On this machine attention trains faster than an LSTM of equal size on 64 tokens, and slower on 4,096.",
        "asked, not answered",
        attention_is_faster_only_when_short,
        own=True,
        regime=MACHINE,
    ),
    Claim(
        "Q20-parallel",
        PAGE,
        "a question of our own, after Huang et al. 2022, who say it of a GPU",
        "Attention reads all positions at once and so trains faster than a recurrent network, also without a GPU: at "
        "some length from 64 to 4,096 tokens attention, and at some length RSA, takes 5 % less time than an LSTM of "
        "equal size.",
        "said of GPUs; no numbers",
        being_parallel_is_faster,
        own=True,
        regime=MACHINE,
    ),
)
