import re
import subprocess

from inductive_bias import paths, provenance


def test_versions_name_python_and_torch():
    found = provenance.versions()
    assert found["torch"].startswith(tuple("0123456789"))
    assert "python" in found


def test_the_commit_is_that_of_the_package_wherever_its_runs_are(home):
    assert re.fullmatch(r"[0-9a-f]{40}(\+changes)?|unknown", provenance.commit())


def test_a_package_outside_a_checkout_has_no_commit(monkeypatch):
    def fails(*arguments):
        raise OSError("no git here")

    monkeypatch.setattr(provenance, "_git", fails)
    assert provenance.commit.__wrapped__() == "unknown"


def test_changes_of_the_source_are_said(monkeypatch):
    answers = {"rev-parse": "abc", "status": " M src/inductive_bias/store.py"}
    monkeypatch.setattr(provenance, "_git", lambda command, *rest: answers[command])
    assert provenance.commit.__wrapped__() == "abc+changes"


def test_what_a_search_writes_while_it_goes_on_is_no_change_of_the_source(tmp_path, monkeypatch):
    def git(*words):
        found = subprocess.run(["git", "-C", tmp_path, *words], check=True, capture_output=True, text=True)
        return found.stdout.strip()

    folder = tmp_path / "src" / "package" / "study"
    folder.mkdir(parents=True)
    for name in ("tuned.csv", "design.py"):
        (folder / name).write_text("1")
    git("init", "--quiet")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "all")
    monkeypatch.setattr(provenance, "_git", git)
    (folder / "tuned.csv").write_text("2")
    assert not provenance.commit.__wrapped__().endswith("+changes")
    (folder / "design.py").write_text("2")
    assert provenance.commit.__wrapped__().endswith("+changes")


def test_the_processor_has_a_name_and_a_level_of_instructions():
    name, _, instructions = provenance.processor().rpartition(", ")
    assert name
    assert instructions.isupper()


def test_home_is_named_or_the_checkout(home, monkeypatch):
    assert paths.home() == home
    assert paths.runs("s") == home / "runs" / "s"
    monkeypatch.delenv("INDUCTIVE_BIAS_HOME")
    assert (paths.home() / "pyproject.toml").is_file()
