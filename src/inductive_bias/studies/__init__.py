"""One study a figure family: its trials at each scale, its tables, its claims."""

from inductive_bias import plugins
from inductive_bias.errors import SettingError
from inductive_bias.studies.agreement import STUDY as AGREEMENT
from inductive_bias.studies.automata import STUDY as AUTOMATA
from inductive_bias.studies.automata.shift import STUDY as SHIFT
from inductive_bias.studies.automata.supervision import STUDY as SUPERVISION
from inductive_bias.studies.chomsky import STUDY as CHOMSKY
from inductive_bias.studies.code import STUDY as CODE
from inductive_bias.studies.feed_forward import STUDY as FEED_FORWARD
from inductive_bias.studies.forecasting import STUDY as FORECASTING
from inductive_bias.studies.language_models import STUDY as LANGUAGE_MODELS
from inductive_bias.studies.memory_models import STUDY as MEMORY_MODELS
from inductive_bias.studies.real_world import STUDY as REAL_WORLD
from inductive_bias.studies.regular_languages import STUDY as REGULAR_LANGUAGES
from inductive_bias.studies.regular_languages.mastery import STUDY as MASTERY
from inductive_bias.studies.rem_vs_toeplitz import STUDY as REM_VS_TOEPLITZ
from inductive_bias.studies.results import Results
from inductive_bias.studies.rnn_heads import STUDY as RNN_HEADS
from inductive_bias.studies.sharing import STUDY as SHARING
from inductive_bias.studies.signal_vs_samples import STUDY as SIGNAL_VS_SAMPLES
from inductive_bias.studies.signal_vs_samples.elsewhere import STUDY as ELSEWHERE
from inductive_bias.studies.stable_benchmarks import STUDY as STABLE_BENCHMARKS
from inductive_bias.studies.stable_training import STUDY as STABLE_TRAINING
from inductive_bias.studies.study import Study
from inductive_bias.studies.truncation import STUDY as TRUNCATION
from inductive_bias.studies.vision import STUDY as VISION

#: On the pages, in their order.
STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        VISION,
        AGREEMENT,
        LANGUAGE_MODELS,
        RNN_HEADS,
        SIGNAL_VS_SAMPLES,
        ELSEWHERE,
        REGULAR_LANGUAGES,
        MASTERY,
        REM_VS_TOEPLITZ,
        FORECASTING,
        MEMORY_MODELS,
        CODE,
        TRUNCATION,
        STABLE_TRAINING,
        STABLE_BENCHMARKS,
        FEED_FORWARD,
        AUTOMATA,
        SUPERVISION,
        SHIFT,
        CHOMSKY,
        SHARING,
        REAL_WORLD,
    )
}


def study_named(name: str) -> Study:
    """The study of that name, or one from outside by a file and a name in it, ``my_study.py:STUDY``.

    Raises:
        SettingError: if there is none; the message lists those there are. Or if the file cannot be read or run, or has
            no study, or one whose name is taken.
    """
    if ":" in name:
        return _from_outside(name)
    if name not in STUDIES:
        raise SettingError(f"unknown study {name!r}; choose one of {', '.join(STUDIES)}")
    return STUDIES[name]


def _from_outside(source: str) -> Study:
    study, _ = plugins.named(source)
    if not isinstance(study, Study):
        raise SettingError(f"{source} should be a Study, not {type(study).__name__}")
    if study.name in STUDIES:
        raise SettingError(f"{source}: the name {study.name!r} is that of a study of the package; give it another one")
    return study


__all__ = ["STUDIES", "Results", "Study", "study_named"]
