"""The paper's numbers stand where they belong: spot checks against our reference file, and a complete grid."""

import pytest

from inductive_bias.studies.vision import design
from inductive_bias.studies.vision.paper import METRICS, SPLITS, paper_table, reported


@pytest.mark.parametrize(
    ("cell", "split", "metric", "number"),
    [
        ("CNN", "translate", "accuracy", (0.981, 0.0003)),
        ("MLP", "translate", "accuracy", (0.373, 0.0151)),
        ("MLP", "scale", "ece_1e6", (0.175, 0.0081)),
        ("CNN → MLP", "translate", "accuracy", (0.510, 0.0148)),
        ("CNN → MLP", "translate", "ece_1e6", (0.432, 0.0136)),
        ("MLP → CNN", "test", "ece_1e6", (0.013, 0.0005)),
    ],
)
def test_a_number_of_the_paper(cell, split, metric, number):
    assert reported(cell, split, metric) == number


def test_every_cell_of_the_papers_tables_has_every_number_once():
    table = paper_table()
    assert set(table["cell"]) == {*design.INDEPENDENT, *design.PAIRS}
    assert len(table) == len(table.drop_duplicates(["cell", "split", "metric"])) == 6 * len(SPLITS) * len(METRICS)
    assert table["mean"].between(0, 1).all()
    assert (table["std"] < 0.02).all()
    assert set(table["source"]) == {"blog-tab"}


def test_what_the_paper_does_not_report_is_none():
    assert reported("CNN", "fog", "accuracy") is None
    assert reported("CNN", "test", "ece_20") is None
