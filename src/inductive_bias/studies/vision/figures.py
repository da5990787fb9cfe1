"""What the pages draw and print: numbers beside the paper's, gains, errors by shift, and pictures that explain.

The pictures are real digits of the offline sample, their corruptions and an edge filter: no result is computed from
them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.studies.design import NO_TEACHER, Level
from inductive_bias.studies.frames import listed, mean_std, whole
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import (
    CORRUPTIONS,
    MLP_ALONE,
    MODELS,
    NO_DROPOUT,
    SAME_STEPS,
    STANDARD,
    TWIN,
    label,
)
from inductive_bias.studies.vision.measures import SETS, STAGES, Levels, by_shift, gain
from inductive_bias.tasks import MNIST
from inductive_bias.verdicts import paired, unpaired

#: All test sets, in words.
CORRUPTED = {"test": "clean"} | {name: name.replace("_", " ") for name in CORRUPTIONS}

#: Sobel's filter: answers where, from left to right, ink begins.
EDGE = ((-1.0, 0.0, 1.0), (-2.0, 0.0, 2.0), (-1.0, 0.0, 1.0))
#: Places in the sample's test set; the first has eight empty columns at its right, room for a shift.
SHIFTABLE_DIGIT, SHOWN_DIGIT = 3, 6


def example_digit(number: int = SHOWN_DIGIT, *, corruption: str | None = None) -> Float[np.ndarray, "28 28"]:
    """A test digit of the sample in 0..1, as it is or corrupted as in MNIST-C."""
    corruptions = () if corruption is None else (corruption,)
    # one draw is made for a whole set: take some more digits than the one shown
    data = MNIST(sample=True, test_size=max(16, number + 1), corruptions=corruptions).load()
    return data[corruption or "test"].inputs[number, 0].numpy()


def edge_map(images: Float[Tensor, "n 1 h w"]) -> Float[Tensor, "n 1 h w"]:
    """``relu(EDGE * x)``: one fixed convolution, as large as the image (zeros outside)."""
    kernel = torch.tensor(EDGE).to(images)[None, None]
    return torch.relu(F.conv2d(images, kernel, padding=1))


def distilled_models(results: Results, metric: str | Sequence[str], **levels: Level | Sequence[Level]) -> pd.DataFrame:
    """The taught models of the paper, and without a teacher the CNN and the MLP of as many steps as its students.

    CNN students are those without dropout, which reach the CNN.
    """
    rows = results.frame(metric, **{"split": list(SETS), "variant": (STANDARD, SAME_STEPS, NO_DROPOUT)} | levels)
    left_out = (rows["cell"] == label(**MLP_ALONE)) | (_is_cnn_student(rows) & (rows["variant"] == STANDARD))
    return rows[~left_out].reset_index(drop=True)


def reported_distilled_models(results: Results) -> pd.DataFrame:
    """The paper's numbers for :func:`distilled_models`, with ``cell``.

    Its MLP without a teacher has as many epochs as its students and stands for the twin, and its CNN students for those
    without dropout.
    """
    known = results.paper.copy()
    known.loc[(known["model"] == "MLP") & (known["teacher"] == NO_TEACHER), "variant"] = SAME_STEPS
    known.loc[_is_cnn_student(known), "variant"] = NO_DROPOUT
    return known.assign(cell=[label(**levels) for levels in known[list(results.design.factors)].to_dict("records")])


def _is_cnn_student(rows: pd.DataFrame) -> pd.Series:
    """Which rows are of CNN students."""
    return (rows["model"] == "CNN") & (rows["teacher"] != NO_TEACHER)


def gain_table(results: Results, cells: Sequence[Levels]) -> pd.DataFrame:
    """Accuracy of each cell, and its gain over the undistilled twin: one row a cell × test set of the paper."""
    return pd.DataFrame(
        {
            "model": whole(label(**cell)),
            "test set": words,
            "accuracy": mean_std(results.values("accuracy", split=split, **cell)),
            "gain": str(gain(results, cell, TWIN, split)),
        }
        for cell in cells
        for split, words in SETS.items()
    )


def beside_paper(results: Results, metric: str, **levels: Level | Sequence[Level]) -> pd.DataFrame:
    """Mean ± standard deviation, the paper's, and every seed: one row a cell × test set of the paper."""
    found = []
    rows = results.frame(metric, split=list(SETS), variant=(STANDARD, SAME_STEPS, NO_DROPOUT), **levels)
    for (cell, split), group in rows.groupby(["cell", "split"], observed=True, sort=False):
        mean, std = results.reported(metric, split=split, **group.iloc[0][["model", "teacher"]], variant=STANDARD)
        found.append(
            {
                "model": whole(cell),
                "test set": SETS[split],
                "here": mean_std(group["value"]),
                "paper": whole(f"{mean:.3f} ± {std:.4f}"),
                "every seed": listed(group["value"]),
            }
        )
    return pd.DataFrame(found)


def shift_contrasts(results: Results, metrics: Mapping[str, str], pixels: int) -> pd.DataFrame:
    """What architecture and training do to the errors at one shift, with 95 % intervals."""
    rows = []
    for metric, words in metrics.items():
        curves = by_shift(results, metric, teacher=NO_TEACHER, variant=STANDARD).set_index(["shift", "stage", "model"])
        (raw, _), (cnn, mlp) = (
            [curves.loc[(pixels, stage, model)].set_index("number")["value"] for model in MODELS] for stage in STAGES
        )
        found = [
            unpaired(cnn, mlp, name="CNN − MLP, both trained", unit=words),
            paired(cnn, raw, name="CNN, trained − untrained", unit=words),
        ]
        rows += [{"error": each.unit, "difference": each.name, "found": str(each)} for each in found]
    return pd.DataFrame(rows)
