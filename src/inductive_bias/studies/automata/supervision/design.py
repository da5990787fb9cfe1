"""The design: what is asked of a state, how many labels are kept, and whether words or labels are equal in number.

Two experiments. *Other labels*: of four automata a part of the state is asked, every time. *Few labels*: of one
automaton the state is asked, but a label is kept with a chance of 1 … 1/32. Then either all models see equally many
words, as in the paper, or, as a control, so many fewer words that equally many labels are seen: with a chance of 1/8 a
batch of 64 words has as many labels as one of 8 words that has them all. Steps are equal in both.

Models have the sizes of the study of depths, within whose package this one stands, and, where every label is kept, its
rates. Where labels are few, rates are searched for at the share that is judged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.studies.automata.design import ATTENTION, LSTM, MODELS, RSA
from inductive_bias.studies.automata.design import PLANS as WHOLE
from inductive_bias.studies.automata.design import Plan as DepthPlan
from inductive_bias.studies.design import Cell, GridDesign, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING, Searched, rates_of, seed_of, variants_of
from inductive_bias.tasks import StateTracking
from inductive_bias.tasks.automata import ReadingName
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

#: What is asked where all of the state is.
STATE: ReadingName = "state"
#: What is equal in number between shares of labels.
WORDS, LABELS = COUNTED = "words", "labels"
#: The chance that a label is kept where nothing is left out, and the one that is judged.
ALL, JUDGED = 1.0, 1 / 8
#: Shares that no rule is about and that are not the ends.
BETWEEN = (1 / 2, 1 / 4, 1 / 16)
#: Parts of states that the paper asks for (the fifth, of Dyck(4, 8), is of a language that is not simulated here).
PARTS: Mapping[str, ReadingName] = {"Grid9": "wall", "C4": "zero", "D8": "place", "S5": "chair"}


@dataclass(frozen=True)
class Plan(Searched):
    """What is run at a scale; ``seeds`` are of what rules are about, ``others`` of the shares between.

    Factors on rates are by model and what is counted.

    Attributes:
        more: runs of the cells of a model and what it is asked, where they have another number.
        whole: the plan of the study of depths, which says what is the same.
        parts: of the states of each automaton, what is asked.
        sparse: the automaton of which few labels are kept.
        shares: chances that a label is kept, the largest first.
        layers: of each model.
        deeper: layers that differ, by automaton and model.
        controlled: models that have the control of equally many labels.
        batch_size: words, where words are equal in number.
        epochs: of a hundred steps each, at most.
    """

    whole: DepthPlan
    parts: Mapping[str, ReadingName]
    sparse: str
    shares: tuple[float, ...]
    layers: Mapping[str, int]
    epochs: int
    deeper: Mapping[tuple[str, str], int] = field(default_factory=dict)
    controlled: tuple[str, ...] = (ATTENTION, LSTM)
    batch_size: int = 64

    @property
    def automata(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.parts, self.sparse)))

    def runs(
        self,
        *,
        automaton: str,
        asked: str,
        model: str,
        kept: float,
        counted: str,
        variant: str = STANDARD,
        rate: float = CHOSEN,
    ) -> int:
        """How many runs of a cell there are."""
        if asked != STATE:
            there = self.parts.get(automaton) == asked and kept == ALL and counted == WORDS and variant == STANDARD
        else:
            there = automaton == self.sparse and kept in self.shares and self._counts(model, kept, counted)
        if not there:
            return 0
        if variant == TUNING:
            return self.tuning_runs((model, counted), rate) if kept == JUDGED else 0
        if rate != CHOSEN:
            return 0
        usual = self.others if self.others and kept in BETWEEN else self.seeds
        return self.more.get((model, asked), usual)

    def _counts(self, model: str, kept: float, counted: str) -> bool:
        return counted == WORDS or (kept < ALL and model in self.controlled)

    def trial(
        self,
        number: int,
        *,
        automaton: str,
        asked: ReadingName,
        model: str,
        kept: float,
        counted: str,
        variant: str,
        rate: float,
    ) -> Trial:
        """One run."""
        whole, fewer = self.whole, counted == LABELS
        searched = self if kept < ALL else whole
        factor = searched.factor((model, counted) if kept < ALL else model, variant=variant, rate=rate)
        return Trial(
            task=StateTracking(
                automaton=automaton,
                asked=asked,
                kept=ALL if fewer else kept,
                length=whole.length,
                test_lengths=whole.test_lengths,
                validation_size=whole.validation_size,
                test_size=whole.test_size,
            ),
            model=whole.model(model, self.deeper.get((automaton, model), self.layers[model])),
            optimiser=OptimiserSpec(learning_rate=factor * whole.rates[model]),
            schedule=ScheduleSpec(
                epochs=self.epochs,
                batch_size=max(1, round(self.batch_size * kept)) if fewer else self.batch_size,
                warmup=whole.warmup,
            ),
            seed=seed_of(number, variant),
        )


SHARES = tuple(2.0**-halvings for halvings in range(6))
#: Minutes of one core for a run of D8 that does not end early: attention with four layers 4, RSA with two 3, an LSTM 1;
#: S5 with six layers 12. Of a core without AVX-512 it takes half as long again.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        WHOLE["smoke"],
        {"C4": "zero"},
        "C4",
        (1.0, 0.125),
        {ATTENTION: 2, RSA: 2, LSTM: 1},
        epochs=1,
        batch_size=16,
        seeds=2,
        tuned=1,
    ),
    "laptop": Plan(
        WHOLE["laptop"],
        PARTS,
        "D8",
        SHARES,
        {ATTENTION: 4, RSA: 2, LSTM: 1},
        deeper={("S5", ATTENTION): 6},
        epochs=60,
        seeds=4,
        others=3,
        more={(ATTENTION, "place"): 8},
        tuned=1,
        factors={(ATTENTION, LABELS): 2.0, (RSA, WORDS): 2.0},
        further={(ATTENTION, LABELS): (4.0,), (RSA, WORDS): (4.0,)},
    ),
    # the paper asks for few labels of S5; its depth is not known to us
    "paper": Plan(
        WHOLE["paper"], PARTS, "S5", SHARES, {ATTENTION: 16, RSA: 4, LSTM: 1}, epochs=1_000, seeds=5, tuned=1
    ),
}


def levels(scale: Scale) -> dict[str, tuple[Level, ...]]:
    """The factors and their levels."""
    plan = PLANS[scale]
    return {
        "automaton": plan.automata,
        "asked": (STATE, *dict.fromkeys(plan.parts.values())),
        "model": MODELS,
        "kept": plan.shares,
        "counted": COUNTED,
        "variant": variants_of([plan]),
        "rate": rates_of([plan]),
    }


def share(kept: float) -> str:
    """``1/8``."""
    return "1" if kept == ALL else f"1/{round(1 / kept)}"


def label(*, automaton: str, asked: str, model: str, kept: float, counted: str, variant: str, rate: float) -> str:
    """``LSTM, D8, 1/8 of the labels, as many words``."""
    words = [model, automaton if asked == STATE else f"{asked} of {automaton}"]
    if kept < ALL:
        words += [f"{share(kept)} of the labels", f"as many {counted}"]
    return ", ".join(words) + (f", rate × {rate:g}" if variant == TUNING else "")


def cell(automaton: str, model: str, *, asked: str = STATE, kept: float = ALL, counted: str = WORDS) -> Cell:
    """The cell of an automaton and a model, at the chosen rate."""
    return Cell(
        automaton=automaton, asked=asked, model=model, kept=kept, counted=counted, variant=STANDARD, rate=CHOSEN
    )


DESIGN = GridDesign.of_plans(PLANS, levels=levels, label=label)
