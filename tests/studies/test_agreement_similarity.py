"""Where made-up agreement models end, and how they got there: features are drawn so that the truth is known."""

import itertools
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from inductive_bias.store import Store
from inductive_bias.studies.agreement import figures, measures, tables
from inductive_bias.studies.agreement.design import BLOCK, LADDER, SHARED, STRONG, UNTAUGHT, WEAK
from inductive_bias.studies.runs import Runs
from tests.fakes import fake_results, judged
from tests.studies.test_agreement import with_runs

SEEDS = 8
STUDY_OF_EIGHT = with_runs(SEEDS)


def drawn(*name: object) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(repr(name).encode())).normal(size=(40, 8))


class Drawn(Runs):
    """Runs whose features are drawn: ``taken`` is the share of the teacher, ``apart`` how much architectures differ.

    ``wild`` is how much more Transformers scatter, ``own_kind`` how far a teacher of its own kind moves a student.
    """

    taken, apart, detour, scatter, wild, own_kind = 0.5, 1.0, 0.0, 0.2, 0.0, 0.0

    def features(self, trial):
        def family(one):
            scatter = self.scatter + self.wild * (one.model.kind != "lstm")
            return drawn("all") + self.apart * drawn(one.model.name) + scatter * drawn(one.id)

        end = family(trial)
        if trial.teacher:
            end = end + self.taken * family(trial.teacher)
            if trial.teacher.model.name == trial.model.name:
                end = end + self.own_kind * drawn("aside")
        start = drawn("start", trial.model.name, trial.seed)
        # who learns from its own kind, or alone, goes round
        straight = trial.teacher and trial.teacher.model.kind == "lstm"
        aside = (0 if straight else self.detour) * drawn("aside", trial.id)
        steps = ((0, 0.0), (1, 0.4), (2, 0.7), (3, 1.0))
        kept = {n: (1 - part) * start + part * end + (aside if 0 < part < 1 else 0) for n, part in steps}
        return {epoch: torch.tensor(values) for epoch, values in kept.items()}


def made(**choices):
    runs = Drawn(STUDY_OF_EIGHT.design, "smoke", Store(Path("nowhere")))
    for name, value in choices.items():
        object.__setattr__(runs, name, value)
    stored = {"similarity": tables.similarity(runs), "paths": tables.paths(runs)}
    good = {("test", "accuracy"): 0.9, ("attractors", "a_accuracy"): 0.9}
    return fake_results(STUDY_OF_EIGHT, lambda **_: good, scale="smoke", tables=stored)


@pytest.fixture(scope="module")
def results():
    return made()


def verdict(claim, results):
    return judged(STUDY_OF_EIGHT, claim, results).judgement.verdict


@pytest.mark.parametrize(
    ("choices", "want"),
    [
        ({}, "reproduced"),
        ({"taken": 0.02}, "not reproduced"),
        ({"apart": 0.0, "scatter": 1.0}, "not testable here"),
        ({"taken": 0.1, "scatter": 0.7}, "undecided"),
    ],
)
def test_a_student_must_go_a_tenth_of_the_way_to_a_family_that_is_apart(choices, want):
    assert verdict("A13", made(**choices)) == want


@pytest.mark.parametrize(
    ("choices", "want"),
    [
        ({"wild": 0.8}, "reproduced"),
        ({"scatter": 0.05}, "not reproduced"),
        ({"wild": 0.05, "scatter": 0.3}, "undecided"),
    ],
)
def test_transformers_must_differ_by_a_twentieth_more_from_run_to_run_than_lstms(choices, want):
    assert verdict("A24", made(**choices)) == want


@pytest.mark.parametrize(
    ("choices", "want"),
    [({"scatter": 0.05}, "reproduced"), ({"own_kind": 2.0}, "not reproduced"), ({"own_kind": 0.3}, "undecided")],
)
def test_a_teacher_of_its_own_kind_must_leave_both_families_where_they_are(choices, want):
    assert verdict("A25", made(taken=0.0, **choices)) == want


@pytest.mark.parametrize(("detour", "want"), [(1.5, "reproduced"), (0.0, "not reproduced")])
def test_a_path_is_smoother_if_its_twins_goes_round(detour, want):
    assert verdict("A14", made(detour=detour, scatter=0.05)) == want


def square_of(results, family, model, teacher):
    """Similarity (centred) of the runs of a cell to the family that learnt alone, as a square by number."""
    table = results.table("similarity")
    rows = table[(table["form"] == "centred") & (table["model_a"] == model) & (table["teacher_a"] == teacher)]
    rows = rows[(rows["model_b"] == family) & (rows["teacher_b"] == "none")]
    return rows.pivot(index="number_a", columns="number_b", values="value").to_numpy()


def in_pairs(values):
    """Means of runs 0 and 1, 2 and 3, and so on."""
    return np.asarray(values).reshape(-1, BLOCK).mean(axis=1)


def test_nearness_is_the_mean_over_the_family_without_the_model_itself_and_over_pairs_of_runs(results):
    table = results.table("similarity")
    taught = measures.nearness(table, STRONG, WEAK, STRONG)
    np.testing.assert_allclose(taught, in_pairs(square_of(results, STRONG, WEAK, STRONG).mean(axis=1)))
    own = square_of(results, STRONG, STRONG, "none")
    expected = in_pairs((own.sum(axis=1) - 1) / (SEEDS - 1))
    np.testing.assert_allclose(measures.nearness(table, STRONG, STRONG, "none"), expected)


def test_two_runs_that_are_compared_with_one_another_alone_are_one_look():
    ends = list(itertools.product(range(4), repeat=2))
    rows = [
        {"trial_a": a, "trial_b": b, "number_a": a, "number_b": b, "cell_a": "alone", "form": "centred", "value": 1 / 3}
        | {f"{name}_{end}": level for name, level in {"model": STRONG, **UNTAUGHT}.items() for end in "ab"}
        for a, b in ends
        if a // BLOCK == b // BLOCK
    ]
    table = pd.DataFrame(rows).astype({f"{name}_{end}": "category" for name in ("model", "teacher") for end in "ab"})
    assert measures.nearness(table, STRONG, STRONG, "none").tolist() == [1 / 3, 1 / 3]


def test_a_diverged_run_halves_the_likeness_of_its_pair():
    values = pd.Series({0: 0.8, 1: np.nan, 2: 0.6, 3: 0.4})
    assert measures.by_block(values).tolist() == pytest.approx([0.4, 0.5])


def test_a_move_is_paired_with_the_twin(results):
    found = measures.moved_towards(results.table("similarity"), STRONG, WEAK)
    taught, twin = (in_pairs(square_of(results, STRONG, WEAK, each).mean(axis=1)) for each in (STRONG, WEAK))
    low, high = stats.ttest_rel(taught, twin).confidence_interval()
    assert (found.estimate, found.low, found.high) == pytest.approx(((taught - twin).mean(), low, high))
    assert found.low > 0


def test_a_student_resembles_its_very_teacher_more_than_the_siblings_if_it_took_over_its_scatter(results):
    found = measures.nearer_to_own_teacher(results.table("similarity"), STRONG, WEAK)
    square = square_of(results, STRONG, WEAK, STRONG)
    expected = [square[i, i] - np.delete(square[i], i).mean() for i in range(SEEDS)]
    assert found.values.tolist() == pytest.approx(in_pairs(expected).tolist())
    assert found.estimate > 0


def test_all_pairs_are_compared_with_the_group_and_with_the_twin(results):
    changes = figures.towards_teachers(results.table("similarity")).set_index(["teacher", "student"])
    assert len(changes) == len(LADDER) ** 2
    for teacher, student in changes.index:
        row = changes.loc[(teacher, student)]
        assert row["against alone"].estimate == pytest.approx(row["taught"] - row["alone"])
        assert (row["against its twin"] is None) == (teacher == student)
    row = changes.loc[(STRONG, SHARED)]
    taught, alone = (in_pairs(square_of(results, STRONG, SHARED, each).mean(axis=1)) for each in (STRONG, "none"))
    low, high = stats.ttest_ind(taught, alone, equal_var=False).confidence_interval()
    assert (row["against alone"].low, row["against alone"].high) == pytest.approx((low, high))


@pytest.mark.parametrize("by", ["model", "teacher"])
@pytest.mark.parametrize("models", [("A", "B"), ("B",)], ids="".join)
def test_groups_are_means_over_models_that_share_no_first_weights(by, models):
    ends = [dict(zip(("model", "teacher", "seed"), run, strict=True)) for run in itertools.product("AB", "no", (0, 1))]
    drawn = np.random.default_rng(0)
    rows = [
        {f"{name}_a": level for name, level in a.items()}
        | {f"{name}_b": level for name, level in b.items()}
        | {"form": form, "value": drawn.uniform()}
        for a, b, form in itertools.product(ends, ends, ("centred", "cka"))
    ]
    table = pd.DataFrame(rows).astype({name: "category" for name in ("model_a", "model_b", "teacher_a", "teacher_b")})
    square = figures.grouped(table, by, models=models)
    for first, second in itertools.product(square.index, square.columns):
        kept = [
            row["value"]
            for row in rows
            if row["form"] == "centred"
            and {row["model_a"], row["model_b"]} <= set(models)
            and (row[f"{by}_a"], row[f"{by}_b"]) == (first, second)
            and not (row["model_a"] == row["model_b"] and row["seed_a"] == row["seed_b"])
        ]
        assert square.loc[first, second] == pytest.approx(np.mean(kept))
    assert list(square.index) == (list(models) if by == "model" else ["n", "o"])
