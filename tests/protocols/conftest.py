"""Trained once for all tests of protocols: a teacher of sentences and a language model."""

import pandas as pd
import pytest

from inductive_bias.running import run_trial
from tests.tiny import tiny_language_trial, tiny_sentence_trial


def frame(outcome) -> pd.DataFrame:
    return pd.DataFrame(outcome.rows)


def run(trial, **options):
    return run_trial(trial, device="cpu", **options)


@pytest.fixture(scope="session")
def reader():
    """An LSTM that classifies sentences: its trial and its outcome."""
    trial = tiny_sentence_trial()
    return trial, run(trial)


@pytest.fixture(scope="session")
def speaker():
    """An LSTM language model: its trial and its outcome."""
    trial = tiny_language_trial()
    return trial, run(trial)
