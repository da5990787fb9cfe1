import gzip
from functools import partial

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.wikitext import cut_sentences, is_heading, read_wikitext

read = partial(read_wikitext, allow_other=True)

TEXT = " \n = The Title = \n \n The First one . And the second ! \n = = Part = = \n No end mark here \n"


def put(root, content, name="train.txt"):
    (root / "wikitext2").mkdir(parents=True, exist_ok=True)
    path = root / "wikitext2" / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_sentences_are_lower_case_words_without_headings(tmp_path, zipped):
    content = TEXT.encode()
    path = put(tmp_path, gzip.compress(content) if zipped else content, "valid.txt.gz" if zipped else "valid.txt")
    sentences, sha256, own = read("valid", tmp_path, download=False)
    assert sentences == [["the", "first", "one", "."], ["and", "the", "second", "!"], ["no", "end", "mark", "here"]]
    assert sha256 == {f"wikitext2/{path.name}": checksum(path)}
    assert own == (path.name,)


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("", []),
        (" . ", ["."]),
        ("a ? b", ["a ?", "b"]),
        ('he said " no . " then he left .', ['he said " no . "', "then he left ."]),
        ('" no . " " yes . "', ['" no . "', '" yes . "']),
        ('he left . " no', ["he left .", '" no']),
        ("a u.s. ship . <unk>", ["a u.s. ship .", "<unk>"]),
    ],
)
def test_a_sentence_ends_with_its_mark_and_its_closing_quotation(line, sentences):
    assert [" ".join(words) for words in cut_sentences(line)] == sentences


@pytest.mark.parametrize(
    ("line", "heading"),
    [(" = A title = ", True), (" = = Part = = ", True), (" x = 2 ", False), (" = ", False), ("", False)],
)
def test_a_heading_stands_between_equals_signs(line, heading):
    assert is_heading(line) is heading


def test_no_word_is_lost_but_those_of_headings(tmp_path):
    put(tmp_path, TEXT.encode())
    words = [word for sentence in read("train", tmp_path)[0] for word in sentence]
    assert words == ["the", "first", "one", ".", "and", "the", "second", "!", "no", "end", "mark", "here"]


def test_the_same_file_is_read_once_and_a_changed_one_again(tmp_path):
    put(tmp_path, b"one .\n")
    first = read("train", tmp_path)[0]
    assert read("train", tmp_path)[0] is first
    put(tmp_path, b"one . two .\n")
    assert len(read("train", tmp_path)[0]) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no sentence"),
        (b" = Title = \n", "no sentence"),
        (b"one\nt\xff\n", "not UTF-8 text: line 2, byte 2 is 0xff"),
    ],
    ids=["empty", "headings only", "not UTF-8"],
)
def test_a_bad_file_is_refused(tmp_path, content, message):
    path = put(tmp_path, content)
    with pytest.raises(DataError, match=message) as error:
        read("train", tmp_path)
    assert str(path) in str(error.value)


def test_a_missing_file_and_an_unknown_split_are_errors(tmp_path):
    with pytest.raises(DataError, match=r"wikitext2/test\.txt or wikitext2/test\.txt\.gz"):
        read_wikitext("test", tmp_path, download=False)
    with pytest.raises(ValueError, match="train, valid, test, not 'dev'"):
        read_wikitext("dev", tmp_path)


def test_the_real_text_has_its_number_of_sentences(shared_data_folder):
    if not (shared_data_folder / "wikitext2").is_dir():
        pytest.skip("the real files are not here: no wikitext2/")
    assert [len(read_wikitext(part, shared_data_folder)[0]) for part in ("valid", "test")] == [8_091, 9_363]
