"""A core install says which extra brings what is missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from inductive_bias import errors
from inductive_bias.errors import EXTRAS, install_command

#: Names on the package index that are not those of an import.
IMPORTED_AS = {"beautifulsoup4": "bs4", "scikit-learn": "sklearn", "scikit-image": "skimage"}

WITHOUT = """
import sys
missing, sys.argv = sys.argv[1], ["inductive-bias", *sys.argv[2:]]
class Missing:
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing)
"""


def answer_without(package, code, *arguments):
    command = [sys.executable, "-c", WITHOUT + code, package, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("tyro", ("--help",), "studies"),
        ("pandas", ("run", "sharing"), "studies"),
        ("papermill", ("render", "no.ipynb"), "book"),
    ],
)
def test_the_command_line_names_the_extra_in_one_line(package, arguments, extra):
    answer = answer_without(package, "from inductive_bias.cli import main; main()", *arguments)
    assert answer.returncode == 2
    command = install_command(extra)
    assert answer.stderr == f"inductive-bias: the package {package} is not installed; it comes with: {command}\n"


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("scipy", "import inductive_bias.analysis"),
        ("joblib", "import inductive_bias.engine"),
        ("pandas", "from inductive_bias.store import Store"),
        ("safetensors", "import inductive_bias.scoring"),
        ("filelock", "from inductive_bias import compare"),
    ],
)
def test_what_needs_an_extra_names_it(package, code):
    answer = answer_without(package, code)
    wanted = f"MissingExtraError: the package {package} is not installed; it comes with: {install_command('studies')}"
    assert wanted in answer.stderr


def test_the_command_works_from_a_clone_and_names_it():
    clone = Path(errors.__file__).resolve().parents[2]
    assert install_command("studies") == f"pip install -e '{clone}[studies]'"
    assert (clone / "pyproject.toml").is_file()


def test_an_installed_package_names_the_folder_of_the_clone(monkeypatch):
    monkeypatch.setattr(errors, "__file__", "/usr/lib/python3/site-packages/inductive_bias/errors.py")
    assert install_command("data") == "pip install '.[data]' in the folder of the clone"


def test_whatever_else_is_missing_is_told_as_python_tells_it():
    answer = answer_without("jaxtyping", "import inductive_bias.analysis")
    assert answer.stderr.strip().endswith("ModuleNotFoundError: No module named 'jaxtyping'")


def test_the_extras_are_those_of_the_package():
    declared = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    for package, extra in EXTRAS.items():
        names = {re.split(r"[>=<\[]", each)[0] for each in declared["optional-dependencies"][extra]}
        assert package in {IMPORTED_AS.get(name, name) for name in names}
    needed = {
        IMPORTED_AS.get(name, name)
        for extra in ("studies", "data")
        for name in (re.split(r"[>=<\[]", each)[0] for each in declared["optional-dependencies"][extra])
    }
    assert needed <= set(EXTRAS)


def test_conda_brings_python_alone_and_a_python_that_pytorch_has_wheels_for():
    text = (Path(__file__).parents[1] / "environment.yml").read_text()
    entries = [
        line.split("#")[0].strip().removeprefix("- ") for line in text.partition("dependencies:")[2].splitlines()
    ]
    python, pip, through_pip, package = [each for each in entries if each]
    assert re.fullmatch(r"python>=3\.11,<3\.\d+", python)
    assert (pip, through_pip, package) == ("pip", "pip:", "-e .[test]")
    assert "PyTorch and all else come from PyPI" in text
