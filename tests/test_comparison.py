"""Models of one's own compared in a few lines: kept, found again, judged in words."""

import pandas as pd
import pytest
import torch
from torch import nn

import inductive_bias
from inductive_bias import SequenceClassification, compare
from inductive_bias.comparison import Comparison
from inductive_bias.errors import SettingError
from inductive_bias.models import LSTMSpec
from inductive_bias.store import Store
from tests.tiny import SENTENCES


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    return tmp_path


class Bag(nn.Module):
    def __init__(self, vocabulary, classes, width=4):
        super().__init__()
        self.embedding, self.readout = nn.Embedding(vocabulary, width, padding_idx=0), nn.Linear(width, classes)

    def forward(self, tokens):
        return self.readout(self.embedding(tokens).sum(1))


def wide(vocabulary, classes):
    return Bag(vocabulary, classes, width=8)


def task(seed=0, **options):
    inputs = torch.randint(1, 6, (60, 6), generator=torch.Generator().manual_seed(seed))
    return SequenceClassification((inputs, (inputs == 1).any(1).long()), name="ones", **options)


QUICK = {"seeds": 2, "epochs": 1, "progress": False}


def test_everything_is_kept_and_a_second_call_trains_what_is_missing(home, monkeypatch):
    models = {"narrow": Bag, "wide": wide, "LSTM": LSTMSpec(layers=1, width=4)}
    found = compare(models, task(), **QUICK)
    assert len(list((home / "runs" / "compare").glob("*/trial.json"))) == 6
    assert found.frame.columns.tolist() == ["model", "task", "seed", "learning_rate", "split", "metric", "value"]
    assert set(found.frame["split"]) == {"train", "validation", "test", "model"}
    saved = []
    monkeypatch.setattr(
        Store,
        "save",
        lambda self, trial, outcome, save=Store.save: (saved.append(trial.seed), save(self, trial, outcome)),
    )
    again = compare(models, {"ones": task()}, **QUICK | {"seeds": 3})
    assert sorted(saved) == [2, 2, 2]
    before = again.frame[again.frame["seed"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        before,
        found.frame.sort_values("model", key=lambda names: names.map(list(models).index), kind="stable").reset_index(
            drop=True
        ),
    )


def test_other_data_are_other_trials(home):
    compare({"bag": Bag}, task(), **QUICK)
    compare({"bag": Bag}, task(seed=1), **QUICK)
    assert len(list((home / "runs" / "compare").glob("*/trial.json"))) == 4


@pytest.mark.slow
def test_workers_get_models_and_data_of_the_callers_process():
    scope = {"__name__": "__main__", "nn": nn}
    exec("class Local(nn.Linear):\n def __init__(s, channels, classes): super().__init__(channels, classes)", scope)
    inputs = torch.randn(40, 1, 3)
    found = compare(
        {"linear": scope["Local"]}, SequenceClassification((inputs, (inputs[:, 0, 0] > 0).long())), jobs=2, **QUICK
    )
    assert len(found.intervals()) == 1


def test_each_model_has_the_learning_rate_that_is_best_on_validation():
    found = compare({"bag": Bag, "wide": wide}, task(), learning_rate=(1e-6, 0.05), **QUICK | {"epochs": 8})
    chosen = found.rates[found.rates["chosen"]]
    for model, rows in found.rates.groupby("model"):
        assert (
            chosen.set_index("model").loc[model, "learning_rate"]
            == rows.loc[rows["validation"].idxmin(), "learning_rate"]
        )
    assert set(found.frame["learning_rate"]) == set(chosen["learning_rate"])
    assert len(found.rates) == 4


def test_tasks_of_the_package_are_compared_too():
    found = compare({"LSTM": LSTMSpec(layers=1, width=4)}, {"sentences": SENTENCES}, **QUICK)
    assert found.intervals().loc[0, "metric"] == "accuracy"


def by_hand(metric="accuracy", **values):
    rows = [
        (model, "t", seed, 1e-3, "test", metric, value)
        for model, each in values.items()
        for seed, value in enumerate(each)
    ]
    columns = ["model", "task", "seed", "learning_rate", "split", "metric", "value"]
    return Comparison(pd.DataFrame(rows, columns=columns), pd.DataFrame(), {})


A = [0.90, 0.91, 0.92, 0.91, 0.90]
B = [0.80, 0.82, 0.81, 0.80, 0.81]


def test_verdicts_are_words_with_the_effect_and_its_interval():
    found = by_hand(RSA=A, LSTM=B)
    answer = found.verdict("RSA", "LSTM", margin=0.02)
    assert answer.word == "better"
    assert str(answer).startswith("On t, RSA is better than LSTM by more than 0.02 accuracy. RSA − LSTM: +0.100\u00a0[")
    assert "over 5 seeds (mean and 95 % interval)" in str(answer)
    assert found.verdict("LSTM", "RSA", margin=0.02).word == "worse"
    assert found.verdict("LSTM", "RSA", margin=0.2).word == "alike"
    assert found.verdict("LSTM", "RSA", margin=0.1).word == "undecided"


def test_of_errors_less_is_better():
    found = by_hand("mse", RSA=B, LSTM=A)
    assert found.verdict("RSA", "LSTM", margin=0.02).word == "better"
    assert "RSA − LSTM: −0.100" in str(found.verdict("RSA", "LSTM", margin=0.02))


def test_diverged_runs_are_failures_or_are_asked_about():
    lost = [float("nan"), *A[1:]]
    answer = by_hand(RSA=lost, LSTM=B).verdict("RSA", "LSTM", margin=0.02)
    assert answer.word == "undecided"
    assert "1 of the runs diverged" in str(answer)
    answer = by_hand("mse", RSA=lost, LSTM=B).verdict("RSA", "LSTM", margin=0.02)
    assert answer.word == "not testable"
    assert "say with failed_value" in str(answer)
    assert by_hand("mse", RSA=lost, LSTM=B).verdict("RSA", "LSTM", margin=0.02, failed_value=9.0).word != "not testable"


def test_equal_shares_have_an_interval_of_some_width():
    row = by_hand(RSA=[1.0] * 5).intervals().iloc[0]
    assert (row["mean"], row["high"]) == (1.0, 1.0)
    assert 0 < row["low"] < 0.8


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: by_hand(a=A, b=B).verdict("a", "c", margin=0.1), "no model 'c'; there are a, b"),
        (lambda: by_hand(a=A, b=B).verdict("a", "b", margin=0), "margin=0 must be above 0"),
        (lambda: by_hand(a=A).intervals("mse"), "no 'mse' on split 'test'; there are accuracy"),
        (lambda: by_hand(a=A, b=B).verdict("a", "b", margin=0.1, task="u"), "should be one of t"),
        (lambda: compare({}, task()), "at least one model"),
        (lambda: compare({"a": Bag}, task(), seeds=0), "must each give one"),
        (lambda: compare({"built": Bag(3, 2)}, task()), "Bag is a model that is built already"),
        (lambda: compare({"odd": lambda music: nn.Linear(1, 1)}, task()), "odd on ones: .*needs music"),
        (lambda: compare({"odd": lambda: 3}, task()), "must build a torch.nn.Module"),
        (lambda: compare({"a": Bag}, {"numbers": 3}), "int: a task must have"),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(call, words):
    with pytest.raises(SettingError, match=words):
        call()


def test_a_record_names_a_model_of_python_but_cannot_bring_it_back(home):
    from inductive_bias.store import read_run

    compare({"bag": Bag}, task(), **QUICK)
    run = next((home / "runs" / "compare").glob("*/trial.json")).parent
    with pytest.raises(SettingError, match="was given as an object of Python"):
        read_run(run)


def test_the_package_itself_stays_light():
    assert {"compare", "SequenceClassification"} <= set(dir(inductive_bias))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        inductive_bias.nothing  # noqa: B018
