"""How the agreement study grows: what is in a training set of its design, and what stays as it was published."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from inductive_bias.studies.agreement import STUDY, design, figures, measures, tables
from inductive_bias.studies.agreement.design import (
    DESIGN,
    DRAWN,
    GROWING,
    LABELS,
    LADDER,
    MAIN,
    PLAIN,
    SHARED,
    SIZES,
    STANDARD,
    STRONG,
    TRAIN_MODE,
    TUNED,
    TUNING,
    UNTAUGHT,
    WEAK,
    cell,
)
from inductive_bias.studies.design import Design
from inductive_bias.trials import canonical

#: What a training set has of no run.
NO_RUNS = {
    "undistilled": {},
    "distilled": 0,
    "labels": 0,
    "train_mode": 0,
    "longer_runs": 0,
    "by_size": {},
    "extra_distilled": {},
}
SETTINGS = {"learning_rate": 4e-3, "dropout": 0.3}


@pytest.fixture
def with_counts(monkeypatch):
    """``with_counts(counts)``: the design with so many runs of every set that grows."""

    def made(counts):
        sets = SIZES["laptop"].sets
        grown = {data: replace(sets[data], **NO_RUNS | counts.get(data, {})) for data in GROWING}
        monkeypatch.setitem(SIZES, "laptop", replace(SIZES["laptop"], sets={**sets, **grown}))
        return Design(design.cells, DESIGN.factors, label=design.label, order=design.ORDER)

    return made


@pytest.fixture
def without(with_counts):
    """Cells and levels without any run of a set that grows."""
    bare = with_counts({})
    return bare.cells("laptop"), bare.levels("laptop")


@pytest.fixture
def grown(without, with_counts) -> Design:
    """The design with some runs of every set that grows, and settings of the Transformer alone."""
    made = with_counts(
        {
            MAIN: {
                "undistilled": dict.fromkeys(LADDER, 4) | {"Universal Transformer": 3},
                "distilled": 2,
                "labels": 2,
                "train_mode": 2,
                "by_size": dict.fromkeys(LADDER, 1),
            },
            PLAIN: {"undistilled": dict.fromkeys(LADDER, 2)},
            DRAWN: {"undistilled": dict.fromkeys(LADDER, 3), "distilled": 3},
        }
    )

    def chosen(scale, *, data, model):
        return SETTINGS if data and model == WEAK else None

    with patch.object(TUNED, "chosen", chosen):
        made.cells("laptop")
    return made


@pytest.fixture
def of(grown):
    """The trials of a cell of a set that grows."""

    def trials(model, teacher="none", data=MAIN, **other):
        return grown.cells("laptop")[cell(model, teacher, data=data, **other)]

    return trials


def test_what_was_there_before_stays_as_it_is(without, grown):
    before, after = without[0], grown.cells("laptop")
    assert sum(map(len, before.values())) == 244
    assert {each: after[each] for each in before} == dict(before)
    assert len(after) > len(before)


def test_every_cell_has_as_many_runs_as_its_set_says(grown, of):
    counts = {data: sum(each["data"] == data for each in grown.cells("laptop")) for data in GROWING}
    pairs, sizes = len(LADDER) ** 2, len(design.WIKIPEDIA_SIZES)
    assert counts == {MAIN: 5 + pairs + 2 + 4 * sizes, PLAIN: 4, DRAWN: 4 + pairs}
    assert [len(of(model)) for model in design.MODELS] == [4, 4, 4, 4, 3]
    assert len(of(WEAK, STRONG)) == len(of(WEAK, STRONG, variant=TRAIN_MODE)) == len(of(WEAK, variant=LABELS)) == 2
    assert len(of(WEAK, sentences=17_000)) == 1


def test_levels_of_sets_are_there_when_their_runs_are(without, grown):
    before, after = without[1], grown.levels("laptop")
    assert not set(GROWING) & set(before["data"])
    assert set(GROWING) <= set(after["data"])
    assert LABELS not in before["variant"]
    assert LABELS in after["variant"]
    assert grown.levels("paper") == DESIGN.levels("paper")


@pytest.mark.parametrize("data", [MAIN, DRAWN])
def test_students_learn_from_the_run_of_their_number_and_start_elsewhere(of, data):
    for model in LADDER:
        for teacher in LADDER:
            students, teachers = of(model, teacher, data), of(teacher, data=data)
            assert [trial.teacher for trial in students] == list(teachers[: len(students)])
            assert not {trial.seed for trial in students} & {trial.seed for trial in teachers}
            assert all(trial.schedule == of(model, data=data)[0].schedule for trial in students)


def test_controls_differ_from_a_student_by_one_thing(of):
    student, train_mode, labels = (
        canonical(of(*pair, variant=variant)[1])
        for pair, variant in (((WEAK, STRONG), STANDARD), ((WEAK, STRONG), TRAIN_MODE), ((WEAK,), LABELS))
    )
    assert train_mode["distill"].pop("teacher_mode") == "train"
    assert train_mode == student
    assert student.pop("distill")
    assert labels == student


def test_a_dropout_is_kept_by_teachers_that_have_one_alone(with_counts):
    counts = {MAIN: {"undistilled": dict.fromkeys(LADDER, 2), "distilled": 2, "train_mode": 2}}
    train_mode = cell(WEAK, STRONG, variant=TRAIN_MODE)
    # nobody knows what a search will find that has not been run
    for settings, there in ((None, True), (SETTINGS | {"dropout": 0.0}, False), (SETTINGS, True)):
        known = settings

        def chosen(scale, *, data, model, known=known):
            return known if data else None

        with patch.object(TUNED, "chosen", chosen):
            assert (train_mode in with_counts(counts).cells("laptop")) == there


def test_the_patient_train_longer_and_have_the_same_teachers(with_counts):
    counts = {MAIN: {"undistilled": dict.fromkeys(LADDER, 3), "distilled": 3, "longer_runs": 2}}
    cells = with_counts(counts).cells("laptop")
    patient, usual = (cells[cell(WEAK, STRONG, variant=variant)] for variant in (design.LONGER, STANDARD))
    assert len(patient) == 2
    assert [trial.teacher for trial in patient] == [trial.teacher for trial in usual[:2]]
    assert patient[0].schedule.epochs == 4 * usual[0].schedule.epochs


def test_the_grid_has_seeds_of_its_own_and_a_smaller_set():
    others = {trial.seed for trials in DESIGN.cells("laptop").values() for trial in trials}
    for each, (trial,) in TUNING.design.cells("laptop").items():
        assert trial.seed not in others
        assert trial.task.train_size == {MAIN: 50_000, DRAWN: 3_000}[each["data"]]
        assert trial.optimiser.learning_rate == each["learning_rate"]
        assert trial.model.dropout == trial.model.embedding_dropout == each["dropout"]


def test_chosen_settings_are_those_of_all_other_runs(of):
    for trial in (of(WEAK)[0], of(WEAK, STRONG)[0], of(WEAK, sentences=17_000)[0]):
        assert {"learning_rate": trial.optimiser.learning_rate, "dropout": trial.model.dropout} == SETTINGS
    assert of(STRONG)[0].model == SIZES["laptop"].models[STRONG]


def test_sentences_that_are_drawn_for_a_number_pair_its_runs(without, of):
    draws = [trial.task for trial in of(STRONG, data=DRAWN)]
    assert len({task.data_seed for task in draws}) == len(draws)
    known = {trial.task for trials in without[0].values() for trial in trials}
    assert not known & set(draws)
    first, second = of(WEAK, data=DRAWN)[:2]
    assert measures.share(of(STRONG, WEAK, DRAWN)[0], first)
    assert measures.share(of(STRONG, SHARED, DRAWN)[1], of(WEAK, STRONG, DRAWN)[1])
    assert not measures.share(first, second)
    # equal real sentences are nothing that two runs alone have in common
    assert not measures.share(of(WEAK, STRONG)[0], of(STRONG)[1])


def test_tables_compare_two_numbers_that_follow_each_other_or_the_runs_of_the_small_sample():
    groups = {tables.block(cell(WEAK, data=MAIN), number) for number in range(5)}
    assert groups == {(MAIN, 0), (MAIN, 1), (MAIN, 2)}
    assert {tables.block(cell(WEAK, data=design.SAMPLE), number) for number in range(4)} == {(design.SAMPLE, 0)}


def test_the_whole_is_the_default_of_a_set(of):
    assert of(WEAK)[0].task.train_size is None
    assert of(WEAK, sentences=None) == of(WEAK)


@pytest.fixture(scope="module")
def published():
    return STUDY.results("laptop")


@pytest.mark.parametrize(("data", "models"), [(MAIN, design.MODELS), (DRAWN, LADDER)])
def test_no_chosen_rate_stands_at_an_end_of_the_grid_and_the_page_ticks_what_was_chosen(published, data, models):
    tried = {model: TUNED.tried("laptop", data=data, model=model) for model in models}
    rates = {model: {place["learning_rate"] for place in places} for model, places in tried.items()}
    for model, known in rates.items():
        assert min(known) < TUNED.chosen("laptop", data=data, model=model)["learning_rate"] < max(known)
    table = figures.searched(published, data)
    ticks = table.filter(like="dropout").map(lambda shown: shown.endswith("✓")).sum(axis=1)
    assert set(ticks.groupby(table["model"]).sum()) == {1}
    assert len(table) == sum(map(len, rates.values()))


def test_a_curve_has_a_point_only_where_there_are_enough_examples(published):
    large = {"model": LADDER, **UNTAUGHT}
    for way, split in figures.BETWEEN.items():
        rows = figures.between(published, way, **large)
        counts = published.frame("n", split=split, by=way, **large).groupby(way)["value"].first()
        few = set(counts.index[counts < figures.LEAST_EXAMPLES])
        assert few.isdisjoint(rows[way])
        assert set(counts.index) - few <= set(rows[way])
        assert set(rows["model"]) == set(LADDER)
    assert figures.between(published, "distance", **large | {"data": design.GRAMMAR}).empty
