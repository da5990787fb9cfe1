"""A rule that changed after its first publication is listed: compared with what git knows of it."""

from pathlib import Path

import pandas as pd
import pytest

from tests.rule_history import HOME, STUDIES, changed_since, has_history, rules_in

MODULES = sorted(
    path.relative_to(HOME).as_posix()
    for path in [*(HOME / STUDIES).rglob("*/claims.py"), *(HOME / STUDIES).rglob("*/claims/*.py")]
)
LISTS = ("changed.csv", "corrections.csv")
RULE = """
LEAST, BOTH = 0.5, (1, 2)
def helper(results):
    return exceeds(results, LEAST)
def rule(results):
    return given(True, "", helper(results))
CLAIMS = (Claim("X1", PAGE, SOURCE, "One thing " f"holds {LEAST} of 7 times.", "said", rule),)
"""


def study_of(path: Path) -> Path:
    """The folder of the study that a module of claims belongs to."""
    return path.parents[1] if path.parent.name == "claims" else path.parent


def listed(study: Path) -> set[str]:
    """The claims of a study whose changes are told."""
    tables = [pd.read_csv(study / name, comment="#") for name in LISTS if (study / name).is_file()]
    return {claim for table in tables for claim in table["claim"]}


@pytest.mark.slow
@pytest.mark.skipif(not has_history(), reason="no whole git history here")
@pytest.mark.parametrize("path", MODULES)
def test_a_rule_that_changed_since_it_was_published_is_listed(path):
    study = study_of(HOME / path)
    changed, told = changed_since(path, study.name), listed(study)
    silent = {name: rules for name, rules in sorted(changed.items()) if name not in told}
    assert not silent, f"changed or dropped since the first publication, and in none of {LISTS}: {silent}"


def test_names_and_places_of_a_rule_do_not_count_and_numbers_do():
    known = rules_in(RULE)["X1"]
    assert known.margins == (0.5,)
    assert known.kinds == ("exceeds", "precondition")
    same = RULE.replace("helper", "judged").replace("One thing", "Something").replace("LEAST", "SMALLEST")
    assert rules_in(same.replace('given(True, "", ', "untestable("))["X1"] == known
    changes = {"0.5": "0.4", "exceeds": "falls_below", 'given(True, "", ': "("}
    for old, new in (changes | {"results, LEAST": "results, LEAST + BOTH[1]"}).items():
        assert rules_in(RULE.replace(old, new))["X1"] != known


def test_a_helper_and_its_margin_may_stand_in_another_module():
    measures, claims = RULE.split("def rule", 1)
    claims = "from inductive_bias.studies.toy.measures import LEAST, helper\ndef rule" + claims
    files = {"src/inductive_bias/studies/toy/measures.py": measures}
    assert rules_in(claims, files.get) == rules_in(RULE)
    assert rules_in(claims, {name: text.replace("0.5", "0.4") for name, text in files.items()}.get) != rules_in(RULE)


def test_a_guard_against_cells_without_runs_does_not_count():
    guard = "    if reason := lacking(results):\n        return Finding(untestable(reason))\n    return given("
    bare = RULE.replace('given(True, "", helper(results))', "helper(results)")
    assert rules_in(bare.replace("    return helper", guard.replace("given(", "helper")))["X1"] == rules_in(bare)["X1"]


def test_every_list_names_what_there_is():
    """A row without a reason, or with a verdict that is none, tells nothing."""
    for study in (HOME / STUDIES).rglob("corrections.csv"):
        table = pd.read_csv(study, comment="#", keep_default_na=False)
        assert list(table) == ["claim", "before", "old_rule", "new_rule", "why"], study
        assert (table != "").all().all(), study
        assert not table["claim"].duplicated().any(), study
