"""Somebody who wants one layer must not pay for the book."""

import subprocess
import sys

import pytest

HEAVY = (
    "pandas",
    "scipy",
    "sklearn",
    "matplotlib",
    "seaborn",
    "torchvision",
    "pyarrow",
    "safetensors",
    "skimage",
    "datasets",
    "papermill",
    "joblib",
    "tyro",
)


@pytest.mark.parametrize("room", ["models", "layers", "attention", "losses", "metrics", "tasks"])
def test_the_ground_floors_import_nothing_heavy(room):
    code = f"import inductive_bias.{room}, sys; print([m for m in {HEAVY} if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
