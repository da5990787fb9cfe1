"""A comparison of models of one's own in a few lines: equal training, every seed kept, and a verdict in words.

::

    found = compare({"LSTM": MyLSTM, "RSA": MyRSA}, {"parity": SequenceClassification((x, y))}, seeds=5)
    print(found.intervals())
    print(found.verdict("RSA", "LSTM", margin=0.02))

It makes trials as every study does: they are kept in ``runs/<name>``, a second call trains what is missing, and a model
or task that is changed is another trial. A claim that is to be published wants a
:class:`~inductive_bias.studies.study.Study`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, SupportsFloat

import pandas as pd

from inductive_bias import paths
from inductive_bias.engine import run_missing
from inductive_bias.errors import SettingError
from inductive_bias.formatting import about
from inductive_bias.plugins import GivenModel, GivenTask
from inductive_bias.protocols import protocol_class
from inductive_bias.protocols.measures import COORDINATES
from inductive_bias.settings import Setting
from inductive_bias.store import Store
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial
from inductive_bias.verdicts import DECIDED, Contrast, Judgement, equivalent, exceeds, paired, single, untestable

#: A model: settings of the package, or a class or function that builds a ``torch.nn.Module``.
Model = Setting | Callable[..., object]
#: Metrics by which models may be compared, the first that a task has unless another is named; whether more is better.
METRICS: Mapping[str, bool] = {
    "perplexity": False,
    "bpc": False,
    "accuracy": True,
    "macro_f1": True,
    "span_f1": True,
    "mse": False,
    "unexplained": False,
    "excess_error": False,
    "nll": False,
    "loss": False,
    "mae": False,
}
#: Those of them that are shares of right answers: a diverged run has 0.
SHARES = ("accuracy", "macro_f1", "span_f1")
#: What a learning rate is chosen by on the validation split: the first of these that a task has.
CHOSEN_BY = ("nll", "mse", "perplexity", "bpc", "unexplained", "excess_error", "loss", "accuracy", "macro_f1")
Word = Literal["better", "worse", "alike", "undecided", "not testable"]


@dataclass(frozen=True, eq=False)
class Answer:
    """The verdict on two models, in words: ``print(answer)``.

    Attributes:
        word: ``better``, ``worse`` or ``alike`` (within the margin), each at 5 %; ``undecided`` between them; ``not
            testable`` where runs diverged and nothing says what such a run counts as.
        text: one or two sentences with the effect, its 95 % interval and the number of seeds.
        contrast: the difference, paired by seed; None if not testable.
        judgement: of the rule that gave the word.
    """

    word: Word
    text: str
    contrast: Contrast | None
    judgement: Judgement

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` found.

    Attributes:
        frame: tidy: ``model, task, seed, learning_rate, split, metric, value``, one row a number of every seed, at the
            learning rate that was chosen. NaN where a run diverged.
        rates: every learning rate that was tried: ``model, task, learning_rate, metric, validation, chosen``.
        trials: of every model, task and rate, in the order of their seeds.
    """

    frame: pd.DataFrame
    rates: pd.DataFrame
    trials: Mapping[tuple[str, str, float], tuple[Trial, ...]]

    def intervals(self, metric: str | None = None, *, split: str = "test") -> pd.DataFrame:
        """Mean over seeds with its 95 % interval: ``task, model, metric, mean, low, high, seeds, diverged``.

        Args:
            metric: which; of each task the first of :data:`METRICS` that it has, unless given.
            split: which.

        Raises:
            SettingError: if there is no such metric or split.
        """
        lines = []
        for task, model in self.frame[["task", "model"]].drop_duplicates().itertuples(index=False):
            name = metric or self._metric(task, split)
            values = self._values(model, task, name, split)
            known = values.dropna()
            mean = low = high = float("nan")
            if len(known):
                # equal shares tell no spread: then the interval allows for a run of another kind that was not seen
                equal = name in SHARES and known.nunique() == 1
                found = single(known, name=model, unit=name, extremes=(0, 1) if equal else None)
                mean, low, high = found.estimate, found.low, found.high
            lines.append((task, model, name, mean, low, high, len(values), int(values.isna().sum())))
        columns = ["task", "model", "metric", "mean", "low", "high", "seeds", "diverged"]
        return pd.DataFrame(lines, columns=columns)

    def verdict(
        self,
        first: str,
        second: str,
        *,
        margin: SupportsFloat,
        metric: str | None = None,
        task: str | None = None,
        split: str = "test",
        failed_value: SupportsFloat | None = None,
    ) -> Answer:
        """Whether one model is better than another by more than ``margin``, worse by more, or within it.

        Write the margin down before you look: it is the smallest difference that would matter to you. The three answers
        exclude each other, so that 5 % bounds the chance of a wrong one.

        Args:
            first: name of a model.
            second: name of the other.
            margin: in the unit of the metric, above 0.
            metric: see :meth:`intervals`.
            task: needed where there are several.
            split: which.
            failed_value: what a diverged run counts as; 0 for shares of right answers unless given.

        Raises:
            SettingError: if there is no such model, task or metric, or the margin is not above 0.
        """
        margin = float(margin)
        if not margin > 0:
            raise SettingError(f"margin={margin:g} must be above 0: the smallest difference that would matter")
        task = self._task(task)
        metric = metric or self._metric(task, split)
        more = METRICS.get(metric, True)
        a, b = (self._values(model, task, metric, split) for model in (first, second))
        lost = a.isna().sum() + b.isna().sum()
        if failed_value is None and metric in SHARES:
            failed_value = 0.0
        if lost and failed_value is None:
            reason = f"{lost} of {len(a) + len(b)} runs diverged: say with failed_value what {metric} they count as"
            return Answer("not testable", f"{first} against {second} on {task}: {reason}.", None, untestable(reason))
        found = paired(a, b, name=f"{first} − {second}", unit=metric, failed_value=failed_value)
        gain = found if more else found.reversed(f"{second} − {first}")
        asked: dict[Word, Judgement] = {
            "better": exceeds(gain, margin),
            "worse": exceeds(gain.reversed(), margin),
            "alike": equivalent(gain, margin),
        }
        word: Word = next((each for each, judged in asked.items() if judged.verdict == DECIDED[0]), "undecided")
        judgement = asked.get(word) or min(asked.values(), key=lambda judged: judged.p)
        return Answer(word, _in_words(word, first, second, task, margin, found, asked, int(lost)), found, judgement)

    def __repr__(self) -> str:
        return f"{self.intervals().to_string(index=False, float_format='{:.3f}'.format)}"

    def _repr_html_(self) -> str:
        return self.intervals().to_html(index=False, float_format="{:.3f}".format, border=0)

    def _task(self, task: str | None) -> str:
        known = list(self.frame["task"].unique())
        if task is None and len(known) == 1:
            return known[0]
        if task not in known:
            raise SettingError(f"task={task!r} should be one of {', '.join(known)}")
        return str(task)

    def _metric(self, task: str, split: str) -> str:
        there = set(self.frame.loc[(self.frame["task"] == task) & (self.frame["split"] == split), "metric"])
        for name in METRICS:
            if name in there:
                return name
        raise SettingError(f"task {task!r}, split {split!r}: name a metric of {', '.join(sorted(there))}")

    def _values(self, model: str, task: str, metric: str, split: str) -> pd.Series:
        """Values by seed."""
        rows = self.frame[(self.frame["model"] == model) & (self.frame["task"] == task)]
        if rows.empty:
            raise SettingError(f"there is no model {model!r}; there are {', '.join(self.frame['model'].unique())}")
        chosen = rows[(rows["metric"] == metric) & (rows["split"] == split)]
        if chosen.empty:
            there = sorted(set(rows.loc[rows["split"] == split, "metric"])) or sorted(set(rows["split"]))
            raise SettingError(f"task {task!r} has no {metric!r} on split {split!r}; there are {', '.join(there)}")
        return chosen.set_index("seed")["value"].rename(model)


def compare(
    models: Mapping[str, Model],
    tasks: Mapping[str, object] | object,
    *,
    seeds: int | Sequence[int] = 5,
    epochs: int = 20,
    batch_size: int = 32,
    learning_rate: float | Sequence[float] = 1e-3,
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw",
    weight_decay: float = 0.01,
    decay: Literal["cosine", "linear", "constant"] = "cosine",
    warmup: int = 0,
    clip_norm: float | None = 1.0,
    name: str = "compare",
    device: str = "auto",
    jobs: int | None = 1,
    data: Path | None = None,
    progress: bool = True,
) -> Comparison:
    """Train every model on every task with every seed, all with equal settings, and keep the runs.

    Several learning rates are tried by every model with all seeds; the one with the best mean on the validation split
    is reported, and the test split decides nothing.

    Args:
        models: by name: a class of ``torch.nn.Module`` or a function that builds one, called with those of the task's
            dimensions that it takes by name; or settings of the package, such as ``LSTMSpec()``.
        tasks: by name, or one alone: tasks from tensors (:mod:`inductive_bias.tasks.tensors`), tasks of the package, or
            an ``OwnTask``.
        seeds: how many, or which: of the initial weights, the order of the batches and dropout.
        epochs: passes over the training split.
        batch_size: examples a step.
        learning_rate: one, or several to choose from.
        optimiser: of all models.
        weight_decay: of AdamW; the others have none.
        decay: how the rate falls, to 0 at the end.
        warmup: steps over which the rate first rises.
        clip_norm: of the gradient, at most; None does not clip.
        name: of the folder of runs.
        device: ``auto``, ``cpu``, ``cuda`` …
        jobs: trials at a time; None is one a CPU core.
        data: folder of the data of the package's tasks.
        progress: whether to show a bar.

    Raises:
        SettingError: naming a model or task that does not fit, before anything is trained.
        DataError: for data that are missing.
    """
    given = tasks if isinstance(tasks, Mapping) else {getattr(tasks, "name", "task"): tasks}
    if not models or not given:
        raise SettingError("there must be at least one model and one task to compare")
    chosen = range(seeds) if isinstance(seeds, int) else seeds
    rates = tuple(dict.fromkeys([learning_rate] if isinstance(learning_rate, int | float) else learning_rate))
    if not len(chosen) or not rates:
        raise SettingError(f"seeds={seeds} and learning_rate={learning_rate} must each give one at least")
    schedule = ScheduleSpec(epochs=epochs, batch_size=batch_size, decay=decay, warmup=warmup)
    decayed = weight_decay if optimiser == "adamw" else 0.0
    steps = OptimiserSpec(method=optimiser, weight_decay=decayed, clip_norm=clip_norm)
    trials: dict[tuple[str, str, float], tuple[Trial, ...]] = {}
    for task_name, task in ((each, _task(task)) for each, task in given.items()):
        for model_name, model in models.items():
            options = {"task": task, "model": _model(model, task), "schedule": schedule}
            for rate in rates:
                at = steps.model_copy(update={"learning_rate": OptimiserSpec(learning_rate=rate).learning_rate})
                trials[model_name, task_name, rate] = tuple(
                    _trial(f"{model_name} on {task_name}", seed=seed, optimiser=at, **options) for seed in chosen
                )
    store = Store(paths.runs(name))
    wanted = [trial for each in trials.values() for trial in each]
    run_missing(wanted, store, device=device, root=data, jobs=jobs, progress=progress)
    return _found(trials, store)


def _task(task: object) -> Setting:
    return task if isinstance(task, Setting) else GivenTask(task)


def _model(model: Model, task: Setting) -> Setting:
    if isinstance(model, Setting):
        return model
    return GivenModel(model, causal=not protocol_class(task).objective.allows_noncausal)


def _trial(label: str, **settings: object) -> Trial:
    try:
        return Trial(**settings)
    except ValueError as error:
        raise SettingError(f"{label}: {_reason(error)}") from error


def _reason(error: ValueError) -> str:
    """What went wrong, without what pydantic says around it."""
    found = getattr(error, "errors", None)
    return "; ".join(each["msg"].removeprefix("Value error, ") for each in found()) if found else str(error)


def _found(trials: Mapping[tuple[str, str, float], tuple[Trial, ...]], store: Store) -> Comparison:
    if failed := [trial.label for each in trials.values() for trial in each if not store.has(trial)]:
        raise SettingError(f"{len(failed)} runs failed, and nothing is compared without them: {', '.join(failed)}")
    frames, lines = {}, []
    for (model, task, rate), runs in trials.items():
        rows = pd.concat([store.rows(trial).assign(seed=trial.seed) for trial in runs], ignore_index=True)
        rows = rows[rows["epoch"].isna() & (rows["metric"] != "diverged")]
        whole = rows[[name for name in COORDINATES if name in rows]].isna().all(axis=1)
        rows = rows[whole].assign(model=model, task=task, learning_rate=rate)
        frames[model, task, rate] = rows
        validation = rows[rows["split"] == "validation"].groupby("metric")["value"]
        means = validation.mean()[validation.count() == len(runs)]
        metric = next((each for each in CHOSEN_BY if each in validation.groups), None)
        lines.append((model, task, rate, metric, means.get(metric, float("nan"))))
    rates = pd.DataFrame(lines, columns=["model", "task", "learning_rate", "metric", "validation"])
    rates["chosen"] = False
    for _, group in rates.groupby(["model", "task"], sort=False):
        known = group["validation"].dropna()
        if len(group) > 1 and known.empty and group["metric"].isna().all():
            raise SettingError(f"task {group['task'].iloc[0]!r} measures nothing on validation to choose a rate by")
        best = known.idxmax() if METRICS.get(group["metric"].iloc[0], False) else known.idxmin() if len(known) else None
        rates.loc[group.index[0] if best is None else best, "chosen"] = True
    kept = [frames[each.model, each.task, each.learning_rate] for each in rates[rates["chosen"]].itertuples()]
    columns = ["model", "task", "seed", "learning_rate", "split", "metric", "value"]
    frame = pd.concat(kept, ignore_index=True)[columns]
    return Comparison(frame, rates, trials)


def _in_words(
    word: Word,
    first: str,
    second: str,
    task: str,
    margin: float,
    found: Contrast,
    asked: Mapping[Word, Judgement],
    lost: int,
) -> str:
    size = f"{margin:g} {found.unit}"
    begin = {
        "better": f"On {task}, {first} is better than {second} by more than {size}.",
        "worse": f"On {task}, {first} is worse than {second} by more than {size}.",
        "alike": f"On {task}, {first} and {second} differ by less than {size}.",
        "undecided": f"On {task}, whether {first} and {second} differ by more than {size} is undecided.",
    }[word]
    end = f"{found.name}: {found} over {found.n} seeds (mean and 95 % interval)."
    if word == "undecided":
        more = min((each.seeds for each in asked.values() if each.seeds == each.seeds), default=float("nan"))
        if more == more and more != float("inf"):
            end += f" {about(more).capitalize()} seeds would decide, were the means true."
        else:
            end += " No number of seeds can be named: there are too few, or all runs are equal."
    if lost:
        end += f" {lost} of the runs diverged, and count as failures."
    return f"{begin} {end}"
