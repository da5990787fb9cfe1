"""A task of the study: the forms of its two models, how many runs of each there are, and what their score is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.layers import StableLSTM, StableRNN
from inductive_bias.models import RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.searching import CHOSEN, TUNING, Searched, seed_of
from inductive_bias.tasks import CharacterStream, FlipFlop, FormalLanguage, PolyphonicMusic, SlotFilling, WordModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

RNN, LSTM = MODELS = NAMES["tanh"], NAMES["lstm"]
#: Real data, and two tasks that no network solves which forgets.
REAL = JSB, NOTTINGHAM, ATIS, SNIPS, CHARACTERS, WORDS = (
    "JSB chorales",
    "Nottingham",
    "ATIS",
    "SNIPS",
    "characters",
    "words",
)
MEMORIES = FLIP_FLOP, PARITY = "flip-flop", "parity"
FREE, RESCALED = "free", "rescaled"
#: Constraints by model and form. ``rescaled`` is what circulates under the paper's name.
FORMS: dict[str, dict[str, StableRNN | StableLSTM | None]] = {
    RNN: {
        FREE: None,
        "λ ≤ 0.9": StableRNN(contraction=0.9),
        "λ ≤ 0.99": StableRNN(contraction=0.99),
        RESCALED: StableRNN(contraction=0.99, form="rescaled"),
    },
    LSTM: {
        FREE: None,
        "forget gate ≤ 0.6": StableLSTM(forget=0.6),
        "forget gate ≤ 0.7": StableLSTM(forget=0.7),
        "forget gate ≤ 0.8": StableLSTM(forget=0.8),
        "forget gate ≤ 0.9": StableLSTM(forget=0.9),
        "as in the paper": StableLSTM(form="paper"),
        "unit by unit": StableLSTM(form="rows"),
        RESCALED: StableLSTM(form="rescaled"),
    },
}
#: Those that guarantee something.
STABLE = {model: tuple(form for form in forms if form not in (FREE, RESCALED)) for model, forms in FORMS.items()}
#: Where a run takes long: of the bounds that are alike on chorales only the tighter and the wider ones.
FEWER = {
    RNN: (FREE, "λ ≤ 0.9", "λ ≤ 0.99", RESCALED),
    LSTM: (FREE, "forget gate ≤ 0.8", "forget gate ≤ 0.9", "unit by unit", RESCALED),
}
#: Where it takes longest: a form that is no candidate for the best one is left out.
FEWEST = {RNN: (FREE, "λ ≤ 0.9", "λ ≤ 0.99"), LSTM: (FREE, "forget gate ≤ 0.9", "unit by unit")}
#: The score by task.
METRICS = {JSB: "nll", NOTTINGHAM: "nll", ATIS: "span_f1", SNIPS: "span_f1", CHARACTERS: "bpc"}
METRICS |= {WORDS: "perplexity", FLIP_FLOP: "accuracy", PARITY: "position_accuracy"}
#: Those that are better if they are higher, by what people call them; differences are in points, not in shares.
POINTS = {"span_f1": "F1", "accuracy": "accuracy", "position_accuracy": "accuracy"}
#: The score by task, as people call it.
SCORES = {task: POINTS.get(metric, metric) for task, metric in METRICS.items()}
#: Where a score is taken: the whole test set, but of the memories the longest strings.
LONGEST = 512
WHERE = {task: {"split": "test"} for task in REAL}
WHERE |= {FLIP_FLOP: {"split": "test", "length": LONGEST}, PARITY: {"split": "longest"}}
#: Further variants: free models that are stopped on their way, after so many epochs. Where the rate does not fall, such
#: a run is the beginning of the one with its number.
STOPPED = {"after 1 epoch": 1, "after 4 epochs": 4, "after 16 epochs": 16}

Task = PolyphonicMusic | SlotFilling | CharacterStream | WordModelling | FlipFlop | FormalLanguage


@dataclass(frozen=True)
class Part(Searched):
    """One task; ``seeds`` are of the free, the chosen stable, and the rescaled model; rates are by model and form.

    Attributes:
        task, states, embedding, dropout, clip_norm, schedule: the same for every model.
        rates: by model, before the factor.
        chosen: the stable form by model; the first that there is where nothing was chosen.
        forms: those that are tried, by model.
        cutoffs: of an adaptive softmax.
        stopped: of the free models, at each time of :data:`STOPPED` that is earlier than the end.
    """

    task: Task
    states: int
    schedule: ScheduleSpec
    rates: Mapping[str, float]
    embedding: int = 64
    dropout: float = 0.0
    clip_norm: float = 1.0
    chosen: Mapping[str, str] = field(default_factory=dict)
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {model: (*FORMS[model],) for model in MODELS})
    cutoffs: tuple[int, ...] = ()
    stopped: int = 0

    @property
    def most(self) -> int:
        """Runs of the cell that has the most."""
        return max(super().most, self.stopped)

    def stable(self, model: str) -> str:
        """The form that stands for all stable ones."""
        return self.chosen.get(model, next(form for form in self.forms[model] if form in STABLE[model]))

    def scheduled(self, variant: str) -> ScheduleSpec:
        """The schedule of a kind of runs."""
        whole = self.schedule.epochs
        epochs = STOPPED.get(variant, self.trained_for(whole, variant=variant))
        return self.schedule.model_copy(update={"epochs": epochs})

    def stops(self) -> list[str]:
        """The times of :data:`STOPPED` at which there are runs."""
        return [name for name, epochs in STOPPED.items() if self.stopped and epochs < self.schedule.epochs]

    def runs(self, *, model: str, form: str, variant: str, rate: float) -> int:
        """How many runs of a cell there are."""
        if form not in self.forms[model]:
            return 0
        if variant == TUNING:
            return self.tuning_runs((model, form), rate)
        if rate != CHOSEN:
            return 0
        if variant in STOPPED:
            return self.stopped if form == FREE and variant in self.stops() else 0
        return self.seeds if form in (FREE, RESCALED, self.stable(model)) else self.others

    def trial(self, number: int, *, model: str, form: str, variant: str, rate: float) -> Trial:
        """One run."""
        factor = self.factor((model, form), variant=variant, rate=rate)
        return Trial(
            task=self.task,
            model=RecurrentSpec(
                cell="tanh" if model == RNN else "lstm",
                states=self.states,
                embedding=self.embedding,
                dropout=self.dropout,
                constraint=FORMS[model][form],
                cutoffs=self.cutoffs,
            ),
            optimiser=OptimiserSpec(learning_rate=factor * self.rates[model], clip_norm=self.clip_norm),
            schedule=self.scheduled(variant),
            seed=seed_of(number, variant),
        )
