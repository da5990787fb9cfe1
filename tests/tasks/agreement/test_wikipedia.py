"""Sentences of today's Wikipedia in the form of Linzen's files."""

from collections import Counter, defaultdict

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.agreement.rows import UNKNOWN, VBP, VBZ, Row
from inductive_bias.tasks.agreement.wikipedia import HEADER, Spelling, read_wiki_agreement, spelling_of
from inductive_bias.tasks.files import places

ENTRIES = (
    "the\tDT 90",
    "The\tDT 9",
    "of\tIN 50",
    "keys\tNNS 12",
    "``\t`` 11",
    "''\t'' 11",
    "Parsec\tNNP 3",
    "parsec\tNN 2",
    "parsec\tJJ 2",
    "parsec\tVB 1",
    "Harts\tNNP 4",
    "harts\tNNS 3",
    "harts\tVBZ 2",
)
LINE = "VBP\t1\t1\t3\t1\t4\tThe keys of parsec are here ."


def entries(lines=ENTRIES):
    return [line.split("\t") for line in lines]


def naive(lines, kept):
    """Counted word by word with collections, in the words of the docstring."""
    total, tags, folded = Counter(), defaultdict(Counter), defaultdict(Counter)
    for word, rest in entries(lines):
        tag, count = rest.split(" ")
        total.update({word.lower(): int(count)})
        tags[word].update({tag: int(count)})
        folded[word.lower()].update({tag: int(count)})
    spelt = frozenset(word for word, _ in total.most_common(kept))
    return Spelling(
        spelt,
        {word: found.most_common(1)[0][0] for word, found in tags.items() if word.lower() not in spelt},
        {word: found.most_common(1)[0][0] for word, found in folded.items() if word not in spelt},
    )


@pytest.mark.parametrize("kept", [0, 1, 5, 6, 100])
def test_frequencies_are_counted_over_cases_and_tags_by_spelling(kept):
    assert spelling_of(entries(), kept=kept) == naive(ENTRIES, kept)


@pytest.mark.parametrize(
    ("written", "first", "want"),
    [
        ("The", True, "the"),
        ("KEYS", False, "keys"),
        ("parsec", False, "NN"),
        ("Parsec", False, "NNP"),
        ("PARSEC", False, "NNP"),  # as written, else over all cases
        ("Harts", False, "NNP"),
        ("Harts", True, "NNP"),
        ("harts", True, "NNP"),
        ("harts", False, "NNS"),
        ("Zyx", False, "NNP"),
        ("Zyx", True, "NN"),
        ("zyx", False, "NN"),
        ("2.0", False, "CD"),
        ("B-52", False, "CD"),
        (":", False, ":"),
        ("@-@", False, "@-@"),
    ],
)
def test_a_rare_word_becomes_its_tag(written, first, want):
    assert spelling_of(entries(), kept=5).word(written, first=first) == want


@pytest.fixture
def read(tmp_path, put):
    def reader(*lines, header=HEADER, vocabulary=ENTRIES, allow_other=True):
        put(tmp_path / "wiki_agreement" / "test.tsv.gz", "\n".join(["\t".join(header), *lines]) + "\n", zipped=True)
        put(tmp_path / "linzen_agreement_extra" / "wiki.vocab", "\n".join([" 77", *vocabulary]) + "\n")
        return read_wiki_agreement("test", places(tmp_path), allow_other=allow_other)

    return reader


def test_a_row_is_what_stands_before_the_verb_with_all_that_is_known(read):
    parsed = read(
        LINE,
        "VBZ\t2\t1\t5\t0\t5\tKeys of keys of harts is .",
        'VBZ\t0\t0\t1\t3\t4\tthe " the " is',
        "VBP\t1\t0\t3\t0\t3\tKeys of keys are",
    )
    assert parsed.rows == [
        Row("the keys of parsec", VBP, 1, 3, 1),
        Row("keys of keys of harts", VBZ, UNKNOWN, 5, 2),  # one of two nouns differs in number
        Row("the `` the ''", VBZ, 0, 1, 0),
        Row("keys of keys", VBP, UNKNOWN, 3, 1),
    ]
    assert set(parsed.sha256) == {"wiki_agreement/test.tsv.gz", "linzen_agreement_extra/wiki.vocab"}
    assert parsed.own == ("test.tsv.gz", "wiki.vocab")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("VBD" + LINE[3:], "line 3: the label should be VBZ or VBP, and is 'VBD'"),
        (LINE + "\tmore", "line 3: expected 7 columns, and found 8"),
        (LINE.replace("\t3\t", "\t2\t"), "line 3: .*distance 2.*do not fit each other and a sentence of 7 words"),
        (LINE.replace("\t1\t4\t", "\t4\t7\t"), "line 3: .*verb_index 7 do not fit"),
        (LINE.replace("\t1\t1\t3", "\t1\t2\t3"), "line 3: .*n_attractors 2"),
        (LINE.replace("\t1\t1\t3", "\tone\t1\t3"), "line 3: n_intervening should be a whole number, and is 'one'"),
        (LINE.replace("\t1\t4\t", "\t-3\t0\t"), "line 3: .*subj_index -3"),
        ("", "line 3: expected 7 columns, and found 1"),
    ],
)
def test_a_line_that_does_not_fit_is_named(read, line, message):
    with pytest.raises(DataError, match=message):
        read(LINE, line, LINE)


def test_other_headers_vocabularies_and_files_are_refused(read):
    with pytest.raises(DataError, match="line 1: the header should be label, n_intervening"):
        read(LINE, header=HEADER[:-1])
    with pytest.raises(DataError, match=r"wiki\.vocab: \['the', 'DT'\] is not a word, a tab, a tag"):
        read(LINE, vocabulary=("the\tDT",))
    with pytest.raises(DataError, match=r"wiki\.vocab should hold words, a line a word, a tab"):
        read(LINE, vocabulary=())
    with pytest.raises(DataError, match="there is none in it"):
        read()
    with pytest.raises(DataError, match=r"is not the public file (linzen_agreement_extra|wiki_agreement)/"):
        read(LINE, allow_other=False)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"Data not found: looked for wiki_agreement/valid\.tsv"):
        read_wiki_agreement("valid", places(tmp_path))


def test_the_real_vocabulary_keeps_every_word_that_linzens_files_spell_out(shared_data_folder):
    from inductive_bias.tasks.agreement import wikipedia
    from inductive_bias.tasks.agreement.linzen import read_numpred
    from inductive_bias.tasks.lines import file_key

    path = shared_data_folder / "linzen_agreement_extra" / "wiki.vocab.gz"
    if not path.is_file():
        pytest.skip("the real files are not here: no linzen_agreement_extra/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    spelling, _, _ = wikipedia._spelling(file_key(path), False)
    assert len(spelling.kept) == wikipedia.KEPT
    parsed = read_numpred("test.1", places(shared_data_folder), download=False)
    words = {word for row in parsed.rows for word in row.preamble.split()}
    assert {word for word in words if word == word.lower()} <= spelling.kept
