"""From the vision study's results to the tidy frames that its figures draw and the tables beside them print."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from inductive_bias.analysis import difference_interval
from inductive_bias.studies import frames
from inductive_bias.studies.claims import signed
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.claims import gain
from inductive_bias.studies.vision.design import CNN_TO_MLP, NO_PENALTY
from inductive_bias.studies.vision.paper import paper_table, reported

#: Test sets of the paper, and the words for them.
SETS = {"test": "MNIST", "scale": "scaled", "translate": "translated"}
#: Ways of binning for the ECE, and the words for them.
FEW_BINS = {"ece_20": "20 equal bins", "ece_20_mass": "20 bins of equal mass"}
BINNINGS = {"ece_1e6": "10⁶ equal bins (paper)"} | FEW_BINS
#: Words under the axis for the recipes of design.CONTROLS and NO_PENALTY, and for the one they vary.
RECIPES = {
    CNN_TO_MLP: "our\nrecipe",
    f"{CNN_TO_MLP}, teacher in train mode": "teacher in\ntrain mode",
    f"{CNN_TO_MLP}, factor 1/T²": "factor\n1/T²",
    NO_PENALTY: "1/T², no\npenalty",
    f"{CNN_TO_MLP}, no factor": "no\nfactor",
    f"{CNN_TO_MLP}, as in the original code": "original\ncode",
    f"{CNN_TO_MLP}, T = 1": "T = 1",
}
RECIPE_NAMES = {cell: words.replace("\n", " ") for cell, words in RECIPES.items()}
STAGES = ("before training", "after training")
#: As for every study.
reliability = frames.reliability


def seeds_of(results: Results, metric: str, cells: Sequence[str], splits: Mapping[str, str] = SETS) -> pd.DataFrame:
    """:func:`inductive_bias.studies.frames.seeds_of` on the paper's test sets, or on others."""
    return frames.seeds_of(results, metric, cells, splits)


def paper_marks(metric: str, cells: Iterable[str], splits: Mapping[str, str] = SETS) -> dict[tuple[str, str], float]:
    """The paper's means by ``(set, cell)``, for the dashed marks of a plot; what it does not report is left out."""
    table = paper_table()
    rows = table[(table["metric"] == metric) & table["cell"].isin(list(cells)) & table["split"].isin(list(splits))]
    return {(splits[row.split], row.cell): row.mean for row in rows.itertuples(index=False)}


def beside_paper(results: Results, metric: str, cells: Sequence[str]) -> pd.DataFrame:
    """Every seed, mean ± standard deviation, and the paper's, one row a cell × test set."""
    rows = []
    for cell in cells:
        for split, words in SETS.items():
            values = results.values(cell, split, metric)
            known = reported(cell, split, metric)
            rows.append(
                {"model": _unbroken(cell), "test set": words, "here": mean_std(values),
                 "paper": whole(f"{known[0]:.3f} ± {known[1]:.4f}") if known else "–", "every seed": listed(values)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def summary(
    results: Results,
    metrics: Mapping[str, str],
    cells: Sequence[str],
    *,
    baseline: str | None = None,
    names: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Mean ± standard deviation, one row a cell × test set and one column a metric.

    Args:
        results: of the study.
        metrics: which, and the words for them.
        cells: which.
        baseline: with it each metric has a second column: the difference of means from this cell, with its 95 % Welch
            interval.
        names: what to call the cells; their own names if not given.
    """
    rows = []
    for cell in cells:
        for split, words in SETS.items():
            row = {"model": (names or {}).get(cell, _unbroken(cell)), "test set": words}
            for metric, name in metrics.items():
                row[name] = mean_std(results.values(cell, split, metric))
                if baseline is not None:
                    row[f"{name}, gain"] = signed(gain(results, cell, baseline, split, metric))
            rows.append(row)
    return pd.DataFrame(rows)


def _unbroken(cell: str) -> str:
    """A teacher and its student never part at the end of a line."""
    return cell.replace(" → ", "\u00a0→\u00a0")


def corruption_table(
    results: Results, cells: Sequence[str], metric: str = "accuracy", *, spread: bool = False
) -> pd.DataFrame:
    """Mean over seeds, one row a corruption (``clean`` first) and one column a cell.

    With ``spread`` the entries are text, mean ± standard deviation.
    """
    rows = results.final(metric)
    rows = rows[rows["cell"].isin(cells) & (rows["split"] != "validation") & rows["x"].isna()]
    found = rows.groupby(["split", "cell"])["value"].agg(mean_std if spread else "mean").unstack()[list(cells)]
    corrupted = [name for name in found.index if name != "test"]
    found = found.loc[["test", *corrupted]]
    found.index = ["clean", *(name.replace("_", " ") for name in corrupted)]
    found.columns.name = None
    return found


def gains_by_corruption(results: Results, cells: Sequence[str], baseline: str) -> pd.DataFrame:
    """Mean accuracy of each cell minus that of ``baseline``, the corruption on which the first gains most on top."""
    means = corruption_table(results, [*cells, baseline])
    gains = means[list(cells)].sub(means[baseline], axis=0)
    return gains.sort_values(cells[0], ascending=False, kind="stable")


def by_difference(means: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """The same rows, the corruption with the largest ``first − second`` on top, and that difference as a column."""
    table = means.assign(difference=means[first] - means[second])
    return table.sort_values("difference", ascending=False, kind="stable")


def confidence_gap(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """:func:`inductive_bias.studies.frames.confidence_gap` on the paper's test sets."""
    return frames.confidence_gap(results, cells, SETS)


def shift_curves(results: Results, metric: str, cells: Sequence[str]) -> pd.DataFrame:
    """A metric of shifted images, one row a seed × shift × stage: ``cell, seed, shift, stage, value``.

    The stages are ``before training`` (the untrained control) and ``after training``.
    """
    rows = results.rows
    rows = rows[(rows["split"] == "shift") & (rows["metric"] == metric) & rows["cell"].isin(cells)]
    table = rows.assign(shift=rows["x"].astype(int), stage=np.where(rows["epoch"].notna(), *STAGES))
    place = {name: number for number, name in enumerate((*cells, *STAGES))}
    order = ["cell", "stage", "seed", "shift"]
    table = table.sort_values(order, key=lambda column: column.map(place) if column.name in order[:2] else column)
    return table[["cell", "seed", "shift", "stage", "value"]].reset_index(drop=True)


def block_curves(results: Results, cell: str = "CNN") -> pd.DataFrame:
    """Equivariance errors of a CNN's blocks: the columns of :func:`shift_curves`, ``cell`` being the block."""
    numbers = range(1, len(strides(results, cell)) + 1)
    curves = [
        shift_curves(results, f"equivariance_error block {number}", [cell]).assign(cell=f"block {number}")
        for number in numbers
    ]
    return pd.concat(curves, ignore_index=True)


def strides(results: Results, cell: str = "CNN") -> list[int]:
    """Pixels of the image per cell of the map after each block of the cell's CNN."""
    pools = results.study.cells(results.scale)[cell][0].model.pools
    return np.cumprod(pools).tolist()


def by_shift(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean ± standard deviation over seeds, one row a shift and one column a cell (× stage, if there are two)."""
    stages = curves["stage"].nunique()
    names = curves["cell"] + (", " + curves["stage"] if stages > 1 else "")
    order = list(dict.fromkeys(names))
    table = curves.assign(name=names).groupby(["shift", "name"])["value"].apply(mean_std).unstack()[order]
    table.columns.name = None
    return table.rename_axis("shift (pixels)").reset_index()


def shift_contrasts(results: Results, pixels: int = 4) -> pd.DataFrame:
    """What training and architecture do to the errors at one shift: differences with 95 % Welch intervals."""

    def values(metric: str, cell: str, stage: str) -> list[float]:
        curves = shift_curves(results, metric, [cell])
        return curves.loc[(curves["shift"] == pixels) & (curves["stage"] == stage), "value"].tolist()

    before, after = STAGES
    compared = {
        "invariance error of the penultimate layer": "invariance_error",
        "linear equivariance error": "linear_equivariance_error",
    }
    rows = []
    for words, metric in compared.items():
        cnn, mlp, raw = values(metric, "CNN", after), values(metric, "MLP", after), values(metric, "CNN", before)
        rows.append(
            {"error": words, "difference": "CNN − MLP, both trained", "found": signed(difference_interval(cnn, mlp))}
        )
        rows.append(
            {"error": words, "difference": "CNN, trained − untrained", "found": signed(difference_interval(cnn, raw))}
        )
    return pd.DataFrame(rows)
