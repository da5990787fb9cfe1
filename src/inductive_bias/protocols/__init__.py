"""How a kind of task is trained on and measured: what is the same for every model and study of that kind."""

from pathlib import Path

from inductive_bias.protocols.base import Protocol
from inductive_bias.protocols.characters import CharacterProtocol
from inductive_bias.protocols.classification import ImageProtocol, SentenceProtocol
from inductive_bias.protocols.formal import FormalProtocol
from inductive_bias.protocols.language import LanguageProtocol
from inductive_bias.protocols.sequences import SequenceProtocol
from inductive_bias.protocols.signals import SignalProtocol
from inductive_bias.tasks import TaskData
from inductive_bias.trials import Trial

BY_TASK: dict[str, type[Protocol]] = {
    "mnist": ImageProtocol,
    "agreement": SentenceProtocol,
    "generated_agreement": SentenceProtocol,
    "language_modelling": LanguageProtocol,
    "generated_signals": SequenceProtocol,
    "character_modelling": CharacterProtocol,
    "generated_mixed_signal": SignalProtocol,
    "generated_formal": FormalProtocol,
}


def protocol_of(trial: Trial, data: TaskData, root: Path | None = None) -> Protocol:
    """The protocol of the trial's task; ``root`` is where further test sets are looked for."""
    return BY_TASK[trial.task.kind](trial, data, root)


__all__ = ["Protocol", "protocol_of"]
