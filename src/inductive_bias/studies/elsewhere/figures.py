"""What the figures of the study draw and the table beside them prints."""

import pandas as pd

from inductive_bias.studies import sequences_needed
from inductive_bias.studies.elsewhere.design import SHARES, SIGNALS
from inductive_bias.studies.frames import learned
from inductive_bias.studies.results import Results
from inductive_bias.studies.signal_models import RSA

#: What a head of a REM is called here: cosine and sine heads have a decay and an angle.
REAL, TURNING = "real", "turning"


def need_table(results: Results) -> pd.DataFrame:
    """Sequences needed by signal, share and model, and the doublings that RSA saves its twin."""
    parts = {}
    for signal in SIGNALS:
        table = sequences_needed.need_table(results, signal=signal).rename_axis(columns=None)
        saved = [str(sequences_needed.saving(results, [rho], signal=signal)) for rho in table.index]
        parts[signal] = table.assign(saved=saved).rename(index="{:g}".format)
    return pd.concat(parts, names=["signal", "ρ"]).reset_index()


def decays(results: Results) -> pd.DataFrame:
    """|λ| and γ of every head of RSA before and after training, on pure recurrences with the most sequences.

    Columns: ``signal, rho, samples, number, kind, when, value``; ``kind`` is :data:`REAL` or :data:`TURNING`.
    """
    at = {"model": RSA.model, "rho": SHARES[-1], "samples": sequences_needed.sizes(results)[-1]}
    found = learned(results, "decay", ["layer", "head", "kind"], **at)
    keys = ["signal", "rho", "samples", "number", "kind"]
    found = found.melt(keys, ["before", "after"], var_name="when")
    return found.assign(kind=found["kind"].where(found["kind"] == REAL, TURNING), value=found["value"].abs())


def poles(signal: str) -> dict[str, float]:
    """The radius of the signal's poles by kind of head; a state that saturates has none."""
    given = SIGNALS[signal]
    if "real_poles" not in given:
        return {}
    (real,), ((radius, _),) = given["real_poles"], given["complex_poles"]
    return {REAL: real, TURNING: radius}
