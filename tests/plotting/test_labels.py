"""Full names become short where a figure shows them, and numbers stay."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import seaborn as sns

from inductive_bias import plotting

FRAME = pd.DataFrame(
    {
        "model": ["Sequential Universal Transformer", "LSTM"] * 2,
        "teacher": ["none"] * 2 + ["LSTM"] * 2,
        "value": [0.1, 0.2, 0.3, 0.4],
    }
)


def words(labels) -> list[str]:
    return [label.get_text().replace("\u00a0", " ") for label in labels]


def test_ticks_legend_and_title_of_a_seaborn_plot_are_shortened(ax):
    sns.stripplot(FRAME, x="model", y="value", hue="teacher", ax=ax)
    ax.set_title("Universal Transformer")
    ticks = words(ax.get_yticklabels())
    plotting.shorten(ax, width=10, words={"none": "no teacher"})
    assert words(ax.get_xticklabels()) == ["Seq. Univ.\nTransformer", "LSTM"]
    assert words(ax.get_legend().get_texts()) == ["no teacher", "LSTM"]
    assert words([ax.title]) == ["Univ. Transformer"]
    assert words(ax.get_yticklabels()) == ticks


@pytest.mark.parametrize("of", ["grid", "figure"])
def test_all_panels_are_shortened(of):
    grid = sns.catplot(FRAME, kind="strip", x="value", y="model", hue="teacher", col="teacher")
    plotting.shorten(grid if of == "grid" else grid.figure, width=60)
    assert words(grid.axes[0, 0].get_yticklabels()) == ["Seq. Univ. Transformer", "LSTM"]
    plt.close(grid.figure)


def test_one_legend_serves_all_panels_and_stands_outside():
    grid = sns.FacetGrid(FRAME, col="teacher")
    legend = plotting.level_legend(grid, FRAME["teacher"], words={"none": "no teacher"}, title="teacher")
    assert words(legend.get_texts()) == ["no teacher", "LSTM"]
    assert [handle.get_marker() for handle in legend.legend_handles] == [
        plotting.look(t).marker for t in ("none", "LSTM")
    ]
    grid.figure.canvas.draw()
    lowest = legend.get_window_extent().y0
    assert all(ax.get_window_extent().y1 <= lowest for ax in grid.axes.flat)
    plt.close(grid.figure)


def test_a_legend_of_lines_has_no_markers():
    figure, _ = plt.subplots()
    legend = plotting.level_legend(figure, ["none", "LSTM"], lines=True)
    assert [handle.get_linestyle() for handle in legend.legend_handles] == ["-", "-"]
    assert not any(handle.get_marker() for handle in legend.legend_handles)
    plt.close(figure)
