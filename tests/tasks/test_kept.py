"""What is read is kept while the files do not change."""

import os

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import CharacterModelling, LanguageModelling, Stocks, files
from inductive_bias.tasks.kept import kept


def letters(folder, text, name="tinyshakespeare/input.txt"):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


@pytest.fixture
def counted(tmp_path):
    """A function of a name that is found in ``tmp_path``, and how often it ran."""
    runs = []

    @kept(maxsize=2)
    def read(name):
        runs.append(name)
        path = files.find([name, f"{name}.gz"], (("root=", tmp_path),))
        return files.raw_bytes(path)

    return read, runs


def test_a_file_is_read_once(tmp_path, counted):
    read, runs = counted
    (tmp_path / "a").write_text("one")
    assert read("a") is read("a")
    assert runs == ["a"]


def test_a_file_that_was_rewritten_is_read_again(tmp_path, counted):
    read, _ = counted
    (tmp_path / "a").write_text("one")
    assert read("a") == b"one"
    (tmp_path / "a").write_text("another")
    assert read("a") == b"another"
    (tmp_path / "a").write_text("equally")
    os.utime(tmp_path / "a", (1, 1))
    assert read("a") == b"equally"


def test_a_file_that_comes_to_stand_first_is_read(tmp_path, counted):
    read, _ = counted
    (tmp_path / "a.gz").write_text("zipped")
    assert read("a") == b"zipped"
    (tmp_path / "a").write_text("plain")
    assert read("a") == b"plain"


def test_the_files_of_a_kept_part_are_those_of_the_whole(tmp_path, counted):
    read, _ = counted

    @kept(maxsize=1)
    def whole():
        return read("a") + read("b")

    for name in "ab":
        (tmp_path / name).write_text(name)
    read("a")
    assert whole() == b"ab"
    (tmp_path / "a").write_text("new ")
    assert whole() == b"new b"


def test_the_results_asked_for_last_stay(tmp_path, counted):
    read, runs = counted
    for name in "abc":
        (tmp_path / name).write_text(name)
        read(name)
        read("a")
    read("b")
    assert runs == ["a", "b", "c", "b"]


def test_what_was_fetched_while_it_ran_does_not_make_it_run_again(tmp_path):
    runs = []

    @kept(maxsize=1)
    def fetch():
        runs.append(1)
        if files.find(["a"], (("root=", tmp_path),)) is None:
            (tmp_path / "scratch").write_text("x")
            files.raw_bytes(tmp_path / "scratch")
            (tmp_path / "scratch").rename(tmp_path / "a")
        return files.raw_bytes(tmp_path / "a")

    assert fetch() is fetch()
    assert runs == [1]


def test_a_text_that_was_rewritten_is_the_new_one(tmp_path):
    task = CharacterModelling(allow_other=True, window=4)
    letters(tmp_path, "abcd" * 30)
    old = task.load(tmp_path, download=False)
    assert task.load(tmp_path, download=False) is old
    letters(tmp_path, "efgh" * 40)
    new = task.load(tmp_path, download=False)
    assert (new.alphabet, len(new["train"])) != (old.alphabet, len(old["train"]))
    assert new.sha256 != old.sha256


def test_a_text_that_is_gone_is_missed(tmp_path):
    task = CharacterModelling(allow_other=True, window=4)
    letters(tmp_path, "abcd" * 30)
    task.load(tmp_path, download=False)
    (tmp_path / "tinyshakespeare" / "input.txt").unlink()
    with pytest.raises(DataError, match="not found"):
        task.load(tmp_path, download=False)


def test_sentences_that_were_rewritten_are_the_new_ones(tmp_path):
    task = LanguageModelling(allow_other=True, vocabulary_size=20, pairs=())
    for part in ("train", "valid", "test"):
        letters(tmp_path, " the cat sleeps . \n" * 20, f"wikitext2/{part}.txt")
    old = task.load(tmp_path, download=False)
    letters(tmp_path, " the dog barks loudly . \n" * 30, "wikitext2/train.txt")
    new = task.load(tmp_path, download=False)
    assert "dog" in new.vocabulary.words
    assert "dog" not in old.vocabulary.words
    assert new.sha256["wikitext2/train.txt"] != old.sha256["wikitext2/train.txt"]


def test_what_is_made_up_is_kept():
    assert Stocks(data="generated").load() is Stocks(data="generated").load()
