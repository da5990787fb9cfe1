"""The design: languages × models, each trained until it masters the strings of its training lengths, or for long.

Of the runs of 800 steps RSA and its twin master few languages both, and elsewhere a comparison on longer strings means
little. Here training ends once 99 % of the validation strings are right after two epochs in a row, and after eight
times as many steps at the latest. Models, strings and batches are those of the study of 800 steps, within whose package
this one stands. Rates are searched for, model by model, on four languages and with other seeds: the factor with the
highest mean share of validation strings right, and of equal ones that which needs the fewest epochs.

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

from inductive_bias.studies.design import Cell, GridDesign, Level
from inductive_bias.studies.regular_languages import design
from inductive_bias.studies.regular_languages.design import (
    ATTENTION,
    LSTM,
    NONE,
    REM,
    RSA,
    SINUSOIDAL,
    TITLES,
    Sizes,
    mixer_name,
)
from inductive_bias.studies.regular_languages.scores import MASTERED, Told
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING, Searched, rates_of, seed_of, variants_of
from inductive_bias.tasks import FormalLanguage
from inductive_bias.tasks.formal import LanguageName
from inductive_bias.training import OptimiserSpec
from inductive_bias.trials import Trial

#: RSA and its twin, twice; and two recurrences without attention, of which no claim speaks.
PAIRS: dict[str, tuple[Told, Told]] = {
    positions: ((RSA, positions), (ATTENTION, positions)) for positions in (NONE, SINUSOIDAL)
}
BESIDE: tuple[Told, ...] = ((REM, NONE), (LSTM, NONE))
MODELS: tuple[Told, ...] = (*(each for pair in PAIRS.values() for each in pair), *BESIDE)
#: How many times as long as in the study of 800 steps training may go on.
LONGER = 8
#: Runs of a cell that cannot master its language any more, of others, and of both of a pair that masters one.
FUTILE, FIRST, ALL = 2, 4, 8
#: Of the mean of the first two: below it the mean of four stays below :data:`MASTERED`, even if all else is right.
HOPE = 1 - (1 - MASTERED) * FIRST / FUTILE
#: The languages of RH, which asks for answers and not for mastery.
ASKED: tuple[LanguageName, ...] = ("aa", "abab", "parity")
#: The languages on which rates are searched for: of pilots with the published rate some models had mastered each of
#: them and some had not.
SEARCHED_ON: tuple[LanguageName, ...] = ("d_4", "flip_flop", "tomita_4", "tomita_6")
#: From which the search begins: half the published one.
RATE = 2.5e-3


def until_mastered(sizes: Sizes) -> Sizes:
    """The arguments of a scale where training ends with mastery."""
    # all validation strings are looked at, or those that are not would decide whether they are mastered
    watched = sizes.task.get("validation_size", FormalLanguage.model_fields["validation_size"].default)
    told = tuple(each for each in MODELS if each[1] != NONE)
    task = {**sizes.task, "mastered": MASTERED, "watched": watched}
    return replace(sizes, epochs=LONGER * sizes.epochs, task=task, told=told)


@dataclass(frozen=True, kw_only=True)
class Plan(Searched):
    """What is run at a scale; rates are by model and positions, and ``more`` are by language, model and positions.

    Attributes:
        sizes: the arguments of the models and of the task.
        rate: from which the search begins.
        models: which have runs by now.
        searched_on: languages.
    """

    sizes: Sizes
    rate: float = RATE
    models: tuple[Told, ...] = MODELS
    searched_on: tuple[LanguageName, ...] = SEARCHED_ON
    more: Mapping[tuple[str, str, str], int] = field(default_factory=dict)

    def runs(self, *, language: str, model: str, positions: str, variant: str = STANDARD, rate: float = CHOSEN) -> int:
        """How many runs of a cell there are."""
        told = model, positions
        if told not in self.models:
            return 0
        if variant == TUNING:
            return self.tuning_runs(told, rate) if language in self.searched_on else 0
        return self.more.get((language, *told), self.seeds) if rate == CHOSEN else 0

    def trial(
        self, number: int, *, language: LanguageName, model: str, positions: str, variant: str, rate: float
    ) -> Trial:
        """One run."""
        seed = seed_of(number, variant)
        found = design.trial(self.sizes, seed, language=language, model=model, positions=positions)
        factor = self.factor((model, positions), variant=variant, rate=rate)
        return found.model_copy(update={"optimiser": OptimiserSpec(learning_rate=factor * self.rate)})


#: Of the laptop scale: the languages that both of a pair master on the mean of four runs, by positions; and those that
#: a model cannot master any more after two.
BOTH: dict[str, tuple[LanguageName, ...]] = {
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
LOST: dict[Told, tuple[LanguageName, ...]] = {
    (RSA, NONE): ("tomita_5", "tomita_6"),
    (RSA, SINUSOIDAL): ("tomita_5", "tomita_6"),
    (ATTENTION, NONE): ("tomita_4", "d_2", "d_3", "d_4", "flip_flop", "tomita_3", "tomita_5", "tomita_6"),
    (ATTENTION, SINUSOIDAL): ("d_4", "tomita_3", "tomita_5", "tomita_6"),
    (REM, NONE): ("tomita_5", "tomita_6"),
}
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(sizes=until_mastered(design.SIZES["smoke"]), rate=1e-2, seeds=2, tuned=1, searched_on=("flip_flop",)),
    "laptop": Plan(
        sizes=until_mastered(design.SIZES["laptop"]),
        seeds=FIRST,
        tuned=1,
        # one end of the first three was the best, and the grid went on
        factors={(ATTENTION, SINUSOIDAL): 0.5, (REM, NONE): 2.0, (LSTM, NONE): 2.0},
        further={(ATTENTION, SINUSOIDAL): (0.25,), (REM, NONE): (4.0,), (LSTM, NONE): (4.0,)},
        more={(name, *told): ALL for positions, names in BOTH.items() for told in PAIRS[positions] for name in names}
        | {(name, *told): FUTILE for told, names in LOST.items() for name in names},
    ),
    "paper": Plan(sizes=until_mastered(design.SIZES["paper"]), seeds=ALL, tuned=1),
}


def levels(scale: Scale) -> dict[str, tuple[Level, ...]]:
    """The factors and their levels."""
    plan = PLANS[scale]
    return {
        "language": design.levels(plan.sizes)["language"],
        "model": tuple(dict.fromkeys(model for model, _ in plan.models)),
        "positions": tuple(dict.fromkeys(positions for _, positions in plan.models)),
        "variant": variants_of([plan]),
        "rate": rates_of([plan]),
    }


def label(*, language: LanguageName, model: str, positions: str, variant: str, rate: float) -> str:
    """``Attention, sinusoidal, Tomita 4``."""
    more = f", rate × {rate:g}" if variant == TUNING else ""
    return f"{mixer_name(model, positions)}, {TITLES[language]}{more}"


def cell(language: str, told: Told) -> Cell:
    """The cell of a language and a model, at the chosen rate."""
    return Cell(language=language, model=told[0], positions=told[1], variant=STANDARD, rate=CHOSEN)


DESIGN = GridDesign.of_plans(PLANS, levels=levels, label=label)
