"""A reliability diagram draws the bins that hold examples, and nothing else."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting


def test_a_reliability_diagram_draws_each_bin_that_holds_examples(ax):
    bins = pd.DataFrame({"confidence": [0.9, 0.4, np.nan], "accuracy": [1.0, 0.3, np.nan], "share": [0.7, 0.3, 0.0]})
    plotting.reliability_diagram(bins, ax=ax)
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [[0.4, 0.3], [0.9, 1.0]])
    with pytest.raises(ValueError, match=r"between 0 and 1; found .* to 90"):
        plotting.reliability_diagram(bins.assign(confidence=[90.0, 40.0, 10.0]), ax=ax)
    with pytest.raises(ValueError, match="no column 'share'"):
        plotting.reliability_diagram(bins.drop(columns="share"), ax=ax)


def test_every_level_of_the_hue_has_its_line(ax):
    bins = pd.DataFrame({"confidence": [0.9, 0.4], "accuracy": 0.5, "share": 1.0, "model": ["CNN", "MLP"]})
    plotting.reliability_diagram(bins, hue="model", ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["CNN", "MLP"]
    assert [line.get_color() for line in ax.lines[1:]] == [plotting.FAMILIES[name].colour for name in ("CNN", "MLP")]
