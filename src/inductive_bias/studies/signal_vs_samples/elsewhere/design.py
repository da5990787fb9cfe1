"""The design: RSA, its twin and an LSTM on signals whose recurrence is not of the kind from which RSA starts.

The plane has the poles .92 and .88 e^{±.9i}, within the range in which |λ| and γ of an RSA start (.76 to .96 and .73 to
.88): that RSA saves sequences there might be that start. So here are poles that are forgotten sooner and poles that
last longer than any start, and a recurrence that no linear filter gives, at two shares of it. Everything else, rates
among it, is as on the plane: they were chosen there, on its attention.
"""

from collections.abc import Mapping

from inductive_bias.studies.design import GridDesign, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.signal_vs_samples import design
from inductive_bias.studies.signal_vs_samples.design import RSA, SIZES, TWIN, Kind
from inductive_bias.trials import Trial

FAST, SLOW, SATURATING = "fast poles", "slow poles", "saturating"
#: What a signal has in place of the usual poles.
SIGNALS: dict[str, dict[str, object]] = {
    FAST: {"real_poles": (0.5,), "complex_poles": ((0.55, 2.4),)},
    SLOW: {"real_poles": (0.99,), "complex_poles": ((0.97, 0.3),)},
    SATURATING: {"gain": 1.5},
}
MODELS = (Kind("LSTM"), TWIN, RSA)
#: The shares of the recurrent part: a half, and all.
SHARES = (0.5, 1.0)


def levels(scale: Scale) -> Mapping[str, tuple[Level, ...]]:
    """Those of the plane at fewer shares, and the signal."""
    known = design.levels(scale)
    kinds = {name: tuple({getattr(kind, name): None for kind in MODELS}) for name in Kind._fields}
    return {"signal": tuple(SIGNALS), **kinds, "rho": SHARES, "samples": known["samples"]}


def trial(scale: Scale, number: int, *, signal: str, rho: float, samples: int, **kind: str) -> Trial | None:
    """The run of the plane at this place, on another signal."""
    if Kind(**kind) not in MODELS:
        return None
    usual = design.trial(scale, number, rho=rho, samples=samples, **kind)
    return usual.model_copy(update={"task": usual.task.model_copy(update=SIGNALS[signal])})


def label(*, signal: str, **levels: Level) -> str:
    """``RSA, ρ = 0.5, n = 128, slow poles``."""
    return f"{design.label(**levels)}, {signal}"


DESIGN = GridDesign(levels, trial, seeds=lambda scale: SIZES[scale].seeds, label=label)
