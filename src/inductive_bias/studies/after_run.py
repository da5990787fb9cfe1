"""What the command line says when all trials of a study have been run: which diverged, and every claim's verdict."""

from collections.abc import Iterator
from typing import Any

from inductive_bias.studies.judging import verdict_line
from inductive_bias.studies.results import Results
from inductive_bias.studies.study import Study


def report(study: Study, scale: str, **options: Any) -> Iterator[str]:
    """Lines for people; nothing is trained. A claim that cannot be judged is a line too.

    Args:
        study: whose runs are complete.
        scale: at which.
        options: of :meth:`Study.results`, for tables that compare runs.

    Raises:
        SettingError: unknown scale.
    """
    results = study.results(scale, **options)
    yield from diverged_lines(study, results)
    if not study.claims:
        return
    size = study.sizes.get(scale)
    at = f" ({'; '.join(filter(None, [size.models, size.data]))})" if size else ""
    decides = "; a scale for tests, which decides nothing" if scale == "smoke" else ""
    yield f"{study.name}, {scale}{at}{decides}:"
    for claim in study.claims:
        try:
            said = verdict_line(claim, claim.judge(results))
        except Exception as error:  # the runs are kept whatever becomes of a rule
            said = f"{claim.id}  cannot be judged ({type(error).__name__}: {error}): {claim.statement}"
        yield f"  {said}"


def diverged_lines(study: Study, results: Results) -> Iterator[str]:
    """The trials whose training diverged, by name; nothing if none did."""
    rows = results.rows
    found = rows[(rows["metric"] == "diverged") & (rows["value"] == 1)].drop_duplicates("trial")
    members = study.design.members(results.scale)
    for trial, epoch in zip(found["trial"], found["epoch"], strict=True):
        cell, _, made = members[trial]
        yield f"diverged in epoch {epoch:.0f}: {study.design.name(cell)}, seed {made.seed} ({trial})"
