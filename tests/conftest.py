"""Shape annotations of the package are checked in every test; no test touches the checkout's own runs and results."""

import pytest
from jaxtyping import install_import_hook

# installed before the first import of the package, and kept for the whole session
install_import_hook("inductive_bias", "beartype.beartype")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty project folder for runs and published results."""
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    return tmp_path


def pytest_collection_modifyitems(items):
    """Slow tests first: at the end, one of some minutes would leave the other worker with nothing to do."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
