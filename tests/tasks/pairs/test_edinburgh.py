import gzip

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import places
from inductive_bias.tasks.pairs.edinburgh import HEADER, read_edinburgh

NAME = "linzen_agreement/full_sentences/wiki-dev.txt"
TAG = "POS tag where the verb should be"
TOP = "\t".join(HEADER)
GOOD = 'the "NNS of the town sleep .\t1\t5\tVBP\tsleep\tsleeps'


def read(root):
    return read_edinburgh("wiki-dev", places(root), download=False, allow_other=True)


def test_the_wrong_sentence_has_the_other_form_and_quotation_marks_are_words(write):
    rows = [TOP, GOOD, "`` he '' runs .\t1\t3\tVBZ\truns\trun"]
    made = read(write(NAME, rows))
    assert [" ".join(pair.good) for pair in made.pairs] == ['the "NNS of the town sleep .', '" he " runs .']
    assert [" ".join(pair.bad) for pair in made.pairs] == ['the "NNS of the town sleeps .', '" he " run .']
    assert [pair.slices for pair in made.pairs] == [{"distance": 4}, {"distance": 2}]
    assert made.left_out == {}
    assert [pair.row for pair in made.pairs] == [2, 3]
    assert list(made.sha256) == ["wiki-dev.txt"]


def test_a_zipped_file_is_read_too(tmp_path):
    path = tmp_path / f"{NAME}.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(f"{TOP}\n{GOOD}\n".encode()))
    assert len(read(tmp_path).pairs) == 1


def test_a_tag_or_another_word_in_the_verbs_place_is_listed_with_its_line(write):
    rows = [TOP, "he VBZ .\t0\t1\tVBZ\truns\trun", "he are .\t0\t1\tVBP\tAre\tIs", "he VBZ .\t0\t1\tVBZ\truns\trun"]
    made = read(write(NAME, rows))
    assert made.left_out == {2: TAG, 3: "token is not the verb", 4: TAG}
    assert len(made.pairs) == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "should begin with the columns"),
        (["sentence\tverb", GOOD], "line 1 is 'sentence.*verb'"),
        ([TOP, GOOD, "he runs"], "line 3, should have 6 columns, but has 1"),
        ([TOP, "he runs .\t0\t1\tNN\truns\trun"], "line 2: verb_pos should be VBZ or VBP, not 'NN'"),
        ([TOP, "he runs .\t0\t3\tVBZ\truns\trun"], "lie in 0..2, but they are '0' and '3'"),
        ([TOP, "he runs .\t1\t1\tVBZ\truns\trun"], "subj_idx should come before verb_idx"),
        ([TOP, "he runs .\t-1\t1\tVBZ\truns\trun"], "they are '-1' and '1'"),
        ([TOP, "\t0\t1\tVBZ\truns\trun"], "line 2: subj_idx"),
    ],
)
def test_a_file_of_another_format_is_refused_with_its_line(write, rows, message):
    root = write(NAME, rows)
    with pytest.raises(DataError, match=message):
        read(root)


def test_bytes_that_are_not_utf_8_are_refused(write):
    root = write(NAME, [TOP])
    (root / NAME).write_bytes(f"{TOP}\n".encode() + b"caf\xe9\t0\t1\tVBZ\truns\trun\n")
    with pytest.raises(DataError, match="line 2, byte 4"):
        read(root)


def test_a_missing_file_says_where_it_was_sought(tmp_path):
    with pytest.raises(DataError, match=r"looked for linzen_agreement/full_sentences/wiki-dev\.txt or"):
        read(tmp_path)
