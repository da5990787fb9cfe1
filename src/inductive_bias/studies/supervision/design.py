"""The design: what is asked of a state, how many labels are kept, and whether words or labels are equal in number.

Two experiments. *Other labels*: of four automata a part of the state is asked, every time. *Few labels*: of one
automaton the state is asked, but a label is kept with a chance of 1 … 1/32. Then either all models see equally many
words, as in the paper, or, as a control, so many fewer words that equally many labels are seen: with a chance of 1/8 a
batch of 64 words has as many labels as one of 8 words that has them all. Steps are equal in both.

Models have the sizes of the study ``automata`` and, where every label is kept, its learning rates. Where labels are
few, rates are searched for at the share that is judged: chosen is the highest validation accuracy of any evaluation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.state_tracking import ATTENTION, LSTM, MODELS, RSA, SETUPS, first_grid, rate
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, best_evaluations
from inductive_bias.tasks.automata import ReadingName
from inductive_bias.trials import Trial

#: What is asked where all of the state is.
STATE: ReadingName = "state"
#: What is equal in number between shares of labels.
WORDS, LABELS = EQUAL_IN_NUMBER = "words", "labels"
#: The chance that a label is kept: where nothing is left out, where it is judged, and in all.
ALL_LABELS, JUDGED_SHARE = 1.0, 1 / 8
SHARES = tuple(2.0**-halvings for halvings in range(6))
#: Shares that no rule is about and that are not the ends.
SHARES_BETWEEN = (1 / 2, 1 / 4, 1 / 16)
#: Parts of states that the paper asks for (the fifth, of Dyck(4, 8), is of a language that is not simulated here).
PARTS: Mapping[str, ReadingName] = {"Grid9": "wall", "C4": "zero", "D8": "place", "S5": "chair"}
#: The automaton of which the paper keeps few labels; its depth is not known to us.
SPARSE_IN_PAPER = "S5"
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "counted"))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        parts: of the states of each automaton, what is asked.
        sparse: the automaton of which few labels are kept.
        shares: chances that a label is kept, the largest first.
        layers: of each model.
        deeper: layers that differ, by automaton and model.
        epochs: at most.
        batch_size: words, where words are equal in number.
        runs: of what rules are about.
        runs_between: of the shares between.
        more_runs: of the cells of a model and what it is asked, where they have another number.
        compared_runs: of the cells that Q7, Q33 and Q34 compare, where further ones were declared after a look.
        controlled: models that have the control of equally many labels.
        search_runs: of each rate that is tried for a model, where they are more than one.
    """

    parts: Mapping[str, ReadingName]
    sparse: str
    shares: tuple[float, ...]
    layers: Mapping[str, int]
    epochs: int
    runs: int
    runs_between: int
    deeper: Mapping[tuple[str, str], int] = field(default_factory=dict)
    more_runs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    compared_runs: int | None = None
    controlled: tuple[str, ...] = (ATTENTION, LSTM)
    batch_size: int = 64
    search_runs: Mapping[str, int] = field(default_factory=dict)

    def equal_in_number(self, model: str, kept: float) -> tuple[str, ...]:
        """What is equal in number in the cells of a model and a share of labels."""
        return EQUAL_IN_NUMBER if kept < ALL_LABELS and model in self.controlled else (WORDS,)


#: Minutes of one core for a run of D8 that does not end early: attention with four layers 4, RSA with two 3, an LSTM 1;
#: S5 with six layers 12. Of a core without AVX-512 it takes half as long again.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        parts={"C4": "zero"},
        sparse="C4",
        shares=(1.0, 0.125),
        layers={ATTENTION: 2, RSA: 2, LSTM: 1},
        epochs=1,
        batch_size=16,
        runs=2,
        runs_between=2,
    ),
    "laptop": Plan(
        parts=PARTS,
        sparse="D8",
        shares=SHARES,
        layers={ATTENTION: 4, RSA: 2, LSTM: 1},
        deeper={("S5", ATTENTION): 6},
        epochs=60,
        runs=4,
        runs_between=3,
        more_runs={(ATTENTION, "place"): 8},
        compared_runs=10,
        search_runs={ATTENTION: 4},
    ),
    "paper": Plan(
        parts=PARTS,
        sparse=SPARSE_IN_PAPER,
        shares=SHARES,
        layers={ATTENTION: 16, RSA: 4, LSTM: 1},
        epochs=1_000,
        runs=5,
        runs_between=5,
    ),
}


def trial(scale: Scale, cell: Mapping[str, str | float], *, seed: int, learning_rate: float) -> Trial:
    """One run of a cell."""
    plan, setup = PLANS[scale], SETUPS[scale]
    automaton, model, kept, fewer = cell["automaton"], cell["model"], cell["kept"], cell["counted"] == LABELS
    return setup.trial(
        automaton,
        setup.network(model, plan.deeper.get((automaton, model), plan.layers[model])),
        asked=cell["asked"],
        kept=ALL_LABELS if fewer else kept,
        epochs=plan.epochs,
        batch_size=max(1, round(plan.batch_size * kept)) if fewer else plan.batch_size,
        seed=seed,
        learning_rate=learning_rate,
    )


def cell(automaton: str, model: str, *, asked: str = STATE, kept: float = ALL_LABELS, counted: str = WORDS) -> Cell:
    """The cell of an automaton and a model."""
    return Cell(automaton=automaton, asked=asked, model=model, kept=kept, counted=counted)


def _levels(plan: Plan) -> Iterator[Cell]:
    for automaton in dict.fromkeys((*plan.parts, plan.sparse)):
        for model in MODELS if automaton == plan.sparse else ():
            for kept in plan.shares:
                for counted in plan.equal_in_number(model, kept):
                    yield cell(automaton, model, kept=kept, counted=counted)
        for model in MODELS if automaton in plan.parts else ():
            yield cell(automaton, model, asked=plan.parts[automaton])


def cells(scale: Scale) -> Cells:
    """Every part of a state that is asked, and every share of labels of the one automaton."""
    plan = PLANS[scale]
    for levels in _levels(plan):
        model, kept = levels["model"], levels["kept"]
        usual = plan.runs_between if kept in SHARES_BETWEEN else plan.runs
        if levels["asked"] == STATE and kept in (ALL_LABELS, JUDGED_SHARE):
            usual = plan.compared_runs or usual
        learning_rate = rate(scale, model)
        if kept < ALL_LABELS:
            first = SETUPS[scale].rates[model]
            learning_rate = TUNED.get(scale, "learning_rate", first, model=model, counted=levels["counted"])
        seeds = range(plan.more_runs.get((model, levels["asked"]), usual))
        yield levels, [trial(scale, levels, seed=seed, learning_rate=learning_rate) for seed in seeds]


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried, at the share of labels that is judged."""
    plan = PLANS[scale]
    for model in MODELS:
        seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + plan.search_runs.get(model, 1))
        for counted in plan.equal_in_number(model, JUDGED_SHARE):
            at = cell(plan.sparse, model, kept=JUDGED_SHARE, counted=counted)
            for place in TUNED.grid(scale, first_grid(scale, model), model=model, counted=counted):
                runs = [trial(scale, at, seed=seed, **place) for seed in seeds]
                yield {"model": model, "counted": counted, **place}, runs


def share_in_words(kept: float) -> str:
    """``1/8``."""
    return "1" if kept == ALL_LABELS else f"1/{round(1 / kept)}"


def label(*, automaton: str, asked: str, model: str, kept: float, counted: str) -> str:
    """``LSTM, D8, 1/8 of the labels, as many words``."""
    words = [model, automaton if asked == STATE else f"{asked} of {automaton}"]
    if kept < ALL_LABELS:
        words += [f"{share_in_words(kept)} of the labels", f"as many {counted}"]
    return ", ".join(words)


DESIGN = Design(
    cells,
    ("automaton", "asked", "model", "kept", "counted"),
    label=label,
    order={"asked": (STATE, *PARTS.values()), "kept": SHARES, "counted": EQUAL_IN_NUMBER},
)
TUNING = Tuning(
    Design(search_cells, ("model", "counted", "learning_rate")), TUNED, highest=True, score=best_evaluations()
)
