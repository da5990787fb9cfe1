"""What the study tests, and the rule by which the sentence is judged; written before any run."""

import pandas as pd

from inductive_bias.protocols.next_character import EPOCH_STEPS
from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_training.design import FALLING, NEARLY, STABLE, UNSTABLE
from inductive_bias.studies.stable_training.measures import curves, exponents
from inductive_bias.verdicts import all_of, exceeds, falls_below, single

PAGE = "stability/truncation"
#: M3: ln gap falls by at least so much per character of context, along a line that explains so much of it …
SLOPE, EXPLAINED = 0.05, 0.9
#: … and with the number of steps the gap grows no faster than so high a power.
EXPONENT = 2.0


def equivalent_training(results: Results) -> Finding:
    """M3: with falling steps, both stable bounds; and the network that began at 1.5 as the control."""
    lines, powers, parts, words = curves(results), exponents(results), [], []

    def of(frame: pd.DataFrame, bound: str) -> pd.DataFrame:
        return frame[(frame["bound"] == bound) & (frame["steps"] == FALLING)].set_index("number")

    for bound in (STABLE, NEARLY):
        line, power = of(lines, bound), of(powers, bound)["exponent"]
        fall = single(-line["slope"], name=f"{bound}: fall of ln gap", unit="per character of context")
        straight = single(line["explained"], name=f"{bound}: variance of ln gap along a line", unit="share")
        growth = single(power, name=f"{bound}: power of the number of steps", unit="power")
        parts += [exceeds(fall, SLOPE), exceeds(straight, EXPLAINED), falls_below(growth, EXPONENT)]
        words.append(
            f"{bound}: fall {fall.estimate:.2f}, along a line {straight.estimate:.2f}, power {growth.estimate:.2f}"
        )
    free = single(-of(lines, UNSTABLE)["slope"], name=f"{UNSTABLE}: fall of ln gap", unit="per character of context")
    parts.append(falls_below(free, SLOPE))
    words.append(f"{UNSTABLE}: fall {free.estimate:.3f}")
    return Finding(all_of(parts), note="; ".join(words))


def regime(results: Results) -> str:
    """The network, its training and the number of runs, in words."""
    trials = results.trials
    states, runs = trials["model.states"].max(), results.runs()[-1]
    steps, context = trials["schedule.epochs"].max() * EPOCH_STEPS, trials["context"].max()
    return f"tanh RNN of {states} units, {steps:,} steps, windows up to {context:g}, {runs} runs"


CLAIMS = (
    Claim(
        "M3",
        PAGE,
        "Miller & Hardt 2019",
        "With steps of size α/t a stable network and its truncated twin learn nearly the same weights: their gap "
        "falls geometrically with the window and grows no faster than a power of the number of steps. Without "
        "stability the gap does not fall.",
        "proved for the stable one, with k = O(log(poly(N)/ε))",
        equivalent_training,
        headline=True,
        regime=regime,
    ),
)
