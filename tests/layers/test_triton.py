"""The form for a GPU, in Triton's interpreter: its numbers, not its speed."""

import importlib.util
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="no Triton")

# in a process of its own: Triton asks once, when a kernel is defined, whether it is to be interpreted
INTERPRETED = """
import torch
from inductive_bias.layers import rem_matrix, triton_rem
from tests.layers.naive import example, gradients
kinds, coded, dilations = ("real", "cos", "sin"), [0, 1, 2], [2, 1, 1]
rng = torch.Generator().manual_seed(0)
for t, d, causal, dtype in ((1, 1, True, torch.float32), (37, 17, True, torch.float32), (35, 3, False, torch.bfloat16)):
    values, decay, angle = example(kinds, b=1, t=t, d=d)
    scale, share = (torch.rand(3, dtype=torch.float64, generator=rng, requires_grad=True) for _ in range(2))
    other = torch.randn(values.shape, dtype=torch.float64, generator=rng).to(dtype).double().requires_grad_()
    values = values.detach().to(dtype).double().requires_grad_()
    leaves = [values, decay, angle, scale, other, share]
    matrix = rem_matrix(kinds, decay, angle, t, dilation=dilations, causal=causal, diagonal="printed")
    want = share[:, None, None] * other + scale[:, None, None] * (matrix @ values)
    upstream = torch.randn(values.shape, dtype=torch.float64, generator=rng).to(dtype)
    exact = torch.autograd.grad(want, leaves, upstream.double())
    narrow = [x.detach().to(dtype if x.ndim == 4 else torch.float32) for x in leaves]
    ours = triton_rem.rem(*narrow, coded, dilations, causal, True)
    d_values, d_other, d_heads = triton_rem.rem_backward(upstream, *narrow, coded, dilations, causal, True)
    d_decay, d_angle, d_scale, d_share = d_heads
    found = (ours, d_values, d_decay, d_angle, d_scale, d_other, d_share)
    assert [x.dtype for x in (ours, d_values, d_other)] == [dtype] * 3
    for place, (a, b) in enumerate(zip(found, (want, *exact), strict=True)):
        # bfloat16 has eight bits, and the interpreter cuts the others off instead of rounding
        off, allowed = (a.double() - b).norm(), (2**-7 if a.dtype == torch.bfloat16 else 1e-5) * b.norm()
        assert off <= allowed, (place, t, causal, dtype, off.item(), allowed.item())
print("equal")
"""


@pytest.mark.slow
def test_the_interpreted_kernel_is_the_matrix_in_value_and_every_gradient():
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    answer = subprocess.run([sys.executable, "-c", INTERPRETED], capture_output=True, text=True, env=environment)
    assert answer.stdout.strip() == "equal", answer.stderr[-3_000:]
