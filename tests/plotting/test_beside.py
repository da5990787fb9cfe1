"""A text's numbers above our runs: what is drawn where, on one axis."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.collections import PathCollection
from matplotlib.container import ErrorbarContainer

from inductive_bias.plotting import original_above_ours

ORDER = ["MLP", "CNN", "RSA"]
OURS = pd.DataFrame(
    [(model, 0.1 * place + 0.01 * run) for place, model in enumerate(ORDER) for run in range(3)],
    columns=["model", "value"],
)
ORIGINAL = pd.DataFrame({"model": ["CNN", "MLP", "GRU"], "mean": [0.5, 0.125, 0.9], "std": [0.02, None, 0.1]})


@pytest.fixture
def panels():
    figure = original_above_ours(ORIGINAL, OURS, y="model", order=ORDER, xlabel="accuracy", decimals=2)
    yield figure.axes
    plt.close(figure)


def names(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_both_panels_have_the_levels_in_one_order_and_one_axis(panels):
    above, below = panels
    assert names(above) == names(below) == ORDER
    assert above.get_xlim() == below.get_xlim()
    assert below.get_xlabel() == "accuracy"
    assert [ax.get_title(loc="left") for ax in panels] == ["in the text", "here"]
    assert all(ax.yaxis_inverted() for ax in panels)


def test_a_number_of_the_text_stands_in_its_row_and_a_level_that_is_not_ours_is_left_out(panels):
    marks = [each.get_offsets()[0] for each in panels[0].collections if isinstance(each, PathCollection)]
    assert {(x, y) for x, y in marks} == {(0.5, 1.0), (0.125, 0.0)}
    assert {text.get_text() for text in panels[0].texts} == {"0.50", "0.12"}


def test_only_a_known_deviation_has_a_bar(panels):
    bars = [each for each in panels[0].containers if isinstance(each, ErrorbarContainer) and each.has_xerr]
    ((low, high),) = [bar.lines[2][0].get_segments()[0][:, 0] for bar in bars]
    assert (low, high) == pytest.approx((0.48, 0.52))


def test_every_run_of_ours_is_a_point(panels):
    points = sum(len(each.get_offsets()) for each in panels[1].collections if isinstance(each, PathCollection))
    assert points == len(OURS)


def test_an_unknown_column_is_refused():
    with pytest.raises(ValueError, match="the table has no column 'mean'"):
        original_above_ours(ORIGINAL.drop(columns="mean"), OURS, y="model", xlabel="accuracy")
    with pytest.raises(ValueError, match="leaves out 'RSA'"):
        original_above_ours(ORIGINAL, OURS, y="model", order=["MLP", "CNN"], xlabel="accuracy")
