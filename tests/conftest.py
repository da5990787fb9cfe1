"""Annotations of the package are checked in every test; no test touches the checkout's own runs and results."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from beartype.claw import beartype_package
from filelock import FileLock
from jaxtyping import install_import_hook


def modules_with_shapes(package: str) -> list[str]:
    """Those that name jaxtyping, and those with names that only a type checker imports, which beartype would look for.

    The package is not imported.
    """
    (folder,) = find_spec(package).submodule_search_locations
    texts = {path: path.read_text() for path in Path(folder).rglob("*.py")}
    found = [path for path, text in texts.items() if "jaxtyping" in text or "TYPE_CHECKING" in text]
    names = [".".join((package, *path.relative_to(folder).with_suffix("").parts)) for path in found]
    return [name.removesuffix(".__init__") for name in names]


# Installed before the first import of the package, and kept for the whole session. A function that jaxtyping watches
# takes some 50 µs longer a call, which is much in rules that ask hundreds of times: it watches where shapes are.
beartype_package("inductive_bias")
install_import_hook(modules_with_shapes("inductive_bias"), "beartype.beartype")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty project folder for runs and published results."""
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def smoked(tmp_path_factory, monkeypatch):
    """From a study to its results at smoke scale. It is run once: by the worker that asks first, while others wait."""

    def results(study):
        root = tmp_path_factory.getbasetemp()
        home = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "smoke" / study.name
        home.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(home))
        with FileLock(home.with_suffix(".lock")):
            return study.results("smoke", device="cpu", jobs=1)

    return results


def pytest_collection_modifyitems(items):
    """Slow tests first: at the end, one of some minutes would leave the other worker with nothing to do."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
