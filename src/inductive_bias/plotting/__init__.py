"""Drawing for the notebooks: one style, one colour and marker a model, every seed as a point.

Figures have an opaque white ground, so that a dark page can show them as they are. Nothing here computes a result; the
only statistics are the two that are drawn (Student's t interval of a mean, standard deviation).
"""

from inductive_bias.names import short_name
from inductive_bias.plotting.curves import seed_curves
from inductive_bias.plotting.estimates import interaction_plot, interval_plot
from inductive_bias.plotting.heat import block_map, heat_map, readable_ink, relative_luminance
from inductive_bias.plotting.images import image_grid, show_image
from inductive_bias.plotting.interactive import PageWidget, rem_widget
from inductive_bias.plotting.matrices import lag_plot, matrix_map
from inductive_bias.plotting.plane import embedding_plot, path_plot
from inductive_bias.plotting.reliability import reliability_diagram
from inductive_bias.plotting.scatter import mean_arrows, seed_scatter
from inductive_bias.plotting.seeds import cell_legend, interval, seed_plot
from inductive_bias.plotting.style import (
    CELL_STYLES,
    CellStyle,
    cell_colours,
    cell_style,
    register_cell,
    use_book_style,
)
from inductive_bias.plotting.tables import Link, PageTable, display_table, verdict_badge
from inductive_bias.plotting.winners import winner_map

__all__ = [
    "CELL_STYLES",
    "CellStyle",
    "Link",
    "PageTable",
    "PageWidget",
    "block_map",
    "cell_colours",
    "cell_legend",
    "cell_style",
    "display_table",
    "embedding_plot",
    "heat_map",
    "image_grid",
    "interaction_plot",
    "interval",
    "interval_plot",
    "lag_plot",
    "matrix_map",
    "mean_arrows",
    "path_plot",
    "readable_ink",
    "register_cell",
    "relative_luminance",
    "reliability_diagram",
    "rem_widget",
    "seed_curves",
    "seed_plot",
    "seed_scatter",
    "short_name",
    "show_image",
    "use_book_style",
    "verdict_badge",
    "winner_map",
]
