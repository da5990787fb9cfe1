"""The beats of MIT-BIH from records: against loops, against the real ones, and fetched or refused."""

import csv
import gzip
import hashlib
import io

import numpy as np
import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import Heartbeats
from inductive_bias.tasks.files import checksum, places
from inductive_bias.tasks.heartbeats import cutting, mitdb, records
from inductive_bias.tasks.heartbeats.files import read_beats
from inductive_bias.tasks.heartbeats.task import VALIDATION
from tests.tasks.heartbeats import writing

LENGTH = 3000
#: Beats of a written record. The first and the last window leave it by one sample; those beside them just do not.
MARKS = [
    (99, "N"),
    (100, "A"),
    (600, "V"),
    (650, "~"),
    (700, "e"),
    (1900, "F"),
    (2000, "/"),
    (LENGTH - 188, "S"),
    (LENGTH - 187, "N"),
]
SECTIONS = {100: "DS2", 101: "DS1", 102: "neither", **dict.fromkeys(VALIDATION, "DS1"), 201: "DS1"}
PUBLIC = "real:mitbih"


def written(number=100, marks=MARKS, **changed):
    """The three files of a record, by name."""
    units = np.random.default_rng(number).integers(-2048, 2048, (LENGTH, 2))
    return {
        f"{number}.hea": writing.header(number, units, **changed),
        f"{number}.dat": writing.format_212(units),
        f"{number}.atr": writing.annotations(marks),
    }


def cut_one(files, number=100):
    return cutting.cut([number], files.__getitem__)


@pytest.mark.parametrize("seed", range(3))
def test_format_212_is_read_as_by_a_loop(seed):
    content = np.random.default_rng(seed).integers(0, 256, 3 * 500, np.uint8).tobytes()
    wanted = writing.read_212(content)
    assert writing.format_212(wanted) == content
    header = records.header_of(writing.header(100, wanted), "100.hea")
    assert records.leads_of(content, header, "100.dat").tolist() == wanted.tolist()


def test_a_header_says_what_it_says():
    units = np.array([[995, 1011], [-3, 7]])
    found = records.header_of(writing.header(100, units), "100.hea")
    assert found.leads == (("MLII", 200.0, 1024, 995, 992), ("V1", 200.0, 1024, 1011, 1018))
    assert found[:2] == (360, 2)
    assert found.remarks == ("69 M 1085 1629 x1", "Aldomet, Inderal")


def test_annotations_are_read_past_texts_numbers_and_long_pauses():
    parts = [
        writing.word(1, 77),
        writing.word(60, 5),
        writing.text(b"odd"),
        writing.word(28, 3),
        writing.word(5, 1023),
        writing.word(61, 1),
        writing.word(62, 2),
        writing.text(b"even"),
        writing.skip(100_000),
        writing.word(8, 4),
        writing.skip(-50),
        writing.word(14, 0),
        writing.word(2, 6),
        b"\0\0",
        writing.word(1, 1),
    ]
    found = records.beats_of(b"".join(parts), "100.atr")
    assert found.samples.tolist() == [77, 77 + 3 + 1023, 101_107, 101_107 - 50 + 6]
    assert found.symbols == ("N", "V", "A", "L")


def test_a_beat_is_its_window_filtered_halved_and_scaled():
    files = written()
    found, lead = cut_one(files), (writing.read_212(files["100.dat"])[:, 0] - 1024) / 200
    kept = [100, 600, 700, 1900, 2000, LENGTH - 188]
    assert found["r_sample"].tolist() == kept
    assert found["symbol"].tolist() == ["A", "V", "e", "F", "/", "S"]
    assert found["y"].tolist() == [1, 2, 0, 3, 4, 1]
    # those left out count as the beat before, other annotations do not
    assert found["rr_prev"].tolist() == [1, 500, 100, 1200, 100, LENGTH - 2188]
    assert found["X"].shape == (6, 144)
    for sample, row in zip(kept, found["X"], strict=True):
        low = writing.low_passed(lead[sample - 100 : sample + 188])
        assert row.tolist() == np.rint(255 * (low - low.min()) / (low.max() - low.min())).tolist()


def test_the_lead_is_mlii_wherever_it_stands_else_the_first():
    second = cut_one(written(leads=("V5", "MLII")))["X"]
    swapped = written()
    units = writing.read_212(swapped["100.dat"])[:, ::-1]
    swapped |= {"100.hea": writing.header(100, units), "100.dat": writing.format_212(units)}
    assert (cut_one(swapped)["X"] == second).all()
    assert (cut_one(written(leads=("V5", "V2")))["X"] == cut_one(written())["X"]).all()


def test_the_first_beat_has_none_before_and_a_flat_one_is_0():
    assert cut_one(written(marks=[(300, "N"), (500, "N")]))["rr_prev"].tolist() == [0, 200]
    assert not cutting.scaled(np.zeros((2, 288))).any()


def test_every_record_is_in_one_section_and_every_symbol_in_one_class():
    sections = list(cutting.SECTIONS.values())
    assert [sections.count(name) for name in ("DS1", "DS2", "neither")] == [22, 22, 4]
    assert list(cutting.SECTIONS) == sorted(cutting.SECTIONS)
    assert {name.split("/")[-1][:3] for name in mitdb.RECORDS} == set(map(str, cutting.SECTIONS))
    assert len(cutting.CLASSES) == sum(map(len, cutting.OF_CLASS.values())) == 15


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("100.hea", written(form=16)["100.hea"], "100.hea is not a header of leads in format 212"),
        ("100.hea", b"<html>Not found</html>", "100.hea is not a header of leads in format 212"),
        ("100.hea", b"", "100.hea is not a header of leads in format 212"),
        ("100.hea", written(rate=250)["100.hea"], "360 samples a second, not 250"),
        ("100.dat", written()["100.dat"][:-3], "100.dat should hold 3000 samples of 2 leads"),
        ("100.dat", written(101)["101.dat"], "100.dat: the samples of MLII are not those"),
        ("100.atr", written()["100.atr"][:-2], "100.atr is not a whole file of annotations"),
        ("100.atr", written()["100.atr"][:-2] + writing.word(59, 0), "100.atr is not a whole file of annotations"),
        ("100.atr", writing.annotations([(300, "B")]), "100.atr: beats are marked B, of which no class is known"),
        ("100.atr", writing.annotations([(50, "N")]), "the window of no beat lies within the record"),
    ],
)
def test_what_is_no_record_is_refused(name, content, message):
    with pytest.raises(DataError, match=message):
        cut_one(written() | {name: content})


@pytest.mark.parametrize("remark", ["", "no age M", "69"])
def test_a_header_without_a_patient_is_refused(remark):
    with pytest.raises(DataError, match="should say age and sex in its first remark"):
        cutting.patients_table([100], written(remark=remark).__getitem__)


@pytest.fixture
def physionet(serve, tmp_path, monkeypatch):
    """Written records at the public address, taken for the public ones; the folder that is served."""
    files = {}
    for number in SECTIONS:
        remark = "-1 F 1 2 x1" if number == 101 else "69 M 1 2 x1"
        files |= written(number, remark=remark)
    folder, sums = tmp_path / "served", {}
    for name, content in files.items():
        (folder / name).write_bytes(content)
        sums[f"{mitdb.RAW}/{name}"] = (checksum(folder / name),)
    for module in (cutting, mitdb):
        monkeypatch.setattr(module, "SECTIONS", dict(sorted(SECTIONS.items())))
    monkeypatch.setattr(mitdb, "ADDRESS", serve.rstrip("/"))
    monkeypatch.setattr(mitdb, "RECORDS", sums)
    arrays = cutting.cut(mitdb.SECTIONS, files.__getitem__)
    monkeypatch.setitem(mitdb.ARRAYS, mitdb.BEATS, (cutting.digest(arrays),))
    rows = [
        f"{number},{'' if number == 101 else 69},{'F' if number == 101 else 'M'},{section}\n"
        for number, section in sorted(SECTIONS.items())
    ]
    (folder / "wanted.csv").write_text("record,age,sex,split\n" + "".join(rows))
    monkeypatch.setitem(mitdb.SHA256, mitdb.PATIENTS, (checksum(folder / "wanted.csv"),))
    return folder


def test_beats_and_patients_are_fetched_cut_and_kept(physionet, tmp_path):
    data = Heartbeats().load()
    assert data["test"].source == PUBLIC
    assert data["test"].labels.tolist() == [1, 2, 0, 1]
    cache = tmp_path / "cache"
    assert data.sha256 == {mitdb.BEATS: mitdb.ARRAYS[mitdb.BEATS][0], mitdb.PATIENTS: checksum(cache / mitdb.PATIENTS)}
    assert sorted(path.name for path in (cache / "mitbih").iterdir()) == ["mitbih_beats.npz", "patients.csv", "raw"]
    patients = Heartbeats().patients()
    assert patients[101] == ("DS1", "F", None)
    assert patients[100] == ("DS2", "M", 69)
    # from now on without a network, and the same
    for path in physionet.iterdir():
        path.unlink()
    again = Heartbeats().load(download=False)
    assert (again["test"].inputs == data["test"].inputs).all()
    assert (again["test"].source, again.sha256) == (PUBLIC, data.sha256)


def test_records_that_lie_here_are_not_fetched_zipped_or_not(physionet, tmp_path):
    raw = tmp_path / mitdb.RAW
    raw.mkdir(parents=True)
    for place in mitdb.RECORDS:
        served = physionet / place.split("/")[-1]
        (raw / f"{served.name}.gz").write_bytes(gzip.compress(served.read_bytes()))
        served.unlink()
    assert Heartbeats().load(tmp_path, download=False)["test"].source == PUBLIC
    (raw / "201.atr.gz").unlink()
    (tmp_path / "cache" / mitdb.BEATS).unlink()
    with pytest.raises(DataError, match=r"mitbih_beats\.npz.*raw/201\.atr in: .*of which 1 are missing"):
        Heartbeats(scored=3).load(tmp_path, download=False)


@pytest.mark.parametrize("broken", ["wrong", "missing"])
def test_a_record_that_is_another_or_not_there_is_refused_and_no_beats_are_kept(physionet, tmp_path, broken):
    name = physionet / "114.dat"
    name.write_bytes(name.read_bytes()[:-3] + b"abc") if broken == "wrong" else name.unlink()
    with pytest.raises(DataError, match=r"mitbih/raw/114\.dat was not found.*could not be downloaded"):
        Heartbeats().load()
    assert not (tmp_path / "cache" / mitdb.BEATS).exists()
    assert not (tmp_path / "cache" / mitdb.RAW / "114.dat").exists()


def test_a_record_that_was_changed_here_is_refused_or_ones_own(physionet, tmp_path):
    raw = tmp_path / mitdb.RAW
    raw.mkdir(parents=True)
    (raw / "100.atr").write_bytes(writing.annotations(MARKS[:-3]))
    with pytest.raises(DataError, match=r"100\.atr is not the public file mitbih/raw/100\.atr"):
        Heartbeats(left_out=()).load(tmp_path)
    # its three kinds are all there, without the last one
    own = Heartbeats(allow_other=True).load(tmp_path)["test"]
    assert own.source == "own:mitbih_beats.npz"
    assert own.labels.tolist() == [1, 2, 0]
    assert not (tmp_path / "cache" / mitdb.BEATS).exists()


def test_another_cut_of_the_public_records_is_refused_or_ones_own(physionet, tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "BEFORE", 98)
    monkeypatch.setattr(cutting, "AFTER", 190)
    with pytest.raises(DataError, match=r"mitbih_beats\.npz, made from the records .* is not the public one"):
        Heartbeats().load()
    assert not (tmp_path / "cache" / mitdb.BEATS).exists()
    assert Heartbeats(allow_other=True).load()["test"].source == "own:mitbih_beats.npz"
    assert not (tmp_path / "cache" / mitdb.BEATS).exists()


def test_public_beats_that_were_packed_elsewhere_are_public_and_others_are_not(physionet, tmp_path):
    arrays = cutting.cut(mitdb.SECTIONS, lambda name: (physionet / name).read_bytes())
    path = tmp_path / mitdb.BEATS
    path.parent.mkdir()
    np.savez(path, **arrays)  # not compressed
    assert Heartbeats().load(tmp_path)["test"].source == PUBLIC
    for changed in ({"X": arrays["X"] // 2}, {"rr_prev": arrays["rr_prev"] + 1}, {"y": arrays["y"].astype(np.int64)}):
        np.savez(path, **(arrays | changed))
        with pytest.raises(DataError, match=r"the SHA-256 of its arrays is .* expected"):
            read_beats(places(tmp_path), download=False, allow_other=False)


def test_the_cut_of_the_real_records_is_that_of_the_file(shared_data_folder):
    raw, whole = shared_data_folder / mitdb.RAW, shared_data_folder / mitdb.BEATS
    if not raw.is_dir() or not whole.is_file():
        pytest.skip("the real records are not here")
    contents = {path.stem: gzip.decompress(path.read_bytes()) for path in raw.glob("*.gz")}
    numbers = sorted({int(name[:3]) for name in contents})
    for name, content in contents.items():
        assert mitdb.RECORDS[f"{mitdb.RAW}/{name}"] == (hashlib.sha256(content).hexdigest(),)
    found = cutting.cut(numbers, contents.__getitem__)
    with np.load(whole) as opened:
        wanted = {name: opened[name] for name in opened.files}
    assert cutting.digest(wanted) in mitdb.ARRAYS[mitdb.BEATS]
    rows = np.isin(wanted["record"], numbers)
    assert found.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_array_equal(found[name], wanted[name][rows], strict=True)
    table = csv.reader(io.StringIO((shared_data_folder / mitdb.PATIENTS).read_text()))
    lines = [row for row in table if row[0] == "record" or int(row[0]) in numbers]
    made = cutting.patients_table(numbers, contents.__getitem__).decode()
    assert list(csv.reader(io.StringIO(made))) == lines
