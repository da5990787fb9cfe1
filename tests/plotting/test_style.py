"""A name looks the same on every page and in every process."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest

from inductive_bias import plotting
from inductive_bias.plotting import style


def test_registered_cells_differ_in_colour_and_in_marker():
    for kind in ("colour", "marker"):
        assert len({getattr(style, kind) for style in plotting.CELL_STYLES.values()}) == len(plotting.CELL_STYLES)
    assert plotting.cell_colours(["MLP", "CNN"]) == {"MLP": "#d55e00", "CNN": "#0072b2"}


def test_parts_of_a_model_differ_and_take_no_colour_of_a_cell():
    colours = plotting.cell_colours(style.PART_STYLES)
    assert colours["block 1"] == style.PART_STYLES["block 1"].colour
    assert len(set(colours.values())) == len({part.marker for part in style.PART_STYLES.values()}) == len(colours)
    assert not set(colours.values()) & set(plotting.cell_colours(plotting.CELL_STYLES).values())


def test_an_unknown_name_has_the_same_style_in_every_process():
    name = "LSTM → Transformer, a name of tomorrow"
    code = f"from inductive_bias.plotting import cell_style; print(tuple(cell_style({name!r})))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == str(tuple(plotting.cell_style(name)))
    assert plotting.cell_style(name).colour not in plotting.cell_colours(plotting.CELL_STYLES).values()


def test_a_cell_is_registered_once_and_never_changes_its_look(monkeypatch):
    monkeypatch.setattr(style, "CELL_STYLES", dict(plotting.CELL_STYLES))
    plotting.register_cell("LSTM", "tab:blue", "*")
    plotting.register_cell("LSTM", "tab:blue", "*")
    assert plotting.cell_style("LSTM") == plotting.CellStyle("#1f77b4", "*")
    with pytest.raises(ValueError, match="'CNN' is drawn as"):
        plotting.register_cell("CNN", "red", "o")


def test_the_ground_of_a_figure_is_opaque_white(tmp_path):
    figure, _ = plt.subplots()
    figure.savefig(tmp_path / "f.png")
    corner = plt.imread(tmp_path / "f.png")[0, 0]
    plt.close(figure)
    assert tuple(corner) == (1, 1, 1, 1)
