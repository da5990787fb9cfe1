"""How a kind of task is trained on and measured: what is the same for every model and study of that kind."""

import warnings

from inductive_bias.errors import SettingError
from inductive_bias.own_probes import OwnProbeTask
from inductive_bias.plugins import OwnTask
from inductive_bias.protocols.automata import StateProtocol
from inductive_bias.protocols.base import Batching, Measures, Objective, Protocol
from inductive_bias.protocols.characters import CharacterProtocol
from inductive_bias.protocols.code import CodeProtocol
from inductive_bias.protocols.forecasting import ForecastProtocol
from inductive_bias.protocols.formal import FormalProtocol
from inductive_bias.protocols.given import Given, RunSettings, SoftTargets
from inductive_bias.protocols.heartbeats import HeartbeatProtocol
from inductive_bias.protocols.image_probes import ImageProbeProtocol
from inductive_bias.protocols.images import ImageProtocol
from inductive_bias.protocols.language import LanguageProtocol
from inductive_bias.protocols.memory import AddingProtocol, CopyingProtocol, FlipFlopProtocol, LastParityProtocol
from inductive_bias.protocols.music import MusicProtocol
from inductive_bias.protocols.next_character import NextCharacterProtocol
from inductive_bias.protocols.objectives import MultiLabel, NonCausalTokenLevel, SequenceLevel, TokenLevel
from inductive_bias.protocols.probes import ProbeProtocol
from inductive_bias.protocols.proteins import ProteinProtocol
from inductive_bias.protocols.running_text import CharacterStreamProtocol, TruncatedBPTT, WordProtocol
from inductive_bias.protocols.segments import SegmentProtocol
from inductive_bias.protocols.sentences import SentenceProtocol
from inductive_bias.protocols.sequences import SequenceProtocol
from inductive_bias.protocols.shifted import ShiftProtocol
from inductive_bias.protocols.signals import SignalProtocol
from inductive_bias.protocols.slots import SlotProtocol
from inductive_bias.protocols.stocks import StockProtocol
from inductive_bias.protocols.tensors import NAMED
from inductive_bias.protocols.transduction import TransductionProtocol
from inductive_bias.settings import Setting
from inductive_bias.tasks import (
    MNIST,
    Adding,
    Agreement,
    CharacterModelling,
    CharacterStream,
    Clones,
    Copying,
    Defects,
    FlipFlop,
    Forecasting,
    FormalLanguage,
    GeneratedAgreement,
    GeneratedSignals,
    Heartbeats,
    ImageProbeTask,
    InjectedBugs,
    LanguageModelling,
    LastParity,
    MixedSignal,
    NextCharacter,
    OwnPreambles,
    OwnText,
    PolyphonicMusic,
    ProbeTask,
    Programs,
    Proteins,
    Repairs,
    SegmentStream,
    ShiftedStates,
    SlotFilling,
    StateTracking,
    Stocks,
    Transduction,
    WordModelling,
)

#: The protocol of every task of the package; the tasks of a trial are these and those from outside.
PROTOCOLS: dict[type[Setting], type[Protocol]] = {
    MNIST: ImageProtocol,
    Agreement: SentenceProtocol,
    GeneratedAgreement: SentenceProtocol,
    OwnPreambles: SentenceProtocol,
    LanguageModelling: LanguageProtocol,
    OwnText: LanguageProtocol,
    GeneratedSignals: SequenceProtocol,
    CharacterModelling: CharacterProtocol,
    NextCharacter: NextCharacterProtocol,
    CharacterStream: CharacterStreamProtocol,
    SegmentStream: SegmentProtocol,
    WordModelling: WordProtocol,
    MixedSignal: SignalProtocol,
    FormalLanguage: FormalProtocol,
    PolyphonicMusic: MusicProtocol,
    SlotFilling: SlotProtocol,
    Copying: CopyingProtocol,
    Adding: AddingProtocol,
    FlipFlop: FlipFlopProtocol,
    LastParity: LastParityProtocol,
    StateTracking: StateProtocol,
    ShiftedStates: ShiftProtocol,
    Transduction: TransductionProtocol,
    ProbeTask: ProbeProtocol,
    OwnProbeTask: ProbeProtocol,
    ImageProbeTask: ImageProbeProtocol,
    Forecasting: ForecastProtocol,
    Heartbeats: HeartbeatProtocol,
    Proteins: ProteinProtocol,
    Stocks: StockProtocol,
    Defects: CodeProtocol,
    Clones: CodeProtocol,
    Programs: CodeProtocol,
    Repairs: CodeProtocol,
    InjectedBugs: CodeProtocol,
}


def protocol_class(task: Setting) -> type[Protocol]:
    """The protocol of a task; one from outside names it, or brings its own.

    Raises:
        SettingError: if there is none of that name, or the task lacks what it needs.
    """
    if not isinstance(task, OwnTask):
        return PROTOCOLS[type(task)]
    by_kind = NAMED | {known.model_fields["kind"].default: protocol for known, protocol in PROTOCOLS.items()}
    chosen = task.made.protocol
    found = by_kind.get(chosen) if isinstance(chosen, str) else chosen
    if not (isinstance(found, type) and issubclass(found, Protocol)):
        raise SettingError(
            f"{task.source}: protocol={chosen!r} must be a subclass of inductive_bias.protocols.Protocol or one of "
            f"{', '.join(by_kind)}"
        )
    if missing := [name for name in found.needs if not hasattr(task.made, name)]:
        raise SettingError(f"{task.source}: a task of protocol {chosen!r} must also have {', '.join(missing)}")
    return found


#: Objectives whose class had another name; for one release.
RENAMED = {
    "OneAnswer": SequenceLevel,
    "EveryPosition": TokenLevel,
    "WithForesight": NonCausalTokenLevel,
    "YesOrNo": MultiLabel,
    "Carried": TruncatedBPTT,
}


def __getattr__(name: str) -> type[Objective]:
    """An objective by its old name, with a warning."""
    if name not in RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = RENAMED[name]
    warnings.warn(f"{__name__}.{name} is now called {found.__name__}", DeprecationWarning, stacklevel=2)
    return found


__all__ = [
    "PROTOCOLS",
    "Batching",
    "Given",
    "Measures",
    "MultiLabel",
    "NonCausalTokenLevel",
    "Objective",
    "Protocol",
    "RunSettings",
    "SequenceLevel",
    "SoftTargets",
    "TokenLevel",
    "TruncatedBPTT",
    "protocol_class",
]
