"""Whole texts: found, fetched from a local server, and refused if they are not what their digest promises."""

import gzip
import hashlib
import io
import zipfile

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import SegmentStream, downloads, plain_texts
from inductive_bias.tasks.files import cache_folder, checksum
from inductive_bias.tasks.plain_texts import AS_WRITTEN, TEXTS, read_plain_text

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there
PLAY = b"First Citizen:\nSpeak, speak.\n"
WIKI = b" anarchism originated as a term"


def zipped(name, content):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(name, content)
    return archive.getvalue()


ARCHIVE = zipped("text8", WIKI)  # once: an archive holds the time at which it was made


@pytest.fixture(autouse=True)
def _short_texts(monkeypatch):
    """The package takes two lines for the published texts."""
    for name, content in (("tinyshakespeare", PLAY), ("text8", WIKI)):
        digest = hashlib.new(TEXTS[name].algorithm, content).hexdigest()
        monkeypatch.setitem(plain_texts.TEXTS, name, TEXTS[name]._replace(digest=digest))
    monkeypatch.setattr(downloads, "TINY_SHAKESPEARE_SHA256", hashlib.sha256(PLAY).hexdigest())
    monkeypatch.setattr(downloads, "TEXT8_ZIP_SHA256", hashlib.sha256(ARCHIVE).hexdigest())
    monkeypatch.setattr(downloads, "TINY_SHAKESPEARE_URL", NOWHERE)
    monkeypatch.setattr(downloads, "TEXT8_URL", NOWHERE)


def put(root, content, name="tinyshakespeare/input.txt"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", ["tinyshakespeare/input.txt", "tinyshakespeare/input.txt.gz"])
def test_the_text_is_read_zipped_or_not_and_its_file_named_with_its_digest(tmp_path, name):
    path = put(tmp_path, gzip.compress(PLAY) if name.endswith("gz") else PLAY, name)
    text, sha256, own = read_plain_text("tinyshakespeare", tmp_path, download=False)
    assert text == PLAY.decode()
    assert sha256 == {name: checksum(path)}
    assert own == ()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tinyshakespeare/input.txt", PLAY + b"\n", "sha256 of its content is"),
        ("tinyshakespeare/input.txt.gz", gzip.compress(PLAY[:-1]), "is not the public file"),
        ("tinyshakespeare/input.txt.gz", gzip.compress(PLAY)[:-6], "damaged or truncated gzip"),
        ("tinyshakespeare/input.txt.gz", b"<html>", "damaged or truncated gzip"),
    ],
    ids=["longer", "shorter", "truncated", "web page"],
)
def test_a_file_that_is_not_the_published_text_is_refused(tmp_path, name, content, message):
    path = put(tmp_path, content, name)
    with pytest.raises(DataError, match=message) as error:
        read_plain_text("tinyshakespeare", tmp_path)
    assert str(path) in str(error.value)


def test_a_missing_text_names_both_files_that_would_do(tmp_path):
    with pytest.raises(DataError, match=r"text8/text8 or text8/text8\.gz"):
        read_plain_text("text8", tmp_path, download=False)


@pytest.mark.parametrize(
    ("name", "served", "content", "constant", "cached"),
    [
        ("tinyshakespeare", "input.txt", PLAY, "TINY_SHAKESPEARE_URL", "tinyshakespeare/input.txt"),
        ("text8", "text8.zip", ARCHIVE, "TEXT8_URL", "text8/text8"),
    ],
    ids=["tinyshakespeare", "text8"],
)
class TestDownload:
    def test_what_is_nowhere_is_fetched_into_the_cache_once(
        self, monkeypatch, tmp_path, serve, name, served, content, constant, cached
    ):
        (tmp_path / "served" / served).write_bytes(content)
        monkeypatch.setattr(downloads, constant, serve + served)
        first = read_plain_text(name)
        assert first[0] == (PLAY if name == "tinyshakespeare" else WIKI).decode()
        assert [str(path.relative_to(cache_folder())) for path in cache_folder().rglob("*") if path.is_file()] == [
            cached
        ]
        monkeypatch.setattr(downloads, constant, NOWHERE)
        assert read_plain_text(name) == first

    def test_another_file_at_the_address_is_refused_and_not_kept(
        self, monkeypatch, tmp_path, serve, name, served, content, constant, cached
    ):
        (tmp_path / "served" / served).write_bytes(content[:-3])
        monkeypatch.setattr(downloads, constant, serve + served)
        with pytest.raises(DataError, match="could not be downloaded"):
            read_plain_text(name)
        assert not [path for path in cache_folder().rglob("*") if path.is_file()]

    def test_no_network_is_one_paragraph_with_the_way_out(self, name, served, content, constant, cached):
        with pytest.raises(DataError, match=r"could not be downloaded.*INDUCTIVE_BIAS_DATA") as error:
            read_plain_text(name)
        assert "\n" not in str(error.value)


def test_an_archive_without_the_text_is_refused(monkeypatch, tmp_path, serve):
    content = zipped("readme", WIKI)
    (tmp_path / "served" / "text8.zip").write_bytes(content)
    monkeypatch.setattr(downloads, "TEXT8_URL", f"{serve}text8.zip")
    monkeypatch.setattr(downloads, "TEXT8_ZIP_SHA256", hashlib.sha256(content).hexdigest())
    with pytest.raises(DataError, match="could not be downloaded"):
        read_plain_text("text8")


@pytest.mark.parametrize("fetch", [downloads.download_tinyshakespeare, downloads.download_text8])
def test_a_cache_that_cannot_be_written_is_an_error(tmp_path, fetch):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="could not be downloaded"):
        fetch(tmp_path / "file" / "cache")


def test_wikipedia_is_read_in_the_symbols_of_text8_or_as_written(tmp_path, monkeypatch):
    line = "Born (June 14, 1993) in H\u00e0 N\u1ed9i;  she's 5\u2032 3\u2033.\n"
    (tmp_path / "wikipedia_en").mkdir()
    (tmp_path / "wikipedia_en" / "train.txt.gz").write_bytes(gzip.compress(line.encode() * 40))
    digest = hashlib.sha256(line.encode() * 40).hexdigest()
    for name in ("wikipedia", AS_WRITTEN):
        monkeypatch.setitem(plain_texts.TEXTS, name, TEXTS[name]._replace(digest=digest))
    found = {name: read_plain_text(name, tmp_path, download=False) for name in ("wikipedia", AS_WRITTEN)}
    assert found[AS_WRITTEN].text == line * 40
    spelled = "born june one four one nine nine three in h n i she s five three "
    assert found["wikipedia"].text == spelled * 40
    assert found["wikipedia"].sha256 == found[AS_WRITTEN].sha256
    for form, text in (("like text8", spelled), ("as written", line)):
        task = SegmentStream(text="wikipedia", form=form, window=2, vocabulary_size=60)
        assert task.load(tmp_path).alphabet == "".join(sorted(set(text)))
