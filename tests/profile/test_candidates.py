"""Probes that no known model was asked yet: who names one gets it, and is told that nothing stands beside it."""

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from inductive_bias import cli
from inductive_bias.errors import SettingError
from inductive_bias.profile import model_spec, profile, read_report
from inductive_bias.profile.groups import GROUPS
from inductive_bias.profile.own import row_of
from inductive_bias.profile.population import add_to_population, published_population
from inductive_bias.profile.report import refuse_axes_not_asked, words_that_hold
from inductive_bias.store import Store
from inductive_bias.studies.known_models import BY_NAME
from inductive_bias.studies.profile_axes import AXES, CANDIDATE_AXES
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.studies.profiles.design import CANDIDATES
from inductive_bias.tasks.probes import PROBES
from inductive_bias.trials import Trial
from tests.made_profiles import made_population, working_in

MODEL = """
from torch import nn

def build(vocabulary, outputs, width=8):
    return nn.Sequential(nn.Embedding(vocabulary, width), nn.Linear(width, outputs))
"""
BUDGET = Budget(rates=(3e-3, 1e-2), hundreds=1, batch_size=4, warmup=10, test_size=8)
NOTE = "No known model stands beside this candidate yet: fading sum."
ROWS = ["recurrent signal", "length (fading sum)", "calibration (fading sum)"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The working folder of all tests: a run that one of them made is there for the next."""
    with working_in(tmp_path_factory.mktemp("candidates"), {"my_model.py": MODEL}) as folder:
        yield folder


@pytest.fixture
def known():
    """A population of made scores on a probe that has joined."""
    axes = dict.fromkeys(("state tracking", "length", "calibration"), "parity")
    return made_population(axes, [f"model {n}" for n in range(6)])


@pytest.fixture
def spec(folder):
    return model_spec("my_model.py:build")


def made(spec, known, *probes, **options):
    options = {"runs": 2, "budget": BUDGET, "jobs": 1, "progress": False} | options
    return profile(spec, population=known, probes=probes, **options)


def test_terminal_page_and_figure_say_that_no_known_model_stands_beside_it(spec, known, folder):
    report = made(spec, known, "parity", "fading sum")
    assert report.note == NOTE
    assert str(report).splitlines()[1] == f"NOTE: {NOTE}"
    lines = [line for line in report.lines() if "no known model was asked it" in line]
    assert [line.split("  ")[0] for line in lines] == ROWS
    assert report.rows_apart == set(ROWS)
    assert report.meaning("recurrent signal") == CANDIDATE_AXES["recurrent signal"].more
    assert report.meaning("length (fading sum)") == AXES["length"].more
    report.save("told")
    page = (folder / "told.html").read_text("utf8")
    assert f"<p>{NOTE}</p>" in page
    assert "Keeps a sum of all symbols so far, of which each fades with distance." in page
    assert "Probes of your own" not in page
    assert str(read_report("told.json", known)) == str(report)
    assert [label.get_text() for label in report.plot().axes[0].get_yticklabels()] == list(report.table["axis"])


def test_a_preference_that_was_not_learnt_says_both(spec, known):
    report = made(spec, known, "decay or period")
    assert list(report.table["axis"]) == ["decay"]
    line = report.lines()[0]
    assert line == "decay  not learnt: not every run learnt what it asks; no known model was asked it"


def test_candidates_change_no_other_row(spec, known):
    """The population was not asked them: a mean with them would stand beside a mean without them."""
    usual, more = made(spec, known, "parity"), made(spec, known, "parity", *CANDIDATES)
    assert not usual.note
    pd.testing.assert_frame_equal(usual.table, more.table.iloc[: len(usual.table)])
    pd.testing.assert_series_equal(usual.nearest(), more.nearest())
    assert more.note == "No known model stands beside these candidates yet: decay or period, fading sum."


def test_a_profile_of_candidates_alone_has_no_relatives_beside_the_published_models(spec):
    report = made(spec, published_population(), *CANDIDATES)
    assert report.headline.endswith("2 probes, 2 runs each, beside no known model")
    assert report.nearest().empty
    assert report.lines()[-1].endswith("none: no known model was asked these probes")
    assert set(report.table["word"]) <= {"cannot tell", "not learnt"}


def test_models_of_one_s_own_that_were_asked_are_compared_with(spec, known):
    # no member of the published population: none of their answers may be seen before they are declared
    wider = model_spec("my_model.py:build", arguments={"width": 12})
    others = made(wider, known, "parity", "fading sum", name="another")
    add_to_population("asked.parquet", pd.concat([known, others.scores]))
    report = made(spec, pd.read_parquet("asked.parquet"), "parity", "fading sum")
    assert report.table.set_index("axis").loc["recurrent signal", "of"] == 1
    assert not report.rows_apart
    assert not report.note
    assert "NOTE" not in str(report)


def test_an_axis_that_the_population_lacks_was_not_asked(spec, known):
    """Not even one model was: nobody failed to learn it."""
    report = made(spec, known, "parity", "recall")
    (line,) = (line for line in report.lines() if line.startswith("recall"))
    assert line.endswith(", and no known model was asked it")
    unlearnt = pd.concat([known, known[known["axis"] == "length"].assign(axis="recall", probe="recall", value=None)])
    (line,) = (each for each in made(spec, unlearnt, "recall").lines() if each.startswith("recall"))
    assert line.endswith(", and no known model has learnt what it asks")


def test_words_of_a_candidate_compare_with_a_baseline_and_can_fail_a_build(spec, known):
    report, other = made(spec, known, "fading sum"), made(spec, known, "parity", *CANDIDATES)
    assert words_that_hold(report, ["recurrent signal: cannot tell"]) == ["recurrent signal: cannot tell"]
    assert words_that_hold(report, ["length (fading sum): less"]) == []
    assert report.compare(other).set_index("axis").loc["recurrent signal", "difference"] == 0
    beside = other.compare(report).set_index("axis")
    assert beside.loc["recurrent signal", "difference"] == 0
    assert beside.loc["decay", "of"] == 0
    assert any("the other model was not asked it" in line for line in other.lines(beside=report))


@pytest.mark.parametrize("name", CANDIDATES)
def test_words_about_a_candidate_need_it(known, name):
    axis = PROBES[name].axis
    refuse_axes_not_asked([f"{axis}: less"], [name], known)
    with pytest.raises(SettingError, match=f"none of the chosen probes is about it; add {name}$"):
        refuse_axes_not_asked([f"{axis}: less"], ["parity"], known)


def test_a_probe_of_one_s_own_on_the_axis_of_a_candidate_is_kept_apart():
    assert row_of("decay", "decay or period") == "decay"
    assert row_of("decay", "my probe") == "decay (my probe)"


def test_a_teacher_has_a_rate_of_its_own_on_a_candidate(spec, known, folder, monkeypatch):
    """Nobody has searched it: the first rate would be a guess."""
    teacher = model_spec("my_model.py:build", arguments={"width": 12})
    monkeypatch.setitem(BY_NAME, "LSTM", SimpleNamespace(spec=lambda: teacher))
    assert made(spec, known, "fading sum", taught_by="LSTM").teacher == "LSTM"
    store, losses = Store(folder / "runs" / "profile"), {}
    for trial in BUDGET.pilots(teacher, "fading sum"):
        rows = store.rows(trial)
        final = rows[(rows["split"] == "validation") & (rows["metric"] == "nll") & rows["epoch"].isna()]
        losses[trial.optimiser.learning_rate] = final["value"].item()
    trials = [
        Trial.model_validate(json.loads(record.read_text())["trial"]) for record in store.root.glob("*/trial.json")
    ]
    taught = [trial for trial in trials if trial.teacher]
    assert {trial.teacher.task.probe for trial in taught} == {"fading sum"}
    assert {trial.teacher.optimiser.learning_rate for trial in taught} == {min(losses, key=losses.get)}


def test_the_command_says_it(folder, known, monkeypatch, capsys):
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=BUDGET))
    add_to_population("known.parquet", known)
    words = ["my_model.py:build", "--probes", "fading sum", "--runs", "2", "--jobs", "1", "--quiet"]
    monkeypatch.setattr(sys, "argv", ["inductive-bias", "profile", *words, "--population", "known.parquet"])
    cli.main()
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("1 probe, 2 runs each, beside no known model")
    assert said[1] == f"NOTE: {NOTE}"
    assert all(line.endswith("no known model was asked it") for line in said[2:5])
    assert said[5].endswith("none: no known model was asked these probes")
