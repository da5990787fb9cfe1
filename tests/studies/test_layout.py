"""Every study has the same files, and their imports point one way: figures and claims → measures → design."""

import csv
import re
from pathlib import Path

import grimp
import pytest

from inductive_bias.studies import NAMES

STUDIES = "inductive_bias.studies"
FOLDER = Path(__file__).resolve().parents[2] / "src" / "inductive_bias" / "studies"
#: What a file may know of its own study.
KNOWS = {
    "design": (),
    "measures": ("design",),
    "lstm_start": ("design",),
    "tables": ("design", "measures"),
    "claims": ("design", "measures"),
    "figures": ("design", "measures", "claims", "tables"),
    "prose": ("design", "measures", "claims", "tables", "figures", "lstm_start"),
    "widgets": ("design", "measures", "claims", "tables", "figures"),
}
#: A plan of a scale: what a run was stands in the table of trials, not in a design that others read.
PLAN = re.compile(r"\bPLANS\b|\b(?:SIZES|PARTS)\[")
PAGES = sorted((FOLDER.parents[2] / "book").glob("*/*.ipynb"))
of_studies = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="session")
def imports():
    return grimp.build_graph("inductive_bias", exclude_type_checking_imports=True)


def part_of(module, study):
    """``claims`` of ``inductive_bias.studies.vision.claims.gains``; empty for the package itself."""
    return module.removeprefix(f"{STUDIES}.{study}").removeprefix(".").split(".")[0]


@of_studies
def test_its_files_are_those_of_every_study(name):
    found = {path.stem if path.is_file() else path.name for path in (FOLDER / name).iterdir()}
    found -= {"__pycache__", *(path.stem for path in (FOLDER / name).iterdir() if path.suffix in (".csv", ".json"))}
    assert {"__init__", "design"} <= found <= {"__init__", *KNOWS}


@of_studies
def test_its_files_know_only_those_below(name, imports):
    wrong = []
    modules = {f"{STUDIES}.{name}", *imports.find_descendants(f"{STUDIES}.{name}")}
    for module in sorted(modules):
        part = part_of(module, name)
        for other in sorted(imports.find_modules_directly_imported_by(module) & modules):
            below = part_of(other, name)
            if part and below != part and below not in KNOWS[part]:
                wrong.append(f"{module} imports {other}")
    assert wrong == []


@of_studies
def test_it_imports_no_other_study(name, imports):
    others = {f"{STUDIES}.{each}" for each in NAMES if each != name}
    mine = {f"{STUDIES}.{name}", *imports.find_descendants(f"{STUDIES}.{name}")}
    wrong = [
        f"{module} imports {other}"
        for module in sorted(mine)
        for other in sorted(imports.find_modules_directly_imported_by(module))
        if any(other == each or other.startswith(f"{each}.") for each in others)
    ]
    assert wrong == []


@of_studies
def test_nothing_but_a_design_reads_its_plans(name):
    for path in sorted((FOLDER / name).rglob("*.py")):
        if path.name != "design.py":
            assert PLAN.findall(path.read_text("utf8")) == [], path.name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_reads_a_plan(path):
    text = path.read_text("utf8")
    assert PLAN.findall(text) == []


@of_studies
def test_what_a_search_found_is_in_its_file_alone(name):
    path = FOLDER / name / "tuned.csv"
    design = (FOLDER / name / "design.py").read_text("utf8")
    assert path.is_file() == ("Tuning(" in design)
    if path.is_file():
        with path.open(newline="") as file:
            assert {"runs", "score", "chosen"} <= set(csv.DictReader(file).fieldnames)
