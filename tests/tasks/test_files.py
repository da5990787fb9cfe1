import gzip
import hashlib
import zipfile
from pathlib import Path

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import files


def test_search_goes_root_then_variable_then_cache(monkeypatch, tmp_path):
    for name in ("root", "variable", "cache"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
    monkeypatch.setenv("INDUCTIVE_BIAS_DATA", str(tmp_path / "variable"))
    where = files.places(tmp_path / "root")
    found = []
    while path := files.find(["f"], where):
        found.append(path.read_text())
        path.unlink()
    assert found == ["root", "variable", "cache"]


def test_any_name_in_an_earlier_place_wins_over_the_first_name_in_a_later_one(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "cache").mkdir()
    (tmp_path / "root" / "second").touch()
    (tmp_path / "cache" / "first").touch()
    assert files.find(["first", "second"], files.places(tmp_path / "root")) == tmp_path / "root" / "second"


@pytest.mark.parametrize("named", ["root=", "$INDUCTIVE_BIAS_DATA"])
def test_a_folder_that_does_not_exist_is_refused(monkeypatch, tmp_path, named):
    if named != "root=":
        monkeypatch.setenv("INDUCTIVE_BIAS_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError) as error:
        files.places(tmp_path / "nowhere" if named == "root=" else None)
    assert named in str(error.value)
    assert "nowhere" in str(error.value)


def test_missing_file_lists_every_place_searched(monkeypatch, tmp_path):
    monkeypatch.setenv("INDUCTIVE_BIAS_DATA", str(tmp_path))
    message = str(files.missing(["a/b.gz", "c/b"], files.places(str(tmp_path))))
    for part in ("a/b.gz", "c/b", f"root= {tmp_path}", f"$INDUCTIVE_BIAS_DATA {tmp_path}", str(tmp_path / "cache")):
        assert part in message
    assert "\n" not in message


def test_cache_follows_its_variable_then_xdg_then_home(monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert files.cache_folder() == Path("/a")
    monkeypatch.delenv("INDUCTIVE_BIAS_CACHE")
    assert files.cache_folder() == Path("/b/inductive-bias")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert files.cache_folder() == Path("/c/.cache/inductive-bias")


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_wrong_checksum_names_file_found_and_expected(tmp_path, algorithm):
    (tmp_path / "f").write_bytes(b"one")
    found = hashlib.new(algorithm, b"one").hexdigest()
    files.verify(tmp_path / "f", algorithm, found)
    with pytest.raises(DataError) as error:
        files.verify(tmp_path / "f", algorithm, "0" * 32)
    for part in (str(tmp_path / "f"), found, "0" * 32):
        assert part in str(error.value)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "not gzip"])
def test_damaged_gzip_is_named(tmp_path, damage):
    content = gzip.compress(bytes(range(256)) * 9)
    middle = len(content) // 2
    content = {
        "truncated": content[:middle],
        "flipped": content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
        "not gzip": b"plain text",
    }[damage]
    (tmp_path / "f.gz").write_bytes(content)
    with pytest.raises(DataError, match=r"f\.gz is a damaged or truncated gzip"):
        files.read_bytes(tmp_path / "f.gz")


def test_unreadable_file_is_named(tmp_path):
    with pytest.raises(DataError, match="gone cannot be read"):
        files.read_bytes(tmp_path / "gone")


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "..\\out"])
def test_archive_that_leaves_its_folder_is_not_unpacked(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("good", "1")
        archive.writestr(name, "2")
    with pytest.raises(DataError, match="leaves its folder"):
        files.unpack_zip(tmp_path / "a.zip", tmp_path / "in")
    assert not (tmp_path / "in").exists()
    assert not (tmp_path / "out").exists()


def test_archive_gives_only_the_members_kept(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("d/yes", "1")
        archive.writestr("d/no", "2")
    files.unpack_zip(tmp_path / "a.zip", tmp_path / "in", keep=lambda name: name.endswith("yes"))
    assert [path.name for path in (tmp_path / "in" / "d").iterdir()] == ["yes"]


def test_truncated_archive_is_named(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(DataError, match=r"a\.zip is a damaged or truncated zip"):
        files.unpack_zip(tmp_path / "a.zip", tmp_path / "in")
