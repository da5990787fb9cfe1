"""A picture that can be pushed, and what was measured on pictures that were pushed as far."""

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from inductive_bias.formatting import short
from inductive_bias.plotting.interactive.base import PageWidget, Slider, page_widget, rounded
from inductive_bias.plotting.palette import check_columns, levels_of
from inductive_bias.plotting.palette import palette as derived


def shift_widget(
    image: Float[np.ndarray, "h w"],
    data: pd.DataFrame,
    *,
    hue: str,
    words: str,
    note: str,
    instead: str,
    palette: Mapping[Hashable, str] | None = None,
) -> PageWidget:
    """A slider that moves a picture to the right (a pointer may drag it), and every run's share at that shift.

    Args:
        image: grey values in 0..1, 1 being ink.
        data: tidy rows, one a run: ``shift`` (whole pixels, from 0 on without a gap), ``hue`` and ``value`` in 0..1.
        hue: column of what is compared.
        words: what the share is of: ``test digits recognised``.
        note: a sentence about what was measured.
        instead: a sentence for who has no JavaScript.
        palette: colour by level of ``hue``; derived if not given.

    Raises:
        ValueError: for an unknown column, shifts with a gap, or grey values or shares outside of 0..1.
    """
    check_columns(data, "shift", hue, "value")
    shifts = sorted(data["shift"].unique().tolist())
    if shifts != list(range(len(shifts))):
        raise ValueError(f"shifts must be 0, 1, 2 …, not {shifts}")
    for name, values in (("grey values", image), ("shares", data["value"].dropna())):
        if np.min(values) < 0 or np.max(values) > 1:
            raise ValueError(f"{name} must be in 0..1, not {np.min(values):g} to {np.max(values):g}")
    names = [name for name in levels_of(data[hue]) if (data[hue] == name).any()]
    runs = data.dropna(subset=["value"]).groupby(["shift", hue], observed=True)["value"]
    known = {place: [rounded(value, 4) for value in values] for place, values in runs}
    colours = palette or derived(data[hue])
    return page_widget(
        "shift",
        {
            # a byte a pixel, as two hexadecimal figures
            "image": [bytes(np.rint(row * 255).astype(np.uint8)).hex() for row in np.asarray(image)],
            "names": [short(name) for name in names],
            "runs": [[known.get((shift, name), []) for name in names] for shift in shifts],
            "words": words,
        },
        controls=[Slider("shift", "shift", 0, len(shifts) - 1, 0)],
        pictures={
            "picture": "Drag the digit, or move the slider.",
            "rows": f"Point: one run. Bar and number: mean. {note}",
        },
        text=f"Interactive shift of a picture by 0 to {len(shifts) - 1} pixels: share of {words}.",
        instead=instead,
        colours=[colours[name] for name in names],
    )
