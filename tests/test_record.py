"""The pages about the book itself: made from what the studies declare, and current."""

import json
import re
import sys
from dataclasses import replace
from importlib import import_module

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from inductive_bias import paths, record
from inductive_bias.record import claims as claims_module
from inductive_bias.record import corrections, generated_docs, landing_page
from inductive_bias.record.tracked_results import minutes_per_seed, noting
from inductive_bias.site.rendering import contents
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.results import once
from inductive_bias.verdicts import OWN_WORDS, VERDICTS, crossed, exceeds, given, single
from tests.fakes import fake_results
from tests.studies.toy import STUDY as TOY

#: The package exports a function of the name of this module.
open_claims_module = import_module("inductive_bias.record.open_claims")
ENTRY = {
    "commit": "0123456789abcdef+changes",
    "published": "2026-01-02",
    "versions": {"python": "3.11.9", "torch": "2.6"},
    "devices": ["cpu"],
    "trials": 8,
    "seeds_per_cell": 4,
    "minutes": 12.4,
    "minutes_per_trial": {"CNN": 2.0, "MLP": 1.1},
    "data_sources": ["real:torchvision"],
    "data_sha256": {"b.gz": "b" * 64, "a.gz": "a" * 64},
    "files": {"laptop.parquet": {"sha256": "c" * 64, "rows": 7}},
}


def test_what_is_made_from_the_studies_is_current():
    made = record.made()
    assert len(made) == 4
    stale = [path.name for path, text in made.items() if path.read_text("utf8") != text]
    assert stale == [], "run `inductive-bias tables`"


def test_every_part_of_the_book_with_a_claim_has_a_card_on_the_first_page():
    claiming = {study.part for study in STUDIES.values() if study.claims}
    assert {*landing_page.CARDS} == claiming
    assert all(STUDIES[card.study].part == part for part, card in landing_page.CARDS.items())


#: Four claims by hand: two of a paper, one of them decided alone, a second look, and a question of our own.
COUNTED = pd.DataFrame(
    {
        "study": "vision",
        "claim": list("abcd"),
        "statement": "s",
        "own": [False, False, False, True],
        "primary": [True, True, False, True],
        "headline": False,
        "regime": "width 1",
        "verdict": ["reproduced", "reproduced", "reproduced", "confirmed"],
        "corrected": ["reproduced", "undecided", "", "confirmed"],
        "fragile": [False, True, True, False],
    }
)


def test_the_first_page_counts_the_papers_sentences_that_survive_the_correction():
    found = landing_page.facts(COUNTED, "smoke")
    assert found.startswith("2 sentences of the papers were put to the test: 1 reproduced, 1 undecided. A verdict")
    own = landing_page.own_facts(COUNTED)
    assert own.startswith("1 questions are our own, and counted apart: 1 confirmed. 1 more claims look at one")


def test_cards_count_the_papers_first_and_ours_apart(monkeypatch):
    card = replace(landing_page.CARDS[STUDIES["vision"].part], picture=lambda results: "")
    monkeypatch.setattr(landing_page, "CARDS", {STUDIES["vision"].part: card})
    page = BeautifulSoup(landing_page.part_cards(COUNTED, {"vision": fake_results(TOY, numbers)}).html, "html.parser")
    said = [each.get_text() for each in page.select(".whose, .chips li")]
    assert said == ["Sentences of the papers", "1 reproduced", "1 undecided", "Our own questions", "1 confirmed"]


def test_a_table_is_put_between_its_markers_and_nowhere_else():
    text = f"before\n{generated_docs.MARK.format(name='n')}old\n{generated_docs.END.format(name='n')}\nafter"
    assert generated_docs.replaced(text, "n", "| new |") == text.replace("old", "| new |")
    with pytest.raises(ValueError, match="the markers of the table 'm' must be there once"):
        generated_docs.replaced(text, "m", "")


def test_the_contents_name_the_notebooks_that_there_are():
    book = paths.home() / "book"
    named = {path.relative_to(book).with_suffix("").as_posix() for path in contents()}
    there = {path.relative_to(book).with_suffix("").as_posix() for path in book.rglob("*.ipynb")}
    assert named == {path for path in there if not path.startswith("_build")}


def numbers(*, number, model, teacher):
    alone = 0.5 + 0.001 * (-1) ** number  # runs that are all equal would decide nothing
    return {("translate", "accuracy"): (0.7 if teacher == "MLP" else alone) + 0.01 * number}


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", TOY)
    # by the module's name: the package has a function of the same
    monkeypatch.setattr(sys.modules["inductive_bias.record.chapters"], "title_of", "The page {}".format)
    return {"toy": fake_results(TOY, numbers)}


def test_a_claim_is_listed_with_effect_verdict_and_a_link_to_its_page(toy):
    row = record.all_claims(toy).iloc[0]
    assert row["found"] == "+0.200\u00a0[+0.198,\u00a0+0.202] accuracy, translated"
    assert (row["claim"], row["verdict"], row["corrected"]) == ("T1", "reproduced", "reproduced")
    assert (row["regime"], row["fragile"]) == ("tiny; 712 digits", False)
    assert row["chapter"] == record.chapter_of("T1")
    assert (row["chapter"].words, row["chapter"].page) == ("The page toy", "toy.html")
    with pytest.raises(KeyError, match="no page shows claim V99"):
        record.chapter_of("V99")


def test_a_statement_stands_alone():
    """In a list the claim before it is another one than on its page."""
    words = {claim.id: claim.statement for study in STUDIES.values() for claim in study.claims}
    leaning = re.compile(
        r"^(the same|there|so|they|this|that|these|those|but|and|also|it(?! (is|takes)\b))\b|\btoo\.$", re.IGNORECASE
    )
    assert [name for name, text in words.items() if leaning.search(text)] == []
    assert [name for name, text in words.items() if not text.endswith((".", "?"))] == []


def test_verdicts_are_counted_after_the_correction_and_alone_and_our_own_apart():
    counts = record.verdict_counts(COUNTED)
    assert counts["reproduced / confirmed"].tolist() == [1, 2, 1, 1]
    assert counts["undecided"].tolist() == [1, 0, 0, 0]
    assert counts["in all"].tolist() == [2, 2, 1, 1]
    assert [name.split(",")[0] for name in counts.index] == ["papers"] * 2 + ["our own"] * 2
    assert counts.columns.tolist()[2:5] == ["undecided", "beyond these data", "not testable here"]


def made_of(*rules):
    """Claims of the toy by these judgements: those after the second look at a sentence again."""
    return tuple(
        replace(TOY.claims[0], id=f"T{place}", rule=lambda results, made=made: Finding(made), primary=place < 3)
        for place, made in enumerate(rules, start=1)
    )


def test_verdicts_that_the_correction_leaves_open_are_marked_and_listed(toy, monkeypatch):
    """Two primary claims, p above .025 and an open one: Benjamini and Hochberg ask .025 of the smaller p."""
    weak, open_, strong = (single(values, name="a", unit="u") for values in ([1, 2, 3, 2], [0.5, 1, 2, 1], [1, 1.1, 1]))
    at = next(step / 100 for step in range(100) if 0.025 < exceeds(weak, step / 100, reason="a test").p < 0.05)
    weak, open_, strong = exceeds(weak, at, reason="a test"), exceeds(open_, 1.0), exceeds(strong, 0.5)
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=made_of(weak, open_, weak, strong)))
    claims = record.all_claims(toy)
    assert claims["verdict"].tolist() == ["reproduced", "undecided", "reproduced", "reproduced"]
    assert claims["corrected"].tolist() == ["undecided", "undecided", "", ""]
    assert claims["fragile"].tolist() == [True, False, True, True]  # none survives
    listed = record.fragile_verdicts(claims)
    assert listed["claim"].tolist() == ["T1", "T3", "T4"]
    assert (listed["alone"][0], listed["seen at"][0]) == ("reproduced", "tiny; 712 digits")
    assert listed["among all"][0] == "undecided"
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=made_of(weak, strong, weak, strong)))
    assert not record.all_claims(toy)["fragile"].any()
    marks = [each.fragile for each in landing_page.shown_claims(claims)]
    assert marks == [True, False, True, True]


def test_headline_claims_are_corrected_for_one_another_by_holm(toy, monkeypatch):
    values = single([1, 2, 3, 2], name="a", unit="u")
    at = next(step / 100 for step in range(100) if 0.025 < exceeds(values, step / 100, reason="a test").p < 0.05)
    claims = made_of(exceeds(values, at, reason="a test"), exceeds(values, at, reason="a test"))
    few = tuple(replace(each, headline=True) for each in claims)
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=few))
    table = record.headline_verdicts(record.all_claims(toy))
    # alone, and by the false discovery rate, both are decided
    assert record.all_claims(toy)["corrected"].tolist() == table["alone"].tolist() == ["reproduced"] * 2
    assert table["verdict"].tolist() == ["undecided"] * 2
    doubled = [2 * float(each) for each in table["p"]]
    assert [float(each) for each in table["p, Holm"]] == pytest.approx(doubled, abs=2e-4)
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=claims))
    assert record.headline_verdicts(record.all_claims(toy)).empty


def test_every_claim_says_at_what_size_it_was_judged():
    opened = {name: study.results("laptop") for name, study in STUDIES.items() if study.claims}
    regimes = {claim.id: claim.regime_at(results) for name, results in opened.items() for claim in STUDIES[name].claims}
    assert [name for name, words in regimes.items() if not words.strip()] == []
    assert [name for name, words in regimes.items() if len(words) > 90] == []


def test_a_headline_claim_is_a_primary_one():
    assert [each.id for study in STUDIES.values() for each in study.claims if each.headline and not each.primary] == []


def scattered(*, number, model, teacher):
    """Numbers that leave the toy's claim open: the students scatter around the margin."""
    return {("translate", "accuracy"): 0.5 + (teacher == "MLP") * (0.03 + 0.1 * (number - 1.5))}


def hopeless(*, number, model, teacher):
    """Students that are better by exactly the margin, on average."""
    return {("translate", "accuracy"): 0.5 + (teacher == "MLP") * (0.01 + 0.25 * (number % 2 - 0.5))}


@pytest.fixture
def opened(toy, monkeypatch):
    """The toy with an open claim, and half an hour for every run."""

    def minutes(self, scale):
        return {trial.id: 30.0 for trial in self.trials(scale)}

    monkeypatch.setattr(type(TOY), "minutes", minutes)
    return {"toy": fake_results(TOY, scattered)}


def test_an_effect_is_measured_by_the_margin_where_no_paper_has_a_number(toy):
    claims = record.all_claims(toy)
    row = record.relative_effects(claims).iloc[0]
    assert (row["claim"], row["part"], row["verdict"], row["unit"]) == ("T1", "Toys", "reproduced", "margin")
    assert row["estimate"] == pytest.approx(0.2 / 0.01)
    assert row["regions"] == ((1.0, np.inf),)
    assert "Of 1 claims 0 are about an effect whose size a paper reports (), and 1 about" in record.drawn_and_not(
        claims
    )


def test_a_claim_without_a_size_is_counted_and_not_drawn(toy):
    claims = record.all_claims(toy)
    finding = claims["finding"][0]
    bare = replace(finding, judgement=given(False, "nothing to lend", finding.judgement))
    claims = claims.assign(finding=[bare], verdict="not testable here")
    assert record.relative_effects(claims).empty
    assert "1 (T1) not testable here; 0 measured" in record.drawn_and_not(claims)
    assert record.draw_effects(claims).texts[0].get_text() == "no claim could be measured"


def test_the_figure_has_a_panel_for_each_unit_that_occurs(toy):
    figure = record.draw_effects(record.all_claims(toy))
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["No paper reports a size"]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["T1 ✓"]


def test_the_runs_that_a_rule_reads_are_noted_and_what_it_only_looks_for_is_not(toy):
    results, trials = toy["toy"], TOY.design.cells("laptop")
    assert record.all_claims(toy)["read"][0] == {trial.id for cell in trials.values() for trial in cell}
    noted = noting(results)
    assert len({noted, results}) == 2  # both can be a key of what is kept
    noted.values("accuracy", split="translate", teacher="none")
    alone = {trial.id for cell, runs in trials.items() if cell["teacher"] == "none" for trial in runs}
    assert noted.read == alone
    assert noted.has("accuracy", split="translate")
    assert not noted.has("accuracy", split="nowhere")
    assert noted.read == alone


def test_what_is_made_once_is_noted_for_everybody_who_asks(toy):
    made = []

    @once
    def scores(results, teacher):
        made.append(teacher)
        return results.values("accuracy", split="translate", teacher=teacher)

    noted = noting(toy["toy"])
    first, read = scores(noted, "none"), set(noted.read)
    assert read
    noted.read.clear()
    assert scores(noted, "none") is first
    assert noted.read == read
    assert made == ["none"]
    assert scores(toy["toy"], "none").equals(first)
    assert made == ["none", "none"]  # other results, though equal


def test_a_claim_that_reads_no_run_has_no_time_and_one_seed_is_one(opened):
    claims = record.all_claims(opened)
    row = record.open_claims(claims.assign(read=[frozenset()] * len(claims)), opened).iloc[0]
    assert np.isnan(row["minutes"])
    assert np.isnan(row["hours"])
    shown = record.needs_table(pd.DataFrame([row.to_dict() | {"needed": row["now"] + 1}]))
    assert shown["what would decide it"].item() == "1 more seed"
    assert shown["time"].item() == "–"


def test_a_table_notes_every_run_that_it_names():
    names = [trial.id for trial in TOY.trials("laptop")]
    table = pd.DataFrame({"trial_a": names[:1], "trial_b": names[1:2], "value": 0.5})
    noted = noting(fake_results(TOY, numbers, tables={"pairs": table}))
    noted.table("pairs")
    assert noted.read == set(names[:2])


def test_one_more_seed_costs_a_run_of_each_cell_and_of_its_teachers(toy):
    results, cells = toy["toy"], TOY.design.cells("laptop")
    (alone, taught) = (runs for _, runs in sorted(cells.items(), key=lambda each: each[0]["teacher"] != "none"))
    minutes = {trial.id: 1.0 + place for place, trial in enumerate(alone)}
    minutes |= {trial.id: 10.0 for trial in taught}
    assert minutes_per_seed(results, [alone[0].id, alone[1].id], minutes) == 1.5
    assert minutes_per_seed(results, [trial.id for trial in taught], minutes) == 10.0 + 2.5
    # of the model alone two runs were read: with three in the contrast it has no part in it
    both = [alone[0].id, alone[1].id]
    assert minutes_per_seed(results, both, minutes, seeds=2) == 1.5
    assert minutes_per_seed(results, both, minutes, seeds=3) == 0.0
    every = [trial.id for trial in taught]
    assert minutes_per_seed(results, every, minutes, seeds=len(every)) == 10.0 + 2.5
    assert minutes_per_seed(results, ["a run of another design"], minutes) == 0.0
    assert np.isnan(minutes_per_seed(results, [taught[0].id], {}))


def test_an_open_claim_is_listed_with_its_seeds_and_hours(opened):
    claims = record.all_claims(opened)
    table = record.open_claims(claims, opened)
    row, judgement = table.iloc[0], claims["finding"][0].judgement
    assert (row["verdict"], row["now"], row["needed"]) == ("undecided", 4, judgement.seeds)
    assert row["minutes"] == 60.0  # a teacher and its student
    assert row["hours"] == judgement.seeds - 4
    assert row["visible"] == judgement.deciding.visible
    shown = record.needs_table(table).iloc[0]
    assert shown["seeds"] == f"4 → {judgement.seeds:,.0f}"
    assert shown["what would decide it"] == f"{judgement.seeds - 4:,.0f} more seeds, 1.0 h per seed"
    said = record.summary(table, claims, least=1e6)
    assert said.startswith("1 claims are undecided: 100 % of the 1 claims that runs can decide. The goal is at most 10")
    assert "For 1 of the undecided claims" in said
    none = "0 of the undecided claims the missing seeds take 1 hours or less each, one run after the other."
    assert none in record.summary(table, claims, least=1.0)
    assert [tick.get_text() for tick in record.draw_needed(table).axes[0].get_yticklabels()] == ["T1"]
    assert record.visible_table(table)["smallest visible effect"][0] == f"{row['visible']:.2g}"


def test_a_claim_that_no_seeds_decide_is_in_the_table_and_not_in_the_figure(opened):
    table = record.open_claims(record.all_claims({"toy": fake_results(TOY, hopeless)}), opened)
    assert np.isinf(table["needed"]).all()
    assert record.needs_table(table)["what would decide it"][0] == "No number of seeds, were the estimate true"
    assert "no number of seeds" in record.draw_needed(table).texts[0].get_text()


def items_differ(*levels):
    """Four runs on so many patients, who differ by what is given and not at all from run to run but for a trace."""
    table = [[level + 0.001 * (-1) ** (run + place) for place, level in enumerate(levels)] for run in range(4)]
    return exceeds(crossed(pd.DataFrame(table), name="gain", unit="u", item="patients"), 0.1)


def test_what_no_number_of_runs_decides_has_a_table_of_its_own(opened, monkeypatch):
    judgement = items_differ(-0.5, 0.5, 0.9, 0.3)
    assert judgement.verdict == "beyond these data"
    claims = record.all_claims(opened)
    claims = claims.assign(finding=[Finding(judgement)], verdict="beyond these data")
    words = pd.DataFrame({"claim": ["T1"], "meets": [""], "instead": ["patients of another clinic"]})
    monkeypatch.setattr(open_claims_module, "needs", lambda: words)
    table = record.open_claims(claims, opened)
    assert record.needs_table(table).empty
    row = record.beyond_table(table).iloc[0]
    assert row["claim"] == "T1 · An MLP lends to an MLP. Seen at: tiny; 712 digits"
    assert row["what is few"] == "4 patients"
    assert row["would decide"] == f"about {judgement.items:.0f} times as many"
    assert row["or"] == "patients of another clinic"
    said = record.summary(table, claims)
    assert "1 more claims are beyond these data" in said
    assert said.startswith("0 claims are undecided")
    few = claims.assign(finding=[Finding(items_differ(-0.5, 0.5, 0.9))])  # three: nothing is known of their scatter
    assert record.beyond_table(record.open_claims(few, opened))["would decide"][0].startswith("not known: too few")
    equal = claims.assign(finding=[Finding(items_differ(-0.3, 0.5, 0.3, -0.1))])  # at the margin exactly
    assert record.beyond_table(record.open_claims(equal, opened))["would decide"][0].startswith("no number of patients")


def test_a_failed_precondition_is_told_with_what_would_meet_it(opened, monkeypatch):
    claims = record.all_claims(opened)
    finding = claims["finding"][0]
    bare = replace(finding, judgement=given(False, "nothing is lent", finding.judgement))
    claims = claims.assign(finding=[bare], verdict="not testable here")
    words = pd.DataFrame({"claim": ["T1"], "meets": ["a teacher that lends"], "instead": ["never shown"]})
    monkeypatch.setattr(open_claims_module, "needs", lambda: words)
    shown = record.needs_table(record.open_claims(claims, opened)).iloc[0]
    assert shown["what would decide it"] == "Nothing is lent. It takes a teacher that lends"
    assert (shown["seeds"], shown["time"]) == ("–", "–")


def test_what_claims_need_is_said_of_claims_that_there_are():
    words = open_claims_module.needs()
    assert words["claim"].is_unique
    assert set(words["claim"]) <= {claim.id for study in STUDIES.values() for claim in study.claims}
    assert (words["meets"].str.len() + words["instead"].str.len()).min() > 20


@pytest.mark.parametrize(
    ("hours", "words"), [(0.5, "30 min"), (1.0, "1.0 h"), (12.3, "12 h"), (float("inf"), "–"), (float("nan"), "–")]
)
def test_a_duration_is_written_in_the_unit_that_fits(hours, words):
    assert open_claims_module.duration(hours) == words


KNOWN = {claim.id for study in STUDIES.values() for claim in study.claims}


def test_changed_verdicts_are_of_claims_that_there_are_or_that_corrections_say_are_no_more():
    before = corrections.before_the_change()
    assert set(before["claim"]) <= KNOWN | set(corrections.post_hoc()["claim"])
    assert set(before["before"]) <= {"reproduced", "not reproduced", "inconclusive"}
    assert before["why"].str.len().min() > 20
    there = before[before["claim"].isin(KNOWN)]
    claims = pd.DataFrame({"claim": there["claim"], "verdict": VERDICTS[2], "regime": "width 1"})
    table = record.changed_verdicts(claims)
    assert table["claim"].tolist() == there["claim"].tolist()
    assert set(table["now"]) == {"undecided (seen at: width 1)"}


def test_a_correction_says_what_the_rule_was_and_is_and_why():
    table = corrections.post_hoc()
    assert set(table["before"]) <= {*VERDICTS, *OWN_WORDS.values(), ""}
    for column in ("old_rule", "new_rule", "why"):
        short = table.loc[table[column].str.len() < 10, "claim"].tolist()
        assert short == [], f"{column} of {short}"
    gone = table[~table["claim"].isin(KNOWN)]
    kept = gone[~gone["new_rule"].str.contains("^(?:dropped|replaced)")]
    assert kept["claim"].tolist() == [], "a claim that is no more says so in new_rule"
    assert not table["claim"].duplicated().any()


@pytest.fixture
def corrected(tmp_path, monkeypatch):
    """Of the toy's claim a correction, and of one that is no more."""
    lines = [
        "# what this is",
        "claim,before,old_rule,new_rule,why",
        "T0,undecided,old,dropped: T1 asks it,why",
        "T1,undecided,old,new,because",
    ]
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "corrections.csv").write_text("\n".join(lines))
    monkeypatch.setattr(corrections.studies, "__file__", str(tmp_path / "__init__.py"))
    return tmp_path / "toy" / "corrections.csv"


def test_corrections_stand_beside_the_verdict_of_today_and_what_was_dropped_apart(toy, corrected):
    claims = record.all_claims(toy)
    (row,) = record.corrected_rules(claims).to_dict("records")
    assert row == {
        "claim": "T1",
        "verdict before": "undecided",
        "old rule": "old",
        "new rule": "new",
        "why": "because",
        "verdict now": "reproduced (seen at: tiny; 712 digits)",
    }
    (gone,) = record.dropped_claims(claims).to_dict("records")
    assert (gone["claim"], gone["new rule"]) == ("T0", "dropped: T1 asks it")
    assert record.corrections_in_words(claims).startswith("1 claims have a rule, a margin")
    assert "1 of them have another verdict now. 1 more claims were dropped" in record.corrections_in_words(claims)


def test_a_correction_is_a_folded_line_with_both_verdicts_and_both_rules(toy, corrected):
    shown = record.correction_list(record.corrected_rules(record.all_claims(toy)))
    for part in ("<summary>", "T1", "verdict-undecided", "verdict-reproduced", "seen at: tiny; 712 digits"):
        assert part in shown.html
    for part in ("<dt>Old rule</dt><dd>old</dd>", "<dt>New rule</dt><dd>new</dd>", "<dt>Why</dt><dd>because</dd>"):
        assert part in shown.html
    assert "old rule: old" in shown.text
    gone = record.correction_list(record.dropped_claims(record.all_claims(toy)))
    assert "→ –" in gone.html


def test_a_list_of_corrections_with_other_columns_is_refused(toy, corrected):
    corrected.write_text("claim,why\nT1,because")
    with pytest.raises(ValueError, match=r"must have the columns claim, before, old_rule, .* not claim, why"):
        record.corrected_rules(record.all_claims(toy))


RATES = """# simulated
rule,outcomes,runs,looks,items,wrong,repetitions
single,normal,3,1,,.0512,2000
single,normal,10,1,,.0497,2000
crossed,normal,3,1,4,.061,2000
"looks at 4, 24 and 117 runs",normal,117,1,,.043,2000
"""


def test_error_rates_of_rules_are_pivoted_by_numbers_of_runs(home):
    assert record.error_rates().empty
    assert "not been simulated" in record.error_table().text
    (home / "data" / "results").mkdir(parents=True, exist_ok=True)
    (home / "data" / "results" / "verdict_errors.csv").write_text(RATES)
    table = record.error_rates()
    assert table.columns.tolist() == ["rule", "outcomes", "items", "3", "10", "more"]
    assert table["rule"].tolist() == ["single", "crossed", "looks at 4, 24 and 117 runs"]  # as in the file
    assert table["items"].tolist() == ["", "4", ""]
    assert table["3"].tolist()[:2] == pytest.approx([5.12, 6.1])
    assert table["more"][2] == pytest.approx(4.3)
    assert np.isnan(table["10"][1])
    assert "6.1" in record.error_table().html
    (home / "data" / "results" / "verdict_errors.csv").write_text("rule,outcomes,runs,wrong\nsingle,normal,3,.05\n")
    assert record.error_rates().columns.tolist() == ["rule", "outcomes", "3"]


def test_chapters_of_the_five_texts_have_the_numbers_that_the_first_page_says():
    """The table is typed, since code cells cannot cite; a chapter that comes or goes moves its numbers."""
    numbers = record.chapter_numbers()
    assert [*numbers.values()] == [*range(1, len(numbers) + 1)]

    def of(*starts):
        return {number for path, number in numbers.items() if path.startswith(starts)}

    agreement = "recurrence/inheritance", "recurrence/representations", "recurrence/grammar"
    languages = "recurrence/perplexity", "recurrence/opinions"
    want = {
        "abnar2020recurrent": of("recurrence/bias", "recurrence/ladder"),
        "huang2023": of("attention/"),
        "miller2018": of("stability/"),
        "abnar2020distilling": of("vision/", *agreement, *languages),
        "liu2023": of("automata/", "recurrence/fairness"),
    }
    notebook = nbformat.read(paths.home() / "book" / "index.ipynb", as_version=4)
    (table,) = (cell.source for cell in notebook.cells if cell.get("id") == "texts")
    found = {}
    for line in table.splitlines()[4:]:
        text, *_, where = line.strip("| ").split(" | ")
        spans = re.findall(r"(\d+)(?: to (\d+))?", where)
        found[re.search(r"`(\w+)`", text)[1]] = {
            number for first, last in spans for number in range(int(first), int(last or first) + 1)
        }
    assert found == want, "move the numbers in cell 'texts' of book/index.ipynb"


def test_nothing_published_is_said_and_not_an_error(home):
    entries = record.published_entries()
    assert entries == {}
    for frame in (record.publications(entries), record.minutes_per_trial(entries)):
        assert "nothing has been published yet" in record.table_or_nothing(frame, "a caption").html
    assert record.details(entries).text == "nothing has been published yet"


def rows_of(table):
    return [[cell.get_text() for cell in row.find_all("td")] for row in table.tbody.find_all("tr")]


def test_the_manifest_is_shown_with_short_hashes(home):
    folder = home / "data" / "results" / "vision"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"laptop": ENTRY}))
    entries = record.published_entries()
    assert list(entries) == ["vision, laptop"]
    row = record.publications(entries).iloc[0]
    assert row.tolist() == ["vision, laptop", "2026-01-02", "0123456789ab+changes", 8, "4", "12", "real:torchvision"]
    minutes = record.minutes_per_trial(entries).iloc[0]
    assert (minutes["cells"], minutes["shortest"], minutes["longest"], minutes["the longest is"]) == (
        2,
        1.1,
        2.0,
        "CNN",
    )
    assert minutes["mean"] == pytest.approx(np.mean([2.0, 1.1]))
    folded = BeautifulSoup(record.details(entries).html, "html.parser")
    (publication,) = folded.find_all("details")
    assert publication.summary.get_text() == "vision, laptop"
    assert not publication.has_attr("open")
    made, read, written_ = (rows_of(table) for table in publication.find_all("table"))
    assert ["torch version", "2.6"] in made
    assert ["processor", "not recorded then"] in made
    assert read == [["a.gz", "a" * 12], ["b.gz", "b" * 12]]
    assert written_ == [["laptop.parquet", "7", "c" * 12]]


def test_all_studies_are_opened_at_the_notebooks_scale(monkeypatch):
    asked, results = [], fake_results(TOY, numbers)
    monkeypatch.setattr(claims_module, "open_study", lambda *given, **more: asked.append((given, more)) or results)
    assert record.open_studies({"a": 1}, scale="smoke", device="cpu") == dict.fromkeys(STUDIES, results)
    assert asked == [((name, {"a": 1}), {"scale": "smoke", "device": "cpu"}) for name in STUDIES]


def test_a_publication_changes_the_manifest_s_lines_on_its_own_chapters_and_on_one_page():
    """A chapter reads its own study; of the pages that read all studies, only one prints what the manifests say."""
    owners = {page.path: {study.name} for study in STUDIES.values() for page in study.pages}
    for path in contents():
        name = path.relative_to(paths.home() / "book").with_suffix("").as_posix()
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        code = "\n".join(cell.source for cell in cells)
        assert set(re.findall(r"open_study\(\s*['\"](\w+)", code)) <= owners.get(name, set())
        if "open_studies(" in code:
            assert ".provenance" not in code, name
        assert ("published_entries" in code) == (name == "provenance")
