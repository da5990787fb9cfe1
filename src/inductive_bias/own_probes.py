"""A probe of one's own: a class in a file, or one that an installed package offers, asked as those of the package.

A package offers a probe by an entry point of the group :data:`GROUP`, whose value is the class.
"""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from inductive_bias.errors import SettingError
from inductive_bias.plugins import INSTALLED, Own, load
from inductive_bias.tasks import card
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.probes import STRETCHES, Drawn, Preference, Probe, Skill, Words

#: The group of entry points in which packages offer probes.
GROUP = "inductive_bias.probes"
#: Sequences that are drawn to look for faults.
LOOKED_AT = 64
#: Axes that are made of several probes: no probe is about them alone.
DERIVED = ("length", "calibration")


def is_own(probe: str) -> bool:
    """Whether it is a source, ``my_probe.py:MyProbe``, and not a name."""
    return ":" in probe


def installed_probes() -> dict[str, str]:
    """The sources of the probes that installed packages offer, by the names of their entry points.

    Raises:
        SettingError: if two packages offer one name.
    """
    found: dict[str, str] = {}
    for each in entry_points(group=GROUP):
        source = f"{INSTALLED}{each.module}:{each.attr}"
        if found.setdefault(each.name, source) != source:
            raise SettingError(f"two installed packages offer a probe {each.name!r}: {found[each.name]} and {source}")
    return found


class OwnProbeTask(Own, Drawn):
    """A probe that ``source`` makes, drawn from a seed.

    What it names is a subclass of :class:`~inductive_bias.tasks.probes.Skill` or
    :class:`~inductive_bias.tasks.probes.Preference`.

    Attributes:
        validation_size, test_size, data_seed: see :class:`~inductive_bias.tasks.ProbeTask`.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.PROBES,)
    kind: Literal["own_probe"] = "own_probe"
    validation_size: Annotated[int, Field(ge=2)] = 256
    test_size: Annotated[int, Field(ge=1)] = 512
    data_seed: Annotated[int, Field(ge=0)] = 0

    __hash__ = Own.__hash__

    def __init__(self, source: str | None = None, **values: object):
        super().__init__(source, **values)  # spelt out for type checkers, which know of no inherited one

    def _verify(self) -> None:
        super()._verify()
        _made(self.source, self.sha256)

    @property
    def sequences(self) -> Probe:
        """What draws the sequences of the probe."""
        return _made(self.source, self.sha256)

    @property
    def probe(self) -> str:
        """The name that its class gives."""
        return self.sequences.name


@lru_cache(maxsize=64)
def _made(source: str, sha256: str) -> Probe:
    """The probe of a file's content, looked at once a process.

    Raises:
        SettingError: for the first fault of the probe.
    """
    target = load(source, sha256)[0]
    if not (isinstance(target, type) and issubclass(target, Skill | Preference)):
        raise SettingError(f"{source}: a probe must be a subclass of Skill or Preference (inductive_bias.tasks.probes)")
    try:
        fault = _fault_of_class(target) or _fault_of_draws(target())
    except Exception as error:
        raise SettingError(f"{source}: {type(error).__name__}: {error}") from error
    if fault:
        raise SettingError(f"{source}: {fault}")
    return target()


def _fault_of_class(probe: type[Probe]) -> str:
    """What its class lacks, or says wrongly; empty if nothing."""
    for name in ("name", "axis", "asks", "source", "claim"):
        text = getattr(probe, name, None)
        if not isinstance(text, str) or not (text.strip() or name in ("source", "claim")):
            return f"{name} must be a text, not {text!r}"
    for name in ("name", "axis"):
        if any(sign in getattr(probe, name) for sign in ":,"):
            return f"{name} must have no colon and no comma: {getattr(probe, name)!r}"
    if probe.axis in DERIVED:
        return f"axis {probe.axis!r} is made of all skills: name another one"
    for name, fewest in (("tokens", 1), ("outputs", 2), ("length", 1)):
        size = getattr(probe, name, None)
        if type(size) is not int or size < fewest:
            return f"{name} must be a whole number of at least {fewest}, not {size!r}"
    if missing := sorted(probe.__abstractmethods__):
        return f"it must define {' and '.join(missing)}"
    rules = getattr(probe, "rules", None)
    if issubclass(probe, Preference) and not (
        isinstance(rules, tuple) and len(set(rules)) == len(rules) == 2 and all(isinstance(each, str) for each in rules)
    ):
        return f"rules must be two different texts, not {rules!r}"
    return ""


def _fault_of_draws(probe: Probe) -> str:
    """What is wrong with its sequences; empty if nothing is found."""
    stretches = STRETCHES if isinstance(probe, Skill) else STRETCHES[:1]
    for length in (stretch * probe.length for stretch in stretches):
        where = f"draw of length {length}"
        try:
            first, again, other = (_drawn(probe, seed, length) for seed in (0, 0, 1))
        except Exception as error:
            return f"{where} fails: {type(error).__name__}: {error}"
        if fault := _fault_of_words(probe, first, length):
            return f"{where}: {fault}"
        if not _same(first, again):
            return f"{where}: two generators with one seed must give the same sequences; use rng alone"
        if _same(first, other):
            return f"{where}: generators with two seeds give the same sequences; draw with rng"
    return _fault_of_conflict(probe) if isinstance(probe, Preference) else ""


def _drawn(probe: Probe, seed: int, length: int) -> object:
    return probe.draw(np.random.default_rng(seed), LOOKED_AT, length)


def _same(first: Words, second: Words) -> bool:
    return np.array_equal(first.tokens, second.tokens) and np.array_equal(first.labels, second.labels)


def _fault_of_words(probe: Probe, words: object, length: int) -> str:
    if not isinstance(words, Words):
        return f"it must be Words(tokens, labels), not {type(words).__name__}"
    for name, values in words._asdict().items():
        if fault := _fault_of_array(name, values, (LOOKED_AT, length)):
            return fault
    if fault := _outside("tokens", words.tokens, 1, probe.tokens):
        return fault
    if fault := _outside("labels", words.labels, IGNORED, probe.outputs - 1):
        return fault
    if silent := int((words.labels == IGNORED).all(1).sum()):
        return f"every sequence must have a label, and {silent} of {LOOKED_AT} have none"
    return ""


def _fault_of_conflict(probe: Preference) -> str:
    """What is wrong with the sequences on which two rules should differ."""
    where = f"conflict of length {probe.length}"
    try:
        drawn, again = (probe.conflict(np.random.default_rng(0), LOOKED_AT, probe.length) for _ in range(2))
        (words, second), (words_again, second_again) = drawn, again
    except Exception as error:
        return f"{where} fails: {type(error).__name__}: {error}"
    if fault := _fault_of_words(probe, words, probe.length):
        return f"{where}: {fault}"
    if fault := _fault_of_array("the second rule's answers", second, (LOOKED_AT,)):
        return f"{where}: {fault}"
    if fault := _outside("the second rule's answers", second, 0, probe.outputs - 1):
        return f"{where}: {fault}"
    asked = words.labels != IGNORED
    if (asked.sum(1) != 1).any():
        return f"{where}: every sequence must have one label, and there are {asked.sum(1).max()} in one"
    if alike := int((words.labels[asked] == second).sum()):
        return f"{where}: the two rules must differ, and give one answer to {alike} of {LOOKED_AT} sequences"
    if not (_same(words, words_again) and np.array_equal(second, second_again)):
        return f"{where}: two generators with one seed must give the same sequences; use rng alone"
    return ""


def _fault_of_array(name: str, values: object, shape: tuple[int, ...]) -> str:
    if not isinstance(values, np.ndarray) or values.dtype != np.int64:
        return f"{name} must be an array of int64, not {getattr(values, 'dtype', type(values).__name__)}"
    return "" if values.shape == shape else f"{name} must have the shape {shape}, not {values.shape}"


def _outside(name: str, values: np.ndarray, low: int, high: int) -> str:
    wrong = values[(values < low) | (values > high)]
    return f"{name} must lie in {low} … {high}, and one is {wrong[0]}" if wrong.size else ""
