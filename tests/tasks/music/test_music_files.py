"""Piano rolls from the packed file, from the public one, and from the network."""

import hashlib

import numpy as np
import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import PolyphonicMusic
from inductive_bias.tasks.files import cache_folder, checksum, places
from inductive_bias.tasks.music import files
from inductive_bias.tasks.music.files import read_rolls
from tests.tasks.music.conftest import as_mat, as_npz, random_rolls

NOWHERE = "http://127.0.0.1:9"  # the discard port: nothing listens there
OURS = {"train": "train", "validation": "valid", "test": "test"}


def read(root=None, data="jsb", *, download=False, allow_other=True):
    return read_rolls(data, places(root), download=download, allow_other=allow_other)


def assert_same(found, rolls):
    for ours, theirs in OURS.items():
        assert len(found.pieces[ours]) == len(rolls[theirs])
        for piece, wanted in zip(found.pieces[ours], rolls[theirs], strict=True):
            np.testing.assert_array_equal(piece, wanted)


def test_packed_rolls_come_back_as_they_were(tmp_path, put, rolls, declare):
    path = put("jsb_chorales.npz", as_npz(rolls))
    declare(tmp_path)
    found = read(tmp_path, allow_other=False)
    assert_same(found, rolls)
    assert found.sha256 == {"poly_music/jsb_chorales.npz": checksum(path)}
    assert found.own == ()


def test_the_public_file_has_the_same_pieces(tmp_path, put, rolls, declare):
    path = put("Nottingham.mat", as_mat(rolls))
    declare(tmp_path)
    found = read(tmp_path, "nottingham", allow_other=False)
    assert_same(found, rolls)
    assert found.sha256 == {"poly_music/Nottingham.mat": checksum(path)}


def test_the_packed_file_is_taken_where_both_are(tmp_path, put, rolls, declare):
    put("MuseData.mat", as_mat(random_rolls(seed=1)))
    put("musedata.npz", as_npz(rolls))
    declare(tmp_path)
    assert_same(read(tmp_path, "musedata", allow_other=False), rolls)


def test_a_packed_file_of_your_own_is_read_if_allowed_and_named(tmp_path, put, rolls):
    put("piano_midi.npz", as_npz(rolls))
    with pytest.raises(DataError, match=r"piano_midi\.npz is not the public file .*allow_other=True"):
        read(tmp_path, "piano_midi", allow_other=False)
    assert read(tmp_path, "piano_midi").own == ("piano_midi.npz",)


def test_another_matlab_file_is_never_opened(tmp_path, put, rolls):
    put("JSB_Chorales.mat", as_mat(rolls))
    with pytest.raises(DataError, match=r"JSB_Chorales\.mat is not the public file"):
        read(tmp_path, allow_other=True)


def test_sets_exchanged_are_told(tmp_path, put, declare):
    put("jsb_chorales.npz", as_npz(random_rolls(seed=1)))
    put("nottingham.npz", as_npz(random_rolls(seed=2)))
    declare(tmp_path)
    put("jsb_chorales.npz", as_npz(random_rolls(seed=2)))
    with pytest.raises(DataError, match=r"its content is that of poly_music/nottingham\.npz"):
        read(tmp_path, allow_other=False)


WHOLE = random_rolls()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (as_npz(WHOLE)[:-30], "not a whole .npz file"),
        (as_npz(WHOLE)[:200] + b"\0" * 50 + as_npz(WHOLE)[250:], "not a whole .npz file"),
        (b"", "not a whole .npz file"),
        (b"<html>", "not a whole .npz file"),
        (as_npz({name: WHOLE[name] for name in ("train", "test")}), "not a whole .npz file .*valid_bits"),
        (as_npz(WHOLE, test_bits=np.array([None, {}], object)), "not a whole .npz file .*allow_pickle=False"),
        (as_npz(WHOLE, test_bits=np.zeros((2, 12), np.uint8)), r"test_bits should be uint8 \[steps, 11\], not uint8"),
        (as_npz(WHOLE, test_bits=np.zeros((2, 11), np.int64)), r"test_bits should be uint8 \[steps, 11\], not int64"),
        (as_npz(WHOLE, test_offsets=np.array([0.0, 2.0])), r"test_offsets should be integers \[pieces \+ 1\]"),
        (as_npz(WHOLE, test_offsets=np.zeros(0, int)), r"test_offsets should be integers \[pieces \+ 1\]"),
        (as_npz(WHOLE, test_offsets=np.array([0, 3])), "test_offsets should rise from 0 to the 2 steps"),
        (as_npz(WHOLE, test_offsets=np.array([1, 2])), "test_offsets should rise from 0 to the 2 steps"),
        (as_npz(WHOLE, train_offsets=np.array([0, 9, 4, 16])), "train_offsets should rise from 0 to the 16 steps"),
        (as_npz(WHOLE, train_offsets=np.array([0, 5, 5, 16])), "piece 1 of train has 0 steps; there must be 2"),
        (as_npz(WHOLE, train_offsets=np.array([0, 15, 16])), "piece 1 of train has 1 steps; there must be 2"),
        (
            as_npz(WHOLE, test_offsets=np.array([0]), test_bits=np.zeros((0, 11), np.uint8)),
            "should hold pieces of test, but there is none",
        ),
    ],
    ids=[
        "truncated",
        "damaged",
        "empty",
        "web page",
        "no validation",
        "pickle",
        "wide",
        "int64",
        "float offsets",
        "no offsets",
        "beyond the end",
        "not from 0",
        "falling",
        "empty piece",
        "one step",
        "no piece",
    ],
)
def test_a_file_that_does_not_hold_packed_rolls_is_refused(tmp_path, put, content, message):
    path = put("jsb_chorales.npz", content)
    with pytest.raises(DataError, match=message) as error:
        read(tmp_path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "piece", [np.full((4, 88), 0.5), np.zeros((4, 87)), np.full((4, 88), 2.0)], ids=["half", "87 keys", "two"]
)
def test_matrices_of_other_numbers_are_refused(tmp_path, put, rolls, declare, piece):
    put("JSB_Chorales.mat", as_mat(rolls | {"test": [piece, *rolls["test"]]}))
    declare(tmp_path)
    with pytest.raises(DataError, match=r"should hold matrices \[steps, 88\] of 0 and 1"):
        read(tmp_path, allow_other=False)


def test_a_missing_set_names_both_files_that_would_do(tmp_path):
    with pytest.raises(DataError, match=r"poly_music/jsb_chorales\.npz or poly_music/JSB_Chorales\.mat"):
        read(tmp_path)


class TestDownload:
    @pytest.fixture
    def server(self, monkeypatch, tmp_path, serve):
        monkeypatch.setattr(files, "ADDRESS", serve.rstrip("/"))
        return tmp_path / "served"

    def test_the_public_file_is_fetched_into_the_cache_once(self, server, monkeypatch, rolls):
        content = as_mat(rolls)
        (server / "Piano_midi.mat").write_bytes(content)
        monkeypatch.setitem(files.SHA256, "poly_music/Piano_midi.mat", (hashlib.sha256(content).hexdigest(),))
        first = read(data="piano_midi", download=True, allow_other=False)
        assert_same(first, rolls)
        kept = [path.relative_to(cache_folder()).as_posix() for path in cache_folder().rglob("*") if path.is_file()]
        assert kept == ["poly_music/Piano_midi.mat"]
        monkeypatch.setattr(files, "ADDRESS", NOWHERE)
        assert read(data="piano_midi", download=True, allow_other=False).sha256 == first.sha256

    def test_another_file_at_the_address_is_refused_and_not_kept(self, server, rolls):
        (server / "JSB_Chorales.mat").write_bytes(as_mat(rolls))
        with pytest.raises(DataError, match=r"poly_music/JSB_Chorales\.mat .*could not be downloaded"):
            read(download=True)
        assert not [path for path in cache_folder().rglob("*") if path.is_file()]

    def test_no_network_is_one_paragraph_with_the_way_out(self, monkeypatch):
        monkeypatch.setattr(files, "ADDRESS", NOWHERE)
        with pytest.raises(DataError, match=r"could not be downloaded.*INDUCTIVE_BIAS_DATA") as error:
            PolyphonicMusic().load()
        assert "\n" not in str(error.value)

    def test_nothing_is_fetched_when_the_download_is_refused(self, server):
        with pytest.raises(DataError, match="INDUCTIVE_BIAS_DATA is not set"):
            PolyphonicMusic().load(download=False)
        assert not cache_folder().exists()

    def test_the_address_is_https_and_of_one_commit_and_every_file_has_a_digest(self):
        assert files.ADDRESS.startswith("https://")
        assert "2f8c2b817050206397458dfd1f5a25ce8a32fe65" in files.ADDRESS
        assert set(files.SHA256) == {f"poly_music/{name}" for names in files.NAMES.values() for name in names}
        assert all(len(digest) == 64 for (digest,) in files.SHA256.values())


@pytest.mark.parametrize(
    ("data", "pieces", "steps"),
    [
        ("jsb", (229, 76, 77), (13_807, 4_602, 4_725)),
        ("nottingham", (694, 173, 170), (176_561, 45_513, 44_463)),
        ("musedata", (524, 135, 124), (245_202, 82_755, 64_339)),
        ("piano_midi", (87, 12, 25), (75_911, 8_540, 19_036)),
    ],
)
def test_the_real_sets_are_of_the_published_sizes(shared_data_folder, data, pieces, steps):
    if not (shared_data_folder / "poly_music").is_dir():
        pytest.skip("the real files are not here: no poly_music/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    found = read(shared_data_folder, data, allow_other=False)
    assert tuple(len(found.pieces[name]) for name in OURS) == pieces
    assert tuple(sum(map(len, found.pieces[name])) for name in OURS) == steps
