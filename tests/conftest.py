"""Annotations of the package are checked in every test; no test touches the checkout's own runs and results."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from beartype import BeartypeConf
from beartype.claw import beartype_package
from filelock import FileLock
from jaxtyping import install_import_hook

#: Packages that have few shapes, and functions that rules and figures call thousands of times.
FEW_SHAPES = ("studies", "verdicts", "record", "plotting", "benchmarks")


def watched(package: str) -> list[str]:
    """The modules that jaxtyping watches; the package is not imported.

    All but those of :data:`FEW_SHAPES` that neither name jaxtyping nor have names that only a type checker imports.
    """
    (folder,) = find_spec(package).submodule_search_locations
    names = []
    for path in Path(folder).rglob("*.py"):
        parts, text = path.relative_to(folder).with_suffix("").parts, path.read_text()
        if parts[0] not in FEW_SHAPES or "jaxtyping" in text or "TYPE_CHECKING" in text:
            names.append(".".join((package, *parts)).removesuffix(".__init__"))
    return [name for name in names if name != package]


# Installed before the first import of the package, and kept for the whole session. A function that jaxtyping watches
# takes some 50 µs longer a call; beartype alone checks the others.
beartype_package("inductive_bias", conf=BeartypeConf(violation_type=TypeError))  # as jaxtyping's errors are
install_import_hook(watched("inductive_bias"), "beartype.beartype")


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
