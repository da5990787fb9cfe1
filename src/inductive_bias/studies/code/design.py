"""The design: BiLSTM, bidirectional Transformer, the same with unmasked RSA, and TextCNN on six questions about code.

All models have as many parameters, within 3 %. Where there are few examples, every fold of them is tested on in turn.
Rates are chosen by the lowest validation loss of runs of other seeds, on the first fold; where the best stands at the
end of the grid, the grid goes on. On injected bugs the lowest losses lie within .002 of ln 2: they are taken as
everywhere, though they say little. What is found for BigCloneBench serves its unseen kinds too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import BidirectionalSpec, BiLSTMSpec, TextCNNSpec
from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around
from inductive_bias.tasks import Clones, Defects, InjectedBugs, Programs, Repairs
from inductive_bias.tasks.code.clones import COMPONENTS
from inductive_bias.tasks.code.clones import FOLDS as CLONE_FOLDS
from inductive_bias.tasks.code.defects import FOLDS as DEFECT_FOLDS
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

DEFECTS, CLONES, UNSEEN, PROGRAMS, REPAIRS, INJECTED = DATA = (
    "Devign",
    "BigCloneBench",
    "BigCloneBench, unseen kinds",
    "POJ-104",
    "repairs",
    "injected bugs",
)
TRANSFORMER, RSA, BILSTM, TEXT_CNN = MODELS = ("Transformer", "RSA", "BiLSTM", "TextCNN")
#: Models of the claims about recurrence: they differ in their mixer alone.
TWINS = (TRANSFORMER, RSA)
Task = Defects | Clones | Programs | Repairs | InjectedBugs
Spec = BidirectionalSpec | BiLSTMSpec | TextCNNSpec
#: Rates from which the search begins: high, since in other studies the best one mostly was.
RATES = {TRANSFORMER: 2e-3, RSA: 2e-3, BILSTM: 4e-3, TEXT_CNN: 2e-3}
TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("data", "model"))
#: Heads of four: one each of real, cosine, dilated real and dilated cosine; both branches weigh the same at first.
COUNTS, NEUTRAL = (1, 1, 0, 1, 1, 0), 0.0


def models_of(width: int, *, layers: int = 2, heads: int = 4, states: int, filters: int) -> dict[str, Spec]:
    """Four models; ``states`` of the BiLSTM and ``filters`` of the TextCNN make them as large as the other two."""
    rsa = RSASpec(heads=heads, counts=tuple(heads // 4 * count for count in COUNTS), gate_logit=NEUTRAL)
    return {
        TRANSFORMER: BidirectionalSpec(mixer=AttentionSpec(heads=heads), width=width, layers=layers),
        RSA: BidirectionalSpec(mixer=rsa, width=width, layers=layers),
        BILSTM: BiLSTMSpec(width=width, states=states),
        TEXT_CNN: TextCNNSpec(width=width, filters=filters),
    }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        tasks: by data, one a fold.
        specs: the models, by name.
        epochs: by data.
        runs: of every cell.
        searched: data on which rates are chosen, by one run of each.
        batch_size, warmup: as the names say.
    """

    tasks: Mapping[str, tuple[Task, ...]]
    specs: Mapping[str, Spec]
    epochs: Mapping[str, int]
    runs: int
    searched: tuple[str, ...] = tuple(data for data in DATA if data != UNSEEN)
    batch_size: int = 32
    warmup: int = 50

    def trial(self, data: str, model: str, fold: int, *, seed: int, learning_rate: float) -> Trial:
        """One run."""
        return Trial(
            task=self.tasks[data][fold],
            model=self.specs[model],
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=ScheduleSpec(epochs=self.epochs[data], batch_size=self.batch_size, warmup=self.warmup),
            seed=seed,
        )


def models_on(data: str) -> tuple[str, ...]:
    """The models that are trained on some data: the unseen kinds ask what the claims about recurrence ask."""
    return TWINS if data == UNSEEN else MODELS


def tasks_of(batches: Mapping[str, int], **programs: int) -> dict[str, tuple[Task, ...]]:
    """The six tasks on real programs, by data.

    Args:
        batches: batches of an epoch, by data; data that is not named has all its batches.
        programs: settings that choose the pairs of POJ-104.
    """
    return {
        DEFECTS: tuple(Defects(fold=fold) for fold in range(DEFECT_FOLDS)),
        CLONES: tuple(Clones(fold=fold) for fold in range(CLONE_FOLDS)),
        UNSEEN: tuple(Clones(split="components", fold=fold) for fold in range(COMPONENTS)),
        PROGRAMS: (Programs(batches=batches.get(PROGRAMS), **programs),),
        REPAIRS: (Repairs(batches=batches.get(REPAIRS)),),
        INJECTED: (InjectedBugs(batches=batches.get(INJECTED)),),
    }


_MADE: dict[str, object] = {"data": "generated", "vocabulary_size": 100}
#: Milliseconds of one core for a step of 32 examples, of Transformer, RSA, BiLSTM and TextCNN, beside two other
#: trainings: Devign 140, 140, 94 and 78; pairs of BigCloneBench and POJ-104 290, 317, 243 and 246; repairs 31, 39, 33
#: and 26; injected bugs 64, 70, 48 and 48. So a cell takes half a minute (Devign) to two and a half (POJ-104), three
#: seeds of every cell 2.9 core-hours, and the search 1.4. Python's library is read once a process, in a minute. The
#: models of the paper scale have about 4.2 million parameters each.
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        tasks={
            DEFECTS: tuple(Defects(fold=fold, batches=3, **_MADE) for fold in range(2)),
            CLONES: (Clones(batches=3, **_MADE),),
            UNSEEN: (Clones(split="components", batches=3, **_MADE),),
            PROGRAMS: (Programs(batches=3, pairs=64, held_out=40, **_MADE),),
            REPAIRS: (Repairs(batches=3, **_MADE),),
            INJECTED: (InjectedBugs(batches=3, **_MADE),),
        },
        specs=models_of(8, states=5, filters=6),
        epochs=dict.fromkeys(DATA, 1),
        runs=2,
        searched=(DEFECTS,),
        batch_size=16,
        warmup=0,
    ),
    "laptop": Plan(
        tasks=tasks_of({PROGRAMS: 40, REPAIRS: 120, INJECTED: 120}, retrieved=100),
        specs=models_of(64, states=48, filters=128),
        epochs={DEFECTS: 6, CLONES: 8, UNSEEN: 8, PROGRAMS: 12, REPAIRS: 12, INJECTED: 12},
        runs=3,
    ),
    "paper": Plan(
        tasks=tasks_of({}, pairs=128_000, held_out=8_000),
        specs=models_of(256, layers=4, heads=8, states=284, filters=1028),
        epochs={DEFECTS: 20, CLONES: 20, UNSEEN: 20, PROGRAMS: 10, REPAIRS: 20, INJECTED: 30},
        runs=5,
        warmup=200,
    ),
}


def cells(scale: Scale) -> Cells:
    """Every model on every fold."""
    plan = PLANS[scale]
    for data, tasks in plan.tasks.items():
        for model in models_on(data):
            key = {"data": CLONES if data == UNSEEN else data, "model": model}
            rate = TUNED.get(scale, "learning_rate", RATES[model], **key)
            for fold in range(len(tasks)):
                runs = [plan.trial(data, model, fold, seed=seed, learning_rate=rate) for seed in range(plan.runs)]
                yield cell(data, model, fold), runs


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried, on the first fold."""
    plan = PLANS[scale]
    for data in plan.searched:
        for model in MODELS:
            for place in TUNED.grid(scale, around(RATES[model]), data=data, model=model):
                run = plan.trial(data, model, 0, seed=FIRST_TUNING_SEED, **place)
                yield {"data": data, "model": model, **place}, [run]


#: Data whose folds are told apart in the name of a cell.
IN_FOLDS = tuple(data for data in DATA if any(len(plan.tasks[data]) > 1 for plan in PLANS.values()))


def label(*, data: str, model: str, fold: int) -> str:
    """``RSA, Devign, fold 1``; folds are told where there are several, and count from 1."""
    return f"{model}, {data}{f', fold {fold + 1}' * (data in IN_FOLDS)}"


def cell(data: str, model: str, fold: int = 0) -> Cell:
    """The cell of a model on a fold of some data."""
    return Cell(data=data, model=model, fold=fold)


DESIGN = Design(cells, ("data", "model", "fold"), label=label)
TUNING = Tuning(Design(search_cells, ("data", "model", "learning_rate")), TUNED, metric="loss")
