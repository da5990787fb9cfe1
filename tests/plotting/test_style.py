"""A name looks the same on every page and in every process."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
from matplotlib.markers import MarkerStyle

from inductive_bias import plotting
from inductive_bias.plotting import style
from inductive_bias.studies import STUDIES


def test_registered_cells_differ_in_colour_and_those_of_a_field_in_marker():
    assert len({known.colour for known in plotting.CELL_STYLES.values()}) == len(plotting.CELL_STYLES)
    for field in (style.VISION_STYLES, style.SENTENCE_STYLES, style.MIXER_STYLES):  # never drawn in one figure
        assert len({known.marker for known in field.values()}) == len(field)
    assert plotting.cell_colours(["MLP", "CNN"]) == {"MLP": "#d55e00", "CNN": "#0072b2"}


def test_every_cell_of_every_study_has_a_style():
    for study in STUDIES.values():
        for name in study.cells("laptop"):
            look = plotting.cell_style(name)
            assert look in plotting.CELL_STYLES.values()
            MarkerStyle(look.marker)


def test_a_model_on_other_data_keeps_its_look_and_a_pair_does_not_borrow_one():
    assert plotting.cell_style("LSTM, natural") == plotting.cell_style("LSTM")
    assert plotting.cell_style("LSTM → Transformer, of tomorrow") != plotting.cell_style("LSTM → Transformer")


def test_parts_of_a_model_differ_and_take_no_colour_of_a_cell():
    colours = plotting.cell_colours(style.PART_STYLES)
    assert colours["block 1"] == style.PART_STYLES["block 1"].colour
    assert len(set(colours.values())) == len({part.marker for part in style.PART_STYLES.values()}) == len(colours)
    assert not set(colours.values()) & set(plotting.cell_colours(plotting.CELL_STYLES).values())


def test_heads_and_stand_ins_differ_and_take_no_colour_of_a_cell():
    colours = plotting.cell_colours(style.HEAD_STYLES)
    assert len(set(colours.values())) == len({head.marker for head in style.HEAD_STYLES.values()}) == len(colours)
    assert not set(colours.values()) & set(plotting.cell_colours(plotting.CELL_STYLES).values())
    assert plotting.cell_style("tanh RNN, filter, untrained") == plotting.CELL_STYLES["tanh RNN"]


def test_an_unknown_name_has_the_same_style_in_every_process():
    name = "LSTM → Transformer, a name of tomorrow"
    code = f"from inductive_bias.plotting import cell_style; print(tuple(cell_style({name!r})))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert there.strip() == str(tuple(plotting.cell_style(name)))
    assert plotting.cell_style(name).colour not in plotting.cell_colours(plotting.CELL_STYLES).values()


def test_a_cell_is_registered_once_and_never_changes_its_look(monkeypatch):
    monkeypatch.setattr(style, "CELL_STYLES", dict(plotting.CELL_STYLES))
    plotting.register_cell("tomorrow", "tab:blue", "*")
    plotting.register_cell("tomorrow", "tab:blue", "*")
    assert plotting.cell_style("tomorrow") == plotting.CellStyle("#1f77b4", "*")
    with pytest.raises(ValueError, match="'CNN' is drawn as"):
        plotting.register_cell("CNN", "red", "o")


def test_the_ground_of_a_figure_is_opaque_white(tmp_path):
    figure, _ = plt.subplots()
    figure.savefig(tmp_path / "f.png")
    corner = plt.imread(tmp_path / "f.png")[0, 0]
    plt.close(figure)
    assert tuple(corner) == (1, 1, 1, 1)
