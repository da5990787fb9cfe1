import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from inductive_bias import engine
from inductive_bias.errors import NoRunsError, SettingError, StoreError
from inductive_bias.studies import publishing, study_named
from inductive_bias.studies import runs as runs_module
from inductive_bias.studies import study as study_module
from inductive_bias.studies.claims import Claim
from inductive_bias.studies.published import measured_path, table_path
from inductive_bias.studies.runs import Table, local_table
from tests.studies.conftest import outcome_of
from tests.studies.toy import NO_TEACHER, STUDY, lends, seeds


@pytest.fixture
def no_training(monkeypatch):
    """Fails the test if anything is trained; collects what would have been."""
    wanted = []

    def record(trials, store, **_):
        wanted.extend(engine.missing(trials, store))
        for trial in engine.missing(trials, store):
            store.save(trial, outcome_of(trial))
        return len(wanted)

    monkeypatch.setattr(study_module, "run_missing", record)
    return wanted


def test_published_results_need_no_run_at_all(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    shutil.rmtree(complete.root)
    results = tiny.results("laptop")
    assert results.table("seeds")["seed"].tolist() == [0, 1, 2, 3]
    assert results.values("accuracy", split="test", teacher=NO_TEACHER).tolist() == pytest.approx(
        [0.9, 0.89, 0.88, 0.87]
    )
    assert no_training == []
    assert not complete.root.exists()


def test_to_extend_what_is_published_trains_the_rest_and_its_teachers(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    rows = pd.read_parquet(table_path("toy", "laptop"))
    student = tiny.runs("laptop").trials(teacher="MLP")[1]
    rows[rows["trial"] != student.id].to_parquet(table_path("toy", "laptop"), index=False)
    shutil.rmtree(complete.root)
    assert tiny.unpublished("laptop") == [student]
    tiny.run("laptop", extend=True)
    assert [trial.id for trial in no_training] == [student.teacher.id, student.id]


def test_an_empty_store_trains_everything_and_gives_the_same_rows(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    published = tiny.results("laptop").rows
    shutil.rmtree(complete.root)
    shutil.rmtree(table_path("toy", "laptop").parent)
    local = tiny.results("laptop")
    assert len(no_training) == 8
    pd.testing.assert_frame_equal(local.rows, published, check_dtype=False)
    assert local.table("seeds")["seed"].tolist() == [0, 1, 2, 3]
    assert "not published" in local.provenance


def cut_to(keep):
    """The published table of rows, with those that ``keep`` chooses, and its manifest's number of rows."""
    path = table_path("toy", "laptop")
    rows = pd.read_parquet(path)
    rows[keep(rows)].to_parquet(path, index=False)
    manifest = path.with_name("manifest.json")
    found = json.loads(manifest.read_text())
    found["laptop"]["files"][path.name]["rows"] = int(keep(rows).sum())
    manifest.write_text(json.dumps(found))


def test_a_trial_that_was_not_published_is_added_from_the_local_runs_and_never_trained(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    cut_to(lambda rows: rows["seed"] != 12)
    assert len(tiny.results("laptop").values("accuracy", split="test", teacher="MLP")) == 4
    shutil.rmtree(complete.root)
    results = tiny.results("laptop")
    assert len(results.values("accuracy", split="test", teacher="MLP")) == 3
    assert results.runs(teacher="MLP") == [3]
    assert no_training == []


def test_a_cell_without_a_published_run_has_no_runs_yet(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    shutil.rmtree(complete.root)
    cut_to(lambda rows: rows["teacher"] != "MLP")
    with pytest.raises(NoRunsError, match="no runs yet of MLP"):
        tiny.results("laptop").values("accuracy", split="test", teacher="MLP")
    assert no_training == []


def test_a_table_that_lost_rows_is_refused(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    path = table_path("toy", "laptop")
    pd.read_parquet(path).iloc[1:].to_parquet(path, index=False)
    with pytest.raises(StoreError, match="its manifest says"):
        tiny.results("laptop")
    assert no_training == []


def test_the_minutes_of_runs_are_those_published_and_of_what_is_local_besides(tiny, complete, no_training):
    local = tiny.minutes("laptop")
    assert set(local) == {trial.id for trial in tiny.trials("laptop")}
    publishing.publish(tiny, "laptop")
    shutil.rmtree(complete.root)
    assert tiny.minutes("laptop") == local
    path = table_path("toy", "laptop", "runs")
    pd.read_parquet(path).iloc[1:].to_parquet(path, index=False)
    assert len(tiny.minutes("laptop")) == len(local) - 1


def test_rows_of_trials_that_are_no_longer_in_the_design_are_left_out(tiny, complete, no_training):
    publishing.publish(tiny, "laptop")
    path = table_path("toy", "laptop")
    rows = pd.read_parquet(path)
    pd.concat([rows, rows.assign(trial="old")]).to_parquet(path, index=False)
    cut_to(lambda rows: rows["trial"] != "")
    assert len(tiny.results("laptop").rows) == len(rows)


def test_unknown_names_are_refused_with_the_known_ones(tiny, complete, no_training):
    with pytest.raises(SettingError, match="unknown scale 'huge'; choose one of smoke, laptop, paper"):
        tiny.results("huge")
    with pytest.raises(SettingError, match="unknown study 'visoin'; choose one of vision"):
        study_named("visoin")
    with pytest.raises(SettingError, match="has no table 'barriers'; it has seeds"):
        tiny.results("laptop").table("barriers")


def test_progress_counts_complete_trials(tiny, complete):
    assert tiny.progress("laptop") == (8, 8)
    shutil.rmtree(complete.folder(tiny.trials("laptop")[0]))
    assert tiny.progress("laptop") == (7, 8)


def made_by(tiny, make):
    return local_table("toy", "seeds", Table(make), tiny.runs("laptop"))


def test_a_table_is_made_once_and_again_when_a_run_or_the_code_changes(tiny, complete, monkeypatch):
    made = []

    def make(runs):
        made.append(1)
        return seeds(runs)

    pd.testing.assert_frame_equal(made_by(tiny, make), made_by(tiny, make))
    assert len(made) == 1
    trial = tiny.trials("laptop")[0]
    shutil.rmtree(complete.folder(trial))
    complete.save(trial, outcome_of(trial, value=0.1))
    made_by(tiny, make)
    assert len(made) == 2
    monkeypatch.setattr(runs_module, "source_sha256", lambda: "a fix in a module that the table calls")
    made_by(tiny, make)
    assert len(made) == 3


def test_what_a_benchmark_has_published_is_a_table_of_the_results(tiny, complete, no_training):
    study = replace(tiny, measured=("pace",))
    assert "pace" not in study.results("laptop").tables
    measured_path("pace").parent.mkdir(parents=True)
    pd.DataFrame({"ratio": [2.0]}).to_parquet(measured_path("pace"))
    assert study.results("laptop").table("pace")["ratio"].tolist() == [2.0]


def test_a_claim_without_a_place_on_a_page_is_refused(tiny):
    with pytest.raises(ValueError, match="has no page for claims T2; it has toy"):
        replace(tiny, claims=(*tiny.claims, Claim("T2", "elsewhere", "nowhere", "s", "–", lends)))


@pytest.mark.parametrize("name", ["", ".", "..", "../evil", "a/b", "a b", "a\n", "-a", "é", "a" * 61, "a\0", "C:\\a"])
def test_a_name_that_is_no_folder_of_its_own_is_refused(name):
    with pytest.raises(ValueError, match="a study's name is its folder too"):
        replace(STUDY, name=name)


@pytest.mark.parametrize("name", ["a", "my-study_2", "2024", "a" * 60])
def test_plain_names_are_taken(name):
    assert replace(STUDY, name=name).name == name
