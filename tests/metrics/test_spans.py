"""Spans and their scores against seqeval and against examples by hand."""

import random

import pytest
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

from inductive_bias.metrics import Span, SpanScores, span_scores, spans
from tests.hostile import refused

KINDS = ("city", "day", "depart_date.day-name")  # a kind may have a hyphen
TAGS = ("O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in KINDS))


def sentences(seed, *, kinds=KINDS, longest=9):
    """Random tags, most of them malformed: an ``I-`` follows anything."""
    draw = random.Random(seed)
    tags = [tag for tag in TAGS if tag == "O" or tag[2:] in kinds]
    return [draw.choices(tags, k=draw.randint(1, longest)) for _ in range(draw.randint(1, 12))]


@pytest.mark.parametrize("kinds", [KINDS[:1], KINDS[:2], KINDS], ids=len)
@pytest.mark.parametrize("seed", range(60))
def test_spans_are_those_of_seqeval(seed, kinds):
    for tags in sentences(seed, kinds=kinds):
        found = [(span.kind, span.start, span.end - 1) for span in spans(tags)]
        assert found == get_entities(tags)


@pytest.mark.parametrize("seed", range(60))
def test_scores_are_those_of_seqeval(seed):
    actual = sentences(seed)
    draw = random.Random(seed)
    # mostly right, so that there is something to count
    predicted = [[tag if draw.random() < 0.8 else draw.choice(TAGS) for tag in tags] for tags in actual]
    found = span_scores(actual, predicted)
    for ours, theirs in ((found.precision, precision_score), (found.recall, recall_score), (found.f1, f1_score)):
        assert ours == pytest.approx(theirs(actual, predicted, zero_division=0))


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ("", []),
        ("O", []),
        ("B-x", [("x", 0, 1)]),
        ("I-x", [("x", 0, 1)]),
        ("B-x I-x", [("x", 0, 2)]),
        ("B-x B-x", [("x", 0, 1), ("x", 1, 2)]),
        ("O I-x I-x O", [("x", 1, 3)]),
        ("B-x I-y", [("x", 0, 1), ("y", 1, 2)]),
        ("I-x I-y I-y B-y", [("x", 0, 1), ("y", 1, 3), ("y", 3, 4)]),
        ("B-x O I-x", [("x", 0, 1), ("x", 2, 3)]),
        ("B-a-b I-a-b I-a", [("a-b", 0, 2), ("a", 2, 3)]),
    ],
)
def test_a_span_goes_on_while_its_kind_does(tags, wanted):
    assert spans(tags.split()) == [Span(*each) for each in wanted]


def test_a_span_with_another_end_or_kind_is_wrong_in_both_counts():
    actual = [["B-x", "I-x", "O"], ["B-y"]]
    assert span_scores(actual, actual) == (2, 2, 2)
    assert span_scores(actual, [["B-x", "O", "O"], ["B-y"]]) == (2, 2, 1)
    assert span_scores(actual, [["B-x", "I-x", "I-x"], ["B-x"]]) == (2, 2, 0)
    assert span_scores(actual, [["O", "O", "O"], ["O"]]) == (2, 0, 0)
    found = span_scores(actual, [["B-x", "I-x", "B-x"], ["O"]])
    assert found == SpanScores(actual=2, predicted=2, right=1)
    assert (found.precision, found.recall, found.f1) == (0.5, 0.5, 0.5)


def test_a_sentence_s_spans_are_its_own():
    """The same place in another sentence is another place."""
    assert span_scores([["B-x"], ["O"]], [["O"], ["B-x"]]).right == 0


@pytest.mark.parametrize(
    ("actual", "predicted"), [([], []), ([["O"]], [["O"]]), ([["O"]], [["B-x"]]), ([["B-x"]], [["O"]])]
)
def test_shares_of_nothing_are_0(actual, predicted):
    found = span_scores(actual, predicted)
    assert (found.precision, found.recall, found.f1) == (0, 0, 0)


@pytest.mark.parametrize("tag", ["", "B", "I-", "B-", "X-x", "o", "O-x", "-x", "b-x", "E-x"])
def test_tags_of_another_form_are_refused(tag):
    refused(spans, r"a tag must be O, B-kind or I-kind, not", ["O", tag])


def test_sentences_that_do_not_fit_are_refused():
    refused(span_scores, "sentence 1 has 2 tags, but 1 predicted ones", [["O"], ["O", "O"]], [["O"], ["O"]])
    refused(span_scores, "argument 2 is shorter", [["O"], ["O"]], [["O"]])
