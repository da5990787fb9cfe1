"""A figure for a phone is the figure of the desk, cut between its panels: nothing is lost, nothing drawn again."""

from types import SimpleNamespace

import figure_boxes
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from docutils.utils import new_document
from PIL import Image
from stacked_panels import panels_in, stacked

from inductive_bias import plotting

WIDEST = figure_boxes.widest(figure_boxes.COLUMN)


@pytest.fixture
def drawn(tmp_path):
    """``drawn(figure)``: the figure as a page shows it."""
    plotting.use_book_style()

    def go(figure) -> Image.Image:
        figure.savefig(tmp_path / "figure.png", bbox_inches="tight")
        plt.close(figure)
        return Image.open(tmp_path / "figure.png").convert("RGB")

    return go


def panels(rows=1, columns=2, *, share=True, legend=True, width=7.3):
    figure, axes = plt.subplots(rows, columns, sharey=share, sharex=share, figsize=(width, 2.4 * rows), squeeze=False)
    for number, ax in enumerate(axes.flat):
        for model in ("LSTM", "Attention", "RSA"):
            ax.plot([0, 1, 2], np.array([0.1, 0.7, 0.4]) * (number + 1), label=model)
        ax.set_title(f"panel {number}")
        if not share or number >= (rows - 1) * columns:
            ax.set_xlabel("steps")
        if not share or number % columns == 0:
            ax.set_ylabel("accuracy")
    if legend:
        figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def ink_of(picture: Image.Image) -> np.ndarray:
    return (np.asarray(picture.convert("RGB")) < 250).any(axis=2)


def contains(picture: np.ndarray, part: np.ndarray) -> bool:
    """Whether a picture has a part somewhere, pixel by pixel."""
    rows, columns = part.shape[:2]
    corner = (picture[: 1 - rows or None, : 1 - columns or None] == part[0, 0]).all(axis=2)
    return any((picture[y : y + rows, x : x + columns] == part).all() for y, x in np.argwhere(corner))


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (2, 2), (1, 3), (2, 5)])
@pytest.mark.parametrize("share", [True, False])
def test_panels_are_put_under_one_another_and_each_is_there_whole(drawn, rows, columns, share):
    picture = drawn(panels(rows, columns, share=share))
    found = panels_in(ink_of(picture))
    assert len(found) == rows * columns
    narrow = stacked(picture, WIDEST)
    assert narrow.width <= WIDEST < picture.width
    assert narrow.height > picture.height
    before, after = np.asarray(picture), np.asarray(narrow)
    for panel in found:
        assert contains(after, before[slice(*panel.y), slice(*panel.x)])


@pytest.mark.parametrize("stands_out", [False, True])
def test_a_column_without_names_of_its_own_gets_those_of_the_first(drawn, stands_out):
    figure = panels(1, 2, legend=False)
    if stands_out:  # a mark on the edge of the second panel is no name
        figure.get_layout_engine().set(wspace=0.1)
        second = figure.axes[1]
        left, right = second.get_xlim()
        second.plot([left], [0.5], "o", markersize=9, clip_on=False)
        second.set_xlim(left, right)
    picture = drawn(figure)
    first, _ = panels_in(ink_of(picture))
    names = np.asarray(picture)[slice(*first.y), : first.x.start - 1]
    names = names[:, : np.flatnonzero((names < 250).any(axis=(0, 2)))[-1] + 1]
    narrow = np.asarray(stacked(picture, WIDEST))
    half = len(narrow) // 2
    # the digits of the axis stand before both panels
    assert contains(narrow[:half], names[:, 30:])
    assert contains(narrow[half:], names[:, 30:])


def test_only_the_name_of_the_axis_goes_to_a_column_with_numbers_of_its_own(drawn):
    grid = sns.FacetGrid(rows_of_tasks(), col="task", sharey=False, height=2.6, aspect=1.4)
    grid.map_dataframe(sns.lineplot, x="step", y="accuracy")
    picture = drawn(grid.figure)
    narrow = stacked(picture, WIDEST)
    assert narrow.width <= WIDEST
    label = np.asarray(picture)[:, :25]
    assert ink_of(Image.fromarray(label)).any()
    half = narrow.height // 2
    for part in (narrow.crop((0, 0, 60, half)), narrow.crop((0, half, 60, narrow.height))):
        assert ink_of(part)[:, :25].sum() > 100


def rows_of_tasks() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"task": task, "step": step, "accuracy": size * step}
            for task, size in (("one", 1), ("two", 100))
            for step in (1, 2, 3)
        ]
    )


def test_a_legend_that_is_too_wide_is_broken_between_its_entries(drawn):
    figure = panels(1, 3, legend=False, width=9)
    handles = [plt.Line2D([], [], color="k", label=f"a model with a long name {number}") for number in range(4)]
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    picture = drawn(figure)
    narrow = stacked(picture, WIDEST)
    assert narrow.width <= WIDEST
    legend = np.flatnonzero(ink_of(picture).any(axis=1))[0]
    entry = np.asarray(picture)[legend : legend + 20, :]
    inked = (entry < 250).any(axis=2).sum()
    top = panels_in(ink_of(narrow))[0].y.start
    assert (np.asarray(narrow)[:top] < 250).any(axis=2).sum() > 0.9 * inked


def test_titles_of_rows_are_said_of_every_column(drawn):
    rows = pd.concat([rows_of_tasks().assign(model=model) for model in ("LSTM", "RSA")], ignore_index=True)
    grid = sns.FacetGrid(rows, row="model", col="task", margin_titles=True, height=2.2, aspect=1.5)
    grid.map_dataframe(sns.lineplot, x="step", y="accuracy")
    picture = drawn(grid.figure)
    last = max(panel.x.stop for panel in panels_in(ink_of(picture)))
    titles = ink_of(picture)[:, last + 2 :].sum()
    narrow = ink_of(stacked(picture, WIDEST))
    edge = max(panel.x.stop for panel in panels_in(narrow))
    assert narrow[:, edge + 2 :].sum() == pytest.approx(2 * titles, rel=0.2)


@pytest.mark.parametrize("kind", ["one panel", "narrow", "a line across"])
def test_what_cannot_or_need_not_be_cut_is_left_alone(drawn, kind):
    figure = panels(1, 2, width=4) if kind == "narrow" else panels(1, 1 if kind == "one panel" else 2)
    if kind == "a line across":
        figure.add_artist(plt.Line2D([0.02, 0.98], [0.5, 0.5], color="k"))
    assert stacked(drawn(figure), WIDEST) is None


def test_a_page_has_the_picture_for_a_phone_beside_the_other(drawn, tmp_path):
    drawn(panels()).save(tmp_path / "a.png")
    app = SimpleNamespace(
        env=SimpleNamespace(images={"a.png": (set(), "a.png")}), srcdir=tmp_path, outdir=tmp_path / "out"
    )
    context = {"body": '<img alt="x" src="../_images/a.png" />'}
    figure_boxes.box_figures(app, "p", "page.html", context, new_document("p"))
    assert '<source media="(max-width: 600px)" srcset="../_images/a-phone.png"' in context["body"]
    with Image.open(tmp_path / "out" / "_images" / "a-phone.png") as phone:
        assert f"--least-on-phone: {figure_boxes.least_width(phone.width)}px" in context["body"]
        assert figure_boxes.least_width(phone.width) <= figure_boxes.COLUMN
