"""What is asked of sentences that are drawn anew: the rules on made-up results with a known truth."""

import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.store import Store
from inductive_bias.studies.agreement import figures, measures, tables
from inductive_bias.studies.agreement.design import (
    DESIGN,
    DRAWN,
    FURTHER,
    LADDER,
    SEQUENTIAL,
    SHARED,
    SIZES,
    STANDARD,
    STRONG,
    WEAK,
    cell,
    drawn_cell,
    of_size,
)
from inductive_bias.studies.agreement.figures import grammar
from inductive_bias.studies.agreement.measures import A_ACC
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks.vocabulary import PAD
from tests.fakes import fake_results, judged
from tests.studies.test_agreement import with_runs

SEEDS = 12
MANY = with_runs(SEEDS)
UP = dict(zip(LADDER, (0.55, 0.62, 0.72, 0.95), strict=True))


def draw(*name):
    """A fixed draw from a normal distribution."""
    return float(np.random.default_rng(zlib.crc32(repr(name).encode())).normal())


def made(deep, *, own=0.01, shared=0.0, scale="laptop"):
    """Results of these A-accs by model and teacher; ``own`` is the spread of a run, ``shared`` that of a draw."""

    def values(*, number, model, teacher, data, sentences, **levels):
        key = (model, teacher) if sentences is None else (model, teacher, sentences)
        a_acc = deep.get(key, deep.get((model, "none"), 0.6)) if data == DRAWN else 0.6
        a_acc += own * draw(number, model, teacher, data, sentences or 0) + shared * draw(number)
        return {("test", "accuracy"): 0.9, ("attractors", "a_accuracy"): a_acc}

    return fake_results(MANY, values, scale=scale, seeds=SEEDS)


def verdict(name, *args, **choices):
    return judged(MANY, name, made(*args, **choices)).judgement.verdict


ALONE = {(model, "none"): value for model, value in UP.items()}
#: Twins as good as without a teacher: an LSTM's lead of .4 in A-acc.
TWINS = ALONE | {(STRONG, STRONG): 0.95, (WEAK, WEAK): 0.55}


@pytest.mark.parametrize(
    ("changes", "choices", "want"),
    [
        ({}, {}, "reproduced"),
        ({(SHARED, "none"): 0.622}, {"own": 0.002}, "not reproduced"),  # a step of a fifth of what is asked
        ({}, {"own": 0.3}, "undecided"),
        ({}, {"own": 0.01, "shared": 0.3}, "reproduced"),  # easy and hard draws are so for every rung
    ],
)
def test_every_rung_is_worth_a_hundredth_draw_by_draw(changes, choices, want):
    assert verdict("A18", ALONE | changes, **choices) == want


#: What is taught by the other kind, and what it is compared with, by claim.
SHARES = {
    "A19": ((WEAK, STRONG), {}),
    "A20": ((STRONG, WEAK), {}),
    "A21": ((WEAK, STRONG, FURTHER), {(WEAK, WEAK, FURTHER): 0.55}),
    "A22": ((STRONG, WEAK, FURTHER), {(STRONG, STRONG, FURTHER): 0.95}),
}


@pytest.mark.parametrize(
    ("claim", "student", "own", "want"),
    [
        ("A19", 0.61, 0.005, "reproduced"),
        ("A19", 0.57, 0.005, "not reproduced"),
        ("A19", 0.60, 0.05, "undecided"),
        ("A20", 0.70, 0.01, "reproduced"),
        ("A20", 0.80, 0.01, "not reproduced"),
        ("A20", 0.74, 0.1, "undecided"),
        ("A21", 0.90, 0.005, "reproduced"),
        ("A21", 0.70, 0.005, "not reproduced"),
        ("A21", 0.77, 0.1, "undecided"),
        ("A22", 0.60, 0.005, "reproduced"),
        ("A22", 0.85, 0.005, "not reproduced"),
        ("A22", 0.74, 0.1, "undecided"),
    ],
)
def test_a_tenth_of_the_lead_must_be_lent_half_must_be_taken_and_half_of_either_on_further_sentences(
    claim, student, own, want
):
    taught, twins = SHARES[claim]
    assert verdict(claim, TWINS | twins | {taught: student}, own=own) == want


def test_a_teacher_of_further_sentences_has_learnt_from_the_usual_ones_and_knows_the_same_words():
    cells = DESIGN.cells("laptop")
    (student, *_), (teacher, *_) = (
        cells[drawn_cell(*pair, **more)] for pair, more in (((WEAK, STRONG), {"sentences": 10_000}), ((STRONG,), {}))
    )
    assert student.teacher == teacher
    assert (teacher.task.train_size, student.task.train_size, student.task.vocabulary_from) == (3_000, 10_000, 3_000)
    assert cells[drawn_cell(WEAK, sentences=10_000)][0].task == student.task


@pytest.mark.parametrize("name", ["A19", "A20"])
def test_an_lstm_without_a_lead_has_nothing_to_lend_or_to_lose(name):
    equal = dict.fromkeys(TWINS, 0.8)
    assert verdict(name, equal | {(WEAK, STRONG): 0.9, (STRONG, WEAK): 0.5}) == "not testable here"


@pytest.mark.parametrize("name", ["A18", "A19", "A20", "A21", "A22"])
def test_a_scale_without_such_sentences_cannot_test_it(name):
    assert verdict(name, {}, scale="smoke") == "not testable here"


@pytest.mark.parametrize(("lstm", "want"), [(0.95, "reproduced"), (0.86, "not reproduced")])
def test_less_data_are_less_of_the_same_draw(lstm, want):
    results = made({(STRONG, "none"): lstm, (WEAK, "none", 10_000): 0.9}, own=0.002, shared=0.2)
    pair = cell(STRONG, data=DRAWN), cell(WEAK, data=DRAWN, sentences=10_000)
    found = measures.difference(results, A_ACC, *pair)
    assert found.n == SEEDS
    assert found.estimate == pytest.approx(lstm - 0.9, abs=0.003)  # the draws' spread is a hundred times it
    generated, _ = judged(MANY, "AS", results).judgement.parts
    assert generated.verdict == want


def test_every_rung_and_pair_has_its_number_of_draws():
    drawn = SIZES["laptop"].sets[DRAWN]
    cells = {each: trials for each, trials in DESIGN.cells("laptop").items() if each["data"] == DRAWN}
    alone = {each["model"]: trials for each, trials in cells.items() if each == drawn_cell(each["model"])}
    assert {model: len(trials) for model, trials in alone.items()} == dict.fromkeys(LADDER, drawn.undistilled[WEAK])
    taught = [trials for each, trials in cells.items() if each["teacher"] != "none" and each["variant"] == STANDARD]
    assert sorted(map(len, taught)) == [*drawn.extra_distilled.values(), *[drawn.distilled] * len(LADDER) ** 2]
    for number, trials in enumerate(zip(*alone.values(), strict=True)):
        assert {trial.task.data_seed for trial in trials} == {number + 1}
    assert SEQUENTIAL in alone


@pytest.fixture(scope="module")
def results():
    return made(TWINS | {(STRONG, WEAK): 0.70}, own=0.01, shared=0.2)


def test_steps_are_those_of_a_draw(results):
    steps = grammar.rung_gains(results, A_ACC)
    assert len(steps) == 3 * SEEDS
    means = steps.groupby("rung", sort=False)["value"].mean()
    assert means.to_numpy() == pytest.approx([0.07, 0.10, 0.23], abs=0.02)
    assert steps.groupby("rung")["value"].std().max() < 0.03  # what a draw does to all of its runs cancels
    above, below = (measures.values(results, A_ACC, drawn_cell(model)) for model in (STRONG, SHARED))
    assert steps["value"][2 * SEEDS :].to_numpy() == pytest.approx((above - below).to_numpy())


def test_a_loan_is_in_brackets_where_it_may_be_nothing(results):
    loans = grammar.gains_over_alone(results, A_ACC).set_index(["teacher", "student"])
    assert len(loans) == len(LADDER) ** 2
    assert loans["estimate"][WEAK, STRONG] == pytest.approx(-0.25, abs=0.01)
    assert loans["words"][WEAK, STRONG] == f"−{-loans['estimate'][WEAK, STRONG]:.3f}"
    assert loans["words"][WEAK, WEAK].startswith("(")


def test_a_table_has_a_row_for_every_student_and_teacher(results):
    table = grammar.students_by_teacher(results, [measures.ACCURACY, A_ACC])
    assert list(table.columns) == ["student", "teacher", measures.ACCURACY, A_ACC]
    assert len(table) == len(LADDER) * (len(LADDER) + 1)
    assert set(table[measures.ACCURACY].str[:5]) == {"0.900"}


def test_students_are_compared_with_runs_that_the_scale_has(results):
    for learnt_from in grammar.STUDENTS.values():
        shown = grammar.conditions(results, A_ACC, learnt_from)
        assert set(shown["condition"]) == set(learnt_from)
        assert len(shown) == SEEDS * len(learnt_from)
    smoke = made({}, scale="smoke")
    assert measures.drawn_data(smoke) != DRAWN
    there = {who: set(grammar.conditions(smoke, A_ACC, each)["condition"]) for who, each in grammar.STUDENTS.items()}
    assert [len(conditions) for conditions in there.values()] == [3, 3]  # nobody speaks of further sentences


def test_a_curve_ends_where_some_draw_has_no_sentence():
    def values(*, number, model, **levels):
        shares = {4: 1.0, 5: 0.5} | ({17: 0.0} if number else {})
        return {("test", "accuracy", ("distance", way)): each for way, each in shares.items()}

    rows = grammar.accuracy_by(fake_results(MANY, values, scale="laptop", seeds=3), "distance", "test")
    assert set(rows["distance"]) == {4, 5}
    assert len(rows) == 2 * 3 * len(LADDER)


class Parrot(nn.Module):
    """Right about the sentences that it has heard, and wrong about all others."""

    def __init__(self, split):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(()))
        self.heard = {self.words(row): label for row, label in zip(split.inputs.tolist(), split.labels, strict=True)}

    @staticmethod
    def words(row):
        return tuple(id_ for id_ in row if id_ != PAD)

    def forward(self, tokens):
        answers = [self.heard.get(self.words(row)) for row in tokens.tolist()]
        return torch.stack([torch.eye(2)[0 if each is None else each] for each in answers])


def test_a_teacher_is_asked_about_what_it_learnt_and_about_the_rest_of_a_larger_set(monkeypatch):
    monkeypatch.setattr(tables, "FURTHER", 300)
    trial = DESIGN.cells("laptop")[drawn_cell(WEAK)][0]
    trial = trial.model_copy(update={"task": trial.task.model_copy(update={"train_size": 100})})
    parrot = Parrot(trial.task.load()["train"])

    class Heard(Runs):
        def trials(self, **levels):
            return [trial]

        def model(self, trial):
            return parrot

    table = tables.teacher_accuracy(Heard(DESIGN, "laptop", Store(Path("nowhere"))))
    assert set(table["trial"]) == {trial.id}
    sizes = table.groupby("lesson")["n"].sum()
    assert (sizes[tables.LEARNT_FROM], sizes[tables.OTHER_SENTENCES]) == (100, 200)
    by = table.set_index(["lesson", "attractors"])
    assert (by.loc[tables.LEARNT_FROM, "right"] == 1).all()
    # what it has not heard it takes for singular
    further = of_size(trial.task, 300).load()["train"]
    fresh = [Parrot.words(row) not in parrot.heard for row in further.inputs[100:].tolist()]
    plural = [label for label, new in zip(further.labels[100:].tolist(), fresh, strict=True) if new]
    wrong = ((1 - by.loc[tables.OTHER_SENTENCES, "right"]) * by.loc[tables.OTHER_SENTENCES, "n"]).sum()
    assert wrong == pytest.approx(sum(plural))
    assert sum(plural) > 0


def test_sentences_without_an_attractor_mislead_nobody():
    trial = DESIGN.cells("laptop")[drawn_cell(STRONG)][3].id
    table = pd.DataFrame(
        [
            (trial, tables.OTHER_SENTENCES, 1, 10, 0.5),
            (trial, tables.LEARNT_FROM, 0, 80, 0.1),
            (trial, tables.LEARNT_FROM, 1, 15, 1.0),
            (trial, tables.LEARNT_FROM, 2, 5, 0.2),
        ],
        columns=["trial", "lesson", "attractors", "n", "right"],
    )
    results = fake_results(MANY, lambda **_: {("test", "accuracy"): 0.9}, tables={"lessons": table})
    found = figures.right_behind_attractors(results)
    assert found["value"].tolist() == [16 / 20, 0.5]
    assert found["lesson"].tolist() == [tables.LEARNT_FROM, tables.OTHER_SENTENCES]
    assert set(found["number"]) == {3}
    assert set(found["model"].astype(str)) == {STRONG}
