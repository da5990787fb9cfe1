"""A notebook without the repository: the tables of its study come from a host or a folder, checked, and no others."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from inductive_bias import paths
from inductive_bias.errors import SettingError, StoreError
from inductive_bias.notebook import open_study
from inductive_bias.site.printing import QuietHandler, served
from inductive_bias.studies import STUDIES, study_named
from inductive_bias.studies.fetching import SOURCE, fetch

PUBLISHED = paths.home() / "data" / "results"
#: The smallest of all.
STUDY = "rnn_heads"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An empty folder as the project's, as on a machine that has the package alone."""
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    monkeypatch.delenv(SOURCE, raising=False)
    return tmp_path


@pytest.fixture
def host():
    """Address of the published tables, and the paths that were asked for."""
    asked = []

    class Noting(QuietHandler):
        def do_GET(self):  # noqa: N802
            asked.append(self.path)
            super().do_GET()

    with served(PUBLISHED, Noting) as address:
        yield address, asked


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_notebook_gets_the_tables_of_its_study_from_a_host_and_no_others(elsewhere, host, monkeypatch):
    address, asked = host
    monkeypatch.setenv(SOURCE, address.rstrip("/"))
    results = open_study(STUDY, {}, scale="laptop")
    assert {each.split("/")[1] for each in asked} == {STUDY}
    assert files_of(paths.published(STUDY)) == files_of(PUBLISHED / STUDY)
    assert results.rows["trial"].nunique() == len(
        pd.read_parquet(PUBLISHED / STUDY / "laptop.parquet")["trial"].unique()
    )
    assert not (elsewhere / "runs").exists()  # nothing was trained
    before = len(asked)
    study_named(STUDY).results("laptop")
    assert len(asked) == before  # what is here is not asked for again


def test_a_folder_does_as_well_and_an_address_may_end_in_a_slash(elsewhere, host):
    assert {path.name for path in fetch(STUDY, str(PUBLISHED))} == set(files_of(PUBLISHED / STUDY))
    shutil.rmtree(paths.published(STUDY))
    fetch(STUDY, host[0])
    assert files_of(paths.published(STUDY)) == files_of(PUBLISHED / STUDY)


def test_only_what_is_missing_or_damaged_is_fetched_again(elsewhere, host):
    address, asked = host
    written = fetch(STUDY, address)
    written[0].write_bytes(b"damaged")
    asked.clear()
    fetch(STUDY, address)
    assert asked == [f"/{STUDY}/manifest.json", f"/{STUDY}/{written[0].name}"]
    assert files_of(paths.published(STUDY)) == files_of(PUBLISHED / STUDY)


def test_a_study_that_measures_with_benchmarks_gets_their_tables_too(elsewhere, monkeypatch):
    measuring = next(study for study in STUDIES.values() if study.measured)
    monkeypatch.setenv(SOURCE, str(PUBLISHED))
    results = measuring.results("laptop")
    assert set(measuring.measured) <= set(results.tables)


def copied(folder: Path) -> Path:
    shutil.copytree(PUBLISHED / STUDY, folder / STUDY)
    return folder


def test_what_is_not_as_promised_is_not_kept(elsewhere, tmp_path):
    source = copied(tmp_path / "source")
    table = source / STUDY / "laptop.parquet"
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(StoreError, match=r"laptop\.parquet is not the file that its manifest describes"):
        fetch(STUDY, str(source))
    assert not (paths.published(STUDY) / table.name).exists()
    assert not (paths.published(STUDY) / "manifest.json").exists()  # so that the next call tries again


def test_a_manifest_cannot_name_files_outside_its_folder(elsewhere, tmp_path):
    manifest = copied(tmp_path / "source") / STUDY / "manifest.json"
    found = json.loads(manifest.read_text())
    found["laptop"]["files"] = {"../../evil.parquet": {"rows": 0, "sha256": "0"}}
    manifest.write_text(json.dumps(found))
    with pytest.raises(StoreError, match="outside its folder"):
        fetch(STUDY, str(tmp_path / "source"))
    manifest.write_text("[1, 2]")
    with pytest.raises(StoreError, match="is no manifest"):
        fetch(STUDY, str(tmp_path / "source"))


def test_no_source_and_a_source_without_the_study_say_so(elsewhere, host):
    with pytest.raises(SettingError, match=SOURCE):
        fetch(STUDY)
    with pytest.raises(StoreError, match=r"nowhere/manifest\.json cannot be read: .*404"):
        fetch("nowhere", host[0])
    with pytest.raises(StoreError, match="cannot be read"):
        fetch(STUDY, "gopher://example.org/results")


def test_a_study_that_the_source_does_not_have_is_no_fault_of_a_notebook(elsewhere, host, monkeypatch):
    from inductive_bias.studies.fetching import fetch_absent

    monkeypatch.setenv(SOURCE, host[0])
    fetch_absent("a_study_of_mine")
    assert not paths.published("a_study_of_mine").exists()
    monkeypatch.setenv(SOURCE, str(elsewhere / "no" / "such" / "folder"))
    fetch_absent("a_study_of_mine")
