"""Temperature and shift under the reader's hands."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from inductive_bias.plotting import PageWidget, shift_widget, temperature_widget
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.results import Results
from inductive_bias.studies.vision.design import CNN, MLP_ALONE, RECIPES, STANDARD, TAUGHT, TEMPERATURE, label
from inductive_bias.studies.vision.measures import STAGES, by_shift


def temperature(results: Results, logits: Sequence[float], right: int) -> PageWidget:
    """A slider for the temperature of one teacher's probabilities; where students were trained at one, their accuracy.

    The study publishes no logits of single images, so that the page makes its own.
    """
    notes = {}
    for variant in (STANDARD, "T = 1"):
        value = float(RECIPES.get(variant, {}).get("temperature", TEMPERATURE))
        found = mean_std(results.values("accuracy", split="translate", **TAUGHT | {"variant": variant}))
        notes[value] = f"An MLP taught by a CNN at T = {value:g} recognised {found} of the translated digits."
    instead = "The next figure shows the same probabilities at two temperatures."
    return temperature_widget(logits, label=right, notes=notes, instead=instead)


def shifted_digit(results: Results, digit: Float[np.ndarray, "28 28"]) -> PageWidget:
    """A digit to push, and the share of test digits that each run recognises when they are moved as far.

    The study publishes no answers to single images: the digit shows what a shift is, the shares are those of the test
    set, mean over four directions.

    Args:
        results: of the study.
        digit: an image with room for the farthest shift.
    """
    cells = [label(**each) for each in (CNN, MLP_ALONE, TAUGHT)]
    rows = by_shift(results, "accuracy", variant=STANDARD)
    rows = rows[(rows["stage"] == STAGES[1]) & rows["cell"].isin(cells)]
    return shift_widget(
        digit,
        rows.assign(cell=rows["cell"].cat.set_categories(cells)),
        hue="cell",
        words="test digits recognised",
        note="Test digits were moved in all four directions; the picture shows one.",
        instead="The figure above shows the same shares.",
    )
