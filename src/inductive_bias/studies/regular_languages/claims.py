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
from inductive_bias.tasks.formal import LANGUAGES
from inductive_bias.verdicts import Contrast, Judgement, all_of, crossed, exceeds, falls_below, given, paired

#: What is right, in words.
UNITS = {"string_accuracy": "longer strings right", "position_accuracy": "positions of longer strings right"}
#: A model masters its training lengths if it has so many of such strings right, on the mean of its seeds.
MASTERED = 0.99
#: The smallest share of strings, or of positions, that is an improvement. The paper's numbers are not known to us.
LEAST = 0.05
#: A diverged run has no string and no position right.
FAILED = 0.0
#: One language says nothing of how much languages differ.
FEWEST = 2


def scores(results: Results, split: str, languages: Sequence[str], **levels: Level) -> pd.DataFrame:
    """String accuracy of one model: a row a number, a column a language."""
    frame = results.frame("string_accuracy", split=split, language=languages, **levels)
    return frame.pivot(index="number", columns="language", values="value").rename(columns=str)


def mastered(results: Results, languages: Sequence[str], positions: str = NONE) -> list[str]:
    """The languages whose training lengths both RSA and Attention master."""
    pair = (RSA, NONE), (ATTENTION, positions)
    means = [
        scores(results, "validation", languages, model=model, positions=told).fillna(FAILED).mean()
        for model, told in pair
    ]
    return [name for name in languages if min(each[name] for each in means) >= MASTERED]


def mean_gain(results: Results, languages: Sequence[str], of: str, positions: str = NONE) -> Contrast:
    """RSA − Attention in whole longer strings; both seeds and languages are taken as random."""
    own = scores(results, "longer", languages, model=RSA)
    twin = scores(results, "longer", languages, model=ATTENTION, positions=positions)
    name = f"{RSA} − {mixer_name(ATTENTION, positions)}, mean of {len(languages)} {of}"
    return crossed(own, twin, name=name, unit=UNITS["string_accuracy"], failed_value=FAILED)


def gain(results: Results, language: str, metric: str = "position_accuracy") -> Contrast:
    """RSA − Attention on the longer strings of one language."""
    own, twin = (
        results.values(metric, split="longer", language=language, model=model, positions=NONE)
        for model in (RSA, ATTENTION)
    )
    return paired(own, twin, name=f"{RSA} − {ATTENTION}, {TITLES[language]}", unit=UNITS[metric], failed_value=FAILED)


def rsa_generalises(results: Results) -> Finding:
    """RSA against its twin, where both master the training lengths and something is left to be better at.

    The sentence is about regular languages: they are random, as are the seeds. The two counters are not regular, and
    stand in the note alone; the flip-flop, where the state of a finite automaton is asked, is.
    """
    languages = results.design.levels(results.scale)["language"]
    regular = [name for name in languages if LANGUAGES[name].family != "counter"]
    counters = [name for name in languages if name not in regular]
    gains = [mean_gain(results, regular, "regular languages", told) for told in (NONE, SINUSOIDAL, ALIBI)]
    gains.append(mean_gain(results, counters, "languages that are not regular"))
    for told in (SINUSOIDAL, ALIBI):  # no twins: they differ from RSA in two things
        if both := mastered(results, regular, told):
            gains.append(mean_gain(results, both, "regular languages that both master", told))
    return Finding(_where_mastered(results, regular), note="; ".join(f"{each.name} {each}" for each in gains))


def _where_mastered(results: Results, regular: Sequence[str]) -> Judgement:
    both = mastered(results, regular)
    found = f"both master their training lengths in {len(both)} of {len(regular)} regular languages"

    def with_room() -> Judgement:
        known = scores(results, "longer", both, model=ATTENTION, positions=NONE).fillna(FAILED)
        twin = float(known.to_numpy().mean())
        where = f"{found} ({', '.join(TITLES[name] for name in both)}), where {ATTENTION}"
        reason = f"{where} has {twin:.3f} of the longer strings right: too little is left to gain"
        tested = partial(mean_gain, results, both, "regular languages that both master")
        return given(twin <= 1 - LEAST, reason, lambda: exceeds(tested(), LEAST))

    return given(len(both) >= FEWEST, f"{found}, and a mean over languages needs {FEWEST}", with_room)


def content_free(results: Results) -> Finding:
    """RSA must gain more than the margin on (aa)* and on (abab)*, and less than it on Parity."""
    found = aa, abab, parity = [gain(results, language) for language in ("aa", "abab", "parity")]
    judgement = all_of([exceeds(aa, LEAST), exceeds(abab, LEAST), falls_below(parity, LEAST)])
    others = [each for each in found if each is not judgement.deciding]
    return Finding(judgement, note="; ".join(f"{each.name} {each}" for each in others))


CLAIMS = (
    Claim("R9", "attention/languages",
          "Huang et al. 2023, experiments on regular languages",
          "Self-attention with recurrence generalises to longer strings of regular languages better than the same "
          "model without recurrence.",
          "RSA above its attention twin (numbers not known to us)", rsa_generalises),
    Claim("RH", "attention/languages",
          "Our question, from the form of a REM (Huang et al. 2023, section 2)",
          "A recurrence that does not look at the symbols helps with periods of position, (aa)* and (abab)*, but not "
          "with Parity, whose state depends on the symbols read.",
          "–", content_free, own=True),
)  # fmt: skip
