"""A linear recurrence with known poles: its impulse response and what it makes of a sequence of inputs."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float


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
