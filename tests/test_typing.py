"""What type checkers of users read: py.typed, defaults that they see, constructors that they know.

No type checker is among the tools of this project. These are the causes of all false errors that pyright found in the
examples of the page *Use your own model, data or claim*.
"""

import ast
import inspect
from pathlib import Path

import pytest

import inductive_bias
from inductive_bias.own_layers import OwnLayer
from inductive_bias.plugins import OwnModel, OwnTask

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


def test_what_is_imported_lazily_is_declared_for_type_checkers():
    tree = ast.parse((FOLDER / "__init__.py").read_text("utf8"))
    declared = {
        name.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for each in node.body
        for name in each.names
    }
    assert declared == set(inductive_bias._LAZY)
