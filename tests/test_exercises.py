"""Exercises: three to five for each part of the book, each with a folded solution that runs and checks itself."""

import ast
import re

import nbformat

from inductive_bias import paths
from inductive_bias.record import chapters
from inductive_bias.record.chapters import RECORD, parts
from tests.notebooks import run_notebook

PAGE = paths.home() / "book" / "exercises.ipynb"
CELLS = nbformat.read(PAGE, as_version=4).cells


def by_part() -> dict[str, list[tuple[str, str]]]:
    """Text and solution of every exercise, by the heading of its part."""
    found, part, asked = {}, "", ""
    for cell in CELLS:
        if heading := re.match(r"## Part \d: (.+)", cell.source):
            part = heading[1]
            found[part] = []
        elif cell.source.startswith("### "):
            asked = cell.source
        elif asked:
            found[part].append((asked, cell.source))
            asked = ""
    return found


def test_every_part_of_the_book_has_three_to_five():
    assert [*by_part()] == [part for part in parts() if part != RECORD]
    assert all(3 <= len(each) <= 5 for each in by_part().values())
    assert len(chapters()) > len(by_part())


def test_a_solution_is_folded_says_why_and_checks_itself():
    for number, part in enumerate(by_part().values(), start=1):
        for place, (asked, solution) in enumerate(part, start=1):
            assert asked.startswith(f"### {number}.{place} ")
            question, words = asked.split("```{more} a solution\n```")
            assert "?" in question or re.search(r"\b(show|compute|test|check|write)\b", question, re.IGNORECASE)
            assert len(words.split()) > 10
            calls = [ast.unparse(node.func) for node in ast.walk(ast.parse(solution)) if isinstance(node, ast.Call)]
            checks = any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(solution)))
            assert checks or "torch.testing.assert_close" in calls, asked


def test_every_solution_runs():
    run_notebook(PAGE)
