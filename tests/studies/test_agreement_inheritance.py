"""Who inherits what: matrices, changes and shared answers, on a toy study whose numbers are known by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.studies import Results, Study
from inductive_bias.studies.agreement import design, inheritance, overlap, paper
from inductive_bias.studies.runs import COLUMNS

NAN = float("nan")
LADDER = design.LADDER


def value_of(cell: str, metric: str) -> float:
    """Accuracy grows with the student's place on the ladder and a tenth of the teacher's; calibration error falls."""
    *teacher, student = cell.split(", ")[0].split(" → ")
    level = 0.5 + 0.1 * LADDER.index(student) + (0.01 * (1 + LADDER.index(teacher[0])) if teacher else 0.0)
    return 1 - level if metric.startswith("ece") else level


def row(cell, seed, split, metric, value):
    known = {"study": "toy", "scale": "smoke", "trial": f"{cell}{seed}", "model": "m", "teacher": "", "epoch": NAN}
    return known | {"cell": cell, "seed": seed, "split": split, "metric": metric, "value": value, "x": NAN,
                    "data_source": "d"}  # fmt: skip


def toy_rows():
    for cell in (*LADDER, *design.PAIRS, design.TRAIN_MODE):
        for split, metric in inheritance.METRICS.values():
            for number in (0, 1):
                yield row(cell, number, split, metric, value_of(cell, metric) + 0.02 * number)


def results_of(rows) -> Results:
    trial = SimpleNamespace(schedule=SimpleNamespace(epochs=3, batch_size=64))
    cells = {cell: (trial,) for cell in (*LADDER, *design.PAIRS)}
    study = Study("toy", "?", cells=lambda scale: cells, tables={}, claims=())
    return Results(study, "smoke", pd.DataFrame(rows)[COLUMNS], complete_publication=False)


@pytest.fixture
def results() -> Results:
    return results_of(toy_rows())


def test_a_matrix_has_the_teachers_down_the_students_along_and_no_teacher_on_top(results):
    found = inheritance.loans(results, "accuracy")
    assert found.means.shape == (5, 4)
    assert found.means.index[0] == "no teacher"
    np.testing.assert_allclose(found.means.iloc[0], [0.51, 0.61, 0.71, 0.81])
    np.testing.assert_allclose(found.means.iloc[4], [0.55, 0.65, 0.75, 0.85])  # taught by the LSTM
    np.testing.assert_allclose(found.means.iloc[:, 0], [0.51, 0.52, 0.53, 0.54, 0.55])  # the Transformer as a student
    assert found.words.iloc[0, 0] == "0.510\n±0.014"


@pytest.mark.parametrize("measure", ["accuracy", "ECE, 20 bins"])
def test_a_gain_is_positive_where_the_student_became_better_whatever_the_measure(results, measure):
    gains = inheritance.loans(results, measure).gains
    np.testing.assert_allclose(gains.iloc[0], 0)
    np.testing.assert_allclose(gains.iloc[1:], np.tile([[0.01], [0.02], [0.03], [0.04]], (1, 4)))


def test_diverged_runs_are_left_out_of_a_mean_and_a_cell_without_any_run_is_a_dash():
    rows = [r | {"value": NAN} if (r["cell"], r["seed"]) == ("LSTM", 1) else r for r in toy_rows()]
    found = inheritance.loans(results_of(rows), "accuracy")
    assert found.means.iloc[0, 3] == pytest.approx(0.8)
    assert found.words.iloc[0, 3] == "0.800"
    rows = [r | {"value": NAN} if r["cell"] == "LSTM → LSTM" else r for r in rows]
    found = inheritance.loans(results_of(rows), "accuracy")
    assert np.isnan(found.means.iloc[4, 3])
    assert found.words.iloc[4, 3] == "–"


def test_the_papers_matrix_has_its_numbers_in_the_same_places():
    found = inheritance.paper_loans("accuracy")
    for at, teacher in enumerate(inheritance.TEACHERS):
        for along, student in enumerate(LADDER):
            mean = paper.reported(inheritance.cell_of(teacher, student), "test", "accuracy")[0]
            assert found.means.iloc[at, along] == mean
            assert found.words.iloc[at, along] == f"{mean:.3f}"
    assert (inheritance.paper_loans("ECE, 10⁶ bins").gains.iloc[4, :3] > 0).all()  # an LSTM teacher calibrates
    nothing = inheritance.paper_loans("ECE, 20 bins")
    assert nothing.means.isna().all(axis=None)
    assert (nothing.words == "–").all(axis=None)


def test_the_cells_of_a_student_begin_without_a_teacher_and_name_the_papers_means():
    found = inheritance.students("LSTM", "accuracy")
    assert list(found) == ["LSTM", *(f"{teacher} → LSTM" for teacher in LADDER)]
    assert found["LSTM"] == f"no teacher\n{paper.reported('LSTM', 'test', 'accuracy')[0]:.3f}"
    assert inheritance.students("LSTM", "ECE, 20 bins")["LSTM → LSTM"] == "LSTM\n–"


def test_every_seed_is_kept_in_the_order_asked_for(results):
    table = inheritance.seeds_of(results, "A-acc", ["LSTM → Transformer", "Transformer"])
    assert table["cell"].tolist() == ["LSTM → Transformer"] * 2 + ["Transformer"] * 2
    assert table["value"].tolist() == pytest.approx([0.54, 0.56, 0.5, 0.52])
    with pytest.raises(ValueError, match="'CNN' has no a_accuracy on 'attractors'"):
        inheritance.seeds_of(results, "A-acc", ["CNN"])


def test_our_numbers_stand_beside_the_papers(results):
    table = inheritance.beside_paper(results, "A-acc")
    assert len(table) == 20
    first, last = table.iloc[0], table.iloc[-1]
    assert first["here"] == "0.510\u00a0±\u00a00.0141"
    assert first["paper"].startswith("0.7172")
    assert first["every seed"] == "0.500\u00a00.520"
    assert last["paper"] == "–"


def test_a_change_has_the_interval_of_welch_against_the_student_alone(results):
    table = inheritance.change_table(results, ["accuracy"])
    assert len(table) == len(design.PAIRS)
    low, high = stats.ttest_ind([0.54, 0.56], [0.5, 0.52], equal_var=False).confidence_interval()
    text = f"+0.040\u00a0[{low:+.3f},\u00a0{high:+.3f}]".replace("-", "−")
    assert table["accuracy"][3] == text  # the Transformer taught by the LSTM


def test_controls_are_compared_with_the_transformer_that_an_lstm_taught(results):
    table = inheritance.control_table(results, ["accuracy"])
    assert [text.split("\u00a0")[0] for text in table["accuracy"]] == ["+0.040", "+0.030", "+0.000", "−0.260"]
    assert table.iloc[:, 0].tolist()[-1] == "the LSTM itself"


@pytest.mark.parametrize("scale", ["smoke", "laptop"])
def test_students_of_the_design_take_as_many_steps_as_their_twins(scale):
    study = Study("agreement", "?", cells=design.cells, tables={}, claims=())
    table = inheritance.steps_table(Results(study, scale, pd.DataFrame(columns=COLUMNS), complete_publication=False))
    assert table["epochs, alone"].tolist() == table["epochs, taught"].tolist()
    assert table["batch, alone"].tolist() == table["batch, taught"].tolist()


def overlaps(cell, teacher, seed, own, other, chance=0.5, split="test"):
    return {"student_cell": cell, "teacher": teacher, "seed": seed, "split": split, "agreement_with_teacher": own,
            "agreement_with_other_teacher": other, "chance": chance}  # fmt: skip


def test_shared_answers_are_beyond_chance_and_in_three_kinds():
    rows = []
    for teacher in LADDER:
        for seed in (0, 1):
            rows.append(overlaps("LSTM", teacher, seed, 0.6, 0.6))
            rows.append(overlaps(f"{teacher} → LSTM", teacher, 10 + seed, 0.9, 0.8))
            rows.append(overlaps("LSTM", teacher, seed, 0.0, 0.0, split="attractors"))  # not asked for
    table = overlap.overlap_seeds(pd.DataFrame(rows), "LSTM", "test")
    assert len(table) == 4 * 3 * 2
    assert list(dict.fromkeys(table["teacher"])) == list(LADDER)
    means = table.groupby("whose", sort=False)["value"].mean()
    assert means.index.tolist() == list(overlap.OVERLAPS)
    assert means.tolist() == pytest.approx([0.1, 0.3, 0.4])


def test_the_table_of_shared_answers_has_a_row_a_pair_and_true_minus_signs():
    cells = [(s, t) for s in LADDER for t in LADDER]
    rows = [overlaps(s, t, n, 0.4, 0.4) for s, t in cells for n in (0, 1)]
    rows += [overlaps(f"{t} → {s}", t, n, 0.9, 0.8) for s, t in cells for n in (0, 1)]
    table = overlap.overlap_table(pd.DataFrame(rows), "test")
    assert len(table) == 16
    assert table.iloc[0, 2:].tolist() == [text.replace(" ", "\u00a0") for text in
                                          ("−0.100 ± 0.0000", "0.300 ± 0.0000", "0.400 ± 0.0000")]  # fmt: skip


def test_patience_shows_only_the_cells_that_the_scale_has(results):
    assert list(inheritance.patience(results)) == ["Transformer", "LSTM → Transformer", "LSTM"]
    assert inheritance.patience_table(results, ["accuracy"]).empty


def test_patience_compares_long_with_short_and_taught_with_alone():
    rows = [*toy_rows()]
    for cell, value in zip(design.LONGER, (0.7, 0.8, 0.9), strict=True):
        rows += [row(cell, number, "test", "accuracy", value + 0.02 * number) for number in (0, 1)]
    results = results_of(rows)
    results.study.cells("smoke").update({cell: results.study.cells("smoke")["LSTM"] for cell in design.LONGER})
    table = inheritance.patience_table(results, ["accuracy"]).set_index("compared")["accuracy"]
    assert table["longer: taught minus alone"].startswith("+0.100")
    assert table["longer: LSTM minus taught Transformer"].startswith("+0.100")
    assert table["Transformer: longer minus shorter"].startswith("+0.200")
