import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.agreement.linzen import EMPTY, read_numpred, read_tsv
from inductive_bias.tasks.agreement.rows import VBP, VBZ, Row
from inductive_bias.tasks.files import checksum, places

HEADER = (
    "sentence orig_sentence pos_sentence subj verb subj_pos has_rel has_nsubj verb_pos subj_index verb_index "
    "n_intervening last_intervening n_diff_intervening distance max_depth all_nouns nouns_up_to_verb"
)
COLUMNS = HEADER.split()


@pytest.fixture
def numpred(tmp_path, put):
    def read(text, zipped=False):
        name = f"linzen_agreement/rnn_agr_simple/numpred.val{'.gz' if zipped else ''}"
        path = put(tmp_path / "here" / name, text, zipped=zipped)
        return path, lambda: read_numpred("val", places(tmp_path / "here"), download=False, allow_other=True)

    return read


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_is_a_label_and_the_words_before_the_verb(numpred, zipped, end):
    path, read = numpred(f"VBP\tthe NNS  of é{end}VBZ\tit{end}", zipped)
    parsed = read()
    assert parsed.rows == [Row("the NNS of é", VBP), Row("it", VBZ)]
    assert parsed.sha256 == {f"linzen_agreement/{path.name}": checksum(path)}


def test_empty_preambles_are_counted_and_left_out(numpred):
    _, read = numpred("VBP\t\nVBZ\tit\nVBZ\t  \n")
    parsed = read()
    assert len(parsed.rows) == 1
    assert parsed.skipped == {EMPTY: 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("VBZ\tit\nVBZ it\n", "line 2: expected 2 columns.*found 1"),
        ("VBZ\tit\tis\n", "line 1: expected 2 columns.*found 3"),
        ("VBZ\tit\n\nVBZ\tit\n", "line 2: expected 2 columns"),
        ("VBZ\tit\nVBD\tit\n", "line 2: the label should be VBZ or VBP, and is 'VBD'"),
        (b"VBZ\tit\nVBZ\tcaf\xe9 \n", "not UTF-8 text: line 2, byte 8 is 0xe9"),
        ("", "there is none in it"),
        ("VBZ\t\n", "there is none in it"),
    ],
    ids=["one column", "three columns", "empty line", "label", "latin-1", "empty", "nothing left"],
)
def test_a_bad_file_is_refused_with_its_name_and_line(numpred, text, message):
    path, read = numpred(text)
    with pytest.raises(DataError, match=message) as error:
        read()
    assert str(path) in str(error.value)


def test_a_truncated_file_is_refused(numpred):
    path, read = numpred("VBZ\tit\n" * 100, zipped=True)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match="damaged or truncated"):
        read()


def test_a_missing_file_is_named_with_the_places_searched(tmp_path):
    with pytest.raises(DataError, match=r"rnn_agr_simple/numpred\.val or .*numpred\.val\.gz"):
        read_numpred("val", places(tmp_path), download=False)


def test_a_changed_file_is_read_again(numpred):
    assert len(numpred("VBZ\tit\n")[1]().rows) == 1
    assert len(numpred("VBZ\tit\nVBZ\tshe\n")[1]().rows) == 2


def line(**values):
    row = dict.fromkeys(COLUMNS, "x")
    row |= {"sentence": "the keys to the door are here", "verb_pos": "VBP", "verb_index": "6", "n_intervening": "1"}
    row |= {"n_diff_intervening": "1", "distance": "4"} | values
    return "\t".join(row[name] for name in COLUMNS)


@pytest.fixture
def tsv(tmp_path, put):
    def read(*lines, header=COLUMNS):
        text = "".join(f"{row}\n" for row in ("\t".join(header), *lines))
        put(tmp_path / "here" / "linzen_agreement" / "agr_50_mostcommon_10K.tsv.gz", text, zipped=True)
        return read_tsv(places(tmp_path / "here"), download=False, allow_other=True)

    return read


def test_a_sentence_is_cut_before_its_verb_which_counts_from_one(tsv):
    assert tsv(line()).rows == [Row("the keys to the door", VBP, attractors=1, distance=4, intervening=1)]


def test_attractors_are_known_only_where_all_intervening_nouns_are_of_the_other_number(tsv):
    mixed = line(n_intervening="2", n_diff_intervening="1")
    none = line(n_intervening="0", n_diff_intervening="0")
    assert [row.attractors for row in tsv(mixed, none).rows] == [-1, 0]


def test_a_sentence_that_begins_with_its_verb_is_counted_and_left_out(tsv):
    assert tsv(line(), line(verb_index="1")).skipped == {EMPTY: 1}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"verb_pos": "VBD"}, "line 3: the label should be VBZ or VBP"),
        ({"verb_index": "8"}, r"line 3: verb_index should be 1\.\.7 here, and is 8"),
        ({"verb_index": "0"}, "line 3: verb_index"),
        ({"distance": "-1"}, "line 3: distance should be a whole number, and is '-1'"),
        ({"n_intervening": ""}, "line 3: n_intervening should be a whole number"),
        ({"sentence": "a\tb"}, "line 3: expected 18 columns, and found 19"),
    ],
)
def test_a_bad_sentence_is_refused_with_its_line(tsv, bad, message):
    with pytest.raises(DataError, match=message):
        tsv(line(), line(**bad))


def test_a_table_without_a_needed_column_is_refused(tsv):
    with pytest.raises(DataError, match="line 1: the header should name the columns verb_index, distance"):
        tsv(header=[name for name in COLUMNS if name not in ("verb_index", "distance")])
