import gzip
import hashlib
import io
import tarfile
from functools import partial

import datasets
import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, wikitext
from inductive_bias.tasks.agreement import linzen
from inductive_bias.tasks.agreement.linzen import read_numpred, read_tsv
from inductive_bias.tasks.files import cache_folder, places
from inductive_bias.tasks.pairs import downloads as pairs
from inductive_bias.tasks.wikitext import read_wikitext

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there
FOLDER = "rnn_agr_simple"
FETCHES = (partial(downloads.download_numpred, declared={}), downloads.download_agreement_tsv)
LINE = b"VBZ\tit\n"


def tarred(names, *, link=None):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(LINE)
            archive.addfile(member, io.BytesIO(LINE))
        if link:
            member = tarfile.TarInfo(link)
            member.type, member.linkname = tarfile.SYMTYPE, "/etc/hostname"
            archive.addfile(member)
    return content.getvalue()


TEST_1 = f"linzen_agreement/{FOLDER}/numpred.test.1"
NAMES = [f"{FOLDER}/numpred.{part}" for part in downloads.NUMPRED_PARTS]


@pytest.fixture
def linzen_server(monkeypatch, tmp_path, serve):
    monkeypatch.setattr(downloads, "LINZEN_URL", serve.rstrip("/"))

    def put(name, content):
        (tmp_path / "served" / name).write_bytes(content)

    return put


def test_numpred_that_is_nowhere_is_fetched_into_the_cache_once(linzen_server, monkeypatch):
    linzen_server(f"{FOLDER}.tar.gz", tarred([f"{FOLDER}/README", *NAMES]))
    monkeypatch.setitem(linzen.SHA256, TEST_1, (hashlib.sha256(LINE).hexdigest(),))
    for name in set(linzen.SHA256) - {TEST_1}:
        monkeypatch.setitem(linzen.SHA256, name, ())
    first = read_numpred("test.1", places(), download=True)
    assert len(first.rows) == 1
    assert {path.name for path in (cache_folder() / "linzen_agreement" / FOLDER).iterdir()} == {
        name.split("/")[1] for name in NAMES
    }
    assert [path.name for path in cache_folder().iterdir()] == ["linzen_agreement"]
    monkeypatch.setattr(downloads, "LINZEN_URL", NOWHERE)
    assert read_numpred("test.1", places(), download=True) == first


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (tarred([*NAMES, "../numpred.evil"]), "leaves its folder"),
        (tarred(NAMES, link=f"{FOLDER}/numpred.link"), "no plain file"),
        (tarred(NAMES[1:]), r"should hold numpred\.train, and does not"),
        (tarred(NAMES)[:100], "damaged or truncated tar"),
        (b"<html>", "damaged or truncated tar"),
    ],
    ids=["escaping member", "link", "incomplete", "truncated", "web page"],
)
def test_an_archive_of_another_kind_is_refused_and_not_kept(linzen_server, content, message):
    linzen_server(f"{FOLDER}.tar.gz", content)
    with pytest.raises(DataError, match=message):
        downloads.download_numpred(cache_folder(), {})
    assert not list(cache_folder().rglob("numpred*"))


def test_the_table_of_sentences_is_fetched_into_the_cache(linzen_server):
    columns = ["sentence", "verb_pos", "verb_index", "n_intervening", "n_diff_intervening", "distance"]
    text = "\t".join(columns) + "\nthe cat is old\tVBZ\t3\t0\t0\t1\n"
    linzen_server("agr_50_mostcommon_10K.tsv.gz", gzip.compress(text.encode()))
    assert [row.preamble for row in read_tsv(places(), download=True, allow_other=True).rows] == ["the cat"]


@pytest.mark.parametrize("content", [b"<html>", gzip.compress(b"<html>"), b""], ids=["page", "zipped page", "empty"])
def test_a_web_page_is_not_kept_as_the_table(linzen_server, content):
    linzen_server("agr_50_mostcommon_10K.tsv.gz", content)
    with pytest.raises(DataError, match=r"not the table|could not be downloaded"):
        downloads.download_agreement_tsv(cache_folder())
    assert not list(cache_folder().rglob("*.tsv.gz"))


@pytest.mark.parametrize("fetch", FETCHES)
def test_no_network_is_one_paragraph_with_the_way_out(monkeypatch, fetch):
    monkeypatch.setattr(downloads, "LINZEN_URL", NOWHERE)
    with pytest.raises(DataError, match=r"could not be downloaded.*INDUCTIVE_BIAS_DATA") as error:
        fetch(cache_folder())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("fetch", [*FETCHES, partial(downloads.download_wikitext, declared={})])
def test_a_cache_that_cannot_be_written_is_an_error(tmp_path, fetch):
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="could not be downloaded"):
        fetch(tmp_path / "file" / "cache")


def test_wikitext_becomes_the_original_lines_in_the_cache(monkeypatch):
    asked = []

    def fake(name, config, cache_dir):
        asked.append((name, config))
        return {part: {"text": ["", " = Title = \n", f" The {part} . \n"]} for part in ("train", "validation", "test")}

    monkeypatch.setattr(datasets, "load_dataset", fake)
    for part, ours in (("train", "train"), ("validation", "valid"), ("test", "test")):
        digest = hashlib.sha256(f" \n = Title = \n The {part} . \n".encode()).hexdigest()
        monkeypatch.setitem(wikitext.SHA256, f"wikitext2/{ours}.txt", (digest,))
    assert read_wikitext("valid")[0] == [["the", "validation", "."]]
    assert read_wikitext("train")[0] == [["the", "train", "."]]
    assert asked == [("Salesforce/wikitext", "wikitext-2-v1")]
    assert (cache_folder() / "wikitext2" / "test.txt").read_text() == " \n = Title = \n The test . \n"
    assert [path.name for path in cache_folder().iterdir()] == ["wikitext2"]


@pytest.mark.parametrize(
    "answer", [ConnectionError("no\nnetwork"), ValueError("offline"), {"train": {"text": ["a\n"]}}], ids=repr
)
def test_wikitext_that_cannot_be_fetched_whole_is_an_error_and_not_kept(monkeypatch, answer):
    def fake(name, config, cache_dir):
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(datasets, "load_dataset", fake)
    with pytest.raises(DataError, match=r"WikiText-2.*could not be downloaded") as error:
        downloads.download_wikitext(cache_folder(), wikitext.SHA256)
    assert "\n" not in str(error.value)
    assert not (cache_folder() / "wikitext2").exists()


def test_a_wikitext_that_is_another_text_is_refused_and_not_kept(monkeypatch):
    rows = {"text": [" Another text . \n"]}
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: dict.fromkeys(("train", "validation", "test"), rows))
    with pytest.raises(DataError, match=r"is not the public file wikitext2/\w+\.txt: the SHA-256 of its content is"):
        downloads.download_wikitext(cache_folder(), wikitext.SHA256)
    assert not (cache_folder() / "wikitext2").exists()


def test_an_archive_whose_files_are_others_is_refused_and_not_kept(linzen_server):
    linzen_server(f"{FOLDER}.tar.gz", tarred(NAMES))
    with pytest.raises(DataError, match=r"is not the public file linzen_agreement/rnn_agr_simple/numpred\."):
        downloads.download_numpred(cache_folder(), linzen.SHA256)
    assert not list(cache_folder().rglob("numpred*"))


def test_every_address_is_https_or_has_a_declared_digest():
    """The archive of text8 is the only one that is served without encryption; it is compared with its SHA-256."""
    addresses = {name: value for name, value in vars(downloads).items() if name.endswith("_URL")}
    plain = {name for name, address in addresses.items() if not address.startswith("https://")}
    assert plain == {"TEXT8_URL"}
    assert len(downloads.TEXT8_ZIP_SHA256) == 64
    assert len(addresses) == 4
    assert all(address.startswith("https://") for address in pairs.ADDRESSES.values())
