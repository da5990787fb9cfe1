"""``kill -9`` of the real command line, at moments that no code could prepare for: no finished trial is lost.

``KILLS=20 make test-kills`` strikes more often.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from inductive_bias.engine import missing
from inductive_bias.resuming import ENV_MINUTES
from inductive_bias.store import DRAFT, Store
from inductive_bias.studies import study_named
from inductive_bias.studies.study import Study

KILLS = int(os.environ.get("KILLS", "5"))
STUDY, SCALE = study_named("vision"), "smoke"


def start(home: Path, study: str = STUDY.name, *options: str, jobs: int = 1, **environment: str) -> subprocess.Popen:
    """The command line, in a process group of its own."""
    command = ["run", study, "--scale", SCALE, "--jobs", str(jobs), "--device", "cpu", "--quiet", *options]
    return subprocess.Popen(
        [sys.executable, "-m", "inductive_bias.cli", *command],
        env=os.environ | {"INDUCTIVE_BIAS_HOME": str(home), "OMP_NUM_THREADS": "1"} | environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def rows(home: Path, study: Study = STUDY) -> pd.DataFrame:
    store = Store(home / "runs" / study.name)
    trials = study.trials(SCALE)
    return pd.concat([store.rows(trial).assign(trial=trial.id) for trial in trials], ignore_index=True)


def finished(home: Path, study: Study = STUDY) -> set[str]:
    store = Store(home / "runs" / study.name)
    trials = study.trials(SCALE)
    return {trial.id for trial in trials} - {trial.id for trial in missing(trials, store)}


@pytest.mark.slow
def test_a_sweep_that_is_killed_again_and_again_gives_the_table_of_one_that_is_not(tmp_path):
    quiet, struck = tmp_path / "quiet", tmp_path / "struck"
    for home in (quiet, struck):
        home.mkdir()
    moments, kills, kept = random.Random(0), 0, set()
    while kills < KILLS:
        process, seen = start(struck), len(finished(struck))
        # wait until it trains, then strike while another trial is being trained or written
        deadline, wanted = time.monotonic() + 120, seen + moments.choice([0, 1, 1, 2])
        while process.poll() is None and time.monotonic() < deadline and len(finished(struck)) < max(wanted, seen):
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 0.5) + 4 * (wanted == seen))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
        assert kept <= finished(struck)
        kept = finished(struck)
        if len(kept) == len(STUDY.trials(SCALE)):
            break
    assert kills >= 3
    for home in (struck, quiet):
        process = start(home)
        assert process.wait(timeout=300) == 0
    pd.testing.assert_frame_equal(rows(struck), rows(quiet), check_exact=True)
    assert list((struck / "runs" / STUDY.name).glob(f"{DRAFT}*")) == []


#: Two kinds of models whose seeds are trained as stacks, with dropout, whose numbers hang on who is in the stack; and
#: one that is trained alone.
STACKED = """
from inductive_bias.studies.design import Design
from inductive_bias.studies.signal_models import LSTM, RSA, SIZES, TWIN
from inductive_bias.studies.study import Page, Study

KINDS = {str(kind): kind for kind in (RSA, TWIN, LSTM)}


def trial(kind, seed):
    found = SIZES["smoke"].trial(kind, rho=0.5, samples=64, seed=seed)
    changed = {
        "model": found.model.model_copy(update={"dropout": 0.2}),
        "schedule": found.schedule.model_copy(update={"epochs": 400}),
    }
    return found.model_copy(update=changed)


def cells(scale):
    for name, kind in KINDS.items():
        yield {"model": name}, [trial(kind, seed) for seed in range(4)]


STUDY = Study(
    name="stacked",
    question="Where was it cut?",
    part="Toys",
    design=Design(cells, ("model",)),
    pages=(Page("stacked", "Where was it cut?", "nobody can tell"),),
    claims=(),
)
"""


@pytest.mark.slow
@pytest.mark.skipif("KILLS" not in os.environ, reason="stacks compile for minutes in each process: make test-kills")
def test_a_sweep_of_stacks_that_is_killed_three_times_gives_the_rows_of_one_that_is_not(tmp_path, monkeypatch):
    """In the middle of a stack, between two of its runs being written, and in the middle of what is left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stacked.py").write_text(STACKED)
    study, options = study_named("stacked.py:STUDY"), ("stacked.py:STUDY", "--together")
    # compiled once for all processes, and kept where the environment says so
    compiled = os.environ.get("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "compiled"))
    environment = {ENV_MINUTES: "0.02", "TORCHINDUCTOR_CACHE_DIR": compiled}
    quiet, struck = tmp_path / "quiet", tmp_path / "struck"
    for home in (quiet, struck):
        home.mkdir()

    stores = {home: Store(home / "runs" / study.name) for home in (quiet, struck)}
    trials = study.trials(SCALE)

    def half_trained() -> dict[Path, int]:
        found = stores[struck].checkpoint(trials[0]).parent.glob("*")
        return {path: path.stat().st_mtime_ns for path in found if path.exists()}

    strikes = (
        lambda runs, kept: half_trained() != kept,
        lambda runs, kept: finished(struck, study) != runs,
        lambda runs, kept: half_trained().keys() - kept.keys() or finished(struck, study) != runs,
    )
    for strike in strikes:
        runs, kept = finished(struck, study), half_trained()
        process = start(struck, *options, jobs=2, **environment)
        deadline = time.monotonic() + 900
        while process.poll() is None and time.monotonic() < deadline and not strike(runs, kept):
            time.sleep(0.02)
        assert process.poll() is None
        assert strike(runs, kept)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for home in (struck, quiet):
        assert start(home, *options, jobs=2, **environment).wait(timeout=900) == 0
    pd.testing.assert_frame_equal(rows(struck, study), rows(quiet, study), check_exact=True)
    ways = {home: [store.record(trial)["together"] for trial in trials] for home, store in stores.items()}
    assert ways[struck] == ways[quiet]
    assert {way.partition(",")[0] for way in ways[struck]} == {"4 stacked", "alone"}
