"""Answers against Python's own: ``eval``, ``sorted``, ``reversed``, walks step by step; all strings of short ones."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from inductive_bias.tasks.transduction import RULE_NAMES, RULES
from inductive_bias.tasks.transduction.rules import MODULUS

SIGNS = dict(zip(range(MODULUS, MODULUS + 3), "+*-", strict=True))


def by_hand(name, string):
    """The answers to one string, a list of symbols, without numpy."""
    if name == "modular_arithmetic":
        return [eval("".join(SIGNS.get(symbol, str(symbol)) for symbol in string)) % MODULUS]
    if name == "even_pairs":
        text = "".join(map(str, string))
        return [sum(text[place : place + 2] in ("01", "10") for place in range(len(text))) % 2]
    if name == "cycle_navigation":
        place = 0
        for move in string:
            place = {0: (place - 1) % 5, 1: place, 2: (place + 1) % 5}[move]
        return [place]
    answers = {
        "parity": [string.count(1) % 2],
        "reverse_string": [*reversed(string)],
        "duplicate_string": string + string,
        "bucket_sort": sorted(string),
    }
    return answers[name]


def every_string(name, length):
    """All strings of a length, each as probable as another."""
    rule = RULES[name]
    if not rule.expressions:
        return np.array(list(product(range(rule.symbols), repeat=length)))
    places = [sorted(SIGNS) if place % 2 else range(MODULUS) for place in range(length)]
    return np.array(list(product(*places)))


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("length", [1, 2, 7, 40, 41])
def test_answers_are_those_found_without_numpy(name, length):
    rule = RULES[name]
    length = rule.fitting(length)
    strings = rule.drawn(np.random.default_rng(length).random((60, length)))
    answers = rule.answer(strings)
    assert answers.tolist() == [by_hand(name, string) for string in strings.tolist()]
    assert answers.shape == (60, rule.outputs(length))
    assert answers.dtype == strings.dtype == np.int64
    assert 0 <= answers.min() <= answers.max() < rule.classes


@pytest.mark.parametrize(("text", "value"), [("1+2*3", 2), ("1-1-1", 4), ("0*1+4*3-2", 0), ("3", 3), ("2*3*4", 4)])
def test_expressions_of_the_papers_code_have_its_values(text, value):
    codes = {sign: code for code, sign in SIGNS.items()}
    string = np.array([[codes[symbol] if symbol in codes else int(symbol) for symbol in text]])
    assert RULES["modular_arithmetic"].answer(string).tolist() == [[value]]


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_the_best_constant_is_counted_over_all_strings(name, length):
    rule = RULES[name]
    length = rule.fitting(length)
    answers = rule.answer(every_string(name, length))
    wanted = [max(Counter(column).values()) / len(answers) for column in answers.T.tolist()]
    assert rule.constant(length) == pytest.approx(wanted)


@pytest.mark.parametrize("name", RULE_NAMES)
def test_every_symbol_is_drawn_as_often_as_another_that_may_stand_there(name):
    rule = RULES[name]
    strings = rule.drawn(np.random.default_rng(0).random((4_000, 9)))
    for place in range(9):
        shares = np.bincount(strings[:, place], minlength=rule.symbols) / len(strings)
        allowed = shares > 0
        if rule.expressions:
            assert np.flatnonzero(allowed).tolist() == (sorted(SIGNS) if place % 2 else [*range(MODULUS)])
        else:
            assert allowed.all()
        np.testing.assert_allclose(shares[allowed], 1 / allowed.sum(), atol=6 * 0.5 / np.sqrt(len(strings)))


def test_the_ends_of_the_unit_interval_are_symbols_too():
    for rule in RULES.values():
        ends = rule.drawn(np.array([[0.0, 0.0, 0.0], [1 - 2**-53] * 3]))
        last = [MODULUS - 1, rule.symbols - 1, MODULUS - 1] if rule.expressions else [rule.symbols - 1] * 3
        assert ends.tolist() == [[0, MODULUS * rule.expressions, 0], last]


@pytest.mark.parametrize(("length", "wanted"), [(1, 1), (2, 1), (40, 39), (41, 41), (160, 159)])
def test_expressions_are_of_odd_length(length, wanted):
    assert RULES["modular_arithmetic"].fitting(length) == wanted
    assert all(rule.fitting(length) == length for rule in RULES.values() if not rule.expressions)


def test_long_answers_stay_at_their_chance():
    for name, chance in (("parity", 0.5), ("cycle_navigation", 0.2)):
        assert RULES[name].constant(400) == pytest.approx([chance], abs=1e-6)
    sort = RULES["bucket_sort"].constant(399)
    assert [sort[0], sort[-1]] == pytest.approx([1, 1])
    assert sort.mean() > 0.8
