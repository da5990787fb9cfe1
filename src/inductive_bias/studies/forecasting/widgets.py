"""The forecast explorer of the page: a few windows of every table, and everything that forecast them."""

from inductive_bias import plotting
from inductive_bias.plotting import PageWidget
from inductive_bias.studies.forecasting.design import ATTENTION, ETTH1, ETTH2, ETTM1, GENERATED, NAIVE, RSA, TRUTH, WTH
from inductive_bias.studies.forecasting.figures import windows
from inductive_bias.studies.results import Results
from inductive_bias.tasks.forecasting.baselines import YESTERDAY

#: What the last column of a table is, and its unit.
OIL = "oil temperature", "°C"
UNITS = {ETTH1: OIL, ETTH2: OIL, ETTM1: OIL, WTH: ("wet-bulb temperature", "°C"), GENERATED: ("a made-up value", "")}


def explorer(results: Results) -> PageWidget:
    """Every window that is kept, of all tables and horizons."""
    colours = plotting.palette([ATTENTION, RSA])
    return plotting.forecast_widget(
        windows(results),
        truth=TRUTH,
        models=colours,
        baselines=NAIVE,
        units=UNITS,
        beside=YESTERDAY,
        instead="A figure below, behind “More”, shows one window of every table.",
    )
