"""Every automaton against a recogniser that is written another way, on all strings up to a length."""

import re
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from inductive_bias.tasks.formal import DEAD, LANGUAGE_NAMES, LANGUAGES, Automaton
from inductive_bias.tasks.formal.languages import equal_counts, flip_flop, nested


def depth_at_most(depth):
    """D_n by its definition: rewriting (a D_{n−1} b)* into a regular expression."""
    inner = ""
    for _ in range(depth):
        inner = f"(?:a{inner}b)*"
    return inner


#: Regular expressions where there is a short one, counting where not; nothing here knows of states.
MEMBERS = {
    "parity": lambda s: s.count("1") % 2 == 0,
    "aa": re.compile("(aa)*").fullmatch,
    "abab": re.compile("(abab)*").fullmatch,
    "tomita_1": re.compile("1*").fullmatch,
    "tomita_2": re.compile("(10)*").fullmatch,
    "tomita_3": lambda s: not re.search("(?<!1)1(11)*0(00)*(?!0)", s),
    "tomita_4": lambda s: "000" not in s,
    "tomita_5": lambda s: s.count("0") % 2 == 0 and s.count("1") % 2 == 0,
    "tomita_6": lambda s: (s.count("0") - s.count("1")) % 3 == 0,
    "tomita_7": re.compile("0*1*0*1*").fullmatch,
    "d_2": re.compile(depth_at_most(2)).fullmatch,
    "d_3": re.compile(depth_at_most(3)).fullmatch,
    "d_4": re.compile(depth_at_most(4)).fullmatch,
    "dyck_1": lambda s: reduced(s) == "",
    "anbncn": lambda s: s != "" and s == "".join(c * (len(s) // 3) for c in "abc"),
    "flip_flop": lambda s: True,
}


def reduced(string):
    while "()" in string:
        string = string.replace("()", "")
    return string


def longest_of(name):
    return 9 if name == "anbncn" else 7 if name == "flip_flop" else 10


@lru_cache
def all_strings(symbols, longest):
    return ["".join(parts) for length in range(longest + 1) for parts in product(symbols, repeat=length)]


def automaton_of(name, longest=12):
    return LANGUAGES[name].make(longest)


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_an_automaton_accepts_just_the_strings_of_its_language(name):
    automaton = automaton_of(name)
    for length in range(1, longest_of(name) + 1):
        strings = ["".join(parts) for parts in product(automaton.symbols, repeat=length)]
        last = automaton.trace(np.stack(automaton.encode(strings)))[:, -1]
        found = np.append(automaton.accepting, False)[last]
        assert found.tolist() == [bool(MEMBERS[name](string)) for string in strings]
    assert automaton.accepts("") == bool(MEMBERS[name](""))


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_counts_are_the_numbers_of_members_by_length(name):
    longest = longest_of(name)
    automaton = automaton_of(name)
    members = [s for s in all_strings(automaton.symbols, longest) if MEMBERS[name](s)]
    wanted = np.bincount([len(s) for s in members], minlength=longest + 1)
    np.testing.assert_array_equal(automaton.counts(longest)[:, 0], wanted)


@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_a_symbol_is_legal_where_some_member_goes_on_with_it(name):
    """Prefixes of all members of up to so many symbols; one of a quarter of them can still be completed."""
    longest = longest_of(name)
    automaton = automaton_of(name)
    members = {s for s in all_strings(automaton.symbols, longest) if MEMBERS[name](s)}
    prefixes = {member[:end] for member in members for end in range(len(member) + 1)}
    legal = automaton.legal(automaton.live)
    short = [p for p in prefixes if 0 < len(p) <= longest // 4]
    for prefix in short:
        state = automaton.trace(automaton.encode([prefix])[0][None])[0, -1]
        wanted = [prefix + symbol in prefixes for symbol in automaton.symbols]
        assert legal[state].tolist() == wanted, prefix


@pytest.mark.parametrize("name", ["parity", "tomita_3", "tomita_4", "tomita_7", "d_3", "dyck_1"])
def test_every_member_of_a_length_is_drawn_equally_often(name):
    automaton, length = automaton_of(name), 8
    members = [s for s in all_strings(automaton.symbols, length) if len(s) == length and MEMBERS[name](s)]
    drawn = automaton.sample(
        length, 200 * len(members), np.random.default_rng(0), automaton.counts(length, weighted=True)
    )
    words = ["".join(automaton.symbols[i] for i in row) for row in drawn]
    found = [words.count(member) for member in members]
    assert sum(found) == len(words)
    assert chisquare(found).pvalue > 1e-4


def test_half_of_a_flip_flop_s_symbols_are_reads_and_its_state_is_the_last_write():
    automaton = flip_flop(3)
    strings = automaton.sample(50, 2_000, np.random.default_rng(1), automaton.counts(50, weighted=True))
    assert (strings == 0).mean() == pytest.approx(0.5, abs=0.01)
    for string, states in zip(strings[:20], automaton.trace(strings[:20]), strict=True):
        for end, state in enumerate(states, start=1):
            writes = [symbol for symbol in string[:end] if symbol]
            assert state == (writes[-1] if writes else 0)


def test_what_must_not_follow_is_dead_for_good():
    states = automaton_of("tomita_1").trace(np.array([[1, 0, 1]], np.uint8))
    assert states.tolist() == [[0, DEAD, DEAD]]


def test_dyck_1_forbids_no_bracket_at_the_depth_that_the_longest_string_reaches():
    automaton = LANGUAGES["dyck_1"].make(20)
    state = automaton.trace(np.zeros((1, 10), np.uint8))[0, -1]
    assert automaton.legal(automaton.live)[state].tolist() == [True, True]
    assert nested(2).legal(nested(2).live)[2].tolist() == [False, True]


def test_the_counter_of_three_goes_on_as_its_number_of_as_says():
    automaton = equal_counts(4)
    for n in (1, 2, 3):
        string = "a" * n + "b" * n + "c" * n
        states = automaton.trace(automaton.encode([string])[0][None])[0]
        legal = automaton.legal(automaton.live)[states]
        wanted = [[1, 1, 0]] * n + [[0, 1, 0]] * (n - 1) + [[0, 0, 1]] * n + [[0, 0, 0]]
        assert legal.astype(int).tolist() == wanted


class TestBadInput:
    def test_shapes_that_do_not_fit(self):
        with pytest.raises(ValueError, match="need as many symbols"):
            Automaton("ab", np.zeros((2, 3), np.int64), np.ones(2, dtype=bool))

    def test_a_move_to_no_state(self):
        with pytest.raises(ValueError, match=r"moves must lie in -1 … 0"):
            Automaton.of("a", [[1]], [0])

    def test_a_length_without_a_string(self):
        automaton = automaton_of("aa")
        with pytest.raises(ValueError, match="no string of length 3"):
            automaton.sample(3, 1, np.random.default_rng(0), automaton.counts(3))

    def test_more_strings_than_a_float_can_count(self):
        with pytest.raises(ValueError, match="length=2000 is too long"):
            automaton_of("parity").counts(2_000)
