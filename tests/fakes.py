"""Results made by hand, for the tests of every study's claims and figures."""

from collections.abc import Callable, Mapping
from functools import cache

import pandas as pd

from inductive_bias.settings import Setting
from inductive_bias.studies.design import Design
from inductive_bias.studies.results import Results
from inductive_bias.studies.runs import in_columns
from inductive_bias.studies.study import Study
from inductive_bias.studies.trial_table import JUDGED, trial_table
from inductive_bias.trials import Trial

#: Where a number stands: split, metric, and then coordinates as pairs, ``("attractors", 2)``.
Place = tuple


def fake_results(
    study: Study,
    values: Callable[..., Mapping[Place, float]],
    *,
    scale: str = "laptop",
    seeds: int | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
    search: Callable[..., Mapping[Place, float]] | None = None,
) -> Results:
    """Results in which the numbers of every run are what a function says.

    Args:
        study: whose design, claims and numbers of the paper.
        values: ``values(number=…, **levels)`` gives the numbers of one run by place, ``{("test", "accuracy"): .9}``. An
            empty mapping leaves the run out.
        scale: whose cells.
        seeds: so many runs of every cell, if fewer than the scale has.
        tables: the study's further tables, as they are stored.
        search: as ``values``, of the runs that chose settings.
    """
    made = {name: (lambda table=table: table) for name, table in (tables or {}).items()}
    searched = study.tuning.design if search else None
    return Results(
        study.name,
        scale,
        study.design,
        _rows(study.design, values, scale, seeds),
        tables=made,
        searched=(lambda: Results(study.name, scale, searched, _rows(searched, search, scale))) if search else None,
        paper=study.paper_numbers(),
        provenance="made by hand",
        listed=lambda: _listed(tuple(trial for _, _, trial in study.design.members(scale).values())).copy(),
    )


@cache
def _listed(trials: tuple[Trial, ...]) -> pd.DataFrame:
    """The table of these trials; to count the parameters of every model takes seconds, so it is made once."""
    return trial_table({JUDGED: trials})


def _rows(
    design: Design, values: Callable[..., Mapping[Place, float]], scale: str, seeds: int | None = None
) -> pd.DataFrame:
    rows = []
    for cell, trials in design.cells(scale).items():
        for number, trial in enumerate(trials[:seeds]):
            known = {"trial": trial.id, **cell, "seed": trial.seed, "epoch": None}
            source = {"origin": "generated" if trial.task.generated else "real", "dataset": "fake"}
            for (split, metric, *coordinates), value in values(number=number, **cell).items():
                at = dict(coordinates)
                rows.append(known | {"split": split, "metric": metric, "value": value} | source | at)
    return in_columns(pd.DataFrame(rows).astype({"epoch": "float64", "value": "float64"}), design)


def judged(study: Study, claim: str, results: Results):
    """The finding of one claim."""
    return {each.id: each for each in study.claims}[claim].judge(results)


def differing(first: Setting, second: Setting) -> set[str]:
    """The choices in which two settings of a class differ."""
    return {name for name in type(first).model_fields if getattr(first, name) != getattr(second, name)}
