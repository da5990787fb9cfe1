"""A bar that moves within a trial, whoever trains it."""

import pytest

from inductive_bias.locks import held
from inductive_bias.progress import Bar
from inductive_bias.running import run_trial
from tests.tiny import tiny_trial


@pytest.fixture
def bar(tmp_path):
    with Bar(4, 1, tmp_path, shown=True) as bar:
        yield bar


def test_steps_of_a_trial_are_parts_of_it(bar, tmp_path):
    first, second = (tiny_trial(seed=seed) for seed in (3, 4))
    bar.begin([first])
    bar.begin([second])
    bar.look()
    assert bar._bar.n == 1
    with held(tmp_path, first.id) as holder:
        holder.step, holder.steps = 250, 1000
        (tmp_path / f"{first.id}.json").write_text('{"pid": 1, "host": "h", "since": "s", "step": 1280, "steps": 2000}')
        bar.look()
        assert str(bar._bar.n) == "1.64"
        assert bar._bar.postfix == "now: MLP, seed 3, step 1,280 of 2,000"
    bar.end([first], done=1)
    assert bar._bar.n == 2
    bar.end([second], done=0)  # it failed
    bar.look()
    assert bar._bar.n == 2


def test_trials_of_a_stack_are_named_once(bar):
    bar.begin([tiny_trial(seed=seed) for seed in range(3)])
    assert bar._bar.postfix == "now: MLP, seed 0 and 2 more"


def test_nothing_is_shown_and_nothing_followed_where_none_is_wanted(tmp_path, capsys):
    with Bar(2, 0, tmp_path, shown=False) as bar:
        bar.begin([tiny_trial()])
        bar.end([tiny_trial()], done=1)
        assert bar._thread is None
    assert capsys.readouterr().err == ""


def test_every_step_is_told_with_their_number():
    told = []
    run_trial(tiny_trial(), device="cpu", tell=lambda step, steps: told.append((step, steps)))
    assert told == [(step, 6) for step in range(1, 7)]


def test_a_bar_with_a_title_says_in_80_columns_how_far_a_trial_is(tmp_path, capsys):
    with Bar(30, 7, tmp_path, shown=True, title="pilots") as bar:
        bar._bar.ncols = 80
        bar._bar.set_postfix_str("now: MyMixer, seed 1000, step 368 of 500")
    last = capsys.readouterr().err.strip().rpartition("\r")[2]
    assert last.startswith("pilots:  23%|")
    assert last.endswith("step 368 of 500]")
    assert len(last) <= 80
