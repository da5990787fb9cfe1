"""The design: RSA, its twin and an LSTM on signals whose recurrence is not of the kind from which RSA starts.

The plane has the poles .92 and .88 e^{±.9i}, within the range in which |λ| and γ of an RSA start (.76 to .96 and .73 to
.88): that RSA saves sequences there might be that start. So here are poles that are forgotten sooner and poles that
last longer than any start, and a recurrence that no linear filter gives, at two shares of it. Everything else, rates
among it, is as on the plane: they were chosen there, on its attention.
"""

from inductive_bias.studies.design import Cells, Design, Level
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.signal_models import LSTM, RSA, SIZES, TWIN, Kind, place_label

FAST, SLOW, SATURATING = "fast poles", "slow poles", "saturating"
#: What a signal has in place of the usual poles.
SIGNALS: dict[str, dict[str, object]] = {
    FAST: {"real_poles": (0.5,), "complex_poles": ((0.55, 2.4),)},
    SLOW: {"real_poles": (0.99,), "complex_poles": ((0.97, 0.3),)},
    SATURATING: {"gain": 1.5},
}
MODELS = (LSTM, TWIN, RSA)
#: The shares of the recurrent part: a half, and all.
SHARES = (0.5, 1.0)


def cells(scale: Scale) -> Cells:
    """Every signal, model, share and number of training sequences."""
    sizes = SIZES[scale]
    for signal, task in SIGNALS.items():
        for kind in MODELS:
            for rho in SHARES:
                for samples in sizes.samples:
                    place = {"rho": rho, "samples": samples}
                    runs = [sizes.trial(kind, **place, seed=seed, **task) for seed in range(sizes.seeds)]
                    yield {"signal": signal, **kind._asdict(), **place}, runs


def label(*, signal: str, **levels: Level) -> str:
    """``RSA, ρ = 0.5, n = 128, slow poles``."""
    return f"{place_label(**levels)}, {signal}"


DESIGN = Design(cells, ("signal", *Kind._fields, "rho", "samples"), label=label)
