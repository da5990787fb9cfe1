import hashlib

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import cache_folder, places
from inductive_bias.tasks.pairs import downloads
from inductive_bias.tasks.pairs.downloads import ADDRESSES, CHECKSUMS, EDINBURGH, fetch, locate

NAME = f"{EDINBURGH}/wiki-dev.txt"
CONTENT = b"sentence\n"


@pytest.fixture
def served(monkeypatch, tmp_path, serve):
    path = tmp_path / "served" / "wiki-dev.txt"
    path.write_bytes(CONTENT)
    monkeypatch.setitem(downloads.ADDRESSES, EDINBURGH, serve.rstrip("/"))
    monkeypatch.setitem(downloads.CHECKSUMS, NAME, (hashlib.sha256(CONTENT).hexdigest(),))
    return path


def test_a_file_that_is_nowhere_is_fetched_into_the_cache_once(served):
    (path,) = locate([NAME], places(), download=True)
    assert path == cache_folder() / NAME
    assert path.read_bytes() == CONTENT
    assert [kept.name for kept in cache_folder().iterdir()] == ["linzen_agreement"]
    served.unlink()
    assert locate([NAME], places(), download=True) == [path]
    assert locate([NAME], places(), download=False) == [path]


def test_nothing_is_fetched_when_the_download_is_refused(served):
    with pytest.raises(DataError, match="INDUCTIVE_BIAS_DATA is not set"):
        locate([NAME], places(), download=False)
    assert not cache_folder().exists()


@pytest.mark.parametrize("change", ["other content", "no file"])
def test_a_file_that_is_not_the_one_it_was_is_refused_and_not_kept(served, change):
    if change == "no file":
        served.unlink()
    else:
        served.write_bytes(CONTENT + b"x")
    with pytest.raises(DataError, match=r"wiki-dev.txt was not found .* could not be downloaded") as error:
        fetch(NAME, cache_folder())
    assert "\n" not in str(error.value)
    assert not [path for path in cache_folder().rglob("*") if path.is_file()]


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="could not be downloaded"):
        fetch(NAME, tmp_path / "file" / "cache")


def test_every_file_has_an_address_at_a_pinned_commit():
    for name in CHECKSUMS:
        folder = name.rpartition("/")[0]
        assert len(ADDRESSES[folder].split("/")[5]) == 40
