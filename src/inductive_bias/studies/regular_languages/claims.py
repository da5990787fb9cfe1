"""What is claimed of recurrence and length, and the rule by which each sentence is judged; written before the results.

Scores are of the last epoch, on the first bin of strings longer than those trained on (laptop: up to twice as long).
Differences are 95 % Welch intervals over seeds.
"""

from collections.abc import Sequence

import numpy as np

from inductive_bias.analysis import Interval, difference_interval
from inductive_bias.studies.claims import Claim, Finding, Verdict, above, both, signed
from inductive_bias.studies.comparisons import finding, finite, gain
from inductive_bias.studies.regular_languages.design import (
    ALIBI,
    RSA,
    SINUSOIDAL,
    TITLES,
    TRANSFORMER,
    cell_of,
    languages_of,
)
from inductive_bias.studies.study import Results
from inductive_bias.tasks.formal import LanguageName

RECURRENCE = "Huang et al. 2023, regular languages"
HYPOTHESIS = "Huang et al. 2023, our hypothesis"
STRINGS, POSITIONS = "string_accuracy", "position_accuracy"
#: Content-free recurrence should help with the first two and not with the third.
POSITIONAL: tuple[LanguageName, ...] = ("aa", "abab")
DATA_DEPENDENT: LanguageName = "parity"
#: Less than this share of positions is no improvement: even point intervals then have a verdict.
MARGIN = 0.05


def mean_scores(results: Results, model: str, split: str = "longer", metric: str = STRINGS) -> list[float]:
    """The score averaged over all languages, one number a seed; a seed of which a trial diverged has none."""
    scores = [results.values(cell_of(model, language), split, metric) for language in languages_of(results.scale)]
    return finite(np.mean(scores, axis=0).tolist())


def mean_gain(results: Results, model: str, baseline: str, split: str = "longer") -> Interval:
    """Difference of the mean string accuracies over all languages."""
    return difference_interval(*(mean_scores(results, name, split) for name in (model, baseline)))


def changed(results: Results, model: str, baseline: str) -> tuple[list[str], list[str]]:
    """Titles of the languages whose longer strings the model gets right more often, and less often, beyond noise."""
    better, worse = [], []
    for language in languages_of(results.scale):
        found = gain(results, cell_of(model, language), cell_of(baseline, language), "longer", STRINGS)
        if found.low > 0:
            better.append(TITLES[language])
        elif found.high < 0:
            worse.append(TITLES[language])
    return better, worse


def rsa_generalises(results: Results) -> Finding:
    """Mean string accuracy on longer strings over all languages: RSA minus the Transformer without positions."""
    found = mean_gain(results, RSA, TRANSFORMER)
    better, worse = changed(results, RSA, TRANSFORMER)
    others = "; ".join(
        f"minus {name} {signed(mean_gain(results, RSA, name))}" for name in (SINUSOIDAL, ALIBI)
    )  # fmt: skip
    note = f"better in {_listed(better)}; worse in {_listed(worse)}; {others}"
    return finding(above(found), found, "string accuracy, longer strings, RSA − Transformer, mean of languages", note)


def content_free(results: Results) -> Finding:
    """Position accuracy on longer strings: RSA must gain on (aa)* and (abab)*, and must not on Parity."""
    found = {
        language: gain(results, cell_of(RSA, language), cell_of(TRANSFORMER, language), "longer", POSITIONS)
        for language in (*POSITIONAL, DATA_DEPENDENT)
    }
    gains = [above(found[language], MARGIN) for language in POSITIONAL]
    verdict = both(*gains, _opposite(above(found[DATA_DEPENDENT], MARGIN)))
    # the part that decides: the smallest gain, or Parity's if that fails
    shown = DATA_DEPENDENT if "not reproduced" not in gains and verdict == "not reproduced" else _weakest(found)
    note = "; ".join(f"{TITLES[language]} {signed(interval)}" for language, interval in found.items())
    return finding(
        verdict, found[shown], f"position accuracy, longer strings, RSA − Transformer, {TITLES[shown]}", note
    )


def _weakest(found: dict[LanguageName, Interval]) -> LanguageName:
    return min(POSITIONAL, key=lambda language: found[language].mean)


def _opposite(verdict: Verdict) -> Verdict:
    return {"reproduced": "not reproduced", "not reproduced": "reproduced"}.get(verdict, verdict)


def _listed(titles: Sequence[str]) -> str:
    return ", ".join(titles) if titles else "none"


CLAIMS = (
    Claim("R9", RECURRENCE, "Self-attention with recurrence generalises to longer strings of regular languages better "
          "than the same model without recurrence.",
          "RSA above its attention twin (numbers not known to us)", rsa_generalises),
    Claim("RH", HYPOTHESIS, "A recurrence that does not look at the symbols helps with periods of position, (aa)* and "
          "(abab)*, but not with Parity, whose state depends on the symbols read.",
          "–", content_free),
)  # fmt: skip
