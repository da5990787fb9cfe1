"""What the benchmark of speed does, never how fast it is."""

import pandas as pd
import pytest
import torch

from inductive_bias.benchmarks import speed
from inductive_bias.benchmarks.base import problems_of
from inductive_bias.benchmarks.speed import SPEED, Sizes, kept_bytes, models_of, trainer
from inductive_bias.studies.automata.design import (
    ATTENTION,
    FEW,
    KEPT,
    LINEAR_RNN,
    LSTM,
    MEASURES,
    PLANS,
    REM,
    RSA,
    SPEED_MODELS,
    STEP,
    Shape,
    named,
)
from inductive_bias.studies.timings import TRAINING, variant

SHAPE = Shape(width=8, layers=1, heads=2, symbols=5)
SMALL = Sizes(shape=SHAPE, lengths=(4, 16), tokens=32, held=16, written=1, scale="smoke", steps=1)
BYTES = 4


@pytest.fixture(scope="module")
def table():
    before = torch.get_rng_state()
    found = speed.measure(2, sizes=SMALL)
    assert torch.equal(torch.get_rng_state(), before)
    return found


def test_every_model_is_measured_at_every_length_and_the_lstm_against_itself(table):
    assert not problems_of(table)
    assert set(table["measure"]) == {*MEASURES, STEP}
    for _, rows in table[table["measure"] != STEP].groupby("measure"):
        assert set(rows["model"]) == set(SPEED_MODELS)
        assert set(rows["variant"]) == {variant(4), variant(16)}
        assert (rows.loc[rows["model"] == LSTM, "ratio"] == 1).all()


def test_the_models_of_the_study_are_measured_with_each_of_their_depths(table):
    steps = table[table["measure"] == STEP]
    plan = PLANS["smoke"]
    assert set(steps["model"]) == {named(name, layers) for name, depths in plan.layers.items() for layers in depths}
    assert (steps.loc[steps["model"] == named(LSTM, 1), "ratio"] == 1).all()


def test_steps_have_equally_many_tokens_or_equally_many_sequences(monkeypatch):
    seen = []
    monkeypatch.setattr(speed, "trainer", lambda model, inputs: seen.append(tuple(inputs.shape)) or (lambda: None))
    list(speed.training_rows(SMALL, 1))
    assert set(seen) == {(8, 4), (2, 16)}
    seen.clear()
    list(speed.few_rows(SMALL, 1))
    assert set(seen) == {(2, 4), (2, 16)}
    assert FEW != TRAINING


def test_what_is_kept_grows_with_what_was_read_only_where_keys_are(table):
    kept = table[table["measure"] == KEPT].groupby(["model", "variant"])["value"].first().unstack()
    short, long = kept[variant(4)], kept[variant(16)]
    states = {LSTM: 2 * SHAPE.specs[LSTM].states, LINEAR_RNN: SHAPE.specs[LINEAR_RNN].width}
    for model, numbers in states.items():
        assert short[model] == long[model] == BYTES * numbers
    assert short[REM] == long[REM]
    assert (short[ATTENTION], long[ATTENTION]) == tuple(BYTES * 2 * n * SHAPE.width for n in (4, 16))
    assert long[RSA] - short[RSA] == long[ATTENTION] - short[ATTENTION]


def test_a_step_of_training_moves_every_weight_that_has_a_gradient():
    for model in models_of(SMALL).values():
        before = {name: each.detach().clone() for name, each in model.named_parameters()}
        trainer(model, torch.randint(SHAPE.symbols, (2, 6)))()
        moved = {name: each for name, each in model.named_parameters() if each.grad is not None and each.grad.any()}
        assert moved
        assert [name for name, each in moved.items() if torch.equal(each, before[name])] == []


def test_nothing_is_kept_of_the_graph():
    model = models_of(SMALL)[ATTENTION]
    assert kept_bytes(model, torch.zeros(1, 3, dtype=torch.int64)) == BYTES * 2 * 3 * SHAPE.width


def test_it_measures_on_one_thread_and_leaves_the_threads_as_they_were():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with SPEED.on_its_threads():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_page_shows_what_is_published_or_else_measures(monkeypatch):
    monkeypatch.setattr(speed, "read_table", lambda name: pd.DataFrame({"name": [name]}))
    assert speed.times("laptop")["name"].tolist() == ["speed"]
    monkeypatch.setattr(speed, "measure", lambda repeats, sizes: pd.DataFrame({"scale": [sizes.scale] * repeats}))
    assert speed.times("smoke")["scale"].tolist() == ["smoke"]
