"""The pages about the book itself: made from what the studies declare, and current."""

import json
import pickle
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
from inductive_bias.notebook import is_fragile, surviving_p
from inductive_bias.record import advice, corrections, generated_docs, judging, known_numbers, landing_page
from inductive_bias.record import claims as claims_module
from inductive_bias.record.surviving_p import largest_surviving_p
from inductive_bias.record.tracked_results import minutes_per_seed, noting
from inductive_bias.site.rendering import contents
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.results import once
from inductive_bias.verdicts import OWN_WORDS, VERDICTS, crossed, exceeds, given, single
from tests.fakes import fake_results
from tests.studies.toy import STUDY as TOY

#: The package exports functions of the names of these modules.
open_claims_module = import_module("inductive_bias.record.open_claims")
beside_papers = import_module("inductive_bias.record.beside_papers")
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
    assert len(made) == 5
    stale = [path.name for path, text in made.items() if path.read_text("utf8") != text]
    assert stale == [], "run `inductive-bias tables`"


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


@pytest.fixture
def counting(toy, monkeypatch, tmp_path):
    """The toy whose rule counts how often it is asked, with a user cache of its own."""
    asked, (claim, *_) = [], TOY.claims
    counted = replace(claim, rule=lambda results: asked.append(1) or claim.rule(results))
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=(counted,)))
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(tmp_path / "cache"))
    return toy, asked


def test_claims_are_judged_once_for_the_same_code_and_tables(counting, monkeypatch, tmp_path):
    opened, asked = counting
    source = tmp_path / "rule.py"
    source.write_text("one")
    monkeypatch.setattr(judging, "_files", lambda: [source])
    first, again = (record.all_claims(opened, stored=True) for _ in range(2))
    assert len(asked) == 1
    told = ["claim", "statement", "found", "verdict", "corrected", "fragile", "read"]
    pd.testing.assert_frame_equal(first[told], again[told])
    pd.testing.assert_frame_equal(again[told], record.all_claims(opened)[told])
    assert len(asked) == 2  # not from the cache
    source.write_text("two")
    record.all_claims(opened, stored=True)
    assert len(asked) == 3


def test_local_runs_are_judged_anew_each_time(counting):
    opened, asked = counting
    added = {"toy": replace(opened["toy"], listed=None)}
    for _ in range(2):
        record.all_claims(added, stored=True)
    assert len(asked) == 2


def test_only_the_newest_judgements_stay(counting, monkeypatch, tmp_path):
    opened, _ = counting
    source = tmp_path / "rule.py"
    monkeypatch.setattr(judging, "_files", lambda: [source])
    for version in range(judging.KEPT + 2):
        source.write_text(str(version))
        record.all_claims(opened, stored=True)
    assert len([*(tmp_path / "cache" / judging.FOLDER).glob("*.pickle")]) == judging.KEPT


def test_judgements_depend_on_rules_and_published_tables_and_not_on_drawing():
    names = {path.as_posix() for path in judging._files()}
    for part in ("verdicts/rules.py", "studies/vision/claims.py", "studies/vision/paper.csv", "record/judging.py"):
        assert any(name.endswith(part) for name in names), part
    assert any("data/results/vision/" in name for name in names)
    assert not any("/plotting/" in name or name.endswith(".pyc") for name in names)


def test_a_stored_judgement_says_the_same_and_knows_its_level_alone(opened):
    judgement = record.all_claims(opened)["finding"][0].judgement
    stored = pickle.loads(pickle.dumps(judgement))
    for name in ("verdict", "p", "seeds", "reason", "looks"):
        assert getattr(stored, name) == getattr(judgement, name)
    assert np.isnan(stored.items) == np.isnan(judgement.items)
    with pytest.raises(
        ValueError, match=r"knows what would decide it at a level of \[0\.025, 0\.05\] alone, not 0\.01"
    ):
        stored.holds.needed(0.01, "runs")


def test_a_number_is_found_by_claim_contrast_and_unit(toy):
    known = record.Known(toy, record.all_claims(toy))
    judgement, contrast = known.part("T1")
    assert (judgement.verdict, known.estimate("T1", contrast.name, contrast.unit)) == ("reproduced", contrast.estimate)
    with pytest.raises(KeyError, match="no claim 'T9' among 1"):
        known.estimate("T9")
    with pytest.raises(KeyError, match="claim T1 has no contrast 'other'"):
        known.estimate("T1", "other")


def test_a_sentence_without_runs_is_left_out_at_other_scales_alone(toy):
    def sentence(known):
        return str(known.estimate("V1"))

    claims = record.all_claims(toy)
    with pytest.raises(KeyError, match="no claim 'V1'"):
        record.Known(toy, claims).told(sentence)
    small = {"toy": replace(toy["toy"], scale="smoke")}
    known = record.Known(small, claims)
    assert known.told(sentence) is None
    answers = BeautifulSoup(record.five_answers(known).html, "html.parser").select("ol > li")
    assert [known_numbers.NOT_YET in answer.get_text() for answer in answers] == [True] * 5
    assert not BeautifulSoup(record.beside_papers(known).html, "html.parser").select("tbody tr:not(.part)")


@pytest.mark.parametrize(
    ("share", "words"), [(0.5349, "53\u00a0%"), (0.0, "0\u00a0%"), (1.0, "100\u00a0%"), (-0.014, "−1\u00a0%")]
)
def test_a_share_is_written_in_percent(share, words):
    assert known_numbers.percent(share) == words


@pytest.mark.parametrize(("value", "words"), [(0.8216, ".82"), (1.0, "1.00"), (-0.027, "−.03"), (12.345, "12.35")])
def test_a_number_has_no_zero_before_its_point(value, words):
    assert known_numbers.decimals(value) == words


def test_a_sentence_has_its_links_and_no_other_markup():
    words = "a < b, [see & read](one/two.html#x) it"
    assert known_numbers.as_html(words) == 'a &lt; b, <a href="one/two.html#x">see &amp; read</a> it'
    assert known_numbers.as_text(words) == "a < b, see & read it"


def beside(estimate, low, high, verdict="reproduced"):
    return beside_papers.Beside("w < v", "p.html", beside_papers.POINTS, 0.1, (estimate, low, high), verdict)


def test_an_effect_beside_a_paper_s_is_written_in_its_unit_and_drawn_in_that_of_the_paper():
    row = BeautifulSoup(beside_papers._row(beside(0.15, 0.05, 0.2)), "html.parser")
    assert [cell.get_text() for cell in row.find_all(["th", "td"])][:3] == [
        "w < v", "+10.0\u00a0points", "+15.0\u00a0[+5.0,\u00a0+20.0]",
    ]  # fmt: skip
    zero, paper = (float(row.find("line", class_=name)["x1"]) for name in ("none", "paper"))
    estimate = float(row.find("circle")["cx"])
    assert (estimate - zero) / (paper - zero) == pytest.approx(1.5, abs=0.01)
    assert row.find("polygon") is None


@pytest.mark.parametrize(("effect", "arrows", "points"), [((-2.0, -3.0, -1.0), 1, 0), ((0.1, -1.0, 1.0), 2, 1)])
def test_an_effect_beyond_the_axis_has_an_arrow(effect, arrows, points):
    row = BeautifulSoup(beside_papers._row(beside(*effect, verdict="not reproduced")), "html.parser")
    assert (len(row.find_all("polygon")), len(row.find_all("circle"))) == (arrows, points)


@pytest.mark.parametrize(("value", "words"), [(0.1369, "+13.7"), (-0.0004, "0.0"), (0.0, "0.0"), (-0.02, "−2.0")])
def test_a_zero_has_no_sign(value, words):
    assert beside_papers.POINTS.written(value) == words


def test_every_line_about_what_to_use_names_claims_and_pages_that_there_are():
    lines = [line for group in advice.ADVICE.values() for line in group]
    assert {name for line in lines for name in line.claims} <= KNOWN
    assert [line.situation for line in lines if not line.claims] == []
    assert len({line.situation for line in lines}) == len(lines)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("reproduced", "yes"),
        ("not reproduced", "no"),
        ("undecided", "open"),
        ("beyond these data", "open"),
        ("not testable here", "open"),
    ],
)
def test_a_line_about_what_to_use_says_what_its_verdict_allows(verdict, words):
    assert advice.by_verdict(verdict, "yes", "no", "open") == words


def test_a_saving_is_told_where_its_interval_lies_above_zero():
    sure, unsure = (single(values, name="a", unit="doublings") for values in ([1, 1.1, 0.9], [1, -1, 2]))
    assert advice._saving(sure) == "it needs 50\u00a0%"
    assert advice._saving(unsure) == "no saving is measured"


@pytest.mark.parametrize(("fragile", "mark"), [(True, "†"), (False, "")])
def test_a_verdict_behind_a_line_is_marked_where_the_correction_leaves_it_open(toy, monkeypatch, fragile, mark):
    claims = record.all_claims(toy)
    known = record.Known(toy, claims.assign(fragile=fragile))
    monkeypatch.setattr(advice, "ADVICE", {"A group": (advice.Advice("some", "a", lambda known: "b.", ("T1",)),)})
    table = record.advice_table(known)
    assert table.text == f"some: a. b. (T1{mark})"
    (item,) = BeautifulSoup(table.html, "html.parser").select("details li")
    assert item.get_text().startswith(f"reproduced {mark} " if mark else "reproduced ")
    assert [each.get_text() for each in item.select(".fragile[title]")] == [mark] * fragile


def test_findings_are_the_decided_claims_that_count(toy, monkeypatch):
    strong, weak = (
        exceeds(single([1, 1.1, 1], name="a", unit="u"), 0.5),
        exceeds(single([0.5, 1, 2, 1], name="a", unit="u"), 1.0),
    )
    monkeypatch.setitem(
        STUDIES, "toy", replace(TOY, claims=made_of(strong, weak, strong))
    )  # the third is a second look
    claims = record.all_claims(toy)
    (table,) = record.findings(claims).values()
    assert table["sentence"].str[-4:].tolist() == ["(T1)"]
    assert table[["verdict", "runs"]].to_numpy().tolist() == [["reproduced", 3]]
    assert record.findings_in_words(claims) == "1 of 2 claims are decided; 1 are open."


def test_the_first_page_says_what_verdicts_mean_and_how_large_the_models_are(toy):
    known = record.Known(toy, record.all_claims(toy))
    text = record.size_box(known).text
    weights = toy["toy"].trials["parameters"].astype(float)
    assert f"Half of the networks have fewer than {landing_page._rounded(weights.median())} weights" in text
    assert "Of 0 sentences of the papers" in text or "Of 1 sentences of the papers" in text
    assert {*VERDICTS} == {*landing_page.MEANS}


@pytest.mark.parametrize(("weights", "words"), [(17_570.0, "18,000"), (903_842.0, "0.9 million"), (5e5, "0.5 million")])
def test_a_number_of_weights_is_rounded(weights, words):
    assert landing_page._rounded(weights) == words


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
    marks = [each.fragile for each in record.shown_claims(claims)]
    assert marks == [True, False, True, True]


def test_the_largest_p_that_survives_marks_as_all_claims_do(toy, monkeypatch):
    weak, strong = (single(values, name="a", unit="u") for values in ([1, 2, 3, 2], [1, 1.1, 1]))
    at = next(step / 100 for step in range(100) if 0.025 < exceeds(weak, step / 100, reason="a test").p < 0.05)
    weak, strong = exceeds(weak, at, reason="a test"), exceeds(strong, 0.5)
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=made_of(weak, strong, weak, strong)))
    claims = record.all_claims(toy)
    limit = largest_surviving_p(claims)
    assert limit == pytest.approx(weak.p)
    assert claims["fragile"].tolist() == [is_fragile(each.judgement, limit) for each in claims["finding"]]
    monkeypatch.setitem(STUDIES, "toy", replace(TOY, claims=made_of(weak, exceeds(strong.deciding, 1.03))))
    assert np.isnan(largest_surviving_p(record.all_claims(toy)))


@pytest.mark.slow
def test_the_published_largest_p_is_that_of_the_published_claims():
    """``inductive-bias tables`` makes it anew."""
    opened = {name: study.results("laptop") for name, study in STUDIES.items() if study.is_published("laptop")}
    claims = record.all_claims(opened, stored=True)
    found = [each.judgement for each in claims["finding"]]
    assert claims["fragile"].tolist() == [is_fragile(each, surviving_p()) for each in found]


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
    assert open_claims_module.in_words(row.to_dict() | {"needed": row["now"] + 1}) == "1 more seed"
    assert open_claims_module.in_words(row.to_dict() | {"needed": row["now"] + 101}) == "more than 100 more seeds"


def test_a_table_notes_every_run_that_it_names():
    names = [trial.id for trial in TOY.trials("laptop")]
    table = pd.DataFrame({"trial_a": names[:1], "trial_b": names[1:2], "value": 0.5})
    noted = noting(fake_results(TOY, numbers, tables={"pairs": table}))
    noted.table("pairs")
    assert noted.read == set(names[:2])
    # a row of a mean over runs names none
    noted = noting(fake_results(TOY, numbers, tables={"gaps": pd.DataFrame({"trial": [None, names[2], float("nan")]})}))
    noted.table("gaps")
    assert noted.read == {names[2]}


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


def test_an_open_claim_is_listed_with_its_seeds_and_hours(opened, monkeypatch):
    claims = record.all_claims(opened)
    table = record.open_claims(claims, opened)
    row, judgement = table.iloc[0], claims["finding"][0].judgement
    assert (row["verdict"], row["now"], row["needed"]) == ("undecided", 4, judgement.seeds)
    assert row["minutes"] == 60.0  # a teacher and its student
    assert row["hours"] == judgement.seeds - 4
    assert row["visible"] == judgement.deciding.visible
    near = row.to_dict() | {"needed": 11.0}
    assert open_claims_module.in_words(near) == "7 more seeds, 1.0 h per seed"
    said = record.summary(table, claims, least=1e6)
    before = "Before the correction for the number of claims, and with second looks included, "
    assert said.startswith(f"{before}1 of 1 claims are undecided: 100 % of the 1 that runs can decide. The goal is at")
    assert "For 1 of the undecided claims" in said
    none = "0 of the undecided claims the missing seeds take 1 hours or less each, one run after the other."
    assert none in record.summary(table, claims, least=1.0)
    assert row["paid"] == judgement.seeds_after_a_look - 4 > row["hours"]
    assert not row["gpu"]
    soon = record.on_two_cores(table.assign(paid=40.0), claims)
    assert soon.startswith("Of the 1 undecided claims (1 sentences of the papers), two cores would decide 1 in a day")
    late = record.on_two_cores(table.assign(paid=60.0), claims)
    assert "two cores would decide 0 in a day (24 hours), 0 of them sentences of the papers and 1 in a week" in late
    assert "all 1 whose time is known take 30 h" in late
    assert "of 1 more the time on a core is not known (1 of them" in record.on_two_cores(table.assign(gpu=True), claims)
    (shown,) = record.claim_rows(claims, table)
    assert (shown.chapter, shown.again) == ("The page toy", False)
    assert shown.visible == f"with power .8 an effect of {row['visible']:.2g} or more"
    assert shown.hours == row["hours"]


def test_a_claim_that_no_seeds_decide_says_so(opened):
    table = record.open_claims(record.all_claims({"toy": fake_results(TOY, hopeless)}), opened)
    assert np.isinf(table["needed"]).all()
    assert open_claims_module.in_words(table.iloc[0].to_dict()) == "No number of seeds, were the estimate true"


def in_words(table):
    """What the first open claim needs."""
    return open_claims_module.in_words(table.iloc[0].to_dict())


def items_differ(*levels):
    """Four runs on so many patients, who differ by what is given and not at all from run to run but for a trace."""
    table = [[level + 0.001 * (-1) ** (run + place) for place, level in enumerate(levels)] for run in range(4)]
    return exceeds(crossed(pd.DataFrame(table), name="gain", unit="u", item="patients"), 0.1)


def test_what_no_number_of_runs_decides_says_what_is_few(opened, monkeypatch):
    judgement = items_differ(-0.5, 0.5, 0.9, 0.3)
    assert judgement.verdict == "beyond these data"
    claims = record.all_claims(opened)
    claims = claims.assign(finding=[Finding(judgement)], verdict="beyond these data")
    words = pd.DataFrame({"claim": ["T1"], "meets": [""], "instead": ["patients of another clinic"]})
    monkeypatch.setattr(open_claims_module, "needs", lambda: words)
    table = record.open_claims(claims, opened)
    many = f"about {judgement.items:.0f} times as many would decide"
    assert in_words(table) == f"4 patients are few: {many}; or patients of another clinic"
    said = record.summary(table, claims)
    assert "1 more claims are beyond these data" in said
    assert "second looks included, 0 of 1 claims are undecided" in said
    few = claims.assign(finding=[Finding(items_differ(-0.5, 0.5, 0.9))])  # three: nothing is known of their scatter
    assert in_words(record.open_claims(few, opened)).startswith("3 patients are few: not known: too few")
    equal = claims.assign(finding=[Finding(items_differ(-0.3, 0.5, 0.3, -0.1))])  # at the margin exactly
    assert "no number of patients would decide" in in_words(record.open_claims(equal, opened))


def test_a_failed_precondition_is_told_with_what_would_meet_it(opened, monkeypatch):
    claims = record.all_claims(opened)
    finding = claims["finding"][0]
    bare = replace(finding, judgement=given(False, "nothing is lent", finding.judgement))
    claims = claims.assign(finding=[bare], verdict="not testable here")
    words = pd.DataFrame({"claim": ["T1"], "meets": ["a teacher that lends"], "instead": ["never shown"]})
    monkeypatch.setattr(open_claims_module, "needs", lambda: words)
    assert in_words(record.open_claims(claims, opened)) == "Nothing is lent. It takes a teacher that lends"


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


def test_a_reader_of_a_text_is_led_to_its_page():
    door = BeautifulSoup(record.doors().html, "html.parser").find("h3", string="I read a text").parent
    assert [link["href"] for link in door.select("a")] == [f"{text.page}.html" for text in record.TEXTS]
    assert all(f"{text.title} ({text.author})" in door.get_text() for text in record.TEXTS)


@pytest.mark.parametrize(
    ("page", "source", "key"),
    [
        ("toy", "a question of our own", "none"),
        ("stability/cost", "a question of our own", "stability"),
        ("stability/feed_forward", "Huang et al. 2023, section 1", "rsa"),  # its source goes before its chapter
    ],
)
def test_a_claim_is_filtered_by_the_text_of_its_source_else_of_its_chapter_and_may_have_none(
    toy, monkeypatch, page, source, key
):
    (claim,), (place,) = TOY.claims, TOY.pages
    moved = replace(TOY, pages=(replace(place, path=page),), claims=(replace(claim, page=page, source=source),))
    monkeypatch.setitem(STUDIES, "toy", moved)
    claims = record.all_claims(toy)
    (row,) = record.claim_rows(claims, record.open_claims(claims, toy))
    words = {text.key: f"{text.title} ({text.author})" for text in record.TEXTS}
    assert row.text == (key, words.get(key, "none of the five texts"))
    offered = BeautifulSoup(record.claim_browser(claims, record.open_claims(claims, toy)).html, "html.parser")
    assert [option["value"] for option in offered.select("select[name=text] option")] == ["", key]


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
    """A chapter reads its own studies; of the pages that read all studies, only one prints what the manifests say."""
    owners = {
        page.path: {each.name for each in STUDIES.values() if page.path in {shown.path for shown in each.pages}}
        for study in STUDIES.values()
        for page in study.pages
    }
    for path in contents():
        name = path.relative_to(paths.home() / "book").with_suffix("").as_posix()
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        code = "\n".join(cell.source for cell in cells)
        assert set(re.findall(r"open_study\(\s*['\"](\w+)", code)) <= owners.get(name, set())
        if "open_studies(" in code:
            assert ".provenance" not in code, name
        assert ("published_entries" in code) == (name == "provenance")
