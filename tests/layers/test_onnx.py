"""Every layer as an ONNX file, at lengths other than the one that it was recorded at.

``onnx``, ``onnxscript`` and ``onnxruntime`` are no dependencies: without them these tests are skipped. What the exporters
read, ``torch.export`` and ``torch.jit.trace``, is tested in ``test_torch_tools.py`` without them.
"""

import importlib.util
import re
import subprocess
import sys

import pytest

from inductive_bias import paths

PAGE = paths.home() / "book" / "own-layers.md"
NEEDED = ("onnx", "onnxscript", "onnxruntime")
absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]

# in a process of its own: an exporter cannot see through the shape checks of these tests, which no user has
SCRIPT = """
import io, json, sys, warnings
import numpy as np, onnxruntime, torch
from inductive_bias.layers import *
warnings.simplefilter("ignore")
exporter, name = sys.argv[1:]
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
torch.manual_seed(0)
layer = make[name]().eval()
if name == "ToeplitzAttention":
    torch.nn.init.normal_(layer.lags)
x, file = torch.randn(2, 9, 12), sys.argv[0] + ".onnx" if sys.argv[0] != "-c" else "layer.onnx"
try:
    if exporter == "new":
        dynamic = {"x": {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}}
        torch.onnx.export(layer, (x,), file, dynamo=True, input_names=["x"], dynamic_shapes=(dynamic["x"],), verbose=False)
    else:
        torch.onnx.export(layer, (x,), file, dynamo=False, input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": {0: "b", 1: "t"}, "y": {0: "b", 1: "t"}}, opset_version=17)
except Exception as error:
    print(json.dumps(["refused", f"{type(error).__name__}: {error}"[:300]]))
    sys.exit()
session = onnxruntime.InferenceSession(file)
entry = session.get_inputs()[0].name
worst = 0.0
for rows, length in ((2, 9), (1, 1), (3, 5), (2, 200)):
    tokens = torch.randn(rows, length, 12)
    try:
        (found,) = session.run(None, {entry: tokens.numpy()})
    except Exception as error:
        print(json.dumps(["stops", f"at {length} tokens: {type(error).__name__}: {error}"[:300]]))
        sys.exit()
    wanted = layer(tokens).detach().numpy()
    worst = max(worst, float(np.abs(found - wanted).max() / np.abs(wanted).max()))
print(json.dumps(["right" if worst < 1e-4 else "wrong", worst]))
"""
