"""What the page of the profile says of the lengths of a profile is what the command does."""

from inductive_bias import paths
from inductive_bias.profile.groups import GROUPS, RUNS
from inductive_bias.profile.token_contract import TOKEN_CHECKS
from inductive_bias.studies.profile_axes import AXES
from inductive_bias.tasks.probes import PROBES

WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 9: "nine", 13: "thirteen"}


def text(name):
    return " ".join((paths.checkout() / "book" / name).read_text(encoding="utf-8").split())


def test_the_page_says_how_many_probes_runs_and_rates_a_profile_has():
    said, group = text("profile.md"), GROUPS["sequences"]
    trained = {name: [each for each in probes if each != "untrained"] for name, probes in group.lengths.items()}
    rates, further = group.budget.rates, [each for each in trained["full"] if each not in trained["default"]]
    assert f"A profile has {WORDS[len(trained['default'])]} probes with training" in said
    assert f"{WORDS[len(rates)]} pilot runs choose between {WORDS[len(rates)]} learning rates" in said
    assert f"and {WORDS[RUNS['default']]} runs of {group.budget.steps} steps are judged" in said
    assert f"`--quick` has {WORDS[len(trained['quick'])]} of the {WORDS[len(trained['default'])]}" in said
    *first, last = (f"*{each}*" for each in further)
    named = f"{', '.join(first)} and {last}"
    assert f"`--full` has {WORDS[len(further)]} more probes, {named}, and {WORDS[RUNS['full']]} judged runs" in said


def test_the_page_has_a_row_for_every_axis_of_sequences():
    page = (paths.checkout() / "book" / "profile.md").read_text(encoding="utf-8")
    table = page.partition("| axis | probes | a high value means |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.split("|")[1:3]] for row in table.splitlines()]
    assert [axis for axis, _ in rows] == list(AXES)
    for axis, probes in rows:
        named = probes.replace(";", ",").split(", ")
        assert named == ["all skills"] or set(named) <= set(PROBES)
        if axis not in ("length", "calibration", "order at the start"):
            assert set(named) == {name for name, probe in PROBES.items() if probe.axis == axis}


def test_the_page_says_how_many_checks_a_model_of_tokens_has():
    assert f"built from `vocabulary` and `outputs`, {WORDS[len(TOKEN_CHECKS)]} of these checks" in text("own-layers.md")
