import doctest
from itertools import islice, product

import numpy as np
import pytest

from inductive_bias.tasks.grammar import generate, lexicon, mixture
from inductive_bias.tasks.grammar.mixture import INTERVENING, OTHER_NUMBER, stream

N = 6_000


def rng(seed=0):
    return np.random.default_rng(seed)


def within_noise(count, n, probability):
    """Four standard deviations: of 1 in 16,000 fixed seeds, one would fail."""
    return abs(count - n * probability) <= 4 * np.sqrt(n * probability * (1 - probability))


@pytest.fixture(scope="module")
def natural():
    return generate(N, rng=rng(1))


def test_the_example_of_the_docstring_is_what_the_grammar_gives():
    assert doctest.testmod(mixture).failed == 0


def attractor_probabilities():
    """Probabilities of 0, 1, 2, … attractors in the natural mix, over all ways to number the nouns."""
    found = np.zeros(len(INTERVENING))
    for count, probability in enumerate(INTERVENING):
        for others in product((0, 1), repeat=count):
            factors = [OTHER_NUMBER if other else 1 - OTHER_NUMBER for other in others]
            found[sum(others)] += probability * np.prod(factors)
    return found


def test_the_stated_probabilities_of_attractors():
    np.testing.assert_allclose(attractor_probabilities().round(4), [0.8865, 0.0895, 0.0195, 0.0040, 0.0005])
    assert sum(INTERVENING) == pytest.approx(1)


@pytest.mark.parametrize("count", range(5))
def test_the_natural_mix_has_the_stated_counts(natural, count):
    assert within_noise(sum(s.attractors == count for s in natural), N, attractor_probabilities()[count])
    assert within_noise(sum(s.intervening == count for s in natural), N, INTERVENING[count])


def test_the_natural_mix_is_half_singular_at_every_count(natural):
    assert within_noise(sum(s.number for s in natural), N, 0.5)
    some = [s.number for s in natural if s.attractors]
    assert within_noise(sum(some), len(some), 0.5)


@pytest.mark.parametrize("attractors", [0, 1, 4, 7])
@pytest.mark.parametrize("number", [0, 1])
def test_asked_for_counts_are_exact_and_every_noun_between_is_an_attractor(attractors, number):
    sentences = generate(50, rng=rng(), attractors=attractors, number=number)
    assert {(s.number, s.intervening, s.attractors) for s in sentences} == {(number, attractors, attractors)}


def test_enrichment_adds_sentences_with_attractors_in_their_natural_proportions():
    sentences = generate(N, rng=rng(2), enrichment=0.5)
    natural = attractor_probabilities()
    attracted = np.where(np.arange(5) > 0, natural, 0) / natural[1:].sum()
    for count, probability in enumerate(0.5 * natural + 0.5 * attracted):
        assert within_noise(sum(s.attractors == count for s in sentences), N, probability)
    # not every noun between is an attractor: those sentences are ordinary ones
    assert any(0 < s.attractors < s.intervening for s in sentences)
    assert all(s.attractors for s in generate(200, rng=rng(), enrichment=1.0))


def test_no_noun_by_its_place_gives_the_number_away(natural):
    plural = {form: number for forms in lexicon.NOUNS for number, form in enumerate(forms)}
    numbers = [[plural[word] for word in s.preamble if word in plural] for s in natural]
    last = sum(places[-1] == s.number for places, s in zip(numbers, natural, strict=True))
    assert within_noise(last, N, 0.80 + 0.20 * (1 - OTHER_NUMBER))
    # .36 of the sentences have a noun of either number before the subject
    first = sum(places[0] == s.number for places, s in zip(numbers, natural, strict=True))
    assert within_noise(first, N, 1 - 0.36 / 2)


def test_equal_seeds_give_equal_sentences_and_fewer_are_the_first_of_more():
    assert generate(30, rng=rng(5)) == generate(300, rng=rng(5))[:30]
    assert generate(30, rng=rng(5)) != generate(30, rng=rng(6))


def test_most_preambles_are_different(natural):
    assert len({s.preamble for s in natural}) > 0.9 * N


def test_refused_sentences_are_replaced_by_others_with_the_same_nouns():
    plans = [(s.number, s.intervening, s.attractors) for s in generate(40, rng=rng(7))]
    turn = iter(range(10_000))
    refusing = list(islice(stream(rng(7), accept=lambda _: next(turn) == 3), 1))
    assert (refusing[0].number, refusing[0].intervening, refusing[0].attractors) == plans[0]


def test_no_sentences_are_an_empty_list():
    assert generate(0, rng=rng()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "n should be 0 or more, not -1"),
        ({"attractors": -1}, r"attractors should be 0\.\.30 where max_depth is 4, not -1"),
        ({"attractors": 7, "max_depth": 2}, r"attractors should be 0\.\.6 where max_depth is 2, not 7"),
        ({"max_depth": 1}, "max_depth should be 2 or more, not 1"),
        ({"number": 2}, r"number should be 0 \(singular\), 1 \(plural\) or None, not 2"),
        ({"enrichment": 1.5}, r"enrichment should be in 0\.\.1, not 1\.5"),
        ({"enrichment": float("nan")}, r"enrichment should be in 0\.\.1, not nan"),
        ({"enrichment": 0.5, "attractors": 0}, "attractors=0 leaves nothing to enrich"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(**{"n": 1, "rng": rng(), **arguments})
