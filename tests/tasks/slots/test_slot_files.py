"""Tagged sentences from files of two layouts, and from the network."""

import hashlib

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import SlotFilling
from inductive_bias.tasks.files import cache_folder, checksum, places
from inductive_bias.tasks.slots import files
from inductive_bias.tasks.slots.files import read_requests
from tests.tasks.slots.conftest import ATIS, SETS, public_files

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there
OURS = {"train": "train", "validation": "valid", "test": "test"}
either = pytest.mark.parametrize("data", ["atis", "snips"])


def read(data, root=None, *, download=False, allow_other=False):
    return read_requests(data, places(root), download=download, allow_other=allow_other)


def assert_whole(found):
    for ours, theirs in OURS.items():
        wanted = [(tuple(words.split()), tuple(tags.split())) for words, tags in SETS[theirs]]
        assert found.splits[ours] == wanted


@either
def test_words_and_tags_come_back_without_their_frame(root, data):
    found = read(data, root)
    assert_whole(found)
    assert found.own == ()
    assert found.sha256 == {name: checksum(root / name) for name in public_files() if name.startswith(data)}


@either
def test_zipped_files_are_the_same(root, put, data):
    for name, content in public_files().items():
        (root / name).unlink()
        put(f"{name}.gz", content)
    found = read(data, root)
    assert_whole(found)
    assert set(found.sha256) == {f"{name}.gz" for name in public_files() if name.startswith(data)}


@either
def test_one_file_of_your_own_is_refused_or_named(root, data):
    path = root / (ATIS["valid"] if data == "atis" else "snips/valid/seq.out")
    path.write_bytes(path.read_bytes().replace(b"B-day", b"B-to"))
    with pytest.raises(DataError, match=r"is not the public file .*allow_other=True") as error:
        read(data, root)
    assert str(path) in str(error.value)
    assert read(data, root, allow_other=True).own == (path.name,)


def test_splits_exchanged_are_told(root):
    (root / ATIS["valid"]).write_bytes((root / ATIS["test"]).read_bytes())
    with pytest.raises(DataError, match=r"its content is that of atis/atis\.test\.w-intent\.iob"):
        read("atis", root)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BOS fly EOS O O intent", "line 1: should be BOS, words, EOS, a tab"),
        ("fly EOS\tO O intent", "line 1: should be BOS, words, EOS, a tab"),
        ("BOS fly\tO O", "line 1: should be BOS, words, EOS, a tab"),
        ("BOS fly EOS\tB-x O intent", "line 1: should be BOS, words, EOS, a tab"),
        ("BOS\tO", "line 1: should be BOS, words, EOS, a tab"),
        ("", "line 1: should be BOS, words, EOS, a tab"),
        ("BOS EOS\tO intent", "line 1: should have a word, but has none"),
        ("BOS fly now EOS\tO O intent", "line 1: has 4 words with BOS and EOS, but 3 tags"),
        ("BOS fly EOS\tO O O intent", "line 1: has 3 words with BOS and EOS, but 4 tags"),
        ("BOS fly EOS\tO E-x intent", "line 1: a tag should be O, B-kind or I-kind, not 'E-x'"),
        ("BOS fly EOS\tO B- intent", "line 1: a tag should be O, B-kind or I-kind, not 'B-'"),
    ],
)
def test_a_line_of_atis_that_is_not_words_with_tags_is_refused(root, put, line, message):
    put(ATIS["train"], f"{line}\n".encode())
    with pytest.raises(DataError, match=message) as error:
        read("atis", root, allow_other=True)
    assert ATIS["train"] in str(error.value)


@pytest.mark.parametrize(
    ("words", "tags", "message"),
    [
        ("a b\n", "O\n", r"seq\.in and seq\.out, line 1: has 2 words, but 1 tags"),
        ("a\n\n", "O\n\n", "line 2: should have a word, but has none"),
        ("a\nb\n", "O\n", "has 2 lines, but .* has 1"),
        ("a\n", "B\n", "line 1: a tag should be O, B-kind or I-kind, not 'B'"),
        ("", "", "should hold sentences, but there is none"),
    ],
)
def test_lines_of_snips_that_do_not_fit_are_refused(root, put, words, tags, message):
    put("snips/test/seq.in", words.encode())
    put("snips/test/seq.out", tags.encode())
    with pytest.raises(DataError, match=message):
        read("snips", root, allow_other=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "there is none in it"), (b"\0\0", "NUL byte"), (b"BOS caf\xe9 EOS", "not UTF-8")],
    ids=["empty", "NUL", "latin-1"],
)
def test_a_file_that_is_no_text_is_refused(root, put, content, message):
    put(ATIS["test"], content)
    with pytest.raises(DataError, match=message):
        read("atis", root, allow_other=True)


def test_a_truncated_zip_is_refused(root):
    path = root / f"{ATIS['test']}.gz"
    (root / ATIS["test"]).unlink()
    path.write_bytes(b"\x1f\x8b\x08\0 and no more")
    with pytest.raises(DataError, match="damaged or truncated gzip"):
        read("atis", root, allow_other=True)


@either
def test_a_missing_file_names_both_that_would_do(tmp_path, data):
    first = ATIS["train"] if data == "atis" else "snips/train/seq.in"
    with pytest.raises(DataError, match=f"{first} or {first}.gz"):
        read(data, tmp_path)


@either
class TestDownload:
    @pytest.fixture
    def server(self, monkeypatch, tmp_path, serve):
        """All files, as they lie in the repositories."""
        for name, content in public_files().items():
            data = name.split("/")[0]
            served = tmp_path / "served" / name
            served.parent.mkdir(parents=True, exist_ok=True)
            served.write_bytes(content)
            monkeypatch.setitem(files.ADDRESSES, data, f"{serve}{data}")
            monkeypatch.setitem(files.SHA256, name, (hashlib.sha256(content).hexdigest(),))
        return tmp_path / "served"

    def test_what_is_nowhere_is_fetched_into_the_cache_once(self, server, monkeypatch, data):
        first = read(data, download=True)
        assert_whole(first)
        kept = {path.relative_to(cache_folder()).as_posix() for path in cache_folder().rglob("*") if path.is_file()}
        assert kept == {name for name in public_files() if name.startswith(data)}
        monkeypatch.setitem(files.ADDRESSES, data, NOWHERE)
        assert read(data, download=True) == first

    def test_another_file_at_the_address_is_refused_and_not_kept(self, server, data):
        for path in server.rglob("*"):
            if path.is_file():
                path.write_bytes(path.read_bytes() + b"\n")
        with pytest.raises(DataError, match=f"{data}/.*could not be downloaded"):
            read(data, download=True)
        assert not [path for path in cache_folder().rglob("*") if path.is_file()]

    def test_no_network_is_one_paragraph_with_the_way_out(self, monkeypatch, data):
        monkeypatch.setitem(files.ADDRESSES, data, NOWHERE)
        with pytest.raises(DataError, match=r"could not be downloaded.*INDUCTIVE_BIAS_DATA.*generated") as error:
            SlotFilling(data=data).load()
        assert "\n" not in str(error.value)

    def test_the_address_is_https_and_of_one_commit(self, data):
        assert files.ADDRESSES[data].startswith("https://raw.githubusercontent.com/")
        commit = files.ADDRESSES[data].split("/")[5]
        assert len(commit) == 40
        assert set(files.SHA256) == set(public_files())


@pytest.mark.parametrize(
    ("data", "sizes", "words"),
    [("atis", (4_478, 500, 893), (50_497, 5_703, 9_164)), ("snips", (13_084, 700, 700), (117_700, 6_384, 6_354))],
)
def test_the_real_sets_are_of_the_published_sizes(shared_data_folder, data, sizes, words):
    if not (shared_data_folder / data).is_dir():
        pytest.skip(f"the real files are not here: no {data}/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    found = read(data, shared_data_folder)
    assert tuple(map(len, found.splits.values())) == sizes
    assert tuple(sum(len(each.words) for each in split) for split in found.splits.values()) == words
