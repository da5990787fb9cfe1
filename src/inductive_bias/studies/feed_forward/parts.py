"""A task of the study: its models, all as wide as one number of parameters allows, and how many runs of each.

All models of a part have as many parameters as its LSTM, within 3 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inductive_bias.layers import AttentionSpec, REMSpec, RSASpec
from inductive_bias.models import GatedConvolutionSpec, RecurrentSpec, TCNSpec
from inductive_bias.models.recurrent import NAMES
from inductive_bias.studies.parameter_matching import Spec, blocks, match_parameters, parameters
from inductive_bias.studies.searching import CHOSEN, TUNING, Searched, seed_of
from inductive_bias.tasks import Adding, CharacterModelling, Copying, PolyphonicMusic
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

JSB, NOTTINGHAM, CHARACTERS, COPYING, ADDING = ("JSB chorales", "Nottingham", "characters", "copying", "adding")
#: What is lower the better, by task.
METRICS = {JSB: "nll", NOTTINGHAM: "nll", CHARACTERS: "bpc", COPYING: "nll", ADDING: "mse"}
RNN, LSTM, GRU = NAMES["tanh"], NAMES["lstm"], "GRU"
#: The LSTM, whose gates start so that its units remember for 1 to as many steps as a sequence has. PyTorch's start
#: forgets half of the past at every step.
SLOW = "LSTM, slow start"
TCN, GATED = "TCN", "Gated CNN"
ATTENTION, RSA, REM = "Attention", "RSA", "REM only"
#: LSTMs that compute every state from the last k inputs alone, in training too: feed-forward networks of depth k.
WINDOWS = {f"LSTM, last {k}": k for k in (5, 13, 25)}
#: The windows by which is told whether the past matters, and which is said to be enough (M15), and a longer one.
SHORTEST, ENOUGH, LONGEST = WINDOWS
RECURRENT = {LSTM: "lstm", GRU: "gru", RNN: "tanh"}
#: The models with a state where all is far away.
REMEMBERING = (LSTM, SLOW, GRU, RNN)
MIXERS = {ATTENTION: AttentionSpec, RSA: RSASpec, REM: REMSpec}
#: In the order of the pages: what carries a state, what does not, and what can be read either way.
MODELS = (*REMEMBERING, *WINDOWS, TCN, GATED, *MIXERS)
#: Those of tasks that have no longest wait.
USUAL = tuple(model for model in MODELS if model != SLOW)
#: The level of the factor ``steps`` of tasks whose length is not varied; T of the others: blanks, or steps.
GIVEN = 0
#: The level of the factor ``bptt`` of runs whose gradients pass through the whole sequence.
WHOLE = 0
Task = PolyphonicMusic | CharacterModelling | Copying | Adding


@dataclass(frozen=True)
class Shape:
    """What is chosen of each model besides its width, which follows from the number of parameters.

    Attributes:
        states: of the LSTM, whose number of parameters is that of all.
        embedding: of symbols, for recurrent networks and the TCN; the others have the width of their layers.
        tcn: levels and kernel.
        gated: layers and kernel.
        blocks: of the models with attention, a REM or both.
        heads: of theirs.
        dropout: by model; 0 of those not named.
    """

    states: int
    embedding: int = 16
    tcn: tuple[int, int] = (4, 5)
    gated: tuple[int, int] = (4, 4)
    blocks: int = 2
    heads: int = 6
    dropout: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Part(Searched):
    """One task of one length; ``seeds`` are of the models that a claim is about.

    Rates are by model; an LSTM that sees a window has the rate of the whole one.

    Attributes:
        task, shape, schedule, clip_norm: as the names say.
        rates: by model, before the factor.
        models: those that are compared.
        judged: those of them that a claim is about.
        bptt: steps of truncated back-propagation of further LSTMs with a slow start.
        epochs: of models that need fewer than the others.
    """

    task: Task
    shape: Shape
    schedule: ScheduleSpec
    rates: Mapping[str, float]
    models: tuple[str, ...] = USUAL
    clip_norm: float = 1.0
    judged: tuple[str, ...] = MODELS
    bptt: tuple[int, ...] = ()
    epochs: Mapping[str, int] = field(default_factory=dict)

    def runs(self, *, model: str, bptt: int, variant: str, rate: float) -> int:
        """How many runs of a cell there are."""
        if model not in self.models or (bptt != WHOLE and (model != SLOW or bptt not in self.bptt)):
            return 0
        if variant == TUNING:
            searched = model not in WINDOWS and bptt == WHOLE
            return self.tuning_runs(model, rate) if searched else 0
        if rate != CHOSEN:
            return 0
        return self.seeds if model in self.judged else self.others

    def trial(self, number: int, *, model: str, bptt: int, variant: str, rate: float) -> Trial:
        """One run."""
        network, spec = _network(model), self.specs[model]
        epochs = self.trained_for(self.epochs.get(network, self.schedule.epochs), variant=variant)
        factor = self.factor(network, variant=variant, rate=rate)
        return Trial(
            task=self.task,
            model=spec.model_copy(update={"bptt": bptt}) if bptt != WHOLE else spec,
            optimiser=OptimiserSpec(learning_rate=factor * self.rates[network], clip_norm=self.clip_norm),
            schedule=self.schedule.model_copy(update={"epochs": epochs}),
            seed=seed_of(number, variant),
        )

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """Every model, as wide as the number of parameters of the LSTM allows."""
        return {model: self._spec(model) for model in self.models}

    def _spec(self, model: str) -> Spec:
        shape, dimensions = self.shape, self.task.dimensions
        dropout = shape.dropout.get(_network(model), 0.0)
        lstm = RecurrentSpec(cell="lstm", states=shape.states, embedding=shape.embedding, dropout=dropout)
        if _network(model) == LSTM:
            return lstm.model_copy(update={"context": WINDOWS.get(model)})
        if model == SLOW:
            return lstm.model_copy(update={"chrono": self.task.length})
        wanted = parameters(lstm, dimensions)
        if model in MIXERS:
            options = {"layers": shape.blocks, "positions": "sinusoidal", "dropout": dropout}
            return blocks(MIXERS[model](heads=shape.heads), wanted, dimensions, **options)

        def make(width: int) -> Spec:
            if model == TCN:
                levels, kernel = shape.tcn
                return TCNSpec(levels=levels, kernel=kernel, width=width, dropout=dropout, embedding=shape.embedding)
            if model == GATED:
                layers, kernel = shape.gated
                return GatedConvolutionSpec(layers=layers, kernel=kernel, width=width, dropout=dropout)
            return RecurrentSpec(cell=RECURRENT[model], states=width, embedding=shape.embedding, dropout=dropout)

        return match_parameters(make, wanted, dimensions)


def _network(model: str) -> str:
    """Whose weights, rate and dropout a model has: an LSTM that sees a window is the LSTM."""
    return LSTM if model in WINDOWS else model
