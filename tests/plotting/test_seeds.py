"""Every seed is drawn where it lies, and rows are refused rather than dropped."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from scipy import stats

from inductive_bias import plotting


def rows(counts=None, seed=0):
    """A tidy table: {model: number of seeds} with accuracies around .5."""
    draw = np.random.default_rng(seed)
    counts = {"MLP": 5, "CNN": 4} if counts is None else counts
    return pd.DataFrame(
        [
            {"model": model, "teacher": teacher, "seed": s, "value": draw.normal(0.5, 0.05)}
            for model, n in counts.items()
            for teacher in ("none", "CNN")
            for s in range(n)
        ]
    )


def drawn_points(ax, along=1):
    return np.concatenate([c.get_offsets()[:, along] for c in ax.collections]) if ax.collections else np.empty(0)


@pytest.mark.parametrize("hue", [None, "model", "teacher"])
@pytest.mark.parametrize("counts", [{"MLP": 5, "CNN": 4}, {"MLP": 1}, {"MLP": 2, "CNN": 1}])
def test_every_seed_is_drawn_as_a_point_of_its_value(ax, counts, hue):
    table = rows(counts)
    plotting.seed_plot(table, x="model", hue=hue, ax=ax)
    np.testing.assert_allclose(sorted(drawn_points(ax)), sorted(table["value"]))
    assert not ax.patches, "a bar was drawn"


def test_mean_and_interval_stand_beside_the_points_and_agree_with_scipy(ax):
    values = [0.1, 0.4, 0.45, 0.7]
    plotting.seed_plot(pd.DataFrame({"model": "MLP", "value": values}), x="model", ax=ax)
    mean_line, interval_line = ax.lines
    want = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    np.testing.assert_allclose(mean_line.get_ydata(), np.mean(values))
    np.testing.assert_allclose(interval_line.get_ydata(), want)
    assert interval_line.get_xdata()[0] > ax.collections[0].get_offsets()[:, 0].max()


@pytest.mark.parametrize("values", [[], [float("nan")], [0.3], [0.3, float("nan")], [0.3, float("inf")]])
def test_fewer_than_two_values_have_no_interval(ax, values):
    assert np.isnan(plotting.t_interval(values)).all()
    if values:
        plotting.seed_plot(pd.DataFrame({"model": "MLP", "value": values}), x="model", ax=ax)
        assert len(ax.lines) == (0.3 in values)  # a mean without an interval, or nothing


def test_seaborn_draws_the_same_interval(ax):
    values = [0.1, 0.4, float("nan"), 0.7]
    sns.pointplot(
        pd.DataFrame({"model": "MLP", "value": values}), x="model", y="value", ax=ax, errorbar=plotting.t_interval
    )
    (drawn,) = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == 2]
    np.testing.assert_allclose(drawn, plotting.t_interval(values))


def test_a_diverged_run_is_named_under_its_level(ax):
    table = pd.DataFrame({"model": ["MLP"] * 3 + ["CNN"], "value": [0.5, float("nan"), 0.6, 0.9]})
    plotting.seed_plot(table, x="model", ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["MLP\n(1 diverged)", "CNN"]
    plotting.shorten(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["MLP\n(1 diverged)", "CNN"]


def test_levels_with_long_names_may_lie(ax):
    table = rows()
    plotting.seed_plot(table, x="value", y="model", hue="teacher", ax=ax)
    np.testing.assert_allclose(sorted(drawn_points(ax, along=0)), sorted(table["value"]))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["MLP", "CNN"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first level is on top


def test_order_decides_the_places_and_equal_calls_draw_equal_pictures(ax):
    table = rows()
    plotting.seed_plot(table, x="model", order=["CNN", "MLP"], ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["CNN", "MLP"]
    assert ax.collections[0].get_offsets()[:, 0].mean() < ax.collections[1].get_offsets()[:, 0].mean()
    other = plt.figure().subplots()
    plotting.seed_plot(table, x="model", order=["CNN", "MLP"], ax=other)
    for mine, theirs in zip(ax.collections, other.collections, strict=True):
        np.testing.assert_array_equal(mine.get_offsets(), theirs.get_offsets())
    plt.close(other.figure)


@pytest.mark.parametrize("lying", [False, True])
def test_the_papers_number_is_drawn_in_the_place_of_its_level(ax, lying):
    paper = pd.DataFrame({"model": ["MLP", "LSTM"], "teacher": ["CNN", "none"], "mean": [0.373, 0.9]})
    axes = {"x": "value", "y": "model"} if lying else {"x": "model"}
    plotting.seed_plot(rows({"MLP": 1}), hue="teacher", ax=ax, paper=paper, **axes)
    marks = [line.get_xydata()[:, ::-1] if lying else line.get_xydata() for line in ax.lines if line.get_ls() == "--"]
    (mark,) = marks  # a level that is not drawn has no mark
    assert mark[:, 1].tolist() == [0.373, 0.373]
    np.testing.assert_allclose(mark[:, 0].mean(), 0.2)  # the second of two hues
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["none", "CNN", "the paper"]


def test_a_level_with_one_hue_stands_at_its_name(ax):
    table = rows()
    table = table[(table["model"] == "MLP") | (table["teacher"] == "none")]
    plotting.seed_plot(table, x="model", hue="teacher", ax=ax)
    (first, second, alone) = (points.get_offsets()[:, 0].mean() for points in ax.collections)
    # of two hues each has half of the room, and points stand a little to the left of its middle
    np.testing.assert_allclose([first, second], [-0.2 - 0.056, 0.2 - 0.056], atol=0.02)
    np.testing.assert_allclose(alone, 1 - 0.056, atol=0.02)


def test_a_hue_that_only_the_paper_has_keeps_its_place_beside_ours(ax):
    paper = pd.DataFrame({"model": ["MLP"] * 2, "teacher": ["CNN", "none"], "mean": [0.4, 0.3]})
    table = rows()
    table = table[(table["model"] == "CNN") | (table["teacher"] == "none")]
    plotting.seed_plot(table, x="model", hue="teacher", hue_order=["none", "CNN"], ax=ax, paper=paper)
    marks = {line.get_ydata()[0]: line.get_xdata().mean() for line in ax.lines if line.get_ls() == "--"}
    np.testing.assert_allclose([marks[0.3], marks[0.4]], [-0.2, 0.2])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"x": "cell"}, "no column 'cell'; it has model"),
        ({"order": ["MLP"]}, "leaves out 'CNN'"),
        ({"hue_order": ["none"], "hue": "teacher"}, "leaves out 'CNN'"),
        ({"hue": "control"}, "8 rows have no control"),
        ({"palette": {"MLP": "red"}}, "palette has nothing for model = 'CNN'"),
    ],
)
def test_rows_are_refused_rather_than_dropped(ax, change, match):
    table = rows({"MLP": 2, "CNN": 2}).assign(control=None)
    with pytest.raises(ValueError, match=match):
        plotting.seed_plot(table, **{"x": "model", "ax": ax} | change)


def test_the_number_of_the_mean_is_written(ax):
    table = pd.DataFrame({"model": ["MLP"] * 2 + ["CNN"] * 2, "value": [0.25, float("nan"), -0.5, -0.75]})
    plotting.seed_plot(table, x="model", ax=ax, numbers=2)
    assert [text.get_text() for text in ax.texts] == ["0.25", "−0.62"]


def test_panels_of_a_facet_grid_have_the_same_places_and_colours():
    table = rows().astype({"model": pd.CategoricalDtype(["CNN", "MLP"])})
    table = table[(table["model"] == "MLP") | (table["teacher"] == "none")]
    grid = sns.FacetGrid(table, col="teacher")
    grid.map_dataframe(plotting.seed_plot, x="model", y="value")
    left, right = grid.axes.flat
    assert [len(ax.collections) for ax in (left, right)] == [2, 1]
    np.testing.assert_array_equal(right.collections[0].get_facecolor(), left.collections[1].get_facecolor())
    np.testing.assert_allclose(right.collections[0].get_offsets()[:, 0].round(), 1)
    plt.close(grid.figure)
