"""One study a figure family: its trials at each scale, its tables, its claims.

A study is a package of this room with the name ``STUDY`` in it. :data:`NAMES` is the one place where it is registered.
"""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING

from inductive_bias.errors import SettingError

if TYPE_CHECKING:
    from inductive_bias.studies.results import Results
    from inductive_bias.studies.study import Study

#: The studies of the package in the order of the pages; each is the package of that name.
NAMES = (
    "vision",
    "agreement",
    "language_models",
    "rnn_heads",
    "signal_vs_samples",
    "elsewhere",
    "regular_languages",
    "mastery",
    "rem_vs_toeplitz",
    "forecasting",
    "memory_models",
    "code",
    "truncation",
    "stable_training",
    "stable_benchmarks",
    "feed_forward",
    "automata",
    "supervision",
    "shift",
    "chomsky",
    "sharing",
    "real_world",
    "profiles",
    "image_profiles",
)


class Studies(MutableMapping[str, "Study"]):
    """Studies by name, each imported when it is first asked for: a run of one imports no other."""

    def __init__(self, names: tuple[str, ...]):
        self._known: dict[str, Study | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> "Study":
        if name not in self._known:
            raise KeyError(name)
        if self._known[name] is None:
            self._known[name] = import_module(f"{__name__}.{name}").STUDY
        return self._known[name]

    def __setitem__(self, name: str, study: "Study") -> None:
        self._known[name] = study

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known


STUDIES = Studies(NAMES)


def __getattr__(name: str) -> object:
    # the names of studies are wanted where nobody needs torch or pandas
    if name in ("Results", "Study"):
        return getattr(import_module(f"{__name__}.{name.lower()}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def study_named(name: str) -> "Study":
    """The study of that name, or one from outside by its file, ``my_study.py`` or ``my_study.py:STUDY``.

    One from outside that this process has opened is known by its name too.

    Raises:
        SettingError: if there is none; the message lists those there are. Or if the file cannot be read or run, or has
            no study, or one whose name is taken.
    """
    from inductive_bias.studies import outside

    if outside.is_source(name):
        return outside.from_outside(name, tuple(STUDIES))
    if name in STUDIES:
        return STUDIES[name]
    if name in outside.OPENED:
        return outside.OPENED[name]
    raise SettingError(
        f"unknown study {name!r}; choose one of {', '.join(STUDIES)}; or your own by its file: my_study.py"
    )


__all__ = ["NAMES", "STUDIES", "Results", "Study", "study_named"]
