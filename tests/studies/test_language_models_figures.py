"""Tables of perplexity against agreement, on a toy study whose numbers are known by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.studies import Results, Study
from inductive_bias.studies.language_models import design, figures, paper
from inductive_bias.studies.runs import COLUMNS

NAN = float("nan")
LINZEN = ("pairs:linzen-lm", "a_accuracy")
#: cell: perplexity and A-acc of each seed; the LSTM has the worse perplexity and the better agreement
RUNS = {
    "Transformer": ((100.0, 0.60), (102.0, 0.61)),
    "LSTM": ((110.0, 0.70), (112.0, 0.71)),
    "Small LSTM": ((130.0, 0.65), (131.0, 0.66)),
    "LSTM → Transformer": ((105.0, 0.66), (107.0, 0.68)),
}


def row(cell, seed, split, metric, value, x=NAN):
    known = {"study": "toy", "scale": "smoke", "trial": f"{cell}{seed}", "model": "m", "teacher": "", "epoch": NAN}
    numbers = {"cell": cell, "seed": seed, "split": split, "metric": metric, "value": value, "x": x}
    return known | numbers | {"data_source": "d"}


def toy_rows():
    for cell, runs in RUNS.items():
        for seed, (perplexity, agreement) in enumerate(runs):
            yield row(cell, seed, "validation", "perplexity", perplexity + 50)
            yield row(cell, seed, "test", "perplexity", perplexity)
            yield row(cell, seed, *LINZEN, agreement)
            yield row(cell, seed, "pairs:wiki-test", "d_accuracy", agreement + 0.1)


def results_of(rows) -> Results:
    study = Study("toy", "?", cells=lambda scale: {}, tables={}, claims=())
    return Results(study, "smoke", pd.DataFrame(rows)[COLUMNS], complete_publication=False)


@pytest.fixture
def results() -> Results:
    return results_of(toy_rows())


def test_only_measures_that_were_taken_are_offered_in_their_order(results):
    assert list(figures.measures(results).values()) == [LINZEN, ("pairs:wiki-test", "d_accuracy")]


def test_a_point_is_one_run_with_its_test_perplexity(results):
    table = figures.points(results, ["LSTM", "Transformer"], LINZEN)
    assert table.columns.tolist() == ["cell", "seed", "perplexity", "agreement"]
    assert table["cell"].tolist() == ["LSTM", "LSTM", "Transformer", "Transformer"]
    assert list(zip(table["perplexity"], table["agreement"], strict=True)) == [*RUNS["LSTM"], *RUNS["Transformer"]]


def test_a_cell_without_a_measure_is_named(results):
    with pytest.raises(ValueError, match="'Small Transformer' has no perplexity with a_accuracy on 'pairs:linzen-lm'"):
        figures.points(results, ["LSTM", "Small Transformer"], LINZEN)


def test_a_diverged_run_stays_a_row_without_numbers():
    rows = [*toy_rows(), row("LSTM", 2, "test", "perplexity", NAN)]
    table = figures.points(results_of(rows), ["LSTM"], LINZEN)
    assert len(table) == 3
    assert table.loc[2, ["perplexity", "agreement"]].isna().all()
    ranks = figures.rank_table(results_of(rows), ["LSTM", "Transformer"])
    assert ranks["trials"].tolist() == [4, 4]


def test_the_rank_correlation_is_spearmans_over_all_runs_and_over_means(results):
    cells = ["Transformer", "LSTM", "Small LSTM"]
    runs = np.array([run for cell in cells for run in RUNS[cell]])
    table = figures.rank_table(results, cells).set_index("measure")
    found = table.loc["A-acc, Linzen et al."]
    assert found["ρ over trials"].startswith(f"{stats.spearmanr(*runs.T).statistic:+.2f}")
    assert found["ρ over 3 means"] == "+0.50"  # perplexity 1, 2, 3; agreement 1, 3, 2
    assert "-" not in "".join(table["ρ over trials"])


def test_an_order_is_opposite_where_the_better_language_model_agrees_worse(results):
    table = figures.order_table(results, ["Transformer", "LSTM", "Small LSTM"], LINZEN).set_index("models")
    assert table.index.tolist() == ["Transformer − LSTM", "Transformer − Small LSTM", "LSTM − Small LSTM"]
    assert table["order"].tolist() == ["opposite", "opposite", "alike"]
    low, high = stats.ttest_ind([100, 102], [110, 112], equal_var=False).confidence_interval()
    expected = f"−10.0\u00a0[{low:+.1f},\u00a0{high:+.1f}]".replace("-", "−")
    assert table.loc["Transformer − LSTM", "perplexity"] == expected


def test_an_order_that_the_seeds_do_not_settle_is_open(results):
    table = figures.order_table(results, ["Transformer", "LSTM → Transformer"], LINZEN)
    assert table["order"].tolist() == ["open"]


def test_a_change_is_against_the_student_without_a_teacher(results):
    table = figures.change_table(results, ["LSTM → Transformer"], figures.measures(results))
    assert table.loc[0, "teacher → student"] == "LSTM\u00a0→\u00a0Transformer"
    starts = {name: text.split("\u00a0")[0] for name, text in table.loc[0].items() if name != "teacher → student"}
    assert starts == {"perplexity": "+5.0", "A-acc, Linzen et al.": "+0.065", "D-acc, Wikipedia": "+0.065"}


def test_a_summary_has_perplexity_and_every_measure(results):
    table = figures.summary(results, ["LSTM"])
    assert table.loc[0].tolist() == [
        "LSTM",
        *("111.0 ± 1.41|0.705 ± 0.0071|0.805 ± 0.0071".replace(" ", "\u00a0").split("|")),
    ]


def test_our_numbers_stand_beside_the_papers_and_a_dash_where_it_has_none(results):
    table = figures.beside_paper(results, ["LSTM", "LSTM → Transformer"], paper.paper_table())
    assert table.columns.tolist() == ["model", "A-acc", "A-acc, paper", "D-acc", "D-acc, paper"]
    known = paper.paper_table().set_index(["cell", "metric"])["mean"]
    for at, cell in enumerate(["LSTM", "LSTM → Transformer"]):
        assert table.loc[at, "A-acc, paper"].startswith(f"{known[cell, 'a_accuracy']:.3f}")
        assert table.loc[at, "D-acc, paper"] == f"{known[cell, 'd_accuracy']:.3f}"
    none = figures.beside_paper(results, ["LSTM"], paper.paper_table().iloc[:0])
    assert none.loc[0, ["A-acc, paper", "D-acc, paper"]].tolist() == ["–", "–"]


def test_arrows_lead_from_the_student_alone_and_the_papers_are_those_it_has():
    cells = [*design.MODELS, *design.PAIRS]
    rows = [row(cell, 0, *place, 1.0) for cell in cells for place in (("test", "perplexity"), LINZEN)]
    panels = figures.arrow_panels(results_of(rows), LINZEN, paper.paper_points())
    crossed, theirs, own = panels.values()
    assert crossed[1] == [(pair.split(" → ")[1], pair) for pair in design.CROSSED]
    assert set(crossed[0]["cell"]) == {*design.MODELS, *design.CROSSED}
    assert theirs[1] == [("Transformer", "LSTM → Transformer"), ("Transformer", "Small LSTM → Transformer")]
    assert own[1] == [(model, f"{model} → {model}") for model in design.MODELS]
    for runs, _ in panels.values():
        assert {"cell", "perplexity", "agreement"} <= set(runs.columns)


def test_the_paper_has_points_for_every_model_and_two_of_our_arrows():
    points = paper.paper_points()
    assert set(design.MODELS) <= set(points["cell"])
    assert [pair for pair in design.CROSSED if pair in set(points["cell"])] == [
        "LSTM → Transformer",
        "Small LSTM → Transformer",
    ]
    assert all(math.isfinite(value) for value in points[["perplexity", "a_accuracy"]].to_numpy().ravel())
