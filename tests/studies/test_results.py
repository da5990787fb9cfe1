import matplotlib.pyplot as plt
import pandas as pd
import pytest
import seaborn as sns

from inductive_bias.errors import NoRunsError, SettingError
from inductive_bias.studies.design import Cell
from tests.fakes import fake_results
from tests.studies.toy import STUDY


def numbers(*, number, model, teacher):
    score = 0.5 + 0.1 * (teacher != "none") + 0.01 * number
    return {
        ("translate", "accuracy"): score,
        ("test", "accuracy"): score + 0.2,
        ("test", "accuracy", ("shift", 0)): 0.9,
        ("test", "accuracy", ("shift", 2)): 0.7,
        ("model", "gate", ("layer", 1), ("head", 0)): 0.25,
    }


@pytest.fixture
def results():
    return fake_results(STUDY, numbers)


def test_a_frame_has_factors_in_the_order_of_the_design_and_one_row_a_number(results):
    frame = results.frame("accuracy", split="translate")
    assert list(frame.columns) == [
        "model",
        "teacher",
        "cell",
        "seed",
        "number",
        "trial",
        "split",
        "value",
        "origin",
        "dataset",
    ]
    assert list(frame["teacher"].cat.categories) == ["none", "MLP"]
    assert frame["seed"].tolist() == [0, 1, 2, 3, 10, 11, 12, 13]
    assert frame["number"].tolist() == [0, 1, 2, 3] * 2
    assert frame["cell"].astype(str).unique().tolist() == ["MLP", "MLP → MLP"]


def test_a_coordinate_that_is_not_asked_for_must_be_null(results):
    assert len(results.frame("accuracy", split="test")) == 8
    by_shift = results.frame("accuracy", split="test", by="shift")
    assert len(by_shift) == 16
    assert results.frame("accuracy", split="test", shift=2)["value"].unique() == [0.7]
    with pytest.raises(SettingError, match="no 'gate'"):
        results.frame("gate", split="model")
    assert len(results.frame("gate", split="model", by=("layer", "head"))) == 8


def test_levels_are_restricted_and_unused_ones_leave_no_empty_place(results):
    frame = results.frame("accuracy", split="translate", teacher="none")
    assert list(frame["teacher"].cat.categories) == ["none"]
    both = results.frame("accuracy", split="translate", teacher=("MLP", "none"))
    assert len(both) == 8


def test_values_are_one_cell_by_number(results):
    taught = results.values("accuracy", split="translate", teacher="MLP")
    assert taught.index.tolist() == [0, 1, 2, 3]
    assert taught.tolist() == pytest.approx([0.6, 0.61, 0.62, 0.63])
    with pytest.raises(SettingError, match=r"is not one cell: .*teacher"):
        results.values("accuracy", split="translate")
    with pytest.raises(SettingError, match=r"is not one cell: .*split"):
        results.values("accuracy", teacher="none")


def test_two_cells_are_not_one_even_where_no_number_is_in_both():
    few = fake_results(
        STUDY, lambda number, **at: numbers(number=number, **at) if (number < 2) == (at["teacher"] == "none") else {}
    )
    assert sorted(few.frame("accuracy", split="translate")["number"]) == [0, 1, 2, 3]
    with pytest.raises(SettingError, match=r"is not one cell: .*teacher"):
        few.values("accuracy", split="translate")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"metric": "acuracy"}, "has no metric 'acuracy'; it has accuracy, gate"),
        ({"metric": "accuracy", "techer": "MLP"}, "has no factor or coordinate 'techer'"),
        ({"metric": "accuracy", "by": "head", "split": "test"}, "has no 'accuracy' on 'test'"),
        ({"metric": "accuracy", "teacher": "CNN"}, "teacher has no level 'CNN' at any scale"),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused_by_name(results, wanted, message):
    with pytest.raises(SettingError, match=message):
        results.frame(**wanted)


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        (True, {"metric": "accuracy", "split": "test"}),
        (True, {"metric": "accuracy", "split": "test", "by": "shift", "teacher": "MLP"}),
        (True, {"metric": "gate", "by": ("layer", "head")}),
        (True, {"metric": "accuracy", "shift": 2}),
        (False, {"metric": "perplexity"}),
        (False, {"metric": "accuracy", "split": "nowhere"}),
        (False, {"metric": "accuracy", "split": "test", "by": "head"}),
        (False, {"metric": "accuracy", "teacher": "CNN"}),
        (False, {"metric": "accuracy", "shift": 1}),
        # what some study measures, and this one does not
        (False, {"metric": "accuracy", "by": "attractors"}),
        (False, {"metric": "accuracy", "attractors": 2}),
        (False, {"metric": "accuracy", "split": "test", "epochs": True}),
    ],
    ids=str,
)
def test_whether_there_are_rows_can_be_asked(results, there, wanted):
    assert results.has(**wanted) is there


def test_of_a_cell_that_has_no_run_yet_there_are_no_rows():
    few = fake_results(STUDY, lambda number, **at: numbers(number=number, **at) if at["teacher"] == "none" else {})
    with pytest.raises(NoRunsError):
        few.frame("accuracy", split="test", teacher="MLP")
    assert few.has("accuracy", split="test", teacher="none")
    assert not few.has("accuracy", split="test", teacher="MLP")


@pytest.mark.parametrize("wanted", [{"techer": "MLP"}, {"by": "shfit"}, {"by": ("layer", "haed")}], ids=str)
@pytest.mark.parametrize("metric", ["accuracy", "gate", "perplexity"])
def test_whether_there_are_rows_is_not_answered_for_a_factor_or_coordinate_that_nothing_has(results, metric, wanted):
    with pytest.raises(SettingError, match=r"study 'toy' has no factor or coordinate '(techer|shfit|haed)'; it has \["):
        results.has(metric, **wanted)


def test_a_table_of_trials_gets_what_is_known_of_them():
    first, *_, last = STUDY.design.members("laptop")
    table = pd.DataFrame({"trial_a": [first, last], "trial_b": [last, None], "value": [1.0, 2.0]})
    found = fake_results(STUDY, numbers, tables={"seeds": table}).table("seeds")
    assert found["teacher_a"].tolist() == ["none", "MLP"]
    assert found["seed_a"].tolist() == [0, 13]
    assert found["cell_b"].astype(object).where(found["cell_b"].notna(), "–").tolist() == ["MLP → MLP", "–"]
    assert found["value"].tolist() == [1.0, 2.0]


def test_seaborn_draws_a_frame_as_it_is(results):
    frame = results.frame("accuracy", split=("translate", "test"))
    # seaborn makes its own layout; the book's style, which other tests set, asks for another one
    with plt.rc_context({"figure.constrained_layout.use": False}):
        grid = sns.catplot(frame, x="teacher", y="value", col="split", kind="strip")
    assert [label.get_text() for label in grid.axes.flat[0].get_xticklabels()] == ["none", "MLP"]


def test_cells_are_those_of_the_scale(results):
    assert list(results.cells) == [Cell(model="MLP", teacher="none"), Cell(model="MLP", teacher="MLP")]
