"""Soft targets: what a temperature makes of a teacher's logits."""

import math
from collections.abc import Mapping, Sequence

from inductive_bias.plotting.interactive.base import PageWidget, Slider, page_widget

#: Of the slider: each about a third more than the last.
TEMPERATURES = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 50.0)


def temperature_widget(
    logits: Sequence[float], *, label: int, start: float = 1.0, notes: Mapping[float, str] | None = None, instead: str
) -> PageWidget:
    """A slider for the temperature T, and the probabilities ``softmax(logits / T)`` of the classes.

    Its script computes them, and offers that to tests as ``element.softened(logits, temperature)``.

    Args:
        logits: one a class.
        label: the class that is right.
        start: the temperature at first, one of `TEMPERATURES`.
        notes: what more is known at some temperatures, in words.
        instead: a sentence for who has no JavaScript.

    Raises:
        ValueError: if a logit is no finite number, the label no class, or a temperature not of the slider.
    """
    if not all(map(math.isfinite, logits)):
        raise ValueError(f"logits must be finite, not {list(logits)}")
    if not 0 <= label < len(logits):
        raise ValueError(f"label must be in 0..{len(logits) - 1}, not {label}")
    if unknown := [value for value in (start, *(notes or {})) if value not in TEMPERATURES]:
        raise ValueError(f"temperature must be one of {', '.join(f'{t:g}' for t in TEMPERATURES)}, not {unknown[0]:g}")
    return page_widget(
        "temperature",
        {
            "logits": [round(float(value), 4) for value in logits],
            "label": label,
            "temperatures": TEMPERATURES,
            "notes": [(notes or {}).get(temperature, "") for temperature in TEMPERATURES],
        },
        controls=[Slider("temperature", "temperature T", 0, len(TEMPERATURES) - 1, TEMPERATURES.index(start))],
        pictures={"bars": ""},
        text=f"Interactive soft targets: {len(logits)} class probabilities by temperature.",
        instead=instead,
    )
