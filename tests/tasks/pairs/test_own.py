import gzip
import json

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.pairs import minimal_pairs
from inductive_bias.tasks.pairs.own import read_pairs
from inductive_bias.tasks.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["the", "dog", "dogs", "barks", "bark", "."])
PAIRS = [("The dog barks.", "The dog bark."), ("The dogs bark.", "The cat bark."), ("The dog barks.", "The dogs bark.")]
UNKNOWN, TWO = "differing word out of vocabulary", "sentences differ in more than one word"


def jsonl(pairs):
    return [json.dumps({"sentence_good": good, "sentence_bad": bad}) for good, bad in pairs]


def tsv(pairs):
    return ["\t".join(pair) for pair in pairs]


def csv(pairs):
    return [f'"{good}","{bad}"' for good, bad in pairs]


@pytest.mark.parametrize("form", [jsonl, tsv, csv], ids=lambda form: form.__name__)
def test_a_file_and_a_list_give_the_same_pairs_with_their_rows(write, form):
    name = f"mine.{form.__name__}"
    made, listed = minimal_pairs(write(name, form(PAIRS)) / name, VOCABULARY), minimal_pairs(PAIRS, VOCABULARY)
    assert made.good.tolist() == listed.good.tolist()
    assert made.rows.tolist() == listed.rows.tolist() == [1, 3]
    assert made.left_out == listed.left_out == {2: UNKNOWN}
    assert made.texts == listed.texts == dict(enumerate(PAIRS, start=1))
    assert (made.name, made.source, listed.name, listed.source) == ("mine", f"own:{name}", "memory", "own:memory")
    assert (list(made.sha256), listed.sha256) == ([name], {})


def test_by_verb_only_pairs_that_differ_in_one_known_word_are_kept():
    made = minimal_pairs(PAIRS, VOCABULARY, by="verb", name="dogs")
    assert made.by_verb
    assert (made.name, made.rows.tolist(), made.position.tolist()) == ("dogs", [1], [3])
    assert made.left_out == {2: "verb out of vocabulary", 3: TWO}


def test_words_in_a_list_are_taken_as_they_are():
    words = Vocabulary(["The", "dog", "barks", "bark"])
    made = minimal_pairs([(["The", "dog", "barks"], ["The", "dog", "bark"])], words)
    assert made.unknown_share == 0
    assert made.texts == {1: ("The dog barks", "The dog bark")}


def test_a_header_names_the_columns_and_rows_are_lines_of_the_file(write):
    lines = ["kind\tbad\tGood", "a\tThe dog bark.\tThe dog barks.", "", 'b\tThe "dog bark.\tThe "dog barks.']
    made = minimal_pairs(write("mine.tsv", lines) / "mine.tsv", VOCABULARY)
    assert made.rows.tolist() == [2, 4]
    assert made.left_out == {3: "empty line"}
    assert made.texts[4] == ('The "dog barks.', 'The "dog bark.')


def test_a_quoted_cell_may_hold_commas_and_lines_and_a_file_may_be_zipped(tmp_path):
    path = tmp_path / "mine.csv.gz"
    path.write_bytes(gzip.compress(b'good,bad\n"The dog,\nbarks.","The dog, bark."\nThe dogs bark.,The dog bark.\n'))
    assert [pair.row for pair in read_pairs(path).pairs] == [2, 4]
    assert read_pairs(path).texts == {}


def test_a_column_may_name_the_construction(write):
    lines = ["good\tbad\tUID", "The dog barks.\tThe dog bark.\tnear", "The dogs bark.\tThe dogs barks.\t"]
    made = minimal_pairs(write("mine.tsv", lines) / "mine.tsv", VOCABULARY)
    assert made.paradigms == {2: "near", 3: "mine"}


@pytest.mark.parametrize(
    "header",
    ["right\twrong", "grammatical\tungrammatical", "Sentence A\tsentence_b", "label\tsentence", "text1\ttext2"],
)
def test_a_header_with_other_names_is_refused_and_not_scored(write, header):
    path = write("mine.tsv", [header, "The dog barks.\tThe dog bark."]) / "mine.tsv"
    with pytest.raises(DataError, match=r"mine\.tsv, line 1: .* looks like a header, .* name the columns good and bad"):
        read_pairs(path)


def test_short_sentences_are_no_header(write):
    path = write("mine.tsv", ["Stop.\tStops.", "The good dog.\tThe good dogs."]) / "mine.tsv"
    assert len(read_pairs(path).pairs) == 2


@pytest.mark.parametrize(
    ("name", "lines", "message"),
    [
        ("mine.tsv", ["a\tb", "a b"], r"mine\.tsv, line 2: should have 2 columns, good and bad, but has 1"),
        ("mine.tsv", ["a\tb\tc"], "line 1: should have 2 columns"),
        ("mine.tsv", ["good\tbad\tmore", "a\tb"], "line 2: should have 3 columns, but has 2"),
        ("mine.tsv", ["good\tbad"], "there is none in it"),
        ("mine.csv", ["a,b", '"a,b'], "line 2: not comma-separated text"),
        ("mine.txt", ["a\tb"], "line 1: not a JSON object"),
    ],
)
def test_a_file_of_another_format_is_refused_with_its_line(write, name, lines, message):
    root = write(name, lines)
    with pytest.raises(DataError, match=message):
        minimal_pairs(root / name, VOCABULARY)


@pytest.mark.parametrize("pair", ["ab", ("a", "b", "c"), 3])
def test_what_is_not_two_sentences_is_refused(pair):
    with pytest.raises(DataError, match="pair 2 should be a good and a bad sentence"):
        minimal_pairs(iter([PAIRS[0], pair]), VOCABULARY)  # the annotations, which tests check, see into lists


def test_nothing_to_score_is_refused_with_the_reasons():
    with pytest.raises(DataError, match=rf"0 of 1 pairs are left \({UNKNOWN}: 1\)"):
        minimal_pairs(PAIRS[1:2], VOCABULARY)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        minimal_pairs(tmp_path / "none.tsv", VOCABULARY)
