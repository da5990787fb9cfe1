"""Who inherits what from whom: the tidy frames behind the figures and tables of distillation in classification."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from inductive_bias.studies.agreement import claims
from inductive_bias.studies.agreement.design import LADDER, LONGER, TRAIN_MODE
from inductive_bias.studies.agreement.paper import reported
from inductive_bias.studies.claims import signed
from inductive_bias.studies.comparisons import finite, gain
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.figures import listed, mean_std

NO_TEACHER = "no teacher"
#: Rows of a matrix, the least recurrent teacher first.
TEACHERS = (NO_TEACHER, *LADDER)
#: The models where a name has to be short, as the notes of the claims have it.
SHORT = {NO_TEACHER: NO_TEACHER} | claims.SHORT
#: What is measured, and where it is.
METRICS = {
    "accuracy": ("test", "accuracy"),
    "A-acc": ("attractors", "a_accuracy"),
    "ECE, 10⁶ bins": ("test", "ece_1e6"),
    "ECE, 20 bins": ("test", "ece_20"),
}
LOWER_IS_BETTER = {"ECE, 10⁶ bins", "ECE, 20 bins"}
#: The Transformer as a student, its controls first and last the model whose bias it should take on.
CONTROLS = {
    "Transformer": "no teacher",
    "Transformer → Transformer": "taught by\nits own kind",
    TRAIN_MODE: "LSTM teacher,\nits dropout on",
    "LSTM → Transformer": "LSTM\nteacher",
    "LSTM": "the LSTM\nitself",
}
#: The same three after several times as many steps.
PATIENCE = {
    "Transformer": "no teacher",
    LONGER[0]: "no teacher,\nlonger",
    "LSTM → Transformer": "LSTM\nteacher",
    LONGER[1]: "LSTM teacher,\nlonger",
    "LSTM": "the LSTM\nitself",
    LONGER[2]: "the LSTM,\nlonger",
}


class Loans(NamedTuple):
    """One measure of all pairs, rows `TEACHERS` and columns the students, by their short names.

    Attributes:
        means: over seeds.
        gains: against the student without a teacher, positive is better whatever the measure.
        words: mean and standard deviation, for the cells of a map.
    """

    means: pd.DataFrame
    gains: pd.DataFrame
    words: pd.DataFrame


def cell_of(teacher: str, student: str) -> str:
    """The name of a cell; the student's own without a teacher."""
    return student if teacher == NO_TEACHER else f"{teacher} → {student}"


def loans(results: Results, measure: str) -> Loans:
    """The matrix of a measure, one of `METRICS`; runs that diverged are left out of the means."""
    values = {
        (teacher, student): finite(results.values(cell_of(teacher, student), *METRICS[measure]))
        for teacher in TEACHERS
        for student in LADDER
    }
    means = _matrix({pair: float(np.mean(runs)) if runs else np.nan for pair, runs in values.items()})
    better = -1.0 if measure in LOWER_IS_BETTER else 1.0
    words = _matrix({pair: _in_a_cell(runs) for pair, runs in values.items()})
    return Loans(means, better * (means - means.loc[SHORT[NO_TEACHER]]) + 0.0, words)


def paper_loans(measure: str) -> Loans:
    """The same of the paper's numbers, NaN and a dash where it has none."""
    known = {
        (teacher, student): reported(cell_of(teacher, student), *METRICS[measure])
        for teacher in TEACHERS
        for student in LADDER
    }
    means = _matrix({pair: number[0] if number else np.nan for pair, number in known.items()})
    better = -1.0 if measure in LOWER_IS_BETTER else 1.0
    words = _matrix({pair: f"{number[0]:.3f}" if number else "–" for pair, number in known.items()})
    return Loans(means, better * (means - means.loc[SHORT[NO_TEACHER]]) + 0.0, words)


def seeds_of(results: Results, measure: str, cells: Sequence[str]) -> pd.DataFrame:
    """Every seed: ``cell, seed, value``, in the order of ``cells``.

    Raises:
        ValueError: if a cell has no row.
    """
    split, metric = METRICS[measure]
    frames = [results.final(metric, split=split, cell=cell).sort_values("seed") for cell in cells]
    if empty := [cell for cell, rows in zip(cells, frames, strict=True) if rows.empty]:
        raise ValueError(f"cell {empty[0]!r} has no {metric} on {split!r}")
    return pd.concat([rows[["cell", "seed", "value"]] for rows in frames], ignore_index=True)


def students(student: str, measure: str) -> dict[str, str]:
    """The cells in which a model is the student, without a teacher first, and what to write under each.

    That is the short name of the teacher and the paper's mean, or a dash: its models are larger, so that a mark of it
    among the points would leave them no room.
    """
    known = {teacher: reported(cell_of(teacher, student), *METRICS[measure]) for teacher in TEACHERS}
    return {
        cell_of(teacher, student): f"{SHORT[teacher]}\n{f'{number[0]:.3f}' if number else '–'}"
        for teacher, number in known.items()
    }


def beside_paper(results: Results, measure: str) -> pd.DataFrame:
    """One row a pair: mean ± standard deviation here and in the paper, and every seed."""
    rows = []
    for student in LADDER:
        for teacher in TEACHERS:
            cell = cell_of(teacher, student)
            values, known = results.values(cell, *METRICS[measure]), reported(cell, *METRICS[measure])
            rows.append(
                {"student": whole(SHORT[student]), "teacher": whole(SHORT[teacher]), "here": mean_std(values),
                 "paper": _number(known), "every seed": listed(values)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def change_table(results: Results, measures: Sequence[str]) -> pd.DataFrame:
    """One row a pair: what the teacher changes against the student without one, with 95 % Welch intervals."""
    rows = []
    for student in LADDER:
        for teacher in LADDER:
            cell = cell_of(teacher, student)
            row = {"student": whole(SHORT[student]), "teacher": whole(SHORT[teacher])}
            rows.append(row | {name: signed(gain(results, cell, student, *METRICS[name])) for name in measures})
    return pd.DataFrame(rows)


def control_table(results: Results, measures: Sequence[str]) -> pd.DataFrame:
    """A Transformer taught by an LSTM against each of its controls: differences with 95 % Welch intervals."""
    taught = "LSTM → Transformer"
    rows = []
    for control, words in CONTROLS.items():
        if control != taught:
            row = {"LSTM → Transformer minus": words.replace("\n", " ")}
            rows.append(row | {name: signed(gain(results, taught, control, *METRICS[name])) for name in measures})
    return pd.DataFrame(rows)


def patience(results: Results) -> dict[str, str]:
    """`PATIENCE` without the cells that the scale does not have: the paper's training is a long one anyway."""
    there = results.study.cells(results.scale)
    return {cell: words for cell, words in PATIENCE.items() if cell in there}


def patience_table(results: Results, measures: Sequence[str]) -> pd.DataFrame:
    """What several times as many steps change, and what a teacher changes then; differences with 95 % intervals."""
    alone, taught, strong = LONGER
    compared = {
        "Transformer: longer minus shorter": (alone, "Transformer"),
        "taught Transformer: longer minus shorter": (taught, "LSTM → Transformer"),
        "LSTM: longer minus shorter": (strong, "LSTM"),
        "longer: taught minus alone": (taught, alone),
        "longer: LSTM minus taught Transformer": (strong, taught),
    }
    return pd.DataFrame(
        {"compared": words} | {name: signed(gain(results, *pair, *METRICS[name])) for name in measures}
        for words, pair in compared.items()
        if set(pair) <= patience(results).keys()
    )


def steps_table(results: Results) -> pd.DataFrame:
    """Epochs and batch size of every model without and with a teacher: a student takes as many steps as its twin."""
    cells = results.study.cells(results.scale)
    rows = []
    for student in LADDER:
        alone, taught = cells[student][0], cells[cell_of("LSTM", student)][0]
        row = {"model": student}
        for words, trial in (("alone", alone), ("taught", taught)):
            row |= {f"epochs, {words}": trial.schedule.epochs, f"batch, {words}": trial.schedule.batch_size}
        rows.append(row)
    return pd.DataFrame(rows)


def _matrix(values: Mapping[tuple[str, str], object]) -> pd.DataFrame:
    """Rows teachers, columns students, by their short names and in the order of the ladder."""
    rows = [[values[teacher, student] for student in LADDER] for teacher in TEACHERS]
    return pd.DataFrame(rows, index=[SHORT[name] for name in TEACHERS], columns=[SHORT[name] for name in LADDER])


def _in_a_cell(runs: Sequence[float]) -> str:
    """Mean and standard deviation below each other, or a dash."""
    if not runs:
        return "–"
    return f"{np.mean(runs):.3f}" + (f"\n±{np.std(runs, ddof=1):.3f}" if len(runs) > 1 else "")


def whole(name: str) -> str:
    """A name that never parts at the end of a line."""
    return name.replace(" ", "\u00a0")


def _number(known: tuple[float, float] | None) -> str:
    if known is None:
        return "–"
    mean, std = known
    return f"{mean:.4f}" if np.isnan(std) else f"{mean:.4f}\u00a0±\u00a0{std:.4f}"
