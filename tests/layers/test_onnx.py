"""Every layer as an ONNX file, at lengths other than the one that it was exported at.

``onnx``, ``onnxscript`` and ``onnxruntime`` are no dependencies: without them these tests are skipped. What the
exporters read, and that the old one is refused, is tested in ``test_torch_tools.py`` without them.
"""

import importlib.util
import json
import re
import subprocess
import sys

import pytest

from inductive_bias import paths

PAGE = paths.home() / "book" / "own-layers.md"
ABSENT = [name for name in ("onnx", "onnxscript", "onnxruntime") if importlib.util.find_spec(name) is None]

# in a process of its own: an exporter cannot see through the shape checks of these tests, which no user has
SCRIPT = """
import json, sys, warnings
import numpy as np, onnxruntime, torch
from inductive_bias.layers import *
warnings.simplefilter("ignore")
make = {
    "RSAttention": lambda: RSAttention(12, 6, dilation=(2, 3, 40), gate="head"),
    "PlainAttention": lambda: PlainAttention(12, 3),
    "PlainAttention, rotary": lambda: PlainAttention(12, 3, positions=RotaryPositions(4)),
    "ALiBiAttention": lambda: ALiBiAttention(12, 3),
    "RelativeAttention": lambda: RelativeAttention(12, 3),
    "WindowAttention": lambda: WindowAttention(12, 3, window=4),
    "ToeplitzAttention": lambda: ToeplitzAttention(12, 3, length=300),
    "REMOnly": lambda: REMOnly(12, 6),
    "LinearRNN": lambda: LinearRNN(12, 5),
    "LSTM": lambda: LSTM(12, 5),
}

def answer(name, exporter):
    torch.manual_seed(0)
    layer, x = make[name]().eval(), torch.randn(2, 9, 12)
    if name == "ToeplitzAttention":
        torch.nn.init.normal_(layer.lags)
    options = {"input_names": ["x"], "dynamo": exporter == "new"}
    if exporter == "new":
        dynamic = torch.export.Dim.DYNAMIC
        options |= {"dynamic_shapes": ({0: dynamic, 1: dynamic},), "verbose": False}
    else:
        options |= {"output_names": ["y"], "dynamic_axes": {each: {0: "b", 1: "t"} for each in "xy"}}
    try:
        torch.onnx.export(layer, (x,), "layer.onnx", **options)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}"[:300]
    session, worst = onnxruntime.InferenceSession("layer.onnx"), 0.0
    for rows, length in ((2, 9), (1, 1), (3, 5), (2, 200)):
        tokens = torch.randn(rows, length, 12)
        (found,) = session.run(None, {"x": tokens.numpy()})
        wanted = layer(tokens).detach().numpy()
        if found.shape != wanted.shape:
            return "wrong", f"{found.shape} for {wanted.shape}"
        worst = max(worst, float(np.abs(found - wanted).max() / np.abs(wanted).max()))
    return "right" if worst < 1e-4 else "wrong", worst

print(json.dumps({name: answer(name, sys.argv[1]) for name in make}))
"""


def said():
    """By layer, what the page's table says of the two exporters."""
    rows = PAGE.read_text("utf8").partition("ONNX, new exporter")[2].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {re.sub(r"`", "", row[0]): row[-2:] for row in cells}


@pytest.mark.slow
@pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)}")
@pytest.mark.parametrize("exporter", ["new", "old"])
def test_every_layer_is_right_at_every_length_or_refused_as_the_page_says(exporter, tmp_path):
    command = [sys.executable, "-c", SCRIPT, exporter]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    found = json.loads(answer.stdout.splitlines()[-1]) if answer.stdout else answer.stderr[-3_000:]
    wanted = {name: cells[exporter == "old"] for name, cells in said().items()}
    assert {name: state for name, (state, _) in found.items()} == wanted, found


def test_the_page_says_it_of_every_layer():
    table = said()
    assert set(re.findall(r'^    "([^"]+)": lambda', SCRIPT, re.MULTILINE)) == set(table)
    assert {cell for cells in table.values() for cell in cells} <= {"right", "refused"}
