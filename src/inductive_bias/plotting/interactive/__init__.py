"""Parts of a page that a reader can move: plain HTML and JavaScript, nothing fetched, the same bytes at every run.

Each stands beside a static figure that shows the same, for print and for readers without JavaScript. A new one is a
module with a function that returns `base.page_widget`, and a script beside it that draws what `base.js` helps with.
"""

from inductive_bias.plotting.interactive.automaton import Played, Word, automaton_widget
from inductive_bias.plotting.interactive.base import PageWidget
from inductive_bias.plotting.interactive.beats import beats_widget
from inductive_bias.plotting.interactive.code import code_widget
from inductive_bias.plotting.interactive.flow import flow_weights, flow_widget
from inductive_bias.plotting.interactive.forecast import forecast_widget
from inductive_bias.plotting.interactive.forest import forest_widget
from inductive_bias.plotting.interactive.influence import influence_widget
from inductive_bias.plotting.interactive.plane import plane_widget
from inductive_bias.plotting.interactive.rem import rem_widget
from inductive_bias.plotting.interactive.shift import shift_widget
from inductive_bias.plotting.interactive.slices import slice_widget
from inductive_bias.plotting.interactive.temperature import temperature_widget
from inductive_bias.plotting.interactive.window import window_widget

__all__ = [
    "PageWidget",
    "Played",
    "Word",
    "automaton_widget",
    "beats_widget",
    "code_widget",
    "flow_weights",
    "flow_widget",
    "forecast_widget",
    "forest_widget",
    "influence_widget",
    "plane_widget",
    "rem_widget",
    "shift_widget",
    "slice_widget",
    "temperature_widget",
    "window_widget",
]
