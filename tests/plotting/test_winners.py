"""A map of winners has the marker of every one, in the level's own corner."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from inductive_bias import plotting

TABLE = pd.DataFrame({"rho": [0.0, 0.0, 0.5], "samples": [32, 32, 32], "model": ["LSTM", "RSA", "RSA"]})


def test_tied_winners_share_a_place_and_each_has_its_corner(ax):
    plotting.winner_map(TABLE, x="samples", y="rho", hue="model", ax=ax)
    lstm, rsa, alone = (marks.get_offsets()[0] for marks in ax.collections)
    assert to_hex(ax.collections[0].get_facecolor()[0]) == plotting.FAMILIES["LSTM"].colour
    assert lstm[0] < 0 < rsa[0]
    np.testing.assert_allclose(alone - rsa, (0, 1))  # one place further down
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.0", "0.5"]


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_corners_are_apart_and_inside_of_their_place(ax, count):
    names = [f"model {k}" for k in range(count)]
    plotting.winner_map(pd.DataFrame({"x": 1, "y": 1, "model": names}), x="x", y="y", hue="model", ax=ax)
    places = {tuple(marks.get_offsets()[0]) for marks in ax.collections}
    assert len(places) == count
    assert np.abs(list(places)).max() < 0.47


def test_a_place_without_winner_is_refused(ax):
    more = pd.concat([TABLE, TABLE.iloc[:1].assign(samples=64)])
    with pytest.raises(ValueError, match=r"nobody is best at rho = 0\.5, samples = 64"):
        plotting.winner_map(more, x="samples", y="rho", hue="model", ax=ax)
