"""The picture of a stamp's size: every value a dot in its place, the mean a bar, and words for who cannot see it."""

import xml.etree.ElementTree as ET

import pytest

from inductive_bias.plotting.strips import LEFT, RIGHT, seed_strip


def test_dots_and_bar_stand_where_the_values_are():
    drawn = ET.fromstring(seed_strip({"a": [0.0, 0.5, 1.0], "b": [0.25]}, limits=(0.0, 1.0), words="share & so on"))
    across = [float(dot.get("cx")) for dot in drawn.iter("circle")]
    assert across == pytest.approx([LEFT, (LEFT + RIGHT) / 2, RIGHT, LEFT + (RIGHT - LEFT) / 4], abs=0.06)
    bars = [float(bar.get("x1")) for bar in drawn.iter("line") if bar.get("class") == "mean"]
    assert bars == pytest.approx([(LEFT + RIGHT) / 2, LEFT + (RIGHT - LEFT) / 4], abs=0.06)
    assert drawn.get("aria-label") == "share & so on: a 0.50, b 0.25"


def test_what_is_beyond_the_axis_stays_at_its_end():
    drawn = ET.fromstring(seed_strip({"a": [-3.0, 9.0]}, limits=(0.0, 1.0), words="w"))
    assert [float(dot.get("cx")) for dot in drawn.iter("circle")] == [LEFT, RIGHT]


@pytest.mark.parametrize("rows", [{}, {"a": []}])
def test_nothing_to_draw_is_refused(rows):
    with pytest.raises(ValueError, match="needs a row"):
        seed_strip(rows, limits=(0.0, 1.0), words="w")
