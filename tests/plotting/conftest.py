"""One pair of axes a test, in the book's style, without a screen."""

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import pytest

from inductive_bias import plotting


@pytest.fixture(autouse=True)
def ax():
    with mpl.rc_context():
        plotting.use_book_style()
        figure, ax = plt.subplots()
        yield ax
        plt.close(figure)
