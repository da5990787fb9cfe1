"""Imports that import-linter's contracts do not see: those that only a type checker makes."""

from graphlib import TopologicalSorter

import grimp
import pytest


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("inductive_bias", exclude_type_checking_imports=False, cache_dir=None)


def test_no_modules_import_one_another_in_a_circle(graph):
    TopologicalSorter({each: graph.find_modules_directly_imported_by(each) for each in graph.modules}).prepare()


def test_protocols_know_nothing_of_trials(graph):
    protocols = graph.find_descendants("inductive_bias.protocols") | {"inductive_bias.protocols"}
    assert graph.find_modules_that_directly_import("inductive_bias.trials") & protocols == set()
