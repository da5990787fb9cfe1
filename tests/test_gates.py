"""What training has done to the gates of RSA, from published rows and from seeds."""

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.record import gates
from inductive_bias.running import Run, reproducible
from inductive_bias.studies import STUDIES


@pytest.fixture(scope="module")
def moved():
    return gates.moved()


def a_trial(study):
    cells = STUDIES[study].design.cells("laptop").items()
    return next(trials[1] for cell, trials in cells if cell["model"] == "RSA" and trials[1].task.generated)


@pytest.mark.parametrize("study", ["automata", "regular_languages"])
def test_the_start_of_a_gate_is_that_of_its_run(study):
    trial = a_trial(study)
    with reproducible(trial.seed, torch.device("cpu")):
        run = Run(trial, torch.device("cpu"), None)
    opened = {layer: block.mixer.gate.mean() for layer, block in enumerate(run.model.blocks, start=1)}
    logits = {layer: torch.logit(gate).item() for layer, gate in opened.items()}
    assert gates.logits_at_start(trial) == pytest.approx(logits, abs=1e-4)


def test_the_random_state_of_the_caller_stays():
    state = torch.get_rng_state()
    gates.logits_at_start(a_trial("automata"))
    assert torch.equal(torch.get_rng_state(), state)


def test_every_study_with_such_gates_is_there_with_all_its_runs(moved):
    there = {
        "signal_vs_samples",
        "elsewhere",
        "regular_languages",
        "mastery",
        "rem_vs_toeplitz",
        "forecasting",
        "feed_forward",
        "automata",
    }
    assert there <= set(moved["study"])
    assert np.isfinite(moved[["start", "end", "change"]]).all(axis=None)
    assert moved["start"].abs().max() <= 3
    # four runs of a cell with two layers
    own = moved[(moved["study"] == "automata") & (moved["task"] == "RSA with 2 layers, Grid4")]
    assert (own["trial"].nunique(), len(own)) == (4, 8)
    assert not moved["task"].str.contains("consecutive|frozen|Toeplitz").any()


def frame(*, study="s", **kinds):
    """Gates of made-up tasks by kind: pairs of start and change, one a run."""
    rows = [
        (study, kind, task, f"{study}{kind}{task}{number}", 1, start, start + change, change)
        for kind, tasks in kinds.items()
        for task, changes in tasks.items()
        for number, (start, change) in enumerate(changes)
    ]
    found = pd.DataFrame(rows, columns=["study", "kind", "task", "trial", "layer", "start", "end", "change"])
    return found.assign(drawn=found.groupby("kind")["start"].transform("nunique") > gates.FEW)


def test_kinds_stand_in_the_order_of_their_tasks_not_of_their_runs():
    made = frame(falls={"a": [(0.0, -1.0)] * 9, "b": [(0.0, 0.5)]}, rises={"c": [(0.0, 0.25)] * 2})
    found = gates.by_task(made)
    assert found["kind"].tolist() == ["rises", "falls", "falls"]
    assert found["change"].tolist() == [0.25, -1.0, 0.5]


def test_starts_are_told_as_settings_or_as_drawn():
    drawn = [(-2.0, 0.5), (0.0, 0.5), (1.0, 0.5)]
    found = gates.by_kind(frame(drawn={"a": drawn}, set={"b": [(0.0, -1.0), (0.0, 0.5)]})).set_index("kind")
    assert found.loc["drawn", ["starts", "r", "change"]].tolist() == ["at random", "1.000", "+0.50"]
    assert found.loc["set", ["starts", "r", "change", "without sign"]].tolist() == ["0.50", "–", "−0.25", "0.75"]
    assert found.loc["set", ["tasks", "runs"]].tolist() == [1, 2]


def test_of_a_kind_with_both_starts_random_ones_alone_are_correlated_and_every_task_counts_once():
    drawn = frame(study="d", k={"a": [(-2.0, 4.0), (0.0, 4.0), (1.0, 4.0)]})
    both = pd.concat([drawn, frame(study="f", k={"b": [(0.0, -1.0)] * 9, "c": [(1.0, 0.0)]})])
    (row,) = gates.by_kind(both).to_dict("records")
    assert row["starts"] == "0.50 or 0.73 or at random in 3"
    assert (row["tasks"], row["runs"], row["r"]) == (3, 13, "1.000")
    assert (row["change"], row["without sign"]) == ("+1.00", "1.67")


def test_starts_are_random_by_study(moved):
    assert set(moved.loc[moved["kind"] == "characters"].query("drawn")["study"]) == {"feed_forward"}
    assert not moved.loc[moved["study"] == "forecasting", "drawn"].any()


def test_a_kind_without_a_name_is_refused(monkeypatch):
    monkeypatch.delitem(gates.KINDS, "generated_states")
    with pytest.raises(KeyError, match="generated_states"):
        gates.moved()
