"""What answers without a network are worth, and the score of every protein."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import torch

from inductive_bias.metrics import auc, confusion, macro_f1, matthews, recalls
from inductive_bias.protocols.proteins import LONG
from inductive_bias.protocols.stocks import BLOCK
from inductive_bias.studies.design import Cell
from inductive_bias.studies.real_world.design import LSTM, PROTEINS, USUAL_LAYERS
from inductive_bias.studies.real_world.measures.scores import BASELINES, PROTEIN_FACTS, SCORES
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks import Heartbeats, Proteins, Split, Stocks
from inductive_bias.tasks import heartbeats as beats_of
from inductive_bias.tasks import proteins as proteins_of
from inductive_bias.tasks import stocks as stocks_of
from inductive_bias.trials import Trial


def baselines(runs: Runs) -> pd.DataFrame:
    """What every answer without a network is worth, a trial per set.

    Columns: ``trial, baseline, split, metric, label, item, value``. ``label`` is the class of a recall, and ``item`` a
    block of test days, −1 for all of the split.
    """
    rows = []
    for trial in firsts(runs):
        for name, split, worth in _worth(trial, runs):
            rows.append({"trial": trial.id, "baseline": name, "split": split} | worth)
    columns = ["trial", "baseline", "split", "metric", "label", "item", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"label": "Int64", "item": "Int64"})


def _worth(trial: Trial, runs: Runs) -> Iterator[tuple[str, str, dict[str, object]]]:
    task, data = trial.task, runs.data(trial)
    if isinstance(task, Heartbeats):
        rhythm = None if task.data == "ecg5000" else task.model_copy(update={"rhythm": True}).load(runs.root)
        for name, answers in beats_of.baseline_answers(data, rhythm=rhythm).items():
            for worth in _of_answers(torch.from_numpy(np.asarray(answers)), data["test"], data.classes):
                yield name, "test", {"item": None} | worth
    elif isinstance(task, Proteins):
        for split in [name for name in ("test", LONG) if name in data]:
            for name, scores in proteins_of.baseline_scores(data, length=task.length, split=split).items():
                for worth in _of_scores(torch.from_numpy(scores), data[split]):
                    yield name, split, {"item": None} | worth
    elif isinstance(task, Stocks):
        block = data["test"].slices["day"].numpy() // BLOCK
        wanted = data["test"].labels.flatten().double().numpy()
        right = task.target == "direction"
        metric = "right" if right else "squared_error"
        for name, found in stocks_of.baseline_forecasts(task, root=runs.root).items():
            values = (found == wanted).astype(float) if right else (found - wanted) ** 2
            sums = np.bincount(block, values)
            for item, value in [*enumerate(sums.tolist()), (None, float(sums.sum()))]:
                yield name, "test", {"metric": metric, "item": item, "value": value}


def _of_answers(answers: torch.Tensor, split: Split, classes: int) -> Iterator[dict[str, object]]:
    counts = confusion(split.labels, answers.long(), classes)
    yield {"metric": "macro_f1", "value": macro_f1(counts).item()}
    yield {"metric": "accuracy", "value": (counts.trace() / counts.sum()).item()}
    for label, found in enumerate(recalls(counts).tolist()):
        yield {"metric": "recall", "label": label, "value": found}


def _of_scores(scores: torch.Tensor, split: Split) -> Iterator[dict[str, object]]:
    counts = confusion(split.labels, (scores >= 0).long(), 2)
    yield {"metric": "auc", "value": auc(scores, split.labels).item()}
    yield {"metric": "mcc", "value": matthews(counts).item()}
    yield {"metric": "accuracy", "value": (counts.trace() / counts.sum()).item()}


def firsts(runs: Runs) -> list[Trial]:
    """The first usual LSTM of every set: its task says what is answered."""
    return runs.firsts(model=LSTM, layers=USUAL_LAYERS[LSTM])


def scores(runs: Runs) -> pd.DataFrame:
    """The log odds of every test protein by every run: ``trial, split, item, score``."""
    frames = []
    for trial in of_proteins(runs):
        kept = runs.store.arrays(trial)
        for name in ("test", LONG):
            if (found := kept.get(f"scores/{name}")) is not None:
                frames.append(_frame(trial, name, score=found.numpy().astype(np.float32)))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["trial", "split", "item", "score"])


def protein_facts(runs: Runs) -> pd.DataFrame:
    """What is known of every test protein: ``trial, split, item, label, length, shared``, a trial per set."""
    frames = []
    for trial in firsts_of_proteins(runs):
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


def of_proteins(runs: Runs) -> list[Trial]:
    """Every run on proteins."""
    return runs.trials(data=PROTEINS)


def firsts_of_proteins(runs: Runs) -> list[Trial]:
    """The first usual LSTM of both sets of proteins."""
    return runs.firsts(data=PROTEINS, model=LSTM, layers=USUAL_LAYERS[LSTM])


def one_run(cell: Cell, number: int) -> tuple[Cell, int]:
    """Every run is a group of its own: a row is made from one of them."""
    return cell, number


TABLES = {
    BASELINES: Table(baselines, uses=firsts, group=one_run),
    SCORES: Table(scores, uses=of_proteins, group=one_run),
    PROTEIN_FACTS: Table(protein_facts, uses=firsts_of_proteins, group=one_run),
}
