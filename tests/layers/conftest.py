"""By which form a REM is computed in the tests of a file; a file that asks for none has the package's own choice."""

import pytest

from inductive_bias.layers import kernel, native


@pytest.fixture(scope="session")
def built():
    """The compiled form; built once a session at most, since it is kept in the user's cache."""
    if native.why_not():
        pytest.skip(native.why_not())


@pytest.fixture(scope="module")
def chunks():
    """Chunks alone."""
    with kernel(False):
        yield


@pytest.fixture(scope="module", params=["chunks", "kernel"])
def each_form(request):
    """One after the other."""
    if request.param == "kernel":
        request.getfixturevalue("built")
    with kernel(request.param == "kernel"):
        yield


@pytest.fixture(scope="module")
def compiled(built):
    """The compiled form alone; where it cannot be used, that is an error."""
    with kernel(True):
        yield
