"""What the benchmark of seeds does, never how fast it is."""

import pytest
import torch
from torch import nn

from inductive_bias.benchmarks import seeds
from inductive_bias.benchmarks.base import problems_of
from inductive_bias.benchmarks.seeds import operations, trials_of
from inductive_bias.stacked_seeds import MOST, stacks
from inductive_bias.studies.signal_models import PLANE_MODELS, SIZES, Kind


@pytest.fixture(scope="module")
def table():
    compile_ = torch.compile
    torch.compile = lambda function, **options: function  # it is another module's test that a compiler is used
    try:
        return seeds.measure(2, scale="smoke", grown=(1, 2))
    finally:
        torch.compile = compile_


@pytest.mark.slow
def test_every_ratio_is_there_in_every_repeat(table):
    assert not problems_of(table)
    assert set(table["measure"]) == {"together", "size", "utilisation"}
    assert set(table.loc[table["measure"] == "together", "model"]) == {str(kind) for kind in PLANE_MODELS}


@pytest.mark.slow
def test_sizes_are_the_numbers_that_a_layer_passes_on(table):
    sizes = SIZES["smoke"]
    one = sizes.schedule.batch_size * sizes.task.length * sizes.base["width"]
    found = table.loc[table["measure"] == "size", "variant"].unique()
    assert list(found) == [f"{one:,} numbers", f"{2 * one:,} numbers"]


def test_a_stack_of_the_study_is_measured():
    trials = trials_of(Kind("Linear RNN"), "smoke")
    assert len({each.seed for each in trials}) == MOST
    assert len(stacks(trials)) == 1


def test_operations_are_those_of_the_products():
    """Forward 2 · b · i · o; backward the same for the weights; the inputs need no gradient."""
    assert operations(nn.Linear(5, 7), torch.randn(3, 5)) == 2 * (2 * 3 * 5 * 7)
