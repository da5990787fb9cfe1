"""Slow twins of everything in this room, written from the paper's formulas with other means than the package."""

import torch


def naive_lags(kind, decay, angle, length, dilation=1, diagonal="zero"):
    """f₀ … f_{t−1} of one head: powers by repeated multiplication of complex numbers."""
    root = torch.complex(decay * torch.cos(angle), decay * torch.sin(angle)) if kind != "real" else decay + 0j
    lags, power = [], torch.ones_like(root)
    for n in range(length):
        if n == 0:
            value = decay * 0 + (kind == "cos" and diagonal == "printed")
        elif n % dilation:
            value = decay * 0
        else:
            power = power * root
            value = power.imag if kind == "sin" else power.real
        lags.append(value)
    return torch.stack(lags)


def naive_matrix(kinds, decay, angle, length, dilations, causal=True, diagonal="zero"):
    matrices = []
    for h, kind in enumerate(kinds):
        lags = naive_lags(kind, decay[h], angle[h], length, dilations[h], diagonal)
        zero = lags[0] * 0
        rows = [
            torch.stack([lags[abs(i - j)] if i >= j or not causal else zero for j in range(length)])
            for i in range(length)
        ]
        matrices.append(torch.stack(rows))
    return torch.stack(matrices)


def gradients(value, leaves, seed=0):
    """Of a random linear function of the value: a right value can hide a wrong gradient."""
    weight = torch.randn(value.shape, dtype=value.dtype, generator=torch.Generator().manual_seed(seed))
    return torch.autograd.grad((value * weight).sum(), leaves, materialize_grads=True, allow_unused=True)


def example(kinds, b=2, t=7, d=3, seed=0, dtype=torch.float64, reach=0.95):
    """Values, decays within reach of the unit circle and angles of these heads, all leaves."""
    rng = torch.Generator().manual_seed(seed)
    h = len(kinds)
    values = torch.randn(b, h, t, d, dtype=dtype, generator=rng)
    real = torch.tensor([kind == "real" for kind in kinds])
    size = 0.2 + (reach - 0.2) * torch.rand(h, dtype=dtype, generator=rng)
    sign = torch.where(real & (torch.rand(h, generator=rng) < 0.5), -1.0, 1.0)
    angle = torch.rand(h, dtype=dtype, generator=rng) * 7 - 3.5
    return [x.requires_grad_() for x in (values, size * sign.to(dtype), angle)]
