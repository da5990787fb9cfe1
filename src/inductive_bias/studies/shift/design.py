"""The design: encodings of position × automata, trained on words of 1 to 20 actions of which half are ones.

Four experiments. *Encodings*: what is added to the embeddings or to the scores of attention, RSA and an LSTM beside
it; parity has all of them, for the claims are about it, and the other automata have some. *Scratchpad*: of parity the
state is written down after every action, by attention without and with a bias to what is near. *Start token*: of parity
every word begins with a token of its own, for models that tell distances alone or nothing. *Sizes*: of parity, with
sines and cosines, more layers and four times as many words.

Rates are chosen by the highest validation accuracy of any evaluation of runs of other seeds, on parity, for every
encoding, with a scratchpad, and for more layers; where the best stands at the end of the grid, the grid goes on, and of
rates that are equally good (with a scratchpad all are) the first one stays.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inductive_bias.layers import ALiBiSpec, AttentionSpec, RelativeSpec, RoPESpec, RSASpec, WindowSpec
from inductive_bias.layers.base import HeadSpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.models.positions import REACHING, PositionName
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.design import Cell, Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around, best_evaluations
from inductive_bias.tasks import ShiftedStates
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

PARITY, FLIP_FLOP, DYCK, GRID = AUTOMATA = ("parity", "flip-flop", "Dyck(1, 8)", "Grid9")
NO_POSITIONS, SINUSOIDAL, LEARNED, RANDOM_SHIFT, RANDOMISED, ROPE, ALIBI, XL = ENCODINGS = (
    "no positions",
    "sinusoidal",
    "learned",
    "random shift",
    "randomised",
    "RoPE",
    "ALiBi",
    "Transformer-XL",
)
RSA, RSA_ALONE, WINDOW, LSTM = "RSA", "RSA, no positions", "window", NAMES["lstm"]
MODELS = (*ENCODINGS, RSA, RSA_ALONE, WINDOW, LSTM)
#: RSA has sines and cosines, as its twin; with a scratchpad it is also tried without, where recurrence tells order.
TWIN = SINUSOIDAL
ANSWERS, SCRATCHPAD, START_TOKEN = FORMS = ("answers", "scratchpad", "start token")
#: Models with a scratchpad: the first two lean to nothing, ALiBi and the window to what is near; RSA may.
WITH_SCRATCHPAD = (NO_POSITIONS, SINUSOIDAL, ALIBI, WINDOW, RSA, RSA_ALONE)
#: Models with a token before every word: those to which a word of ones alone looks the same at every length without it.
WITH_START_TOKEN = (NO_POSITIONS, ROPE, ALIBI, XL)
USUAL_SIZE, MORE_LAYERS, MORE_WORDS = SIZES = ("usual", "more layers", "more words")
#: Added to the embeddings, and mixers, where they are not those of plain attention without positions.
POSITIONS: Mapping[str, PositionName] = {
    SINUSOIDAL: "sinusoidal",
    LEARNED: "learned",
    RANDOM_SHIFT: "shifted",
    RANDOMISED: "randomised",
    RSA: "sinusoidal",
}
MIXERS: Mapping[str, type[HeadSpec]] = {
    ROPE: RoPESpec,
    ALIBI: ALiBiSpec,
    XL: RelativeSpec,
    RSA: RSASpec,
    RSA_ALONE: RSASpec,
}
#: Keys that a query sees in a hard window: with a scratchpad this action and the last, each with the state before it.
WINDOW_KEYS = 4
#: Rates from which the search begins: high, as the study of depths found them for words of 16 actions.
RATES = dict.fromkeys(MODELS, 2e-3) | {LSTM: 1e-2}
#: Randomised positions are drawn from so many times the longest word.
DRAWN_FROM = 1.25


TUNED = Tuned(Path(__file__).with_name("tuned.csv"), keys=("model", "form", "size"))


def cell(automaton: str, model: str, form: str = ANSWERS, size: str = USUAL_SIZE) -> Cell:
    """The cell of a model on an automaton."""
    return Cell(automaton=automaton, model=model, form=form, size=size)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is run at a scale.

    Attributes:
        models: of every automaton, without a scratchpad.
        length: actions of the longest training word.
        longest: actions of test words.
        width, heads, layers: of attention and RSA; an LSTM has one layer.
        more_layers: of the model of parity that is tried with more of them.
        epochs: of :data:`~inductive_bias.protocols.batching.FRESH_STEPS` steps each, at most.
        runs: of parity.
        other_runs: of the other automata, with a start token, and of more layers or words.
        more_runs: of cells of a claim that have another number, by automaton and model, or by size; with a scratchpad
            by form and model.
        with_scratchpad: models of parity with one.
        with_start_token: models of parity with a token before every word, at the rates that they have without it.
        searched: models whose rates are searched for, with one run of each rate.
        batch_size, warmup: as the names say.
        times_words: so many times the epochs has :data:`MORE_WORDS`, without an early end.
        longer: so many times the epochs have judged runs, by automaton, or :data:`SCRATCHPAD`, and model.
        test_size, validation_size: words; the first of each share too.
    """

    models: Mapping[str, tuple[str, ...]]
    length: int
    longest: int
    width: int
    heads: int
    layers: int
    more_layers: int
    epochs: int
    runs: int
    other_runs: int
    more_runs: Mapping[tuple[str, str] | str, int] = field(default_factory=dict)
    with_scratchpad: tuple[str, ...] = WITH_SCRATCHPAD
    with_start_token: tuple[str, ...] = WITH_START_TOKEN
    searched: tuple[str, ...] = ()
    batch_size: int = 32
    warmup: int = 200
    times_words: int = 4
    longer: Mapping[tuple[str, str], int] = field(default_factory=dict)
    test_size: int = 500
    validation_size: int = 500

    def trial(self, at: Mapping[str, str], *, seed: int, learning_rate: float, times: int = 1) -> Trial:
        """One run of a cell, with so many times the epochs."""
        return Trial(
            task=ShiftedStates(
                automaton=at["automaton"],
                length=self.length,
                longest=self.longest,
                scratchpad=at["form"] == SCRATCHPAD,
                begun=at["form"] == START_TOKEN,
                patient=at["size"] == MORE_WORDS,
                validation_size=self.validation_size,
                test_size=self.test_size,
            ),
            model=network(
                at["model"],
                width=self.width,
                heads=self.heads,
                layers=self.more_layers if at["size"] == MORE_LAYERS else self.layers,
                longest=self.longest,
            ),
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=ScheduleSpec(epochs=self.epochs * times, batch_size=self.batch_size, warmup=self.warmup),
            seed=seed,
        )

    def cells(self) -> Iterator[Cell]:
        """Every cell that is run."""
        for automaton, models in self.models.items():
            of_parity = automaton == PARITY
            for model in MODELS:
                if model in models:
                    sizes = SIZES if of_parity and model == TWIN else (USUAL_SIZE,)
                    yield from (cell(automaton, model, size=size) for size in sizes)
                if of_parity and model in self.with_scratchpad:
                    yield cell(automaton, model, SCRATCHPAD)
                if of_parity and model in self.with_start_token:
                    yield cell(automaton, model, START_TOKEN)

    def runs_of(self, at: Cell) -> int:
        """How many runs a cell has."""
        automaton, model, form, size = at.values()
        usual = automaton == PARITY and size == USUAL_SIZE and form != START_TOKEN
        runs = self.runs if usual else self.other_runs
        if form != ANSWERS:
            return self.more_runs.get((form, model), runs)
        return self.more_runs.get((automaton, model) if size == USUAL_SIZE else size, runs)


def network(model: str, *, width: int, heads: int, layers: int, longest: int) -> MixingSpec | RecurrentSpec:
    """The network of that name, for words of up to ``longest`` actions."""
    if model == LSTM:
        return RecurrentSpec(cell="lstm", states=width, embedding=width)
    if model == WINDOW:
        mixer = WindowSpec(heads=heads, window=WINDOW_KEYS, rotary=True)
    else:
        mixer = MIXERS.get(model, AttentionSpec)(heads=heads)
    positions = POSITIONS.get(model, "none")
    reach = int(DRAWN_FROM * longest) if positions == "randomised" else longest
    return MixingSpec(
        mixer=mixer, positions=positions, reach=reach if positions in REACHING else None, layers=layers, width=width
    )


SOME_MODELS = (NO_POSITIONS, SINUSOIDAL, RANDOM_SHIFT, ALIBI, RSA, LSTM)
ALL_MODELS = (*ENCODINGS, RSA, LSTM)
#: So many times the usual steps have judged runs of parity, without and with a scratchpad. At first, models whose best
#: run of the search had not 99 % of the states of validation words had twice the steps; so had learned positions, whose
#: search had 99.2 % once, and whose first four judged runs had 87 to 98 %.
#:
#: Declared on 30 November 2026, before these runs: who had not 99 % of the states at the training lengths, and stands
#: in a claim that could not be tested for this reason, is trained for longer, with eight runs each. RSA (.989) has
#: twice the steps, attention without positions and with a scratchpad (.982) too, and learned positions (.946) have four
#: times the usual ones. Runs with fewer steps, four of each, are replaced, and count as a look. Pilots, one run of seed
#: 1000 each, had at the training lengths .9975 (RSA), 1 (scratchpad) and .999 (learned, at the rate of the search; at
#: half of it .995).
STEPS = dict.fromkeys((NO_POSITIONS, RANDOM_SHIFT, RANDOMISED, ROPE, ALIBI, XL, RSA), 2) | {LEARNED: 4}
STEPS_WITH_SCRATCHPAD = {NO_POSITIONS: 2}
#: What is trained for longer than at first has eight runs.
TRAINED_LONGER = ((PARITY, RSA), (PARITY, LEARNED), (SCRATCHPAD, NO_POSITIONS), (SCRATCHPAD, RSA_ALONE))
#: Words of 20 actions and not of 40: in a pilot at 40 no Transformer learnt parity within 4,000 steps; at 20 two and
#: four layers and RSA did (.99 and more of the states of training words). Minutes of one core for a run of parity
#: without an early end: two layers .9, eight 3.4, RSA 1.3, with a scratchpad .3.
#:
#: Claims about *no run* and about *every run* need five runs and more (see :mod:`inductive_bias.verdicts.runs`), and
#: more for every look at fewer. Parity had four runs of a cell, then five of the model with sines and cosines, in each
#: of its three sizes, and five of the LSTM; what is claimed of them, and of a scratchpad, stayed open. The last look,
#: declared before its runs: eight runs of that model in its usual size and of the LSTM, and eight with a scratchpad of
#: what two claims compare. None of eight, at the third look, has a chance of .012 if half of all runs succeed (of eight
#: at the second look .008). The larger sizes kept five: a run takes 3 minutes and more. A memory has as many runs as
#: parity of what was compared at first.
#:
#: Declared on 30 November 2026, before any of these runs: one more look, the last one, with seven runs of each of the
#: two larger sizes (their third look: none of seven has a chance of .023) and of each model with a start token (their
#: second look, after three runs: .016).
PLANS: dict[Scale, Plan] = {
    "smoke": Plan(
        models={PARITY: (SINUSOIDAL, RANDOM_SHIFT, RSA, LSTM), FLIP_FLOP: (SINUSOIDAL, RSA)},
        length=3,
        longest=9,
        width=8,
        heads=2,
        layers=1,
        more_layers=2,
        epochs=1,
        with_scratchpad=(SINUSOIDAL, ALIBI),
        with_start_token=(ALIBI,),
        searched=(LSTM,),
        batch_size=2,
        warmup=10,
        times_words=1,
        test_size=4,
        validation_size=4,
        runs=2,
        other_runs=2,
    ),
    "laptop": Plan(
        models={PARITY: ALL_MODELS, FLIP_FLOP: ALL_MODELS, DYCK: SOME_MODELS, GRID: SOME_MODELS},
        length=20,
        longest=80,
        width=64,
        heads=4,
        layers=2,
        more_layers=8,
        epochs=40,
        longer={(PARITY, model): times for model, times in STEPS.items()}
        | {(SCRATCHPAD, model): times for model, times in STEPS_WITH_SCRATCHPAD.items()},
        searched=MODELS,
        test_size=300,
        runs=4,
        other_runs=3,
        more_runs={
            **dict.fromkeys(TRAINED_LONGER, 8),
            (PARITY, LSTM): 8,
            (PARITY, TWIN): 8,
            MORE_LAYERS: 7,
            MORE_WORDS: 7,
            **{(START_TOKEN, model): 7 for model in WITH_START_TOKEN},
            **{(SCRATCHPAD, model): 8 for model in (SINUSOIDAL, ALIBI, WINDOW)},
            (FLIP_FLOP, TWIN): 4,
            (FLIP_FLOP, RSA): 4,
        },
    ),
    # width, rate and number of steps of the paper are not known to us
    "paper": Plan(
        models=dict.fromkeys(AUTOMATA, ALL_MODELS),
        length=40,
        longest=160,
        width=128,
        heads=4,
        layers=4,
        more_layers=16,
        epochs=1_000,
        batch_size=64,
        test_size=2_000,
        runs=5,
        other_runs=5,
    ),
}


def cells(scale: Scale) -> Cells:
    """Every automaton with its models; a start token and more words have the rates that are found without them."""
    plan = PLANS[scale]
    for at in plan.cells():
        automaton, model, form, size = at.values()
        key = {"form": ANSWERS if form == START_TOKEN else form, "size": USUAL_SIZE if size == MORE_WORDS else size}
        rate = TUNED.get(scale, "learning_rate", RATES[model], model=model, **key)
        times = plan.longer.get((SCRATCHPAD if form == SCRATCHPAD else automaton, model), 1)
        times *= plan.times_words if size == MORE_WORDS else 1
        seeds = range(plan.runs_of(at))
        yield at, [plan.trial(at, seed=seed, learning_rate=rate, times=times) for seed in seeds]


def search_cells(scale: Scale) -> Cells:
    """Every learning rate that is tried on parity."""
    plan = PLANS[scale]
    for at in plan.cells():
        automaton, model, form, size = at.values()
        if automaton != PARITY or model not in plan.searched or form == START_TOKEN or size == MORE_WORDS:
            continue
        key = {"model": model, "form": form, "size": size}
        for place in TUNED.grid(scale, around(RATES[model], (1.0, 0.5, 2.0)), **key):
            yield key | place, [plan.trial(at, seed=FIRST_TUNING_SEED, **place)]


def label(*, automaton: str, model: str, form: str, size: str) -> str:
    """``RoPE, parity, scratchpad``."""
    return ", ".join((model, automaton, *[form] * (form != ANSWERS), *[size] * (size != USUAL_SIZE)))


DESIGN = Design(
    cells,
    ("automaton", "model", "form", "size"),
    label=label,
    order={"automaton": AUTOMATA, "model": MODELS, "form": FORMS, "size": SIZES},
)
TUNING = Tuning(
    Design(
        search_cells, ("model", "form", "size", "learning_rate"), order={"model": MODELS, "form": FORMS, "size": SIZES}
    ),
    TUNED,
    highest=True,
    score=best_evaluations(),
)
