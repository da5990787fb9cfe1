"""Run by tests in a process of its own: trains a few tiny trials and prints one line for each run that was made.

python tests/run_tiny_study.py RUNS_FOLDER JOBS
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from inductive_bias.engine import run_missing
from inductive_bias.store import Store
from tests.tiny import CNN, tiny_student, tiny_trial

#: Two teachers and their students: long enough to be killed in the middle.
TRIALS = [tiny_student(seed=seed, teacher=tiny_trial(seed=seed, model=CNN, epochs=3)) for seed in range(4)]

if __name__ == "__main__":
    print("ran", run_missing(TRIALS, Store(Path(sys.argv[1])), device="cpu", jobs=int(sys.argv[2]), progress=False))
