"""Folders where there is no home, and working folders that are gone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inductive_bias import paths
from inductive_bias.errors import SettingError
from inductive_bias.tasks.files import places


@pytest.fixture
def homeless(home, monkeypatch):
    """A user whom the system does not know, and who has no ``HOME``."""

    def unknown(path: Path) -> Path:
        if str(path).startswith("~"):
            raise RuntimeError("Could not determine home directory.")
        return path

    monkeypatch.setattr(Path, "expanduser", unknown)
    for name in ("INDUCTIVE_BIAS_CACHE", "XDG_CACHE_HOME", "INDUCTIVE_BIAS_DATA"):
        monkeypatch.delenv(name, raising=False)
    return home


def test_without_a_home_the_cache_is_in_the_project(homeless):
    assert paths.cache_folder() == homeless / ".cache" / "inductive-bias"
    assert places() == (("user cache", paths.cache_folder()),)


@pytest.mark.parametrize("name", ["INDUCTIVE_BIAS_CACHE", "XDG_CACHE_HOME", "INDUCTIVE_BIAS_DATA"])
def test_a_path_that_needs_a_home_is_refused_by_name(homeless, monkeypatch, name):
    monkeypatch.setenv(name, "~/data")
    with pytest.raises(SettingError, match=f"{name}=~/data cannot be read: this user has no home folder"):
        places()


def test_variables_come_before_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("INDUCTIVE_BIAS_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "~/x")
    assert paths.cache_folder() == tmp_path / "x" / "inductive-bias"
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", "~/y")
    assert paths.cache_folder() == tmp_path / "y"


def in_a_folder_that_is_gone(tmp_path, *arguments: str, **told: str) -> subprocess.CompletedProcess:
    code = (
        "import os, sys; os.rmdir(os.getcwd()); from inductive_bias.cli import main; "
        "sys.argv = ['inductive-bias', *sys.argv[1:]]; main()"
    )
    folder = tmp_path / "gone"
    folder.mkdir()
    search = os.pathsep.join(path for path in sys.path if path)
    told = os.environ | {"INDUCTIVE_BIAS_HOME": str(tmp_path), "PYTHONPATH": search} | told
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=told, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_folder_that_is_gone_is_said(tmp_path):
    found = in_a_folder_that_is_gone(tmp_path, "status")
    assert found.returncode == 2
    assert found.stderr == "inductive-bias: the working directory is no longer there; go to another one\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_help_comes_everywhere_even_in_ascii(tmp_path):
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = in_a_folder_that_is_gone(tmp_path, "run", "--help", **plain)
    assert (found.returncode, found.stderr) == (0, "")
    assert "--together" in found.stdout
