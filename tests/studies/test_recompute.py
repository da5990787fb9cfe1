"""One cheap trial of every published study is trained again: a table and its manifest edited together do not pass.

Of a study whose cheapest trial takes longer than :data:`LONGEST`, the first epoch of the trial whose epochs are the
shortest is made again; where that takes longer than :data:`LONGEST_EPOCH`, nothing. ``RECOMPUTE_ALL`` in the
environment makes the cheapest trial of every study again, whole.

On the kind of machine that made a run (processor and versions of its record) every number must come out equal. On
another one rounding differs and training amplifies it; there the first epoch's loss must agree within 2 %, and every
final number on held-out data like the training data must lie within five standard deviations of its cell's seeds (one
without spread within a thousandth). Out of distribution nothing bounds what rounding grows to: the likelihood of digits
in fog moved by thirteen.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inductive_bias import paths, running
from inductive_bias.provenance import processor, versions
from inductive_bias.running import run_trial
from inductive_bias.store import table_of
from inductive_bias.studies import STUDIES
from inductive_bias.studies.published import FACTS, RUNS, read_rows, read_table
from inductive_bias.studies.run_provenance import records_of
from inductive_bias.studies.runs import with_origin
from inductive_bias.studies.task_facts import VALUES, split_facts
from inductive_bias.studies.trial_table import task_id
from inductive_bias.tasks.files import ENV_DATA
from inductive_bias.training import fit

FIRST_EPOCH, SEEDS, ALONE = 0.02, 5.0, 1e-3
#: Minutes that one trial may take here, and one epoch where no trial takes so little.
LONGEST, LONGEST_EPOCH = 1.0, 0.3
#: Minutes more that one of several runs of a cell may take.
LITTLE = 0.5
LIKE_TRAINING = ("train", "validation", "test")


def data_folder() -> Path | None:
    named = os.environ.get(ENV_DATA)
    beside = paths.home().parent / "shared" / "data"
    return Path(named) if named else beside if beside.is_dir() else None


def cheapest(study):
    """What is made again: a trial, its record, whether it is made whole, and the minutes that this takes."""
    records = {record["id"]: record for record in records_of(read_table(study.name, "laptop", RUNS))}
    # nothing to train again would be nothing to compare; a student would need its teacher; a GPU's minutes are not ours
    trials = [
        trial
        for _, _, trial in study.design.members("laptop").values()
        if trial.teacher is None and records[trial.id]["device"] == "cpu"
    ]
    cost = {trial: records[trial.id]["minutes"] for trial in trials if trial.schedule.epochs > 0}
    whole = min(cost, key=cost.get)
    # how far another processor may lead is known where runs of one cell scatter: so one of several, if it costs little
    several = {trial for trials in study.design.cells("laptop").values() if len(trials) > 1 for trial in trials}
    known = min((trial for trial in cost if trial in several), key=cost.get, default=whole)
    if cost[known] <= min(LONGEST, cost[whole] + LITTLE):
        whole = known
    if cost[whole] <= LONGEST or "RECOMPUTE_ALL" in os.environ:
        return whole, records[whole.id], True, cost[whole]
    by_epoch = {trial: minutes / trial.schedule.epochs for trial, minutes in cost.items()}
    begun = min(by_epoch, key=by_epoch.get)
    return begun, records[begun.id], False, by_epoch[begun]


def end_after_one_epoch(monkeypatch) -> None:
    """Trials end after their first epoch, with the rates of a whole one; what is measured at the end is left out."""

    def begin(*args, after_epoch, **options):
        fit(*args, after_epoch=lambda epoch, loss: after_epoch(epoch, loss) or True, **options)

    monkeypatch.setattr(running, "fit", begin)
    monkeypatch.setattr(running.Run, "measure", lambda run: None)


def keyed(rows: pd.DataFrame, coordinates: list[str]) -> pd.Series:
    keys = ["split", "metric", "epoch", *coordinates]
    words = rows.reindex(columns=keys).astype(object).where(lambda frame: frame.notna(), "–")
    return pd.Series(rows["value"].to_numpy(dtype=float), pd.MultiIndex.from_frame(words.astype(str)))


def assert_same_facts(made: pd.DataFrame, known: pd.DataFrame) -> None:
    """What is published of a task is what its data say: examples, constants, baselines."""
    places = [name for name in made if name not in VALUES]
    strangers = [name for name in known.columns.difference(made.columns) if known[name].notna().any()]
    assert not strangers, f"published facts have {strangers} besides"
    # a coordinate that no fact of this task has is missing in one of the two tables
    left = made.set_index(places)["value"].astype(float).sort_index()
    right = known.reindex(columns=made.columns).set_index(places)["value"].astype(float).sort_index()
    pd.testing.assert_series_equal(left, right, rtol=1e-6, check_index_type=False)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_a_published_run_is_made_again(study, monkeypatch):
    trial, record, whole, minutes = cheapest(study)
    if not whole and minutes > LONGEST_EPOCH:
        pytest.skip(f"the shortest epoch takes {minutes:.1f} minutes: set RECOMPUTE_ALL")
    root = data_folder()
    if root is None and not trial.task.generated:
        pytest.skip(f"the real data are not here: set {ENV_DATA}")
    published = read_rows(study.name, "laptop")
    names = list(published.columns)
    coordinates = names[names.index("epoch") + 1 : names.index("value")]
    mine = published[published["trial"] == trial.id]
    if not whole:
        end_after_one_epoch(monkeypatch)
        mine = mine[mine["epoch"] <= 1]
    rows = with_origin(table_of(run_trial(trial, device="cpu", root=root).rows)).assign(trial=trial.id)
    rows, facts = split_facts(rows, {trial.id: task_id(trial)}, study.design.factors)
    if whole:
        known = read_rows(study.name, "laptop", FACTS)
        assert_same_facts(facts, known[known["task_id"] == task_id(trial)])
    again = keyed(rows, coordinates)
    then = keyed(mine, coordinates)
    # angles of real heads were published as zeros before they were left out
    then = then[then.index.isin(again.index) | (then != 0)]
    assert set(then.index) == set(again.index)
    alone = record.get("together", running.ALONE) == running.ALONE  # a stack's sums are made in another order
    if alone and record["processor"] == processor() and record["versions"] == versions():
        pd.testing.assert_series_equal(again.loc[then.index], then, check_exact=True)
        return
    loss = ("train", "loss", "1.0", *["–"] * len(coordinates))
    assert again[loss] == pytest.approx(then[loss], rel=FIRST_EPOCH)
    if not whole:
        return
    cell, _, _ = study.design.members("laptop")[trial.id]
    same = published[np.logical_and.reduce([published[name] == level for name, level in cell.items()])]
    final = same[same["epoch"].isna() & same[coordinates].isna().all(axis=1)]
    # a run that chooses a rate is alone in its cell, and has no spread
    spread = final.groupby(["split", "metric"])["value"].std().fillna(0.0)
    for (split, metric), deviation in spread.items():
        place = (split, metric, "–", *["–"] * len(coordinates))
        # which look at noise was the best says nothing of the code
        if split not in LIKE_TRAINING or metric == "selected_epoch" or not np.isfinite(then[place]):
            continue
        allowed = max(SEEDS * deviation, ALONE * abs(then[place]))
        assert abs(again[place] - then[place]) <= allowed, (split, metric, again[place], then[place])
