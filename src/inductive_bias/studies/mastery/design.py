"""The design: languages × models, each trained until it masters the strings of its training lengths, or for long.

Of the runs of 800 steps RSA and its twin master few languages both, and elsewhere a comparison on longer strings means
little. Here training ends once 99 % of the validation strings are right after two epochs in a row, and after eight
times as many steps at the latest. Models, strings and batches are those of the study of 800 steps.

Rates are searched for, model by model, on four languages and with other seeds: the rate with the highest mean share of
validation strings right, and of equal ones that which needs the fewest epochs.

RSA has its twin twice, both without positions and both with sinusoidal ones: attention that is told none cannot know
how many equal symbols it has read, as (aa)* asks.

Every cell has four runs. Where both of a pair master a language on the mean of these four, both have eight. Where the
first two are so far from it that no others could lift the mean of four there, a cell keeps these two, but for the three
languages of RH. All this is read off validation strings, of the lengths in training, and says nothing of longer ones. A
cell that does not master its language in so many steps is not in the comparison. REM alone and an LSTM stand in no
pair: they show what a recurrence does without attention.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.formal_models import (
    ATTENTION,
    LANGUAGE_ORDER,
    LSTM,
    NONE,
    REM,
    RSA,
    SINUSOIDAL,
    SIZES,
    Sizes,
    Told,
    cell_label,
    mixer_name,
)
from inductive_bias.studies.preconditions import MASTERED
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around
from inductive_bias.tasks import FormalLanguage
from inductive_bias.tasks.formal import LanguageName

#: RSA and its twin, twice; and two recurrences without attention, of which no claim speaks.
PAIRS: dict[str, tuple[Told, Told]] = {
    positions: ((RSA, positions), (ATTENTION, positions)) for positions in (NONE, SINUSOIDAL)
}
WITHOUT_ATTENTION: tuple[Told, ...] = ((REM, NONE), (LSTM, NONE))
MASTERY_MODELS: tuple[Told, ...] = (*(each for pair in PAIRS.values() for each in pair), *WITHOUT_ATTENTION)
#: All models in the order of the runs, and their names in the order of the pages.
MODEL_ORDER: tuple[Told, ...] = (*((model, told) for model in (RSA, ATTENTION) for told in PAIRS), *WITHOUT_ATTENTION)
MIXER_NAMES = tuple(mixer_name(*told) for told in MASTERY_MODELS)
#: How many times as long as in the study of 800 steps training may go on.
LONGER = 8
#: Runs of a cell that cannot master its language any more, of others, and of both of a pair that masters one.
FUTILE, FIRST, MASTERED_BY_BOTH = 2, 4, 8
#: Of the mean of the first two: below it the mean of four stays below :data:`MASTERED`, even if all else is right.
HOPE = 1 - (1 - MASTERED) * FIRST / FUTILE
#: The languages of RH, which asks for answers and not for mastery.
PERIODS_AND_PARITY: tuple[LanguageName, ...] = ("aa", "abab", "parity")
#: The languages on which rates are searched for: of pilots with the published rate some models had mastered each of
#: them and some had not.
SEARCHED_ON: tuple[LanguageName, ...] = ("d_4", "flip_flop", "tomita_4", "tomita_6")
#: From which the search begins: half the published one.
RATE = 2.5e-3


#: What an epoch costs a score by which rates are chosen: so little that it decides between equal scores alone.
EPOCH_COST = 1e-6
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "positions"))


def until_mastered(sizes: Sizes) -> Sizes:
    """The arguments of a scale where training ends with mastery."""
    # all validation strings are looked at, or those that are not would decide whether they are mastered
    watched = sizes.task.get("validation_size", FormalLanguage.model_fields["validation_size"].default)
    task = {**sizes.task, "mastered": MASTERED, "watched": watched}
    return replace(sizes, epochs=LONGER * sizes.epochs, task=task)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        sizes: the arguments of the models and of the task.
        runs: of a cell; and those of cells that have another number, by language, model and positions.
        rate: from which the search begins.
        searched_on: languages, with one run each.
    """

    sizes: Sizes
    runs: int
    other_runs: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    rate: float = RATE
    searched_on: tuple[LanguageName, ...] = SEARCHED_ON

    def runs_of(self, language: str, told: Told) -> int:
        """How many runs a cell has."""
        return self.other_runs.get((language, *told), self.runs)


#: At the laptop scale, the languages that both of a pair master on the mean of four runs, by positions; and those that
#: a model cannot master any more after two.
BOTH_MASTER: dict[str, tuple[LanguageName, ...]] = {
    NONE: ("tomita_1", "tomita_2", "tomita_7", "dyck_1", "anbncn"),
    SINUSOIDAL: (
        "tomita_1",
        "tomita_2",
        "tomita_4",
        "tomita_7",
        "d_2",
        "d_3",
        "flip_flop",
        "aa",
        "abab",
        "dyck_1",
        "anbncn",
    ),
}
CANNOT_MASTER: dict[Told, tuple[LanguageName, ...]] = {
    (RSA, NONE): ("tomita_5", "tomita_6"),
    (RSA, SINUSOIDAL): ("tomita_5", "tomita_6"),
    (ATTENTION, NONE): ("tomita_4", "d_2", "d_3", "d_4", "flip_flop", "tomita_3", "tomita_5", "tomita_6"),
    (ATTENTION, SINUSOIDAL): ("d_4", "tomita_3", "tomita_5", "tomita_6"),
    (REM, NONE): ("tomita_5", "tomita_6"),
}
#: Where one end of the first three rates was the best, the grid went on.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(sizes=until_mastered(SIZES["smoke"]), runs=2, rate=1e-2, searched_on=("flip_flop",)),
    "laptop": Plan(
        sizes=until_mastered(SIZES["laptop"]),
        runs=FIRST,
        other_runs={
            (name, *told): MASTERED_BY_BOTH
            for positions, names in BOTH_MASTER.items()
            for told in PAIRS[positions]
            for name in names
        }
        | {(name, *told): FUTILE for told, names in CANNOT_MASTER.items() for name in names},
    ),
    "paper": Plan(sizes=until_mastered(SIZES["paper"]), runs=MASTERED_BY_BOTH),
}


def cell(language: str, told: Told) -> Cell:
    """The cell of a language and a model."""
    return Cell(language=language, model=told[0], positions=told[1])


def cells(scale: Scale, plans: Mapping[Scale, Plan] = PLANS) -> Cells:
    """Every model on every language, with the chosen rate."""
    plan = plans[scale]
    for language in (name for name in LANGUAGE_ORDER if name in plan.sizes.languages):
        for told in MODEL_ORDER:
            at = cell(language, told)
            rate = TUNED.get(scale, "learning_rate", plan.rate, model=at["model"], positions=at["positions"])
            seeds = range(plan.runs_of(language, told))
            yield at, [plan.sizes.trial(language, *told, seed=seed, learning_rate=rate) for seed in seeds]


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried, on some of the languages."""
    plan = PLANS[scale]
    for language in (name for name in LANGUAGE_ORDER if name in plan.searched_on):
        for model, positions in MODEL_ORDER:
            for place in TUNED.grid(scale, around(plan.rate), model=model, positions=positions):
                run = plan.sizes.trial(language, model, positions, seed=FIRST_TUNING_SEED, **place)
                yield {"language": language, "model": model, "positions": positions, **place}, [run]


def validation_scores(results: Results) -> pd.DataFrame:
    """The last share of validation strings right of every run, less :data:`EPOCH_COST` an epoch."""
    evaluated = results.frame("string_accuracy", split="validation", epochs=True)
    last = evaluated.loc[evaluated.groupby("trial", sort=False)["epoch"].idxmax()]
    return last.assign(value=last["value"] - EPOCH_COST * last["epoch"])


DESIGN = Design(cells, ("language", "model", "positions"), label=cell_label)
TUNING = Tuning(
    Design(search_cells, ("language", "model", "positions", "learning_rate")),
    TUNED,
    highest=True,
    score=validation_scores,
)
