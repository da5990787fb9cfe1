"""What answers without a network are worth, and the score of every protein."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import torch

from inductive_bias.metrics import auc, confusion, macro_f1, matthews, recalls
from inductive_bias.protocols.proteins import LONG
from inductive_bias.protocols.stocks import BLOCK
from inductive_bias.studies.real_world import looking
from inductive_bias.studies.real_world.design import LSTM, PROTEINS, USUAL, parts
from inductive_bias.studies.real_world.records import COURSES, PATIENTS, courses, firsts_of_beats, patients
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.searching import CHOSEN, STANDARD
from inductive_bias.tasks import Heartbeats, Proteins, Split, Stocks
from inductive_bias.tasks import heartbeats as beats_of
from inductive_bias.tasks import proteins as proteins_of
from inductive_bias.tasks import stocks as stocks_of
from inductive_bias.trials import Trial

BASELINES, SCORES, KNOWN = "baselines", "scores", "proteins"
#: The item that means all of them.
ALL = -1


def baselines(runs: Runs) -> pd.DataFrame:
    """What every answer without a network is worth: ``trial, baseline, split, metric, item, value``, a trial per set.

    ``item`` is a block of test days, −1 for all of the split.
    """
    rows = []
    for trial in _firsts(runs):
        for name, split, metric, item, value in _worth(trial, runs):
            rows.append(
                {"trial": trial.id, "baseline": name, "split": split, "metric": metric, "item": item, "value": value}
            )
    return pd.DataFrame(rows)


def _worth(trial: Trial, runs: Runs) -> Iterator[tuple[str, str, str, int, float]]:
    task, data = trial.task, runs.data(trial)
    if isinstance(task, Heartbeats):
        rhythm = None if task.data == "ecg5000" else task.model_copy(update={"rhythm": True}).load(runs.root)
        for name, answers in beats_of.baseline_answers(data, rhythm=rhythm).items():
            for metric, value in _of_answers(torch.from_numpy(np.asarray(answers)), data["test"], data.classes):
                yield name, "test", metric, ALL, value
    elif isinstance(task, Proteins):
        for split in [name for name in ("test", LONG) if name in data]:
            for name, scores in proteins_of.baseline_scores(data, length=task.length, split=split).items():
                for metric, value in _of_scores(torch.from_numpy(scores), data[split]):
                    yield name, split, metric, ALL, value
    elif isinstance(task, Stocks):
        block = data["test"].slices["day"].numpy() // BLOCK
        wanted = data["test"].labels.flatten().double().numpy()
        right = task.target == "direction"
        for name, found in stocks_of.baseline_forecasts(task, root=runs.root).items():
            values = (found == wanted).astype(float) if right else (found - wanted) ** 2
            sums = np.bincount(block, values)
            for item, value in [*enumerate(sums.tolist()), (ALL, float(sums.sum()))]:
                yield name, "test", "right" if right else "squared_error", item, value


def _of_answers(answers: torch.Tensor, split: Split, classes: int) -> Iterator[tuple[str, float]]:
    counts = confusion(split.labels, answers.long(), classes)
    yield "macro_f1", macro_f1(counts).item()
    yield "accuracy", (counts.trace() / counts.sum()).item()
    for label, found in enumerate(recalls(counts).tolist()):
        yield f"recall {label}", found


def _of_scores(scores: torch.Tensor, split: Split) -> Iterator[tuple[str, float]]:
    counts = confusion(split.labels, (scores >= 0).long(), 2)
    yield "auc", auc(scores, split.labels).item()
    yield "mcc", matthews(counts).item()
    yield "accuracy", (counts.trace() / counts.sum()).item()


def _firsts(runs: Runs) -> list[Trial]:
    """The first usual LSTM of every set: its task says what is answered."""
    found = []
    for data in parts(runs.scale):
        found += runs.trials(data=data, model=LSTM, layers=USUAL[LSTM], variant=STANDARD, rate=CHOSEN)[:1]
    return found


def scores(runs: Runs) -> pd.DataFrame:
    """The log odds of every test protein by every run: ``trial, split, item, score``."""
    frames = []
    for trial in _of_proteins(runs):
        kept = runs.store.arrays(trial)
        for name in ("test", LONG):
            if (found := kept.get(f"scores/{name}")) is not None:
                frames.append(_frame(trial, name, score=found.numpy().astype(np.float32)))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["trial", "split", "item", "score"])


def known(runs: Runs) -> pd.DataFrame:
    """What is known of every test protein: ``trial, split, item, label, length, shared``, a trial per set."""
    frames = []
    for trial in _firsts_of_proteins(runs):
        data = runs.data(trial)
        for name in [name for name in ("test", LONG) if name in data]:
            slices = {key: values.numpy().astype(np.int32) for key, values in data[name].slices.items()}
            frames.append(_frame(trial, name, label=data[name].labels.numpy().astype(np.int32), **slices))
    columns = ["trial", "split", "item", "label", "length", "shared"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def _frame(trial: Trial, split: str, **columns: np.ndarray) -> pd.DataFrame:
    count = len(next(iter(columns.values())))
    at: Mapping[str, object] = {"trial": trial.id, "split": split, "item": np.arange(count, dtype=np.int32)}
    return pd.DataFrame({**at, **columns})


def _of_proteins(runs: Runs) -> list[Trial]:
    return runs.trials(data=PROTEINS, variant=STANDARD, rate=CHOSEN)


def _firsts_of_proteins(runs: Runs) -> list[Trial]:
    return [trial for trial in _firsts(runs) if isinstance(trial.task, Proteins)]


TABLES = {
    COURSES: Table(courses, uses=firsts_of_beats),
    PATIENTS: Table(patients, uses=firsts_of_beats),
    BASELINES: Table(baselines, uses=_firsts),
    SCORES: Table(scores, uses=_of_proteins, group=lambda cell, number: (cell, number)),
    KNOWN: Table(known, uses=_firsts_of_proteins),
    **looking.TABLES,
}
