"""The design: seven tasks × models × encodings of position, trained on short strings and tested on longer ones.

Runs of one task and one number see the same strings in the same order, whatever the model, and equally many. The paper
reports the best of ten seeds, three rates and five encodings; here every encoding is a level of its own. Rates are
chosen first, by the lowest validation loss of runs of other seeds, on one task that a finite state solves and on one
that needs more, for all tasks of the kind; the encodings of a Transformer share theirs.

Departures from the published code (google-deepmind/neural_networks_chomsky_hierarchy, 2b8eb4b): its RNN has rectified
states, here tanh; its blocks normalise after each part and have ReLU, here before and GELU; it drops out when it scores
as well, here in training alone; its sinusoidal positions count from the end of the string, here from its beginning.
Rates fall by half a cosine at laptop scale, where there are few steps. Its ``example.py``, which is no protocol, makes
10,000 steps at a rate of .001 and scores lengths 42 to 100: for that, other ``test_lengths``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inductive_bias.layers import ALiBiSpec, AttentionSpec, RelativeSpec, RoPESpec, RSASpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around, best_evaluations
from inductive_bias.tasks import Transduction
from inductive_bias.tasks.transduction import RULE_NAMES, RULES, RuleName
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

RNN, LSTM, TRANSFORMER, RSA = MODELS = NAMES["tanh"], NAMES["lstm"], "Transformer", "RSA"
NONE, SINUSOIDAL, ROPE, ALIBI, RELATIVE = POSITIONS = "none", "sinusoidal", "RoPE", "ALiBi", "relative"
Spec = RecurrentSpec | MixingSpec
#: A model and its encoding of position.
Encoded = tuple[str, str]
#: All models with their encodings, in the order of the pages; recurrence tells a position by itself.
ENCODED: tuple[Encoded, ...] = (
    (RNN, NONE),
    (LSTM, NONE),
    *((TRANSFORMER, positions) for positions in POSITIONS),
    (RSA, NONE),
)
#: What a task needs: a finite state, or a memory that grows with the string.
STATE, MEMORY = "state", "memory"
#: On which task rates are chosen for all that need the same, and with which encoding those of a Transformer.
SEARCHED: dict[str, RuleName] = {STATE: "cycle_navigation", MEMORY: "reverse_string"}
SEARCHED_WITH: dict[str, str] = {RNN: NONE, LSTM: NONE, TRANSFORMER: SINUSOIDAL, RSA: NONE}
#: Learning rates from which the search begins: high, since in other studies the best one mostly was.
RATES = {RNN: 2e-3, LSTM: 1e-2, TRANSFORMER: 2e-3, RSA: 2e-3}
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("task", "model", "positions"))


def needed(task: str) -> str:
    """What a task needs; by it models have their rates, and tasks their number of steps."""
    return STATE if RULES[task].level == "regular" else MEMORY


def named(model: str, positions: str) -> str:
    """``Transformer, RoPE``; only a Transformer has encodings."""
    return f"{model}, {positions}" if model == TRANSFORMER else model


def models_of(states: int, *, width: int, layers: int, heads: int, dropout: float = 0.0) -> dict[Encoded, Spec]:
    """All models: recurrent ones with so many ``states``, and encoders of blocks."""
    found: dict[Encoded, Spec] = {
        (RNN, NONE): RecurrentSpec(cell="tanh", states=states, embedding=width),
        (LSTM, NONE): RecurrentSpec(cell="lstm", states=states, embedding=width),
    }
    mixers = {NONE: AttentionSpec, SINUSOIDAL: AttentionSpec, ROPE: RoPESpec, ALIBI: ALiBiSpec, RELATIVE: RelativeSpec}
    options = {"width": width, "layers": layers, "dropout": dropout, "causal": False}
    for positions, mixer in mixers.items():
        added = {"positions": SINUSOIDAL} if positions == SINUSOIDAL else {}
        found[TRANSFORMER, positions] = MixingSpec(mixer=mixer(heads=heads), **added, **options)
    return found | {(RSA, NONE): MixingSpec(mixer=RSASpec(heads=heads), **options)}


@dataclass(frozen=True)
class Plan:
    """What is run at a scale.

    Attributes:
        specs: the models.
        epochs: by task, or else by what it needs; each has ``batches`` steps.
        batches: of an epoch, at the end of which validation strings are scored.
        runs: of every cell.
        more: runs of cells that have another number, by task, or else by what it needs, with model and encoding: cells
            that decide by *no run* need five (see :mod:`inductive_bias.verdicts.runs`), and six with a second look;
            twins that are compared need three. The encodings of a Transformer have fewer: they were to decide together.
        search_runs: of every rate that is tried.
        batch_size, warmup, decay: as the names say.
        rates: by model; those from which the search begins.
        tasks: which, in the order of the hierarchy.
        train_lengths, test_lengths, validation_size, test_size: as of :class:`~inductive_bias.tasks.Transduction`.
    """

    specs: Mapping[Encoded, Spec]
    epochs: Mapping[str, int]
    batches: int
    test_lengths: tuple[int, ...]
    runs: int
    more: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    search_runs: int = 1
    batch_size: int = 32
    warmup: int = 100
    decay: str = "cosine"
    rates: Mapping[str, float] = field(default_factory=lambda: RATES)
    tasks: tuple[RuleName, ...] = RULE_NAMES
    train_lengths: tuple[int, int] = (1, 40)
    validation_size: int = 8
    test_size: int = 64

    def trial(self, task: RuleName, model: str, positions: str, *, seed: int, learning_rate: float) -> Trial:
        """One run."""
        return Trial(
            task=self.task(task),
            model=self.specs[model, positions],
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=ScheduleSpec(
                epochs=self.epochs.get(task, self.epochs[needed(task)]),
                batch_size=self.batch_size,
                warmup=self.warmup,
                decay=self.decay,
            ),
            seed=seed,
        )

    def runs_of(self, task: RuleName, model: str, positions: str) -> int:
        """How many runs a cell has."""
        usual = self.more.get((needed(task), model, positions), self.runs)
        return self.more.get((task, model, positions), usual)

    def task(self, rule: RuleName) -> Transduction:
        """The task of a rule."""
        return Transduction(
            rule=rule,
            train_lengths=self.train_lengths,
            test_lengths=self.test_lengths,
            batches=self.batches,
            validation_size=self.validation_size,
            test_size=self.test_size,
        )


#: Epochs of a task that needs more than the others: after 20 the LSTM has .42 of the answers to validation strings of
#: Modular Arithmetic right, and goes on rising; a pilot with another seed masters them after 24 and more of 60.
LONGER_TRAINED = {"modular_arithmetic": 60}
#: Milliseconds of one core for a step of 32 strings at laptop scale, mean over the training lengths and beside two
#: other trainings, in the order of :data:`ENCODED`. Regular tasks: 6, 10, 15, 16, 18, 17, 21, 20; Reverse String 9, 16,
#: 27, 26, 31, 34, 45, 39; Bucket Sort 13, 18, 30, 30, 31, 31, 41, 36; Duplicate String 12, 20, 39, 41, 58, 62, 72, 47.
#: A run is scored in 3 to 8 seconds more. So the search takes 0.4 core-hours, and the runs that are judged 3.9.
#:
#: The last look at Parity Check, declared before its runs: two runs of each encoding (three without positions). That
#: none of eleven masters the training lengths, as one of six parts at the third look, has a chance of .009 if half of
#: all runs do. It is the cheaper of the two tasks that no Transformer masters, and one of them was enough to refute
#: that all three are mastered; the other, at three times the steps, keeps its seven runs. (Since 30 November 2026 it is
#: no part of a claim that they are mastered, but a precondition.)
LAST_LOOK_AT_PARITY = {("parity", TRANSFORMER, positions): 2 for positions in POSITIONS if positions != NONE}
#: Two looks at Bucket Sort. The second was declared on 29 November 2026 before its runs: two more runs of each
#: encoding. At the first look four encodings mastered the training lengths in their one run, and none of the four runs
#: reached the bound on longer strings: that left Q13 and Q13-constant open. All twelve runs missed it, and were judged
#: together until 30 November 2026; since then each encoding is judged by its own three runs. The last look was declared
#: on that day before its runs: four more runs of each encoding that masters the training lengths. Seven runs decide,
#: since there are three looks and a second model in the sentence: 2 × 3 × (1/2)⁷ is .047.
LAST_LOOK_AT_SORTING = {
    ("bucket_sort", TRANSFORMER, positions): 3 if positions == NONE else 7 for positions in POSITIONS
}
#: The last look at Cycle Navigation, declared on 30 November 2026 before its runs: all seven runs of Transformers
#: master the training lengths, and none has .75 on longer strings, but each encoding has one run (three without
#: positions). With six runs each, that none reaches it has a chance of 2 × (1/2)⁶ = .031 if half of all runs do, after
#: two looks (.047 after three).
LAST_LOOK_AT_CYCLE = {("cycle_navigation", TRANSFORMER, positions): 6 for positions in POSITIONS}
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        models_of(6, width=8, layers=1, heads=2),
        {STATE: 1, MEMORY: 1},
        batches=3,
        test_lengths=(5, 7),
        batch_size=2,
        warmup=2,
        train_lengths=(1, 4),
        validation_size=2,
        test_size=3,
        runs=2,
        more={(STATE, RSA, NONE): 3},
        tasks=("cycle_navigation", "reverse_string", "bucket_sort"),
    ),
    "laptop": Plan(
        models_of(128, width=64, layers=2, heads=4),
        {STATE: 20, MEMORY: 15} | LONGER_TRAINED,
        batches=200,
        test_lengths=tuple(range(41, 161, 7)),
        runs=1,
        more={(each, model, NONE): 5 for each in (STATE, MEMORY) for model in (RNN, LSTM)}
        | {(STATE, model, NONE): 3 for model in (TRANSFORMER, RSA)}
        | LAST_LOOK_AT_PARITY
        | LAST_LOOK_AT_SORTING
        | LAST_LOOK_AT_CYCLE,
    ),
    # the paper's best is of three rates, of which this is the one between
    "paper": Plan(
        models_of(256, width=64, layers=5, heads=8, dropout=0.1),
        {STATE: 1_000, MEMORY: 1_000},
        batches=1_000,
        test_lengths=tuple(range(41, 501)),
        batch_size=128,
        warmup=0,
        decay="constant",
        runs=10,
        search_runs=0,
        rates=dict.fromkeys(MODELS, 3e-4),
        test_size=512,
    ),
}


def cells(scale: Scale) -> Cells:
    """Every task with every model and encoding; a rate serves all tasks of its kind, and all encodings."""
    plan = PLANS[scale]
    for task in plan.tasks:
        for model, positions in plan.specs:
            key = {"task": SEARCHED[needed(task)], "model": model, "positions": SEARCHED_WITH[model]}
            rate = TUNED.get(scale, "learning_rate", plan.rates[model], **key)
            seeds = range(plan.runs_of(task, model, positions))
            runs = [plan.trial(task, model, positions, seed=seed, learning_rate=rate) for seed in seeds]
            yield {"task": task, "model": model, "positions": positions}, runs


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried."""
    plan = PLANS[scale]
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + plan.search_runs)
    for task in SEARCHED.values():
        for model, positions in SEARCHED_WITH.items():
            key = {"task": task, "model": model, "positions": positions}
            for place in TUNED.grid(scale, around(plan.rates[model]), **key):
                yield key | place, [plan.trial(**key, **place, seed=seed) for seed in seeds]


def label(*, task: str, model: str, positions: str) -> str:
    """``Transformer, RoPE, Parity Check``."""
    return f"{named(model, positions)}, {RULES[task].title}"


DESIGN = Design(cells, ("task", "model", "positions"), label=label)
TUNING = Tuning(
    Design(search_cells, ("task", "model", "positions", "learning_rate")),
    TUNED,
    score=best_evaluations("nll", highest=False),
)
