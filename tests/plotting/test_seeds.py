"""Every seed is drawn where it lies, and rows are refused rather than dropped."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias import plotting


def rows(counts=None, seed=0):
    """A tidy table: {cell: number of seeds} with accuracies around .5."""
    draw = np.random.default_rng(seed)
    counts = {"MLP": 5, "CNN": 4} if counts is None else counts
    return pd.DataFrame(
        [
            {"cell": cell, "split": split, "seed": s, "value": draw.normal(0.5, 0.05)}
            for cell, n in counts.items()
            for split in ("test", "translate")
            for s in range(n)
        ]
    )


def drawn_points(ax):
    return np.concatenate([c.get_offsets()[:, 1] for c in ax.collections]) if ax.collections else np.empty(0)


@pytest.mark.parametrize("hue", [None, "split"])
@pytest.mark.parametrize("counts", [{"MLP": 5, "CNN": 4}, {"MLP": 1}, {"MLP": 2, "CNN": 1}])
def test_every_seed_is_drawn_as_a_point_of_its_value(ax, counts, hue):
    table = rows(counts)
    plotting.seed_plot(table, x="cell", hue=hue, ax=ax)
    np.testing.assert_allclose(sorted(drawn_points(ax)), sorted(table["value"]))
    assert not ax.patches, "a bar was drawn"


def test_mean_and_interval_stand_beside_the_points_and_agree_with_scipy(ax):
    values = [0.1, 0.4, 0.45, 0.7]
    plotting.seed_plot(pd.DataFrame({"cell": "MLP", "value": values}), x="cell", ax=ax)
    mean_line, interval_line = ax.lines
    want = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    np.testing.assert_allclose(mean_line.get_ydata(), np.mean(values))
    np.testing.assert_allclose(interval_line.get_ydata(), want)
    assert interval_line.get_xdata()[0] > ax.collections[0].get_offsets()[:, 0].max()


def test_std_is_one_sample_deviation_either_way():
    mean, low, high = plotting.interval([1.0, 2.0, 4.0], "std")
    deviation = np.std([1.0, 2.0, 4.0], ddof=1)
    np.testing.assert_allclose([mean, low, high], [7 / 3, 7 / 3 - deviation, 7 / 3 + deviation])


@pytest.mark.parametrize("values", [[], [float("nan")], [0.3], [0.3, float("nan")], [0.3, float("inf")]])
def test_fewer_than_two_values_have_no_interval(ax, values):
    mean, low, high = plotting.interval(values)
    assert np.isnan([low, high]).all()
    assert np.isnan(mean) if 0.3 not in values else mean == 0.3
    if values:
        plotting.seed_plot(pd.DataFrame({"cell": "MLP", "value": values}), x="cell", ax=ax)
        assert len(ax.lines) == (0.3 in values)  # a mean without an interval, or nothing


def test_a_diverged_run_is_named_under_its_group(ax):
    table = pd.DataFrame({"cell": ["MLP"] * 3 + ["CNN"], "value": [0.5, float("nan"), 0.6, 0.9]})
    plotting.seed_plot(table, x="cell", ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["MLP\n(1 diverged)", "CNN"]


def test_order_decides_the_places_and_equal_calls_draw_equal_pictures(ax):
    table = rows()
    plotting.seed_plot(table, x="cell", order=["CNN", "MLP"], ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["CNN", "MLP"]
    assert ax.collections[0].get_offsets()[:, 0].mean() < ax.collections[1].get_offsets()[:, 0].mean()
    other = plt.figure().subplots()
    plotting.seed_plot(table, x="cell", order=["CNN", "MLP"], ax=other)
    for mine, theirs in zip(ax.collections, other.collections, strict=True):
        np.testing.assert_array_equal(mine.get_offsets(), theirs.get_offsets())
    plt.close(other.figure)


def test_the_papers_value_is_drawn_where_it_is_given(ax):
    plotting.seed_plot(rows({"MLP": 1}), x="cell", hue="split", ax=ax, reference={("MLP", "translate"): 0.373})
    assert [line.get_ydata()[0] for line in ax.lines].count(0.373) == 1


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"x": "model"}, "no column 'model'; it has cell"),
        ({"spread": "sem"}, "'sem'"),
        ({"order": ["MLP"]}, "leaves out 'CNN'"),
        ({"order": ["MLP", "CNN", "LSTM"]}, "no row has cell = 'LSTM'"),
        ({"hue": "teacher"}, "8 rows have no teacher"),
    ],
)
def test_rows_are_refused_rather_than_dropped(ax, change, match):
    table = rows({"MLP": 2, "CNN": 2}).assign(teacher=None)
    # the annotation refuses an unknown spread first where shape checks are on; both name the value
    with pytest.raises(Exception, match=match):
        plotting.seed_plot(table, **{"x": "cell", "ax": ax} | change)


def test_words_for_groups_and_the_number_of_the_mean_are_written(ax):
    table = pd.DataFrame({"cell": ["MLP"] * 2 + ["CNN"] * 2, "value": [0.25, float("nan"), 0.5, 0.75]})
    plotting.seed_plot(table, x="cell", ax=ax, labels={"MLP": "alone"}, numbers=2)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["alone\n(1 diverged)", "CNN"]
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.62"]


def test_one_legend_serves_all_panels_of_a_figure(ax):
    legend = plotting.cell_legend(ax.figure, ["CNN", "MLP"], columns=1)
    assert [text.get_text() for text in legend.get_texts()] == ["CNN", "MLP"]
    assert [handle.get_marker() for handle in legend.legend_handles] == ["o", "s"]
