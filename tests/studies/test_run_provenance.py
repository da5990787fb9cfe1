import json
import shutil

import pytest

from inductive_bias.errors import SettingError
from inductive_bias.store import RECORD
from inductive_bias.studies import publishing, run_provenance
from inductive_bias.studies.manifest import read_manifest
from tests.studies.conftest import COMMIT, outcome_of


def edit(store, trial, **changes):
    path = store.folder(trial) / RECORD
    record = json.loads(path.read_text())
    for name, value in changes.items():
        record[name] = record[name] | value if isinstance(value, dict) else value
    path.write_text(json.dumps(record))


def test_the_manifest_is_made_from_the_records_of_the_runs(tiny, complete, monkeypatch):
    for trial in tiny.trials("laptop"):
        edit(complete, trial, processor="A Processor, AVX2")
    monkeypatch.setattr(publishing, "commit", lambda: "f" * 40)
    publishing.publish(tiny, "laptop")
    entry = read_manifest("toy")["laptop"]
    assert entry["commit"] == COMMIT
    assert entry["published_by"] == "f" * 40
    assert entry["processors"] == ["A Processor, AVX2"]
    assert entry["threads"] == [1]
    assert entry["data_sha256"] == {"images": "abc"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"versions": {"torch": "1.0"}}, r"runs of several kinds: torch version 1.0, .* \(publish with --mixed"),
        ({"versions": {"inductive-bias": "9"}}, "runs of several kinds: inductive-bias version"),
        ({"commit": "a" * 40}, f"runs of several kinds: commit {COMMIT}, a"),
    ],
    ids=["torch", "package", "commit"],
)
def test_runs_of_several_kinds_are_refused_unless_allowed_and_then_named(tiny, complete, changes, message):
    edit(complete, tiny.trials("laptop")[2], **changes)
    with pytest.raises(SettingError, match=message):
        publishing.publish(tiny, "laptop")
    publishing.publish(tiny, "laptop", mixed=True)
    entry = read_manifest("toy")["laptop"]
    assert ", " in str(entry["versions"].get("torch")) + entry["versions"]["inductive-bias"] + entry["commit"]


def test_another_version_of_what_makes_no_number_is_harmless(tiny, complete):
    edit(complete, tiny.trials("laptop")[2], versions={"pandas": "1.0"})
    publishing.publish(tiny, "laptop")
    assert "1.0" in read_manifest("toy")["laptop"]["versions"]["pandas"]


@pytest.mark.parametrize("mixed", [False, True])
def test_one_file_with_two_contents_is_refused_always(tiny, complete, mixed):
    trial = tiny.trials("laptop")[2]
    edit(complete, trial, data_sha256={"images": "def"})
    with pytest.raises(SettingError, match=rf"images had two contents: abc… in trial .* and def… in trial {trial.id}"):
        publishing.publish(tiny, "laptop", mixed=mixed)


@pytest.mark.parametrize("mixed", [False, True])
def test_runs_of_source_that_is_in_no_commit_are_refused_always(tiny, complete, mixed):
    edit(complete, tiny.trials("laptop")[2], commit=f"{COMMIT}+changes")
    with pytest.raises(SettingError, match=r"1 runs .* were made by source code that is in no commit"):
        publishing.publish(tiny, "laptop", mixed=mixed)


def test_a_package_that_differs_from_its_commit_publishes_nothing(tiny, complete, monkeypatch):
    monkeypatch.setattr(run_provenance, "commit", lambda: f"{COMMIT}+changes")
    with pytest.raises(SettingError, match="the package differs from its commit"):
        publishing.publish(tiny, "laptop")


def test_a_copied_run_is_not_published_as_another_seed(tiny, complete):
    first, second = tiny.trials("laptop")[:2]
    shutil.rmtree(complete.folder(second))
    shutil.copytree(complete.folder(first), complete.folder(second))
    with pytest.warns(UserWarning, match="holds the run of another trial"), pytest.raises(SettingError, match="1 of 8"):
        publishing.publish(tiny, "laptop")
    complete.save(second, outcome_of(second))
    publishing.publish(tiny, "laptop")
