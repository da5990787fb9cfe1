"""Drawing for the notebooks: seaborn draws, and here is what it lacks.

A look is derived from a level of a factor (`palette`, `markers`), never entered for a cell. Figures have an opaque
white ground, so that a dark page can show them as they are. Nothing here computes a result; the only statistic is the
one that is drawn (Student's t interval of a mean). Functions that draw a frame take seaborn's ``x, y, hue, palette,
ax`` and serve `sns.FacetGrid.map_dataframe`.
"""

from inductive_bias.formatting import short
from inductive_bias.plotting.beside import original_above_ours
from inductive_bias.plotting.claims import ShownClaim, claim_boxes, seen_at, verdict_chips
from inductive_bias.plotting.forest import forest_plot
from inductive_bias.plotting.heat import CHANGES, block_map, heat_map, readable_ink, relative_luminance
from inductive_bias.plotting.images import image_grid, show_image
from inductive_bias.plotting.interactive import (
    PageWidget,
    Played,
    Word,
    automaton_widget,
    beats_widget,
    code_widget,
    flow_weights,
    flow_widget,
    forecast_widget,
    forest_widget,
    influence_widget,
    plane_widget,
    rem_widget,
    shift_widget,
    slice_widget,
    temperature_widget,
    window_widget,
)
from inductive_bias.plotting.labels import level_legend, shorten
from inductive_bias.plotting.page import paragraph
from inductive_bias.plotting.palette import (
    FAMILIES,
    QUALITATIVE,
    SIZES,
    VARIANTS,
    Look,
    family_of,
    levels_of,
    look,
    markers,
    number_scale,
    palette,
    register_family,
)
from inductive_bias.plotting.plane import mean_arrows, path_plot, unitless
from inductive_bias.plotting.reliability import reliability_diagram
from inductive_bias.plotting.seeds import paper_marks, seed_plot, t_interval
from inductive_bias.plotting.style import INK, MUTED, THIN, use_book_style
from inductive_bias.plotting.tables import VERDICT_SIGNS, Link, PageTable, display_table, verdict_badge
from inductive_bias.plotting.winners import winner_map

__all__ = [
    "CHANGES",
    "FAMILIES",
    "INK",
    "MUTED",
    "QUALITATIVE",
    "SIZES",
    "THIN",
    "VARIANTS",
    "VERDICT_SIGNS",
    "Link",
    "Look",
    "PageTable",
    "PageWidget",
    "Played",
    "ShownClaim",
    "Word",
    "automaton_widget",
    "beats_widget",
    "block_map",
    "claim_boxes",
    "code_widget",
    "display_table",
    "family_of",
    "flow_weights",
    "flow_widget",
    "forecast_widget",
    "forest_plot",
    "forest_widget",
    "heat_map",
    "image_grid",
    "influence_widget",
    "level_legend",
    "levels_of",
    "look",
    "markers",
    "mean_arrows",
    "number_scale",
    "original_above_ours",
    "palette",
    "paper_marks",
    "paragraph",
    "path_plot",
    "plane_widget",
    "readable_ink",
    "register_family",
    "relative_luminance",
    "reliability_diagram",
    "rem_widget",
    "seed_plot",
    "seen_at",
    "shift_widget",
    "short",
    "shorten",
    "show_image",
    "slice_widget",
    "t_interval",
    "temperature_widget",
    "unitless",
    "use_book_style",
    "verdict_badge",
    "verdict_chips",
    "window_widget",
    "winner_map",
]
