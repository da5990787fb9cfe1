"""Scores by position, share and number of ones against loops; a scratchpad reads what the model said itself."""

import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.layers import ALiBiSpec, AttentionSpec, RSASpec, WindowSpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols import shifted
from inductive_bias.protocols.measures.shifted import BEYOND, LONGER, PARTS, TWICE, WITHIN, part, said_alone
from inductive_bias.running import protocol_of, run_trial
from inductive_bias.tasks import ShiftedStates
from inductive_bias.tasks.automata import SHARES
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TASK = ShiftedStates(automaton="parity", length=5, longest=14, shares=(0.1, 0.5), validation_size=20, test_size=30)
PAD, BEGUN = (TASK.model_copy(update={name: True}) for name in ("scratchpad", "begun"))
LSTM = RecurrentSpec(cell="lstm", states=6, embedding=4)
MODEL = MixingSpec(mixer=AttentionSpec(heads=2), positions="sinusoidal", layers=1, width=8)


def trial(model=MODEL, *, task=TASK, epochs=1):
    return Trial(
        task=task,
        model=model,
        optimiser=OptimiserSpec(learning_rate=1e-3),
        schedule=ScheduleSpec(epochs=epochs, batch_size=4, warmup=10),
    )


class Oracle(nn.Module):
    """Knows the state, and after ``gives_up`` actions says 0; with a scratchpad it trusts the state last written."""

    def __init__(self, task, gives_up=1_000):
        super().__init__()
        self.task, self.gives_up = task, gives_up
        self.scale = nn.Parameter(torch.tensor(10.0))

    def forward(self, inputs):
        assert not self.task.scratchpad
        first = int(self.task.begun)
        states = torch.from_numpy(self.task.origin.machine.run((inputs[:, first:] - 1).clamp(min=0).numpy()))
        states[:, self.gives_up :] = 0
        states = nn.functional.pad(states, (first, 0), value=1)
        return self.scale * nn.functional.one_hot(states, 2).float()

    def prefill(self, tokens):
        given, cache = self.step(tokens[:, 0], (torch.zeros(len(tokens), dtype=torch.int64), 0))
        return given[:, None], cache

    def step(self, token, cache):
        state, read = cache
        written = token >= self.task.written
        after = torch.where(written, token - self.task.written, state ^ (token - 1))
        after = torch.where(~written & (read >= self.gives_up), 1 - after, after)
        return self.scale * nn.functional.one_hot(after, 2).float(), (after, read + int(not written.any()))


def rows_of(model, task=TASK, *, diverged=False):
    protocol = protocol_of(trial(task=task), task.load())
    return pd.DataFrame(protocol.measures.final(model, diverged=diverged))


def value(rows, split, metric, **at):
    rows = rows[(rows["split"] == split) & (rows["metric"] == metric)]
    for name in ("part", "position", "share", "ones"):
        if name in rows:
            rows = rows[rows[name] == at[name] if name in at else rows[name].isna()]
    return rows["value"].item()


@pytest.mark.parametrize("task", [TASK, PAD, BEGUN], ids=["answers", "scratchpad", "begun"])
def test_who_knows_the_state_is_right_everywhere(task):
    rows = rows_of(Oracle(task), task)
    assert (rows[rows["metric"].isin(("accuracy", "string_accuracy"))]["value"] == 1).all()
    assert len(rows[(rows["split"] == "test") & rows["position"].notna() & (rows["metric"] == "accuracy")]) == 14


def test_scores_are_those_of_loops():
    rows, data = rows_of(Oracle(TASK, gives_up=7)), TASK.load()
    right = [[state == 0 or place < 7 for place, state in enumerate(word)] for word in data["test"].labels.tolist()]
    for name, places in {WITHIN: range(5), TWICE: range(5, 10), BEYOND: range(10, 14), LONGER: range(5, 14)}.items():
        assert [*range(14)][part(TASK, name)] == [*places]
        wanted = sum(word[place] for word in right for place in places) / (30 * len(places))
        assert value(rows, "test", "accuracy", part=name) == pytest.approx(wanted)
    assert value(rows, "test", "accuracy", position=9) == pytest.approx(sum(word[8] for word in right) / 30)
    assert value(rows, "test", "string_accuracy") == pytest.approx(sum(map(all, right)) / 30)


def test_shares_and_numbers_of_ones_are_told_apart():
    rows, split = rows_of(Oracle(TASK, gives_up=2)), TASK.load()[SHARES]
    each = [sum(state == 0 or place < 2 for place, state in enumerate(word)) / 5 for word in split.labels.tolist()]
    for place, share in enumerate(TASK.shares):
        chosen = [score for score, at in zip(each, split.slices["share"].tolist(), strict=True) if at == place]
        assert value(rows, SHARES, "accuracy", share=share) == pytest.approx(sum(chosen) / 30)
    for ones in range(4):
        chosen = [score for score, at in zip(each, split.slices["ones"].tolist(), strict=True) if at == ones]
        assert value(rows, SHARES, "accuracy", ones=ones) == pytest.approx(sum(chosen) / len(chosen))
        assert value(rows, SHARES, "n", ones=ones) == len(chosen)


def test_the_best_constant_stands_beside_them():
    rows = rows_of(Oracle(TASK))
    assert value(rows, "test", "constant_accuracy", part=BEYOND) == pytest.approx(0.5)
    assert value(rows, SHARES, "constant_accuracy", share=0.1) == pytest.approx(TASK.best_constant(5, 0.1).mean())
    assert value(rows, "test", "constant_accuracy", position=1) == pytest.approx(0.5)


def test_an_error_that_is_written_down_is_read_again():
    """Who errs at every action from the eighth on, and trusts its notes, is wrong at every other one."""
    rows = rows_of(Oracle(PAD, gives_up=7), PAD)
    right = [value(rows, "test", "accuracy", position=place) for place in range(1, 15)]
    assert right == [1.0] * 7 + [0.0, 1.0] * 3 + [0.0]


def test_a_diverged_run_stays_in_the_table():
    rows = rows_of(Oracle(TASK), diverged=True)
    wanted = rows[rows["metric"].isin(("accuracy", "string_accuracy"))]
    assert len(wanted) == 1 + len(PARTS) + len(TASK.shares)
    assert wanted["value"].isna().all()


MIXERS = [AttentionSpec(heads=2), ALiBiSpec(heads=2), WindowSpec(heads=2, window=4, rotary=True), RSASpec(heads=2)]


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda spec: spec.kind)
def test_what_is_said_alone_is_what_the_whole_model_says_of_its_own_notes(mixer):
    torch.manual_seed(0)
    model = MODEL.model_copy(update={"mixer": mixer}).build(**PAD.dimensions).eval()
    actions = PAD.load()["test"].inputs[:6, ::2]
    said = said_alone(model, actions, PAD.written)
    notes = torch.stack((actions, said + PAD.written), 2).flatten(1)
    assert torch.equal(model(notes)[:, ::2].argmax(-1), said)


@pytest.mark.parametrize("model", [LSTM, MODEL.model_copy(update={"positions": "randomised", "reach": 40})])
def test_who_cannot_go_token_by_token_is_refused_before_training(model):
    with pytest.raises(SettingError, match="cannot use a scratchpad"):
        run_trial(trial(model, task=PAD), device="cpu")


@pytest.mark.parametrize("patient", [False, True])
def test_training_ends_when_all_is_right_unless_it_is_patient(patient, monkeypatch):
    monkeypatch.setattr(shifted, "SOLVED", 0.0)
    task = TASK.model_copy(update={"patient": patient})
    measures = protocol_of(trial(task=task), task.load()).measures
    for epoch in range(1, 4):
        assert not measures.should_stop
        list(measures.after_epoch(Oracle(task, gives_up=0), epoch))
    assert measures.should_stop == (not patient)


@pytest.mark.parametrize("task", [TASK, PAD], ids=["answers", "scratchpad"])
def test_a_trial_runs_and_leaves_every_row(task):
    outcome = run_trial(trial(task=task), device="cpu")
    rows = pd.DataFrame(outcome.rows)
    assert value(rows[rows["epoch"].isna()], "train", "steps") == 100
    assert rows["part"].dropna().unique().tolist() == list(PARTS)
    assert set(outcome.arrays) == {"features/1"}
