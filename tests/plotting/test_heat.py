"""The numbers of a heat map can be read on every ground."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting


@pytest.mark.parametrize("centre", [None, 0.0])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5)])
def test_numbers_of_a_heat_map_contrast_with_their_ground(ax, shape, centre):
    frame = pd.DataFrame(np.linspace(-1, 1, shape[0] * shape[1]).reshape(shape))
    plotting.heat_map(frame, ax=ax, centre=centre)
    (mesh,) = ax.collections
    for (row, column), value in np.ndenumerate(frame.to_numpy()):
        text = ax.texts[row * shape[1] + column]
        assert text.get_text() == f"{value:.2f}".replace("-", "−")
        inks = [
            plotting.relative_luminance(mpl.colors.to_rgb(text.get_color())),
            plotting.relative_luminance(mesh.cmap(mesh.norm(value))),
        ]
        assert (max(inks) + 0.05) / (min(inks) + 0.05) >= 4.5  # WCAG 2.2, level AA


def test_a_loss_of_nothing_has_no_sign(ax):
    plotting.heat_map(pd.DataFrame([[-0.001, 0.001, -0.1]]), ax=ax, centre=0.0)
    assert [text.get_text() for text in ax.texts] == ["0.00", "0.00", "−0.10"]


@pytest.mark.parametrize(("columns", "turned"), [(3, 0), (4, 40)])
def test_names_of_many_columns_are_turned(ax, columns, turned):
    plotting.heat_map(pd.DataFrame(np.zeros((2, columns))), ax=ax)
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {turned}


def test_a_missing_cell_of_a_heat_map_is_a_dash(ax):
    plotting.heat_map(pd.DataFrame([[0.5, float("nan")]]), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["0.50", "–"]


def square_of(runs: list[tuple[str, int]]) -> pd.DataFrame:
    index = pd.MultiIndex.from_tuples(runs)
    return pd.DataFrame(np.eye(len(runs)), index=index, columns=index)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{}, {"centre": 0.0, "limits": (-2.0, 2.0)}])
def test_a_table_without_any_number_is_all_dashes(ax, options):
    plotting.heat_map(pd.DataFrame([[np.nan, np.nan]]), ax=ax, **options)
    assert [text.get_text() for text in ax.texts] == ["–", "–"]


def test_a_block_map_names_each_cell_once_in_the_middle_of_its_runs(ax):
    plotting.block_map(square_of([("CNN", 0), ("CNN", 1), ("CNN", 2), ("MLP", 0)]), ax=ax, limits=(0.0, 2.0))
    assert list(zip(ax.get_xticks(), [t.get_text() for t in ax.get_xticklabels()], strict=True)) == [
        (1.0, "CNN"),
        (3.0, "MLP"),
    ]
    assert [line.get_ydata()[0] for line in ax.lines[::2]] == [2.5]
    assert ax.images[0].get_clim() == (0, 2)


def test_a_block_map_of_scattered_runs_is_refused(ax):
    with pytest.raises(ValueError, match="side by side"):
        plotting.block_map(square_of([("CNN", 0), ("MLP", 0), ("CNN", 1)]), ax=ax)
    with pytest.raises(ValueError, match="same runs in the same order"):
        plotting.block_map(square_of([("CNN", 0), ("MLP", 0)]).iloc[::-1], ax=ax)


def test_a_heat_map_can_write_other_words_than_its_numbers(ax):
    frame = pd.DataFrame([[0.1, float("nan")]])
    plotting.heat_map(frame, ax=ax, centre=0.0, words=pd.DataFrame([["0.9\n±0.1", "–"]]))
    assert [text.get_text() for text in ax.texts] == ["0.9\n±0.1", "–"]
    with pytest.raises(ValueError, match=r"words of shape \(1, 1\) do not fit numbers of shape \(1, 2\)"):
        plotting.heat_map(frame, ax=ax, words=pd.DataFrame([["0.9"]]))


def test_rows_of_several_factors_are_named_by_all_of_them(ax):
    index = pd.MultiIndex.from_tuples([("LSTM", 32), ("RSA", 32)], names=["model", "samples"])
    plotting.heat_map(pd.DataFrame([[0.0], [1.0]], index=index), ax=ax, bar=False)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["LSTM, 32", "RSA, 32"]
    assert len(ax.figure.axes) == 1
