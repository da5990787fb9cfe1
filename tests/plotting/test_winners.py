"""A map of winners colours every place, and names the winner there."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from inductive_bias import plotting

TABLE = pd.DataFrame({"rho": [0.0, 0.0, 0.5], "samples": [32, 32, 32], "model": ["LSTM", "RSA", "RSA"]})
SHORT = {"LSTM": "L", "RSA": "R"}


def test_tied_winners_share_a_place_the_best_first(ax):
    plotting.winner_map(TABLE, x="samples", y="rho", hue="model", short=SHORT, ax=ax)
    assert [text.get_text() for text in ax.texts] == ["L", "R", "R"]
    assert to_hex(ax.patches[0].get_facecolor()) == plotting.FAMILIES["LSTM"].colour
    assert ax.patches[2].get_width() == pytest.approx(2 * ax.patches[0].get_width())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.0", "0.5"]


def test_a_place_without_winner_is_refused(ax):
    more = pd.concat([TABLE, TABLE.iloc[:1].assign(samples=64)])
    with pytest.raises(ValueError, match=r"nobody is best at rho = 0\.5, samples = 64"):
        plotting.winner_map(more, x="samples", y="rho", hue="model", short=SHORT, ax=ax)
