"""Shape annotations of the package are checked in every test; no test touches the checkout's own runs and results."""

import os

import pytest
from filelock import FileLock
from jaxtyping import install_import_hook

# installed before the first import of the package, and kept for the whole session
install_import_hook("inductive_bias", "beartype.beartype")


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
