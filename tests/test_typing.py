"""What type checkers of users read: py.typed, defaults that they see, constructors and names that they know.

The examples of the pages on one's own work are checked by basedpyright, in its mode ``standard``, which is pyright's.
It is no dependency: ``make typing`` installs it in a place of its own, and CI does so. Without it the other tests here
stand for the causes of all false errors that pyright found.
"""

import ast
import importlib.util
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import inductive_bias
from inductive_bias import paths, profile
from inductive_bias.own_layers import OwnLayer
from inductive_bias.plugins import OwnModel, OwnTask
from tests.test_bring_your_own import LAYERS, PAGE, blocks

CHECKER = "basedpyright"
FOLDER = Path(inductive_bias.__file__).parent


def test_the_package_says_that_it_is_typed():
    assert (FOLDER / "py.typed").is_file()


def test_every_default_of_a_setting_is_named():
    """``Field(1e-3, …)`` looks like a required field to a type checker, ``Field(default=1e-3, …)`` does not."""
    hidden = [
        f"{path.relative_to(FOLDER)}:{node.lineno}"
        for path in sorted(FOLDER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field" and node.args
    ]
    assert hidden == []


@pytest.mark.parametrize("own", [OwnModel, OwnTask, OwnLayer])
def test_a_source_may_be_given_first_without_its_name(own):
    """A type checker makes up a constructor of keywords for a class of settings that does not spell out its own."""
    assert "__init__" in vars(own)
    assert list(inspect.signature(own.__init__).parameters)[:2] == ["self", "source"]


@pytest.mark.parametrize(
    ("package", "lazy"), [(inductive_bias, inductive_bias._LAZY), (profile, profile._PLACES)], ids=["", "profile"]
)
def test_what_is_imported_lazily_is_declared_for_type_checkers(package, lazy):
    tree = ast.parse(Path(package.__file__).read_text("utf8"))
    declared = {
        name.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
        for name in each.names
    }
    assert declared == set(lazy)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec(CHECKER) is None, reason=f"{CHECKER} is not installed: make typing")
def test_the_examples_of_the_pages_have_no_error_for_a_type_checker(tmp_path):
    for page in (PAGE, LAYERS, PAGE.with_name("profile.md")):
        (tmp_path / page.stem).mkdir()
        found = blocks(page)
        for file in {file for _, file, _ in found if file}:
            text = "".join(text for _, each, text in found if each == file)
            (tmp_path / page.stem / file).write_text(text)
        code = "\n".join(text for kind, file, text in found if kind == "python" and not file)
        (tmp_path / page.stem / "page.py").write_text(code)
    source = str(paths.home() / "src")
    settings = {"typeCheckingMode": "standard", "extraPaths": [source], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", CHECKER, "--pythonpath", sys.executable, "--outputjson", "."]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ, check=False)
    found = json.loads(answer.stdout)
    errors = [each for each in found["generalDiagnostics"] if each["severity"] == "error"]
    assert [(each["file"], each["range"]["start"]["line"] + 1, each["message"]) for each in errors] == []
    assert found["summary"]["filesAnalyzed"] >= 6
