"""The table of what layers take, on the page about layers: each row is what the layer and its tests have."""

import inspect
import re

from inductive_bias import paths
from inductive_bias.layers.heads import HeadMixer
from tests.layers import test_shared_keys
from tests.layers.test_every_layer import LAYERS
from tests.layers.test_padding import NO_TIME

PAGE = paths.home() / "book" / "own-layers.md"
ROTARY = "PlainAttention, rotary"


def said():
    """By layer, the cells of its row."""
    rows = PAGE.read_text("utf8").partition("| layer | time in a masked gap")[2].split("\n\n")[0].splitlines()[2:]
    cells = [[re.sub(r"`", "", cell.strip()) for cell in row.strip("|").split("|")] for row in rows]
    return {row[0]: row[1:] for row in cells}


def called(layer):
    return ROTARY if getattr(layer, "positions", None) is not None else type(layer).__name__


def test_every_layer_has_a_row_that_is_true():
    want, shared = {}, {called(make()) for make in test_shared_keys.MAKE.values()}
    for name, make in LAYERS.items():
        layer = make()
        taken = inspect.signature(layer.forward).parameters
        state = {"initial_state", "return_state"} <= set(taken)
        keys = isinstance(layer, HeadMixer) and called(layer) in shared
        gap = "is skipped" if name in NO_TIME else "passes"
        # tests of packed sequences take all of LAYERS
        want[called(layer)] = [gap, "yes" if state else "no", "yes", "yes" if keys else "no"]
    assert said() == want
