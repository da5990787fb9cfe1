"""Recurrences whose form is known: a linear one with given poles, and one whose state saturates."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

#: The grid of a density: how many deviations of a drive it reaches beyond what a state can add, and its points.
REACH, POINTS = 7.0, 601


def impulse_response(
    real_poles: Sequence[float], complex_poles: Sequence[tuple[float, float]], length: int, *, scored: int
) -> Float[np.ndarray, " t"]:
    """``f_j = c Σ_k f_j^(k) / ‖f^(k)‖`` for lags j = 0 … length − 1, one mode k a real pole or a conjugate pair.

    A real pole λ has the mode λʲ, a pair γ e^{±iθ} the mode γʲ cos(jθ): the linear part of Huang et al. (2023,
    Proposition 1) with lag 0 in it. Every mode carries the same energy ‖·‖² over all lags. The constant c makes the
    response to white noise of variance 1, starting from rest, have variance 1 on average over the last ``scored``
    positions; at position t it is ``Σ_{j ≤ t} f_j²``.

    Args:
        real_poles: λ, each within (−1, 1).
        complex_poles: (γ, θ), γ within (0, 1) and θ in radians.
        length: lags.
        scored: positions over which the variance is averaged, counted from the last.
    """
    lag = np.arange(length)
    modes = [pole ** lag.astype(float) for pole in real_poles]
    modes += [modulus**lag * np.cos(angle * lag) for modulus, angle in complex_poles]
    response = np.sum([mode / np.linalg.norm(mode) for mode in modes], axis=0)
    variance = np.cumsum(response**2)[length - scored :].mean()
    return response / np.sqrt(variance)


def respond(drive: Float[np.ndarray, "n t"], response: Float[np.ndarray, " t"]) -> Float[np.ndarray, "n t"]:
    """``out[t] = Σ_{j ≤ t} f_j drive[t − j]``: the recurrence's output from rest, as one product."""
    step = np.arange(drive.shape[1])
    lag = step[:, None] - step
    return drive @ np.where(lag >= 0, response[np.clip(lag, 0, None)], 0.0).T


def saturate(drive: Float[np.ndarray, "n t"], gain: float) -> Float[np.ndarray, "n t"]:
    """``h[t] = tanh(gain · h[t − 1] + drive[t])`` from rest, which no linear filter gives.

    With a gain above 1 the state has two ends that hold each other off: small drives hardly move it once it is at one.
    """
    found, state = np.empty_like(drive), np.zeros(len(drive))
    for step in range(drive.shape[1]):
        state = np.tanh(gain * state + drive[:, step])
        found[:, step] = state
    return found


def saturated_variance(gain: float, length: int, *, scored: int) -> float:
    """The variance of :func:`saturate` for drives of variance 1, averaged over the last ``scored`` of ``length`` steps.

    What goes into the tanh has a density, which is carried from step to step on a grid. (The mean is 0 by symmetry.)
    """
    grid = np.linspace(-gain - REACH, gain + REACH, POINTS)
    step, state = grid[1] - grid[0], np.tanh(grid)
    kernel = np.exp(-((grid[:, None] - gain * state) ** 2) / 2) / np.sqrt(2 * np.pi) * step
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    found = []
    for _ in range(length):
        found.append(float(density @ state**2 * step))
        density = kernel @ density
    return float(np.mean(found[length - scored :]))
