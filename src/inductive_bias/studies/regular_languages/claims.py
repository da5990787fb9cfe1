"""What is claimed of recurrence and length, and the rule by which each sentence is judged.

Scores are of the last epoch, on the first bin of strings longer than those trained on (laptop: up to twice as long).
RSA and its twin are paired by number: the runs of one number see the batches in one order.
"""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import Level
from inductive_bias.studies.regular_languages.design import ALIBI, ATTENTION, NONE, RSA, SINUSOIDAL, TITLES, mixer_name
from inductive_bias.studies.results import Results
from inductive_bias.tasks.formal import LANGUAGES, LanguageName
from inductive_bias.verdicts import Contrast, Judgement, all_of, crossed, exceeds, falls_below, given, paired

RECURRENCE = "Huang et al. 2023, experiments on regular languages"
HYPOTHESIS = "What a REM can see: Huang et al. 2023, section 2"
STRINGS, POSITIONS = "string_accuracy", "position_accuracy"
#: A model masters its training lengths if it has so many of such strings right, on the mean of its seeds.
MASTERED = 0.99
#: The smallest share of strings, or of positions, that is an improvement. The paper's numbers are not known to us.
LEAST = 0.05
#: A diverged run has no string and no position right.
FAILED = 0.0
#: One language says nothing of how much languages differ.
FEWEST = 2
#: Content-free recurrence should help with the first two and not with the third.
POSITIONAL: tuple[LanguageName, ...] = ("aa", "abab")
DATA_DEPENDENT: LanguageName = "parity"


def scores(results: Results, split: str, languages: Sequence[str], **levels: Level) -> pd.DataFrame:
    """String accuracy of one model: a row a number, a column a language."""
    frame = results.frame(STRINGS, split=split, language=languages, **levels)
    return frame.pivot(index="number", columns="language", values="value").rename(columns=str)


def masters(results: Results, language: str, **levels: Level) -> bool:
    """Whether the mean of all seeds reaches :data:`MASTERED` on strings as long as in training."""
    right = results.values(STRINGS, split="validation", language=language, **levels)
    return bool(right.fillna(FAILED).mean() >= MASTERED)


def mastered_by_both(results: Results, languages: Sequence[str]) -> list[str]:
    """The languages whose training lengths both RSA and its twin master."""
    pair = (RSA, ATTENTION)
    return [name for name in languages if all(masters(results, name, model=m, positions=NONE) for m in pair)]


def mean_gain(results: Results, languages: Sequence[str], of: str, positions: str = NONE) -> Contrast:
    """RSA − Attention in whole longer strings; both seeds and languages are taken as random."""
    own, twin = (
        scores(results, "longer", languages, model=model, positions=told)
        for model, told in ((RSA, NONE), (ATTENTION, positions))
    )
    name = f"{RSA} − {mixer_name(ATTENTION, positions)}, mean of {len(languages)} {of}"
    return crossed(own, twin, name=name, unit="longer strings right", failed_value=FAILED)


def gain(results: Results, language: str, metric: str = POSITIONS) -> Contrast:
    """RSA − Attention on the longer strings of one language."""
    own, twin = (
        results.values(metric, split="longer", language=language, model=model, positions=NONE)
        for model in (RSA, ATTENTION)
    )
    unit = "longer strings right" if metric == STRINGS else "positions of longer strings right"
    return paired(own, twin, name=f"{RSA} − {ATTENTION}, {TITLES[language]}", unit=unit, failed_value=FAILED)


def rsa_generalises(results: Results) -> Finding:
    """RSA against its twin, where both master the training lengths and something is left to be better at.

    The sentence is about regular languages: they are random, as are the seeds. The two counters are not regular, and
    stand in the note alone; the flip-flop, where the state of a finite automaton is asked, is.
    """
    languages = results.design.levels(results.scale)["language"]
    regular = [name for name in languages if LANGUAGES[name].family != "counter"]
    counters = [name for name in languages if name not in regular]
    both = mastered_by_both(results, regular)
    others = [(regular, "regular languages", told) for told in (NONE, SINUSOIDAL, ALIBI)]
    others += [(counters, "counters", NONE)] * (len(counters) > 0)
    gains = [mean_gain(results, names, of, told) for names, of, told in others]
    note = f"mastered or not: {'; '.join(f'{each.name} {each}' for each in gains)}"
    return Finding(_where_mastered(results, both, len(regular)), note=note)


def _where_mastered(results: Results, both: Sequence[str], of: int) -> Judgement:
    found = f"both master their training lengths in {len(both)} of {of} regular languages"

    def with_room() -> Judgement:
        twin = scores(results, "longer", both, model=ATTENTION, positions=NONE).fillna(FAILED).to_numpy().mean()
        where = f"{found} ({', '.join(TITLES[name] for name in both)})"
        reason = f"{where}, and there {ATTENTION} has {twin:.3f} of the longer strings right: nothing is left to gain"
        tested = partial(mean_gain, results, both, "regular languages that both master")
        return given(twin <= 1 - LEAST, reason, lambda: exceeds(tested(), LEAST))

    return given(len(both) >= FEWEST, f"{found}, and a mean over languages needs {FEWEST}", with_room)


def content_free(results: Results) -> Finding:
    """RSA must gain more than the margin on (aa)* and on (abab)*, and less than it on Parity."""
    periods, parity = [gain(results, language) for language in POSITIONAL], gain(results, DATA_DEPENDENT)
    judgement = all_of([*(exceeds(each, LEAST) for each in periods), falls_below(parity, LEAST)])
    return Finding(judgement, note="; ".join(f"{each.name} {each}" for each in (*periods, parity)))


CLAIMS = (
    Claim("R9", RECURRENCE, "Self-attention with recurrence generalises to longer strings of regular languages better "
          "than the same model without recurrence.",
          "RSA above its attention twin (numbers not known to us)", rsa_generalises),
    Claim("RH", HYPOTHESIS, "A recurrence that does not look at the symbols helps with periods of position, (aa)* and "
          "(abab)*, but not with Parity, whose state depends on the symbols read.",
          "–", content_free, own=True),
)  # fmt: skip
