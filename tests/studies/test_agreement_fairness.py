"""Singular and plural subjects: two accuracies from three numbers, gaps, and the rule over them, on made-up results."""

import numpy as np
import pytest

from inductive_bias.studies.agreement import figures, measures
from inductive_bias.studies.agreement.design import LADDER, MAIN, NATURAL, STRONG, UNTAUGHT, WEAK, cell
from tests.fakes import fake_results, judged
from tests.studies.test_agreement import with_runs

SEEDS = 6
MANY = with_runs(SEEDS)


def made(right, *, share=0.7, spread=0.0, scale="laptop"):
    """Results in which ``right(model, data)`` are the accuracies on both kinds; seeds scatter the one on plural."""

    def values(*, number, model, data, **levels):
        singular, plural = right(model, data)
        plural += spread * (number - (SEEDS - 1) / 2) * (1 if model == WEAK else -1)
        accuracy = share * singular + (1 - share) * plural
        return {
            ("test", "accuracy"): accuracy,
            ("test", "balanced_accuracy"): (singular + plural) / 2,
            ("test", "share_of_class_0"): share,
        }

    return fake_results(MANY, values, scale=scale, seeds=SEEDS)


def by_model(weak, strong):
    return lambda model, data: {WEAK: weak, STRONG: strong}.get(model, (0.9, 0.9))


@pytest.mark.parametrize("share", [0.2, 0.49, 0.7, 0.99])
def test_two_accuracies_follow_from_three_numbers(share):
    results = made(by_model((0.95, 0.8), (0.9, 0.97)), share=share)
    rows = measures.accuracy_by_number(results, "test", model=LADDER, **UNTAUGHT)
    means = rows.groupby(["model", "subject"], observed=True)["value"].mean()
    assert [means[WEAK, "singular"], means[WEAK, "plural"]] == pytest.approx([0.95, 0.8])
    assert [means[STRONG, "singular"], means[STRONG, "plural"]] == pytest.approx([0.9, 0.97])
    shares = rows.groupby("subject", observed=True)["share"].first()
    assert shares.tolist() == pytest.approx([share, 1 - share])
    assert len(rows) == 2 * len(LADDER) * SEEDS


def test_they_are_those_of_answers_that_are_counted():
    rng = np.random.default_rng(0)
    labels, answers = (rng.random(500) < 0.35).astype(int), rng.integers(2, size=500)
    share, right = float((labels == 0).mean()), answers == labels
    recalls = [float(right[labels == kind].mean()) for kind in (0, 1)]
    known = {"accuracy": float(right.mean()), "balanced_accuracy": sum(recalls) / 2, "share_of_class_0": share}
    results = fake_results(MANY, lambda **_: {("test", name): value for name, value in known.items()}, seeds=1)
    found = measures.accuracy_by_number(results, "test", **cell(WEAK)).set_index("subject")["value"]
    assert found.tolist() == pytest.approx(recalls)


def test_equal_shares_leave_the_two_unknown():
    results = made(by_model((0.95, 0.8), (0.9, 0.9)), share=0.5)
    assert measures.accuracy_by_number(results, "test", model=LADDER, **UNTAUGHT).empty
    assert measures.number_gaps(results, "test", model=LADDER, **UNTAUGHT).empty
    assert figures.fairness_table(results, {"test": "natural"}, LADDER).empty


def test_a_gap_is_of_singular_over_plural_and_belongs_to_its_run():
    results = made(by_model((0.95, 0.8), (0.9, 0.92)), spread=0.01)
    gap = measures.number_gap(results, cell(WEAK))
    assert gap.to_numpy() == pytest.approx(0.15 - 0.01 * (np.arange(SEEDS) - (SEEDS - 1) / 2))
    assert measures.own_number_gap(results, cell(STRONG)).estimate == pytest.approx(-0.02)
    wider = measures.wider_number_gap(results, MAIN)
    assert (wider.estimate, len(wider.values)) == (pytest.approx(0.17), SEEDS)
    shown = figures.fairness_table(results, {"test": "natural"}, [WEAK, STRONG])
    assert shown["share singular"].tolist() == ["70%", "70%"]
    assert shown["right on plural"].tolist() == ["0.800", "0.920"]


@pytest.mark.parametrize(
    ("weak", "spread", "want"),
    [((0.95, 0.85), 0.001, "reproduced"), ((0.95, 0.955), 0.001, "not reproduced"), ((0.95, 0.93), 0.05, "undecided")],
)
def test_the_gap_of_a_transformer_must_be_the_wider_one_after_every_set(weak, spread, want):
    found = judged(MANY, "Q30b", made(by_model(weak, (0.95, 0.95)), spread=spread))
    assert found.judgement.verdict == want


def test_one_training_set_without_a_wider_gap_is_enough_to_refuse():
    def right(model, data):
        return (0.95, 0.95 if data == NATURAL or model != WEAK else 0.8)

    assert judged(MANY, "Q30b", made(right, spread=0.001)).judgement.verdict == "not reproduced"


def test_a_scale_without_those_sets_cannot_test_it():
    found = judged(MANY, "Q30b", made(by_model((0.95, 0.8), (0.9, 0.9)), scale="smoke"))
    assert "no runs yet of" in found.judgement.reason
    assert "natural" in found.judgement.reason
