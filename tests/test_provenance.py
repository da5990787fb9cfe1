import re

from inductive_bias import places, provenance


def test_versions_name_python_and_torch():
    found = provenance.versions()
    assert found["torch"].startswith(tuple("0123456789"))
    assert "python" in found


def test_a_checkout_has_a_commit_and_another_folder_has_none(home):
    assert provenance.commit() == "unknown"


def test_the_checkout_s_commit_is_a_hash(monkeypatch):
    monkeypatch.delenv("INDUCTIVE_BIAS_HOME", raising=False)
    assert re.fullmatch(r"[0-9a-f]{40}(\+changes)?|unknown", provenance.commit())


def test_home_is_named_or_the_checkout(home, monkeypatch):
    assert places.home() == home
    assert places.runs("s") == home / "runs" / "s"
    monkeypatch.delenv("INDUCTIVE_BIAS_HOME")
    assert (places.home() / "pyproject.toml").is_file()
