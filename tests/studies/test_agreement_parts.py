"""How the agreement study grows: what is in a part of its design, and what stays as it was published."""

from dataclasses import replace

import pytest

from inductive_bias.studies.agreement import STUDY, design, measures, tables
from inductive_bias.studies.agreement.design import DESIGN, PARTS, SIZES, WIKIPEDIA_GRID, cell
from inductive_bias.studies.agreement.parts import (
    ALL,
    DRAWN,
    LABELS,
    LADDER,
    MAIN,
    PLAIN,
    SHARED,
    STRONG,
    TRAIN_MODE,
    WEAK,
    Part,
)
from inductive_bias.studies.design import Design
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING
from inductive_bias.trials import canonical

SETTINGS = {WEAK: (4e-3, 0.3)}


@pytest.fixture
def with_parts(monkeypatch):
    """``with_parts(counts)``: the design with so many runs of every part, and its cells and levels at laptop scale."""

    def of(counts):
        parts = {
            data: Part(
                task=part.task,
                training=part.training,
                sizes=part.sizes,
                grid=part.grid,
                settings=SETTINGS,
                **counts.get(data, {}),
            )
            for data, part in PARTS.items()
        }
        monkeypatch.setitem(SIZES, "laptop", replace(SIZES["laptop"], parts=parts))
        made = replace(DESIGN)
        return made, made.cells("laptop"), made.levels("laptop")

    return of


@pytest.fixture
def without(with_parts):
    """Cells and levels without any run of a part."""
    return with_parts({})[1:]


@pytest.fixture
def grown(without, with_parts) -> Design:
    """The design with some runs of every part."""
    of_rungs = dict.fromkeys(LADDER, 1)
    counts = {
        MAIN: {"alone": 4, "universal": 3, "taught": 2, "controls": 2, "sized": of_rungs, "tuned": {WEAK: 1}},
        PLAIN: {"alone": 2},
        DRAWN: {"alone": 3, "taught": 3},
    }
    return with_parts(counts)[0]


@pytest.fixture
def of(grown):
    """The trials of a cell of a part."""

    def trials(model, teacher="none", data=MAIN, **other):
        return grown.cells("laptop")[cell(model, teacher, data=data, **other)]

    return trials


def test_what_was_there_before_stays_as_it_is(without, grown):
    before, after = without[0], grown.cells("laptop")
    assert sum(map(len, before.values())) == 244
    assert {each: after[each] for each in before} == dict(before)
    assert len(after) > len(before)


def test_every_cell_has_as_many_runs_as_its_part_says(grown, of):
    counts = {data: sum(each["data"] == data for each in grown.cells("laptop")) for data in (MAIN, PLAIN, DRAWN)}
    pairs, sizes = len(LADDER) ** 2, len(PARTS[MAIN].sizes)
    places = (len(WIKIPEDIA_GRID.rates) + 1) * len(WIKIPEDIA_GRID.dropouts)
    assert counts == {MAIN: 5 + pairs + 2 + 4 * sizes + places, PLAIN: 4, DRAWN: 4 + pairs}
    assert [len(of(model)) for model in design.MODELS] == [4, 4, 4, 4, 3]
    assert len(of(WEAK, STRONG)) == len(of(WEAK, STRONG, variant=TRAIN_MODE)) == len(of(WEAK, variant=LABELS)) == 2
    assert len(of(WEAK, sentences=17_000)) == 1


def test_levels_of_parts_are_there_when_their_runs_are(without, grown):
    before, after = without[1], grown.levels("laptop")
    assert before["rate"] == before["dropout"] == [CHOSEN]
    assert after["rate"] == [CHOSEN, *sorted(set(WIKIPEDIA_GRID.every_rate))]
    assert after["dropout"] == [CHOSEN, *WIKIPEDIA_GRID.dropouts]
    assert not {MAIN, PLAIN, DRAWN} & set(before["data"])
    assert {MAIN, PLAIN, DRAWN} <= set(after["data"])
    assert not {TUNING, LABELS} & set(before["variant"])
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


def test_a_dropout_is_kept_by_teachers_that_have_one_alone(with_parts):
    counts = {MAIN: {"alone": 2, "taught": 2, "controls": 2}}
    train_mode = cell(WEAK, STRONG, variant=TRAIN_MODE)
    assert train_mode in with_parts(counts)[1]  # nobody knows what its search will find
    for dropout in (0.0, 0.1):
        part = replace(SIZES["laptop"].parts[MAIN], settings=SETTINGS | {STRONG: (1e-3, dropout)})
        assert bool(
            part.runs(
                **{name: train_mode[name] for name in ("model", "teacher", "sentences", "variant", "rate", "dropout")}
            )
        ) == (dropout > 0)


def test_the_patient_train_longer_and_have_the_same_teachers(with_parts):
    cells = with_parts({MAIN: {"alone": 3, "taught": 3, "patient": 2, "longer": PARTS[MAIN].longer}})[1]
    patient, usual = (cells[cell(WEAK, STRONG, variant=variant)] for variant in (design.LONGER, STANDARD))
    assert len(patient) == 2
    assert [trial.teacher for trial in patient] == [trial.teacher for trial in usual[:2]]
    assert patient[0].schedule.epochs == 4 * usual[0].schedule.epochs


def test_the_grid_has_seeds_of_its_own_and_a_smaller_set(grown, of):
    cells = {each: trials for each, trials in grown.cells("laptop").items() if each["variant"] == TUNING}
    others = {trial.seed for each, trials in grown.cells("laptop").items() if each not in cells for trial in trials}
    for each, (trial,) in cells.items():
        assert trial.seed not in others
        assert trial.task.train_size == each["sentences"] == 50_000
        assert trial.optimiser.learning_rate == each["rate"]
        assert trial.model.dropout == trial.model.embedding_dropout == each["dropout"]
    assert {each["model"] for each in cells} == {WEAK}
    assert not set(cells) & set(replace(STUDY, design=grown).judged("laptop"))


def test_chosen_settings_are_those_of_all_other_runs(of):
    for trial in (of(WEAK)[0], of(WEAK, STRONG)[0], of(WEAK, sentences=17_000)[0]):
        assert (trial.optimiser.learning_rate, trial.model.dropout) == SETTINGS[WEAK]
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


def test_the_whole_is_the_default_of_a_part(of):
    assert of(WEAK)[0].task.train_size is None
    assert of(WEAK, sentences=ALL) == of(WEAK)


@pytest.fixture(scope="module")
def published():
    return STUDY.results("laptop")


@pytest.mark.parametrize(("data", "models"), [(MAIN, design.MODELS), (DRAWN, LADDER)])
def test_every_model_has_the_winner_of_its_grid_and_none_stands_at_an_end_of_its_rates(published, data, models):
    rows = published.frame("accuracy", split="validation", variant=TUNING, data=data)
    settings = PARTS[data].settings
    assert set(settings) == set(rows["model"]) == set(models)
    for model, places in rows.groupby("model", observed=True):
        best = places.loc[places["value"].idxmax()]
        assert settings[model] == (best["rate"], best["dropout"])
        assert min(places["rate"]) < best["rate"] < max(places["rate"])
    table = measures.searched(published, data)
    ticks = table.filter(like="dropout").map(lambda shown: shown.endswith("✓")).sum(axis=1)
    assert set(ticks.groupby(table["model"]).sum()) == {1}
    assert len(table) == sum(len(set(places["rate"])) for _, places in rows.groupby("model", observed=True))


def test_a_curve_has_a_point_only_where_there_are_enough_examples(published):
    large = {"model": LADDER, **design.ALONE, "data": MAIN}
    assert large["data"] == MAIN
    for way, split in measures.BETWEEN.items():
        rows = measures.between(published, way, **large)
        counts = published.frame("n", split=split, by=way, **large).groupby(way)["value"].first()
        few = set(counts.index[counts < measures.LEAST_EXAMPLES])
        assert few.isdisjoint(rows[way])
        assert set(counts.index) - few <= set(rows[way])
        assert set(rows["model"]) == set(LADDER)
    assert measures.between(published, "distance", **large | {"data": design.GRAMMAR}).empty
