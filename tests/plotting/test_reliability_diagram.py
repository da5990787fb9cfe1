"""A reliability diagram draws the bins that hold examples, and nothing else."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias import plotting


def test_a_reliability_diagram_draws_each_bin_that_holds_examples(ax):
    bins = pd.DataFrame({"confidence": [0.9, 0.4, np.nan], "accuracy": [1.0, 0.3, np.nan], "share": [0.7, 0.3, 0.0]})
    plotting.reliability_diagram(ax, bins, label="MLP")
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [[0.4, 0.3], [0.9, 1.0]])
    with pytest.raises(ValueError, match=r"between 0 and 1; found .* to 90"):
        plotting.reliability_diagram(ax, bins.assign(confidence=[90.0, 40.0, 10.0]), label="MLP")
    with pytest.raises(ValueError, match="no column 'share'"):
        plotting.reliability_diagram(ax, bins.drop(columns="share"), label="MLP")
