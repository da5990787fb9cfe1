"""What is known of the patients of MIT-BIH and of the courses of their beats, as tables."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from inductive_bias.studies.real_world.design import LSTM, MITBIH, USUAL_LAYERS
from inductive_bias.studies.real_world.measures.patients import COURSES, PATIENTS
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.tasks import Split
from inductive_bias.tasks.heartbeats.task import KINDS
from inductive_bias.trials import Trial

#: The band around a mean course, as quantiles.
BAND = (0.1, 0.9)


def firsts_of_beats(runs: Runs) -> list[Trial]:
    """The first usual LSTM on MIT-BIH: its task says whose beats are answered."""
    return runs.firsts(data=MITBIH, model=LSTM, layers=USUAL_LAYERS[LSTM])


def patients(runs: Runs) -> pd.DataFrame:
    """Everybody who is in a split: ``trial, split, record, sex, age``, NaN where an age is not known."""
    rows = []
    for trial in firsts_of_beats(runs):
        known, data = trial.task.patients(runs.root), runs.data(trial)
        for name, split in data.items():
            for record in split.slices["record"].unique().tolist():
                sex, age = known[record].sex, known[record].age
                rows.append(
                    {
                        "trial": trial.id,
                        "split": name,
                        "record": record,
                        "sex": sex,
                        "age": np.nan if age is None else float(age),
                    }
                )
    return pd.DataFrame(rows, columns=["trial", "split", "record", "sex", "age"])


def courses(runs: Runs) -> pd.DataFrame:
    """Mean course and band of the beats of a kind: ``trial, split, record, kind, sample, mean, low, high``.

    There is one of every test record, and one of all training beats together (``record`` −1). A value is between −1 and
    1; the band holds the middle four fifths of the beats at each sample.
    """
    frames = []
    for trial in firsts_of_beats(runs):
        data = runs.data(trial)
        frames += [each.assign(trial=trial.id) for name in ("train", "test") for each in _courses(name, data[name])]
    columns = ["trial", "split", "record", "kind", "sample", "mean", "low", "high"]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def _courses(name: str, split: Split) -> Iterator[pd.DataFrame]:
    values, labels = split.inputs[:, :, 0].numpy(), split.labels.numpy()
    # a course of what is learnt from is of all records together: it has no record
    whose = split.slices["record"].numpy() if name == "test" else None
    for record in [None] if whose is None else np.unique(whose).tolist():
        there = whose == record if whose is not None else np.full(len(labels), True)
        for label, kind in enumerate(KINDS):
            of = values[there & (labels == label)]
            if len(of):
                low, high = np.quantile(of, BAND, axis=0)
                yield pd.DataFrame(
                    {
                        "split": name,
                        "record": pd.array([record] * of.shape[1], dtype="Int64"),
                        "kind": kind,
                        "sample": np.arange(of.shape[1]),
                        "mean": of.mean(0),
                        "low": low,
                        "high": high,
                    }
                )


TABLES = {COURSES: Table(courses, uses=firsts_of_beats), PATIENTS: Table(patients, uses=firsts_of_beats)}
