"""What the figures of the plane draw and the tables beside them print."""

import pandas as pd

from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.results import Results
from inductive_bias.studies.sequences_needed import errors, saving_by_goal, sizes
from inductive_bias.studies.signal_models import RSA, TWIN
from inductive_bias.studies.signal_vs_samples.design import CONTROLS
from inductive_bias.studies.signal_vs_samples.measures import compared, control_size, shares, shares_in_part


def targets(results: Results, rhos: tuple[float, ...]) -> pd.DataFrame:
    """The scored targets of one sequence without noise, by ρ: ``rho, position, value``."""
    task = next(iter(results.cells.values()))[0].task
    position = range(task.length - task.scored, task.length)
    parts = []
    for rho in rhos:
        shown = task.model_copy(update={"rho": rho, "noise": 0.0, "train_size": 1})
        parts.append(pd.DataFrame({"rho": rho, "position": position, "value": shown.load()["train"].labels[0]}))
    return pd.concat(parts, ignore_index=True)


def twin_ratios(results: Results) -> pd.DataFrame:
    """RSA :func:`compared` with its twin: a contrast at every place, the largest size on top and a column a ρ."""
    return pd.DataFrame(
        {
            rho: {n: compared(results, RSA, TWIN, rho=rho, samples=n) for n in sizes(results)[::-1]}
            for rho in shares(results)
        }
    )


def savings_by_goal(results: Results) -> pd.DataFrame:
    """What RSA saves for each of several errors, where a part of the signal recurs and where all of it does."""
    kinds = {"a part recurs": False, "all recurs": True}
    tables = [
        saving_by_goal(results, shares_in_part(results, pure=pure)).assign(signal=name) for name, pure in kinds.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    return table[["signal", *table.columns.drop("signal")]]


def control_table(results: Results) -> pd.DataFrame:
    """The cells beside the plane, each with the one that it varies: error, and log₂ of the ratio to that."""
    rows = []
    for kind, (against, trained_at) in CONTROLS.items():
        for rho in trained_at:
            at = {"rho": rho, "samples": control_size(results)}
            own, theirs = (mean_std(errors(results, each, **at)) for each in (kind, against))
            rows.append((str(kind), f"{rho:g}", own, str(against), theirs, str(compared(results, kind, against, **at))))
    return pd.DataFrame(rows, columns=["model", "ρ", "error", "against", "its error", "log₂ of the ratio"])
