"""Tables behind the figures, on a toy study whose numbers are known by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.studies import Results, Study
from inductive_bias.studies.runs import COLUMNS
from inductive_bias.studies.vision import design, figures

NAN = float("nan")
VALUES = {"CNN": (0.9, 0.94), "MLP": (0.3, 0.5), "CNN → MLP": (0.5, NAN)}
DROP = {"test": 0.0, "scale": 0.1, "translate": 0.2, "dotted_line": 0.05}


def row(cell, seed, split, metric, value, *, epoch=NAN, x=NAN):
    known = {
        "study": "toy",
        "scale": "smoke",
        "trial": f"{cell}{seed}",
        "model": "m",
        "teacher": "",
        "data_source": "d",
    }
    return known | {
        "cell": cell,
        "seed": seed,
        "split": split,
        "metric": metric,
        "value": value,
        "epoch": epoch,
        "x": x,
    }


def toy_rows():
    for cell, values in VALUES.items():
        for seed, value in enumerate(values):
            for split, drop in DROP.items():
                yield row(cell, seed, split, "accuracy", value - drop)
            for epoch, level in ((0.0, 1.0), (NAN, 0.1 if cell == "CNN" else 0.5)):
                for pixels in (0, 1, 4):
                    for metric in ("invariance_error", "linear_equivariance_error", "equivariance_error block 1"):
                        error = level * pixels + 0.01 * seed
                        yield row(cell, seed, "shift", metric, error, epoch=epoch, x=float(pixels))
    # two bins of one seed, one bin of the other
    for split in figures.SETS:
        for seed, x, count, confidence, accuracy in [(0, 0.5, 10, 0.52, 0.4), (0, 0.9, 30, 0.9, 1.0),
                                                     (1, 0.5, 30, 0.48, 0.8), (1, 0.9, 0, NAN, NAN)]:  # fmt: skip
            for metric, value in (("count", count), ("mean_confidence", confidence), ("accuracy", accuracy)):
                yield row("CNN", seed, split, f"reliability_{metric}", float(value), x=x)


def whole(*texts):
    """The texts as a page has them: a number and its spread never part at the end of a line."""
    return [text.replace(" ", "\u00a0") for text in texts]


@pytest.fixture
def results() -> Results:
    trial = SimpleNamespace(model=SimpleNamespace(pools=(2, 2, 1)))
    study = Study("toy", "?", cells=lambda scale: {"CNN": (trial,)}, tables={}, claims=())
    return Results(study, "smoke", pd.DataFrame(toy_rows())[COLUMNS], complete_publication=False)


def test_every_seed_is_kept_in_the_order_asked_for(results):
    table = figures.seeds_of(results, "accuracy", ["MLP", "CNN"])
    assert list(dict.fromkeys(table["cell"])) == ["MLP", "CNN"]
    assert list(dict.fromkeys(table["set"])) == ["MNIST", "scaled", "translated"]
    assert len(table) == 2 * 3 * 2
    with pytest.raises(ValueError, match="cell 'LSTM' has no accuracy on 'test'"):
        figures.seeds_of(results, "accuracy", ["LSTM"])


def test_the_papers_marks_are_keyed_as_the_plot_wants_them_and_unknown_cells_have_none():
    marks = figures.paper_marks("accuracy", ["MLP", design.SAME_STEPS])
    assert marks == {("MNIST", "MLP"): 0.985, ("scaled", "MLP"): 0.794, ("translated", "MLP"): 0.373}
    assert figures.paper_marks("ece_20", ["MLP"]) == {}


def test_our_numbers_stand_beside_the_papers(results):
    table = figures.beside_paper(results, "accuracy", ["MLP", "CNN → MLP"]).set_index(["model", "test set"])
    assert table.loc["MLP", "MNIST"].tolist() == whole("0.400 ± 0.1414", "0.985 ± 0.0011", "0.300 0.500")
    assert table.loc["CNN\u00a0→\u00a0MLP", "MNIST"].tolist() == whole("0.500", "0.988 ± 0.0005", "0.500 –")


@pytest.mark.parametrize(
    ("values", "text"), [([], "–"), ([NAN], "–"), ([0.5], "0.500"), ([0.0, 1.0], "0.500 ± 0.7071")]
)
def test_mean_and_deviation_are_over_what_there_is(values, text):
    assert [figures.mean_std(values)] == whole(text)


def test_a_summary_has_a_row_a_set_and_a_column_a_metric(results):
    table = figures.summary(results, {"accuracy": "share right"}, ["CNN"])
    assert table.columns.tolist() == ["model", "test set", "share right"]
    assert table["share right"].tolist() == whole("0.920 ± 0.0283", "0.820 ± 0.0283", "0.720 ± 0.0283")


def test_a_summary_calls_cells_what_it_is_told_and_keeps_a_pair_on_one_line(results):
    cells = ["CNN", "CNN → MLP"]
    table = figures.summary(results, {"accuracy": "share right"}, cells, names={"CNN": "the teacher"})
    assert list(dict.fromkeys(table["model"])) == ["the teacher", "CNN\u00a0→\u00a0MLP"]


def test_a_gain_has_the_interval_of_welch(results):
    table = figures.summary(results, {"accuracy": "accuracy"}, ["CNN"], baseline="MLP").set_index("test set")
    found = table.loc["translated", "accuracy, gain"]
    a, b = np.array(VALUES["CNN"]), np.array(VALUES["MLP"])
    low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert [table.loc["translated", "accuracy"]] == whole("0.720 ± 0.0283")
    assert [found] == whole(f"+0.520 [{low:+.3f}, {high:+.3f}]".replace("-", "−"))


def test_corruptions_are_means_over_seeds_with_the_clean_set_on_top(results):
    table = figures.corruption_table(results, ["MLP", "CNN"])
    assert table.index.tolist() == ["clean", "dotted line", "scale", "translate"]
    np.testing.assert_allclose(table["MLP"], [0.4, 0.35, 0.3, 0.2])
    assert figures.corruption_table(results, ["CNN"], spread=True).loc[["clean"], "CNN"].tolist() == whole(
        "0.920 ± 0.0283"
    )


def test_differences_are_sorted_with_the_largest_on_top(results):
    means = pd.DataFrame({"CNN": [0.9, 0.8, 0.2], "MLP": [0.9, 0.2, 0.5]}, index=["clean", "translate", "fog"])
    table = figures.by_difference(means, "CNN", "MLP")
    assert table.index.tolist() == ["translate", "clean", "fog"]
    np.testing.assert_allclose(table["difference"], [0.6, 0.0, -0.3], atol=1e-12)
    gains = figures.gains_by_corruption(results, ["CNN"], "MLP")
    np.testing.assert_allclose(gains["CNN"], 0.52)


def test_bins_of_all_seeds_are_pooled_by_their_counts(results):
    table = figures.reliability(results, "CNN", "test")
    np.testing.assert_allclose(table["confidence"], [(10 * 0.52 + 30 * 0.48) / 40, 0.9])
    np.testing.assert_allclose(table["accuracy"], [(10 * 0.4 + 30 * 0.8) / 40, 1.0])
    np.testing.assert_allclose(table["share"], [40 / 70, 30 / 70])
    gap = figures.confidence_gap(results, ["CNN"]).loc[0]
    np.testing.assert_allclose(gap["mean confidence"], (10 * 0.52 + 30 * 0.48 + 30 * 0.9) / 70)
    np.testing.assert_allclose(gap["over-confidence"], gap["mean confidence"] - (4 + 24 + 30) / 70)


def test_curves_tell_the_untrained_control_from_the_trained_model(results):
    curves = figures.shift_curves(results, "invariance_error", ["MLP", "CNN"])
    assert list(dict.fromkeys(curves["cell"])) == ["MLP", "CNN"]
    assert list(dict.fromkeys(curves["stage"])) == list(figures.STAGES)
    assert len(curves) == 2 * 2 * 2 * 3
    trained = curves[(curves["cell"] == "CNN") & (curves["stage"] == "after training") & (curves["seed"] == 0)]
    np.testing.assert_allclose(trained["value"], [0, 0.1, 0.4])


def test_a_block_is_named_by_its_number_and_its_stride_is_the_product_of_the_pools(results):
    assert figures.strides(results) == [2, 4, 4]
    assert set(figures.block_curves(results)["cell"]) == {"block 1"}  # the toy has rows of one block only


def test_a_table_by_shift_has_a_column_a_cell_and_stage(results):
    curves = figures.shift_curves(results, "invariance_error", ["CNN"])
    table = figures.by_shift(curves)
    assert table.columns.tolist() == ["shift (pixels)", "CNN, before training", "CNN, after training"]
    assert table.loc[2].tolist() == [4, *whole("4.005 ± 0.0071", "0.405 ± 0.0071")]
    assert figures.by_shift(curves[curves["stage"] == "after training"]).columns.tolist() == ["shift (pixels)", "CNN"]


def test_contrasts_compare_models_and_stages_at_one_shift(results):
    table = figures.shift_contrasts(results, pixels=4)
    assert [text.split()[0] for text in table["found"]] == ["−1.600", "−3.600"] * 2
    assert not table["found"].str.contains("nan").any()
    assert math.isclose(len(table), 4)


def test_every_recipe_of_the_design_has_its_words():
    assert set(figures.RECIPES) == {design.CNN_TO_MLP, design.NO_PENALTY, *design.CONTROLS}
