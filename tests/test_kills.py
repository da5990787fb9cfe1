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
from inductive_bias.store import DRAFT, Store
from inductive_bias.studies import study_named

KILLS = int(os.environ.get("KILLS", "5"))
STUDY, SCALE = study_named("vision"), "smoke"


def start(home: Path) -> subprocess.Popen:
    """The command line, in a process group of its own."""
    command = ["run", STUDY.name, "--scale", SCALE, "--jobs", "1", "--device", "cpu", "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-m", "inductive_bias.cli", *command],
        env=os.environ | {"INDUCTIVE_BIAS_HOME": str(home), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def rows(home: Path) -> pd.DataFrame:
    store = Store(home / "runs" / STUDY.name)
    trials = STUDY.trials(SCALE)
    return pd.concat([store.rows(trial).assign(trial=trial.id) for trial in trials], ignore_index=True)


def finished(home: Path) -> set[str]:
    store = Store(home / "runs" / STUDY.name)
    trials = STUDY.trials(SCALE)
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
