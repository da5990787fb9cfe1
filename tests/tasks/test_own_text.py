"""A text of one's own: three files or one, in the words of its training part, found again by what is in it."""

import gzip

import pytest

from inductive_bias.errors import DataError
from inductive_bias.models import LSTMSpec
from inductive_bias.tasks import OwnText
from inductive_bias.trials import Trial

LINES = [f"The cat number {word} sleeps. The dog doesn't!" for word in ("one", "two", "three", "four", "five") * 2]


@pytest.fixture
def folder(tmp_path):
    for name, lines in (("train", LINES), ("valid", LINES[:2]), ("test", LINES[:3])):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    return tmp_path


def words(task, split):
    data = task.load()
    return [" ".join(data.vocabulary.decode(row[row != 0].tolist())[1:-1]) for row in data[split].inputs]


def test_three_files_are_three_splits_of_lower_case_sentences(folder):
    task = OwnText(file=str(folder), vocabulary_size=50)
    assert words(task, "validation")[:2] == ["the cat number one sleeps .", "the dog doesn 't !"]
    assert [len(task.load()[name]) for name in ("train", "validation", "test")] == [20, 4, 6]
    assert task.load()["train"].source == "own:test.txt+train.txt+valid.txt"
    assert set(task.load().sha256) == {"train.txt", "valid.txt", "test.txt"}
    assert task.dimensions == {"vocabulary": 50, "positions": 64}


def test_one_text_is_cut_in_its_order(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(LINES))
    whole = OwnText(file=str(tmp_path / "a.txt"), vocabulary_size=50)
    assert [len(whole.load()[name]) for name in ("train", "validation", "test")] == [16, 2, 2]
    (tmp_path / "a.txt").write_text("\n".join(LINES[:4]))
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("\n".join(LINES[4:]).encode()))
    assert OwnText(file=str(tmp_path), vocabulary_size=50).sha256 == whole.sha256


def test_a_moved_text_keeps_its_trials_and_a_changed_one_is_another(folder, tmp_path_factory):
    def trial(place):
        return Trial(task=OwnText(file=str(place), vocabulary_size=50), model=LSTMSpec(layers=1, width=4))

    before = trial(folder)
    moved = folder.rename(tmp_path_factory.mktemp("elsewhere") / "text")
    assert trial(moved).id == before.id
    (moved / "test.txt").write_text("Something else.")
    assert trial(moved).id != before.id
    with pytest.raises(DataError, match="has changed"):
        OwnText(file=str(moved), sha256=before.task.sha256)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "valid.txt").unlink(), "has none for validation"),
        (lambda folder: [path.unlink() for path in folder.iterdir()], "should have texts"),
        (lambda folder: (folder / "test.txt").write_bytes(b"\xff"), "test.txt is not UTF-8"),
        (lambda folder: (folder / "test.txt").write_text("\n \n"), "test.txt should hold sentences"),
        (lambda folder: folder.rename(folder.with_name("gone")), "cannot be read"),
    ],
)
def test_what_is_no_text_is_refused_by_its_path(folder, change, words):
    change(folder)
    with pytest.raises(DataError, match=words):
        OwnText(file=str(folder)).load()


def test_too_few_sentences_cannot_be_cut(tmp_path):
    (tmp_path / "a.txt").write_text("One. Two.")
    with pytest.raises(DataError, match="2 sentences are too few to cut"):
        OwnText(file=str(tmp_path / "a.txt")).load()
