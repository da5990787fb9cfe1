"""Probes of one's own in a profile: which ones are asked for, and what the page says of each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductive_bias.errors import SettingError
from inductive_bias.own_probes import OwnProbeTask, installed_probes, is_own
from inductive_bias.profile.groups import EVERY_PROBE, Group
from inductive_bias.protocols.measures.probes import constant_accuracy
from inductive_bias.studies.image_axes import EVERY_AXIS
from inductive_bias.tasks.data import IGNORED


@dataclass(frozen=True)
class OwnProbe:
    """What a report says of a probe that is not one of the package.

    Attributes:
        axis, asks, claim, source: as its class gives them.
        rules: of a preference; empty for a skill.
        chance: the accuracy of the most frequent answer on the test sequences of the training length.
        ceiling: the best accuracy.
        file: file and name, or module and name.
        sha256: of the file.
    """

    axis: str
    asks: str
    claim: str
    source: str
    chance: float
    file: str
    sha256: str
    rules: tuple[str, ...] = ()
    ceiling: float = 1.0


def sources_of(probes: Sequence[str], group: Group) -> tuple[str, ...]:
    """The probes that were asked for, each by its name if it is one of the package, and else by its source.

    Raises:
        SettingError: if there is no such probe, it cannot be asked of such models, or two have one name.
    """
    installed = {} if all(each in EVERY_PROBE or is_own(each) for each in probes) else installed_probes()
    found = []
    for each in probes:
        source = each if each in group.probes or is_own(each) else installed.get(each)
        if source is None or (each in EVERY_PROBE and each not in group.probes):
            there = ", ".join([*group.probes, *installed])
            raise SettingError(
                f"no probe {each!r} of {group.name}; there are: {there}; or one of your own: my_probe.py:MyProbe"
            )
        if is_own(source) and group.name != "sequences":
            raise SettingError(f"{each}: probes of your own ask about sequences, and this is a model of {group.name}")
        found.append(source)
    names = [name_of(each) for each in found]
    for source, name in zip(found, names, strict=True):
        if is_own(source) and (name in EVERY_PROBE or names.count(name) > 1):
            raise SettingError(f"{source}: there is another probe with the name {name!r}; change name in its class")
    return tuple(found)


def name_of(probe: str) -> str:
    """The name for people of a probe, which is given by name or source."""
    return OwnProbeTask(probe).probe if is_own(probe) else probe


def described(probes: Iterable[str], test_size: int) -> dict[str, OwnProbe]:
    """What is to be said of those with a source, by name."""
    tasks = [OwnProbeTask(each, test_size=test_size) for each in probes if is_own(each)]
    return {task.probe: _described(task) for task in tasks}


def _described(task: OwnProbeTask) -> OwnProbe:
    probe, test = task.sequences, task.load()["test"]
    labels = test.labels[test.slices["length"] == task.length]
    return OwnProbe(
        axis=probe.axis,
        asks=probe.asks,
        claim=probe.claim,
        source=probe.source,
        chance=constant_accuracy(labels[labels != IGNORED]),
        file=task.source,
        sha256=str(task.sha256),
        rules=tuple(getattr(probe, "rules", ())),
    )


def row_of(axis: str, probe: str) -> str:
    """The row of a probe that no known model was asked: on an axis of the package it is kept apart by its name."""
    return f"{axis} ({probe})" if axis in EVERY_AXIS else axis


def rows_of(probes: Mapping[str, OwnProbe]) -> set[str]:
    """All names that rows of these probes can have."""
    axes = {*EVERY_AXIS, *(each.axis for each in probes.values())}
    return {row for axis in axes for name in probes for row in (axis, row_of(axis, name))}
