"""Every setting of a trial is a column, every fact of a task is kept once."""

import json
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from torch import nn

from inductive_bias.errors import NoRunsError, SettingError
from inductive_bias.studies import STUDIES
from inductive_bias.studies.task_facts import expanded, gathered, split_facts
from inductive_bias.studies.trial_table import FIRST, epochs_of, settings_of, task_id, trial_table
from inductive_bias.trials import Trial, canonical
from tests.studies.toy import STUDY
from tests.tiny import TRANSFORMER, tiny_sentence_trial, tiny_student, tiny_trial


def back(row):
    """The settings of a row as nested data again."""
    found = {}
    for name, value in row.items():
        *groups, last = name.split(".")
        at = found
        for group in groups:
            at = at.setdefault(group, {})
        at[last] = value
    return found


class TestTrialTable:
    @pytest.mark.parametrize("trial", [tiny_trial(), tiny_student(), tiny_sentence_trial(model=TRANSFORMER)], ids=str)
    def test_the_settings_make_the_trial_again(self, trial):
        flat = settings_of(trial)
        assert all(value is None or isinstance(value, str | int | float | bool) for value in flat.values())
        plain = back({name: _read(value) for name, value in flat.items()})
        if trial.distill:
            plain["distill"]["teacher"] = trial.teacher.model_dump(mode="json")
        assert Trial.model_validate(plain | {"seed": trial.seed}).id == trial.id

    def test_parameters_are_those_of_the_model_and_steps_those_that_were_made(self):
        trial, other = tiny_trial(), tiny_trial(seed=1, epochs=3)
        rows = pd.DataFrame({"trial": other.id, "metric": "loss", "split": "train", "epoch": [1.0, 2.0], "value": 0.1})
        table = trial_table({"judged": [trial, other]}, rows=rows)
        layers = nn.Sequential(nn.Linear(784, 12), nn.Linear(12, 8), nn.Linear(8, 10))
        wanted = sum(each.numel() for each in layers.parameters())
        # an MLP of the study normalises its layers: at least its weights are there
        assert (table["parameters"] >= wanted).all()
        assert table["parameters"].nunique() == 1
        # 96 digits in batches of 32; the second run ended after two of its three epochs
        assert table["optimiser_steps"].tolist() == [2 * 3, 2 * 3]
        assert epochs_of(rows).to_dict() == {other.id: 2}

    def test_without_rows_no_data_are_read_and_no_steps_are_known(self):
        table = trial_table({"judged": [tiny_trial()], "search": [tiny_trial(rate=0.5)]})
        assert table["optimiser_steps"].isna().all()
        assert table["role"].tolist() == ["judged", "search"]
        assert table["optimiser.learning_rate"].tolist() == [1e-2, 0.5]

    def test_a_setting_that_a_trial_lacks_is_missing_and_whole_numbers_stay_whole(self, tmp_path):
        table = trial_table({"judged": [tiny_trial(), tiny_sentence_trial(model=TRANSFORMER)]})
        table.to_parquet(tmp_path / "table.parquet")
        read = pd.read_parquet(tmp_path / "table.parquet")
        assert list(read.columns[: len(FIRST)]) == list(FIRST)
        assert read["model.layers"].isna().tolist() == [True, False]
        assert str(read["model.layers"].dtype) == "Int64"
        assert json.loads(read["model.widths"][0]) == [12, 8]

    def test_the_id_of_a_task_is_shared_by_equal_tasks_alone(self):
        assert task_id(tiny_trial()) == task_id(tiny_trial(seed=5, rate=0.3)) == task_id(tiny_student())
        assert task_id(tiny_trial()) != task_id(tiny_sentence_trial())

    def test_results_join_settings_to_rows(self, home):
        results = STUDY.results("smoke")
        found = results.frame(
            "accuracy", split="test", settings=("optimiser.learning_rate", "parameters", "teacher_id")
        )
        assert found["optimiser.learning_rate"].unique().tolist() == [1e-2]
        assert (found["parameters"] > 0).all()
        teachers = found.set_index("trial")["teacher_id"]
        for name, (_, _, trial) in STUDY.design.members("smoke").items():
            assert (teachers[name] == trial.teacher.id) if trial.teacher else pd.isna(teachers[name])
        with pytest.raises(SettingError, match="has no setting 'width'"):
            results.frame("accuracy", split="test", settings=("width",))

    @pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
    def test_the_published_table_is_that_of_the_design(self, study):
        results = study.results("laptop")
        members = study.design.members("laptop")
        assert results.trials["trial"].tolist() == list(members)
        known = results.trials.set_index("trial")
        first = {}
        for name, (cell, _, trial) in members.items():
            first.setdefault(cell, (name, trial))
        for name, trial in first.values():
            named = json.dumps(canonical(trial), default=str)
            for setting, value in settings_of(trial).items():
                if setting not in known or (value is not None and pd.isna(known.loc[name, setting])):
                    # an option that was added after the runs: it holds its default, so the trial's id does not know it
                    assert f'"{setting.rsplit(".", 1)[-1]}"' not in named
                    continue
                found = known.loc[name, setting]
                assert (pd.isna(found) and value is None) or found == value or json.dumps(value) == found
        assert known["optimiser_steps"].notna().all()
        assert not {*FIRST} & {*study.design.factors}, "a factor would hide a column of the table of trials"


def _read(value):
    return json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value


class TestTaskFacts:
    ROWS: ClassVar = pd.DataFrame(
        {
            "trial": ["a", "a", "b", "b", "c"],
            "split": "test",
            "metric": ["n", "accuracy", "n", "accuracy", "n"],
            "epoch": np.nan,
            "length": [4.0, 4.0, 4.0, 4.0, 6.0],
            "value": [100.0, 0.5, 100.0, 0.6, 90.0],
            "origin": "generated",
            "dataset": "parity",
        }
    )
    TASKS: ClassVar = {"a": "short", "b": "short", "c": "long"}

    def test_a_fact_is_kept_once_and_comes_back_to_every_trial(self):
        rows, facts = split_facts(self.ROWS, self.TASKS)
        assert rows["metric"].tolist() == ["accuracy"] * 2
        assert facts[["task_id", "length", "value"]].to_numpy().tolist() == [["short", 4.0, 100.0], ["long", 6.0, 90.0]]
        trials = pd.DataFrame({"trial": list(self.TASKS), "task_id": list(self.TASKS.values())})
        again = expanded(facts, trials)
        wanted = self.ROWS[self.ROWS["metric"] == "n"]
        columns = list(self.ROWS.columns)
        pd.testing.assert_frame_equal(
            again[columns].sort_values("trial", ignore_index=True), wanted[columns].reset_index(drop=True)
        )

    def test_two_runs_that_disagree_are_refused_and_rounding_is_no_disagreement(self):
        close = self.ROWS.assign(value=self.ROWS["value"].where(self.ROWS["trial"] != "b", self.ROWS["value"] + 1e-12))
        assert len(split_facts(close, self.TASKS)[1]) == 2
        odd = self.ROWS.assign(value=self.ROWS["value"].where(self.ROWS["trial"] != "b", self.ROWS["value"] + 1))
        with pytest.raises(
            SettingError, match=r"runs of task short say different things of it: n on test is 100\.0 and"
        ):
            split_facts(odd, self.TASKS)

    def test_a_factor_is_no_coordinate(self):
        _, facts = split_facts(self.ROWS.rename(columns={"length": "context"}), self.TASKS, ("context",))
        assert "context" not in facts

    def test_no_fact_at_all(self):
        rows = self.ROWS[self.ROWS["metric"] != "n"]
        found, facts = split_facts(rows, self.TASKS)
        assert len(found) == 2
        assert gathered(facts).empty

    def test_facts_of_a_study_are_one_row_a_task(self):
        results = STUDIES["sharing"].results("laptop")
        facts = results.facts_of("baseline_nll", split="test")
        every = results.frame("baseline_nll", split="test")
        assert len(every) == len(results.trials)
        assert len(facts) == results.trials["task_id"].nunique() < len(every)
        assert {"bits", "strings"} <= set(facts)
        assert "model" not in facts
        with pytest.raises(SettingError, match="has no fact 'accuracy'"):
            results.facts_of("accuracy", split="test")


class TestCellsWithoutRuns:
    def test_they_are_told_from_what_is_unknown(self):
        results = STUDIES["sharing"].results("laptop")
        with pytest.raises(NoRunsError, match="no runs yet of RSA"):
            results.frame("accuracy", split="test", model="RSA")
        with pytest.raises(SettingError, match="model has no level 'Mamba' at any scale") as caught:
            results.frame("accuracy", split="test", model="Mamba")
        assert not isinstance(caught.value, NoRunsError)
        with pytest.raises(SettingError, match="has no 'accuracy' on 'nowhere'") as caught:
            results.frame("accuracy", split="nowhere", model="LSTM")
        assert not isinstance(caught.value, NoRunsError)

    def test_cells_that_a_rule_needs_are_named(self):
        results = STUDIES["sharing"].results("laptop")
        there = {"model": "LSTM", "bits": 6, "strings": 8}
        results.need(there)
        with pytest.raises(NoRunsError, match="no runs yet of RSA, 8 strings of 6 bits"):
            results.need(there, there | {"model": "RSA"})
