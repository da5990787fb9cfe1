"""Tokens against Python's own tokeniser, and by hand for C; rows, cuts and vocabularies against loops."""

import inspect
import io
import textwrap
import tokenize

import numpy as np
import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks.code import encoding, injecting, parting, tokenise
from inductive_bias.tasks.code.tokens import places_of
from inductive_bias.tasks.vocabulary import UNK

SILENT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@pytest.mark.parametrize("module", [textwrap, injecting, parting, inspect], ids=lambda module: module.__name__)
def test_tokens_of_python_are_those_of_its_own_tokeniser(module):
    source = inspect.getsource(module)
    wanted = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in SILENT and token.string != "\\\n"
    ]
    assert [token for token in tokenise(source, comments="python") if token != "\\"] == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("a/*x*/b//c\nd", ["a", "b", "d"]),
        ("a /* never\n closed", ["a"]),
        ('s = "/* no */ \\" //";', ["s", "=", '"/* no */ \\" //"', ";"]),
        ("p->x>>=2; i++<--j", ["p", "->", "x", ">>=", "2", ";", "i", "++", "<", "--", "j"]),
        ("std::map<int,int>m", ["std", "::", "map", "<", "int", ",", "int", ">", "m"]),
        ("#include <a.h>", ["#", "include", "<", "a", ".", "h", ">"]),
        ("0xFFu 1.5e-3f .5 7L 1...2", ["0xFFu", "1.5e-3f", ".5", "7L", "1.", ".", ".2"]),
        ("'\\'' L'a' \"open\nnext", ["'\\''", "L'a'", '"open', "next"]),
        ("a>>>=b>>>c", ["a", ">>>=", "b", ">>>", "c"]),
        ("größe = ä$", ["größe", "=", "ä", "$"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_tokens_of_c_by_hand(source, wanted):
    assert tokenise(source) == wanted


def test_what_begins_a_comment_depends_on_the_language_and_nothing_else_is_lost():
    assert tokenise("a // b # c") == ["a"]
    assert tokenise("a // b # c", comments="python") == ["a", "//", "b"]
    source = "x = f(1, 'two') # three\ny"
    assert all(source[start:].startswith(token) for token, start in places_of(source, comments="python"))


def test_rows_are_cut_and_padded_and_the_cut_is_told():
    functions = [["a", "b", "a"], ["c"], [], ["b"] * 5]
    vocabulary = encoding.vocabulary_of(functions, 6)
    assert vocabulary.words[4:] == ("b", "a")  # c is there once
    table = encoding.rows(functions, vocabulary, 4)
    a, b = vocabulary.encode(["a", "b"])
    assert table.tolist() == [[a, b, a, 0], [UNK, 0, 0, 0], [UNK, 0, 0, 0], [b] * 4]
    split = encoding.single_split(functions, [0, 1, 0, 1], vocabulary, 4, "here", item=[5, 6, 7, 8])
    assert split.slices["length"].tolist() == [3, 1, 1, 4]
    assert split.slices["cut"].tolist() == [0, 0, 0, 1]
    assert split.slices["item"].tolist() == [5, 6, 7, 8]
    with pytest.raises(DataError, match="there is none"):
        encoding.rows([], vocabulary, 4)


def test_pairs_stand_side_by_side_as_long_as_the_longer_one():
    functions = [["a"] * 2, ["b"] * 6, ["a", "b"]]
    vocabulary = encoding.vocabulary_of(functions, 9)
    split = encoding.paired_split(functions, [(0, 1), (2, 0)], [1, 0], vocabulary, 4, "here")
    alone = encoding.rows(functions, vocabulary, 4)
    assert split.inputs.shape == (2, 4, 2)
    for row, pair in enumerate([(0, 1), (2, 0)]):
        for side, function in enumerate(pair):
            assert torch.equal(split.inputs[row, :, side], alone[function])
    assert split.slices["length"].tolist() == [4, 2]
    assert split.slices["cut"].tolist() == [2, 0]


def test_groups_are_joined_by_any_key_and_never_divided():
    assert parting.merged("aabbc", [1, 2, 2, 3, 4]).tolist() == [0, 0, 0, 0, 1]
    rng = np.random.default_rng(0)
    groups = np.sort(rng.integers(60, size=400))
    strata = (groups % 3).tolist()
    fold = parting.grouped_folds(groups, strata, 5, seed=3)
    assert all(len(set(fold[groups == group])) == 1 for group in set(groups.tolist()))
    assert fold.tolist() == parting.grouped_folds(groups, strata, 5, seed=3).tolist()
    largest = max(np.bincount(groups))
    for stratum in range(3):
        sizes = np.bincount(fold[np.array(strata) == stratum], minlength=5)
        assert np.ptp(sizes) <= largest
    with pytest.raises(DataError, match="groups should be 3 at least, one for each part, and are 2"):
        parting.grouped_folds([0, 0, 1], [0, 0, 0], 3, seed=0)


def test_single_groups_are_spread_to_within_one_a_stratum():
    strata = [0] * 11 + [1] * 7
    fold = parting.grouped_folds(range(18), strata, 4, seed=0)
    assert sorted(np.bincount(fold[:11])) == [2, 3, 3, 3]
    assert sorted(np.bincount(fold[11:])) == [1, 2, 2, 2]


def test_copies_differ_in_white_space_alone():
    assert parting.written_alike("int a;\n\n b") == parting.written_alike("int  a; b")
    assert parting.written_alike("int a;") != parting.written_alike("int b;")
