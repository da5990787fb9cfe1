"""A profile: every run's scores, each axis beside the population, the nearest relatives; as JSON, CSV and a page."""

import json
import math
import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pandas as pd

from inductive_bias.errors import SettingError, extras_named
from inductive_bias.formatting import number
from inductive_bias.profile.contract import FAILS, NO_FUTURE
from inductive_bias.profile.own import OwnProbe, row_of, rows_of
from inductive_bias.provenance import versions
from inductive_bias.strict_json import strict_json
from inductive_bias.studies.image_axes import EVERY_AXIS
from inductive_bias.studies.profile_axes import by_axis
from inductive_bias.studies.profile_comparison import CANNOT_TELL, NOTHING, WORDS, Compared, alone, axis_of, compare
from inductive_bias.studies.profile_distances import nearest

#: What is said of a row of a probe that no known model was asked, and that another profile does not have.
NOT_ASKED, OTHER_NOT_ASKED = "no known model was asked it", "the other model was not asked it"
#: The check whether every judged run could be trained.
ENDS_TRAINING = "ends its training"
#: Of the JSON file.
SCHEMA = 1
#: Of the files that are written.
ENDINGS = ".json", ".csv", ".html"


@dataclass(frozen=True)
class Report:
    """What :func:`~inductive_bias.profile.profile` finds.

    Attributes:
        name: of the model.
        scores: every run's value: ``model, axis, probe, number, value``.
        population: the same of the models that it stands beside.
        rates: the chosen learning rate by probe.
        weights: of the model by probe.
        minutes: of training, of one core.
        runs: of every probe.
        steps: of every run.
        source: file and name, and the SHA-256 of the file; empty for a model of the package.
        sha256: see ``source``.
        population_sha256: of the population's scores.
        teacher: who taught it; empty if nobody did.
        checks: what the contract tests found that a profile makes itself, by name; empty if there were none.
        own_probes: what is to be said of probes of one's own, by name.
        machine, packages: what it ran on.
    """

    name: str
    scores: pd.DataFrame
    population: pd.DataFrame
    rates: dict[str, float]
    weights: dict[str, int]
    minutes: float
    runs: int
    steps: int
    source: str = ""
    sha256: str = ""
    population_sha256: str = ""
    teacher: str = ""
    checks: dict[str, str] = field(default_factory=dict)
    own_probes: dict[str, OwnProbe] = field(default_factory=dict)
    machine: str = field(default_factory=platform.machine)
    packages: dict[str, str] = field(default_factory=versions)

    @property
    def warning(self) -> str:
        """Why the scores cannot be read as a bias, in a sentence or two; empty if no check says so."""
        return warning_of(self.checks)

    @property
    def table(self) -> pd.DataFrame:
        """One row an axis: value, interval, the population's median, difference with its interval, place and word."""
        return pd.DataFrame([asdict(each) for each in self.axes])

    @cached_property
    def axes(self) -> list[Compared]:
        """Each axis beside the population; those of probes that it was not asked come last, and stand alone."""
        return [*compare(by_axis(self._shared), self._others), *alone(by_axis(self._apart))]

    @cached_property
    def not_asked(self) -> set[str]:
        """Names of the probes of one's own that no model of the population was asked."""
        return set(self.own_probes) - set(self.population["probe"])

    @property
    def rows_apart(self) -> set[str]:
        """The rows of :attr:`table` that come from these probes."""
        return set(self._apart["axis"])

    @property
    def _shared(self) -> pd.DataFrame:
        """The scores on all other probes."""
        return self.scores[~self.scores["probe"].isin(self.not_asked)]

    @property
    def _apart(self) -> pd.DataFrame:
        """The scores on these probes, whose mean with others would stand beside a mean without them."""
        return _named_apart(self.scores, self.not_asked)

    def meaning(self, row: str) -> str:
        """What a high value of a row means, in a sentence; of a new axis it is what its probes ask."""
        asks = [p.asks for name, p in self.own_probes.items() if row in (p.axis, row_of(p.axis, name))]
        return axis_of(row).more if row in EVERY_AXIS or not asks else " ".join(asks)

    @cached_property
    def _others(self) -> pd.DataFrame:
        """The population on the probes of this profile."""
        probes = set(self.scores["probe"])
        return by_axis(self.population[self.population["probe"].isin(probes)])

    @property
    def mean(self) -> pd.Series:
        """The mean over runs by axis."""
        both = pd.concat([by_axis(self._shared), by_axis(self._apart)], ignore_index=True)
        return both.groupby("axis", sort=False)["value"].mean()

    def nearest(self, most: int = 3) -> pd.Series:
        """The models of the population with the nearest profiles, and their distances: a mean difference of shares."""
        if self.known.empty:
            return pd.Series(dtype=float, name="distance")
        return nearest(self.mean, self.known, most)

    @cached_property
    def known(self) -> pd.DataFrame:
        """The population's profiles on the same probes: a row a model, a column an axis."""
        return self._others.groupby(["model", "axis"], sort=False)["value"].mean().unstack()

    def compare(self, other: "Report") -> pd.DataFrame:
        """What this model has more than another one, axis by axis, in the columns of :attr:`table`."""
        return pd.DataFrame([asdict(each) for each in self._beside(other)])

    def _beside(self, other: "Report") -> list[Compared]:
        # the population says how much runs of one model usually differ
        theirs = other.scores[~other.scores["probe"].isin(self.not_asked)]
        apart, other_apart = by_axis(self._apart), by_axis(_named_apart(other.scores, self.not_asked))
        both = apart["axis"].isin(other_apart["axis"])
        # and where it was not asked, nobody does
        further = compare(
            apart[both],
            other_apart.assign(model=other.name),
            further=by_axis(self._shared)["axis"].nunique(),
            unknown=True,
        )
        usual = compare(
            by_axis(self._shared), by_axis(theirs).assign(model=other.name), usual=self._others, further=len(further)
        )
        return [*usual, *further, *alone(apart[~both])]

    def lines(self, beside: "Report | None" = None) -> list[str]:
        """The profile in words, one line an axis, beside the population or one other; and the nearest relatives."""
        # one a line: names have commas, and three of them are wider than a terminal
        relatives = [f"{name} ({number(apart, '.2f')})" for name, apart in self.nearest().items()]
        heads = [each.ljust(self._longest(beside)) for each in ("nearest", "", "")]
        said = zip(heads, relatives or [self.no_relatives], strict=False)
        return [*self.axis_lines(beside), *("  ".join(each) for each in said)]

    def axis_lines(self, beside: "Report | None" = None) -> list[str]:
        """The lines of the axes alone."""
        longest = self._longest(beside)
        reason = NOT_ASKED if beside is None else OTHER_NOT_ASKED
        return [
            f"{each.axis.ljust(longest)}  {_in_words(each, self._why_alone(each, reason))}"
            for each in self._compared(beside)
        ]

    def _compared(self, beside: "Report | None") -> list[Compared]:
        return self.axes if beside is None else self._beside(beside)

    def _longest(self, beside: "Report | None") -> int:
        return max(len(each.axis) for each in self._compared(beside))

    def _why_alone(self, each: Compared, reason: str) -> str:
        """Why a row stands alone, if it is one of a probe that the others were not asked."""
        return reason if not each.of and each.axis in self.rows_apart else ""

    @property
    def no_relatives(self) -> str:
        """Why there is no nearest model, if there is none."""
        return "none: no known model was asked these probes" if self._shared.empty else "none: nothing was learnt"

    def __str__(self) -> str:
        return "\n".join([self.headline, *([f"WARNING: {self.warning}"] if self.warning else []), *self.lines()])

    @property
    def headline(self) -> str:
        """Name, size, runs and population in one line."""
        few, most = min(self.weights.values()), max(self.weights.values())
        size = f"{few:,}" if few == most else f"{few:,} to {most:,}"
        taught = f", taught by {self.teacher}" if self.teacher else ""
        count, known = self.scores["probe"].nunique(), self.population["model"].nunique()
        beside = "no known model" if self._shared.empty else f"{known} known model{'s' * (known > 1)}"
        return (
            f"{self.name}{taught}: {size} weights, {count} probe{'s' * (count > 1)}, {self.runs} runs each, "
            f"beside {beside}"
        )

    def as_json(self) -> dict[str, object]:
        """Everything but the population's scores, as plain data."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "source": self.source,
            "sha256": self.sha256,
            "population_sha256": self.population_sha256,
            "teacher": self.teacher,
            "runs": self.runs,
            "steps": self.steps,
            "minutes": self.minutes,
            "machine": self.machine,
            "packages": self.packages,
            "checks": self.checks,
            "warning": self.warning,
            "rates": self.rates,
            "weights": self.weights,
            "own_probes": {name: asdict(each) for name, each in self.own_probes.items()},
            "axes": [_finite(asdict(each)) for each in self.axes],
            "nearest": {name: float(apart) for name, apart in self.nearest().items()},
            "scores": [_finite(row) for row in self.scores.to_dict("records")],
        }

    def save(self, path: Path | str) -> list[Path]:
        """Write ``path`` with the endings .json, .csv and .html; returns the three files.

        Raises:
            SettingError: if a file cannot be written.
        """
        # the page is made of a report: named when it is asked for, or both would import one another
        page = import_module("inductive_bias.profile.page").page
        stem = Path(path).with_suffix("")
        texts = {
            ".json": json.dumps(self.as_json(), indent=1, allow_nan=False),
            ".csv": self.scores.to_csv(index=False),
            ".html": page(self),
        }
        written = []
        for ending, text in texts.items():
            file = stem.with_name(stem.name + ending)
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            except OSError as error:
                raise SettingError(f"{file} cannot be written: {error.strerror}") from error
            written.append(file)
        return written

    def plot(self) -> object:
        """The profile beside the population, an axis a row: a matplotlib figure.

        Raises:
            MissingExtraError: without seaborn.
        """
        with extras_named():
            return import_module("inductive_bias.profile.figure").profile_figure(self)


def warning_of(checks: Mapping[str, str]) -> str:
    """Why scores cannot be read as a bias, by the checks of :attr:`Report.checks`; empty if none says so."""
    said = []
    if (found := checks.get(NO_FUTURE, "")).startswith(FAILS):
        said.append(
            f"It sees the future ({_reason(found)}). Probes show later what they ask earlier: such a model can read "
            "its answers, so its scores say nothing about what it has learnt."
        )
    if (found := checks.get(ENDS_TRAINING, "")).startswith(FAILS):
        said.append(
            f"Its training diverged ({_reason(found)}). Such runs have learnt nothing, so the axes of these probes "
            f"have no value and are called {NOTHING}: look for a step that makes numbers grow."
        )
    return " ".join(said)


def _reason(found: str) -> str:
    return found.removeprefix(FAILS).removeprefix(": ")


def without_diverged(scores: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Scores that are NaN on every axis of a run that diverged on one of its probes: it has learnt nothing there.

    Args:
        scores: ``model, axis, probe, number, value``.
        rows: final rows of the judged runs.
    """
    lost = set(_lost(_losses(rows))[["probe", "number"]].itertuples(index=False, name=None))
    is_lost = pd.Series([place in lost for place in zip(scores["probe"], scores["number"], strict=True)], scores.index)
    whole_axis = is_lost.groupby([scores["axis"], scores["number"]], observed=True).transform("any")
    return scores.assign(value=scores["value"].mask(whole_axis))


def _losses(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["split"] == "validation") & (rows["metric"] == "nll")]


def _lost(losses: pd.DataFrame) -> pd.DataFrame:
    return losses[losses["value"].isna()]


def diverged_in(rows: pd.DataFrame) -> dict[str, str]:
    """The check of final rows whether every judged run was trained to its end; nothing if all were."""
    losses = _losses(rows)
    lost = _lost(losses)
    if lost.empty:
        return {}
    total = losses.groupby("probe")["number"].nunique()
    counts = lost.groupby("probe", sort=False)["number"].nunique()
    said = ", ".join(f"{probe}: {count} of {total[probe]} runs" for probe, count in counts.items())
    return {ENDS_TRAINING: f"{FAILS}: {said}"}


def read_report(path: Path | str, population: pd.DataFrame) -> Report:
    """A profile that :meth:`Report.save` wrote, beside a population.

    Raises:
        SettingError: if the file is none.
    """
    try:
        found = strict_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingError(f"{path} is no profile: it is no JSON ({error}); give the file profile.json") from error
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise SettingError(f"{path} is no profile of schema {SCHEMA}")
    kept = ("name", "rates", "weights", "minutes", "runs", "steps", "source", "sha256", "population_sha256")
    kept += ("teacher", "checks", "machine", "packages")
    try:
        scores = pd.DataFrame(found["scores"]).astype({"value": float, "number": int})
        # those of before had none
        own = {
            name: OwnProbe(**{**each, "rules": tuple(each["rules"])})
            for name, each in found.get("own_probes", {}).items()
        }
        return Report(scores=scores, population=population, own_probes=own, **{name: found[name] for name in kept})
    except (KeyError, TypeError, ValueError) as error:
        raise SettingError(f"{path} is a damaged profile: {type(error).__name__}: {error}") from error


def refuse_unwritable(path: Path | str) -> None:
    """Refuse a name that :meth:`Report.save` could not write to; a command asks this before it trains.

    Raises:
        SettingError: if a folder cannot be made or written in, or one of the files is a folder or protected.
    """
    stem = Path(path).with_suffix("")
    for ending in ENDINGS:
        file = stem.with_name(stem.name + ending)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            there = file.exists()
            file.open("a").close()  # what is there stays as it is
            if not there:
                file.unlink()
        except OSError as error:
            raise SettingError(f"{file} cannot be written: {error.strerror}") from error


def refuse_axes_not_asked(wanted: Sequence[str], probes: Collection[str], known: pd.DataFrame) -> None:
    """Refuse words about axes that other probes are about; a command asks this before it trains.

    Args:
        wanted: each an axis and a word.
        probes: names of the chosen ones.
        known: scores of known models, which say what each probe is about.

    Raises:
        SettingError: naming the probes of the axis.
    """
    for each in wanted:
        about = known.loc[known["axis"] == _axis_and_word(each)[0], "probe"].unique()
        if len(about) and not {*about} & {*probes}:
            raise SettingError(f"--fail-on {each!r}: none of the chosen probes is about it; add {' or '.join(about)}")


def refuse_other_words(wanted: Sequence[str], further: Iterable[str] = ()) -> None:
    """Refuse what is no axis and word; a command asks this before it trains.

    Args:
        wanted: each an axis and a word.
        further: names of axes that are not of the package.

    Raises:
        SettingError: for an axis or a word that there is not.
    """
    for each in wanted:
        axis, said = _axis_and_word(each)
        if axis not in {*EVERY_AXIS, *further} or said not in WORDS:
            raise SettingError(
                f"--fail-on {each!r}: it must be an axis and a word, such as 'state tracking: less'; axes are "
                f"{', '.join(EVERY_AXIS)}; words are {', '.join(WORDS)}"
            )


def words_that_hold(report: Report, wanted: Sequence[str], baseline: Report | None = None) -> list[str]:
    """Which of the wanted words hold, ``state tracking: less``: beside a baseline, or the population without one.

    Raises:
        SettingError: for an axis or a word that there is not, or an axis that none of the profile's probes is about.
    """
    refuse_other_words(wanted, rows_of(report.own_probes))
    table = report.table if baseline is None else report.compare(baseline)
    words = dict(zip(table["axis"], table["word"], strict=True))
    for each in wanted:
        if (axis := _axis_and_word(each)[0]) not in words:
            raise SettingError(
                f"--fail-on {each!r}: no probe of this profile is about {axis}; its axes are {', '.join(words)}"
            )
    return [each for each in wanted if _axis_and_word(each) in words.items()]


def _axis_and_word(text: str) -> tuple[str, str]:
    axis, _, said = (part.strip() for part in text.partition(":"))
    return axis, said


def _named_apart(scores: pd.DataFrame, probes: Iterable[str]) -> pd.DataFrame:
    """The scores on these probes, with the axes of :func:`~inductive_bias.profile.own.row_of`."""
    found = scores[scores["probe"].isin(probes)]
    return found.assign(axis=[row_of(*each) for each in zip(found["axis"], found["probe"], strict=True)])


def _in_words(each: Compared, why_alone: str) -> str:
    if each.word == NOTHING:
        return "; ".join([f"{NOTHING}: not every run learnt what it asks", *([why_alone] if why_alone else [])])
    if why_alone:
        value, low, high = (number(x, ".2f") for x in (each.value, each.low, each.high))
        return f"{each.word.ljust(len(CANNOT_TELL))}  {value} [{low}, {high}]  {why_alone}"
    if not each.of:
        return f"{each.word}: {number(each.value, '.2f')}, and no known model has learnt what it asks"
    value, low, high, others = (number(x, ".2f") for x in (each.value, each.low, each.high, each.others))
    said = f"{each.word.ljust(len(CANNOT_TELL))}  {value} [{low}, {high}]"
    if each.of == 1:
        return f"{said}  the other {others}"
    return f"{said}  median {others}, above {each.place} of {each.of}"


def _finite(row: dict) -> dict:
    """Numbers that JSON has no word for become null."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }
