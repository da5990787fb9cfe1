"""The five texts: every chapter and claim is one text's, and each page retells, compares, judges and cites its own."""

import re
from dataclasses import replace

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

from inductive_bias import paths
from inductive_bias.plotting import ShownClaim
from inductive_bias.record import TEXTS, chapter_numbers, citations, claim_lines, reported_by_parent, text_chapters
from inductive_bias.record.texts import (
    OWN,
    SENTENCES,
    chapters_of_text,
    claims_of_text,
    judged_claims,
    text_facts,
    text_of,
)
from inductive_bias.studies import STUDIES
from inductive_bias.studies.claims import Claim
from tests.fakes import fake_results
from tests.studies.toy import STUDY as TOY

BOOK = paths.home() / "book"
every_text = pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.page)


ALL_CLAIMS = [claim for study in STUDIES.values() for claim in study.claims]


def test_a_numbered_chapter_is_about_one_text_or_has_questions_of_our_own_alone():
    found = [page.path for text in TEXTS for page in chapters_of_text(text.number)]
    own = {page for page in chapter_numbers() if all(claim.own for claim in ALL_CLAIMS if claim.page == page)}
    assert len(found) == len(set(found))
    assert set(found) <= set(chapter_numbers()) <= {*found, *own}


def test_a_claim_is_listed_for_its_text_alone_and_for_none_if_its_chapter_has_none():
    found = [claim.id for text in TEXTS for claims in claims_of_text(text.number).values() for claim in claims]
    of_none = [claim for claim in ALL_CLAIMS if text_of(claim) is None]
    assert sorted([*found, *(claim.id for claim in of_none)]) == sorted(claim.id for claim in ALL_CLAIMS)
    assert {claim.page for claim in of_none} == {"profiles/architectures", "profiles/teachers"}


def test_texts_have_keys_of_their_own_and_every_beginning_of_a_path_has_a_chapter():
    assert len({text.key for text in TEXTS}) == len(TEXTS)
    assert [text.number for text in TEXTS] == [1, 2, 3, 4, 5]
    starts = [start for text in TEXTS for start in text.chapters]
    assert [start for start in starts if not any(path.startswith(start) for path in chapter_numbers())] == []


def test_a_claim_follows_its_source_and_else_its_chapter():
    claim = TOY.claims[0]

    def number(page: str, source: str) -> int:
        return text_of(Claim("X", page, source, "s", "", claim.rule)).number

    assert number("stability/cost", "Miller & Hardt 2019") == 3
    assert number("stability/feed_forward", "Huang et al. 2023, section 1") == 2
    assert number("recurrence/ladder", "Abnar 2020") == 1
    assert number("recurrence/grammar", "a question of our own") == 4
    assert number("recurrence/inheritance", "Parent 2023, How do transformers implement recurrence?") == 5
    assert number("recurrence/inheritance", "a question of our own") == 4
    assert text_of(Claim("X", "elsewhere", "", "s", "", claim.rule)) is None


@every_text
def test_the_contents_have_a_page_that_asks_for_its_own_text(text):
    toc = yaml.safe_load((paths.home() / "_toc.yml").read_text("utf8"))
    (part,) = (part for part in toc["parts"] if part["caption"] == "The five texts")
    assert [each["file"] for each in part["chapters"]] == [each.page for each in TEXTS]
    cells = nbformat.read(BOOK / f"{text.page}.ipynb", as_version=4).cells
    assert cells[0].source.splitlines()[0] == f"# Text {text.number}: {text.title}"
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    asked = re.findall(r"(open_text|judged_claims|text_chapters|citations)\((\d)", code)
    assert dict(asked) == dict.fromkeys(("open_text", "judged_claims", "text_chapters", "citations"), str(text.number))


@every_text
def test_a_text_is_retold_in_about_three_hundred_words(text):
    cells = nbformat.read(BOOK / f"{text.page}.ipynb", as_version=4).cells
    (told,) = (cell.source for cell in cells if cell.source.startswith("## What the text says"))
    assert 250 <= len(told.split()) <= 350


@every_text
def test_a_text_is_cited_with_the_paper_behind_it(text):
    shown = citations(text.number)
    assert re.findall(r"@\w+\{(\w+),", shown.text) == list(text.works)
    assert all("url" in entry for entry in shown.text.split("\n\n"))
    assert BeautifulSoup(shown.html, "html.parser").pre.get_text() == shown.text


def test_chapters_are_listed_by_number_with_links_that_lead_out_of_the_folder():
    table = text_chapters(3)
    assert [link.page for link in table["chapter"]] == [f"../{page.path}.html" for page in chapters_of_text(3)]
    numbers = [int(link.words.split(".")[0]) for link in table["chapter"]]
    assert numbers == [chapter_numbers()[page.path] for page in chapters_of_text(3)]


def shown(name, verdict, **more):
    return ShownClaim(name, f"Sentence {name}.", verdict, "+.5 <more>.", "+0.4 [+0.3, +0.5]", **more)


def test_a_sentence_is_listed_with_its_verdict_both_numbers_and_a_link_to_its_rule():
    first = shown("V1", "reproduced", page="../vision/distillation.html", regime="width 64")
    listed = claim_lines([first, shown("V2", "refuted", own=True)])
    page = BeautifulSoup(listed.html, "html.parser")
    assert [link["href"] for link in page.select("a")] == ["../vision/distillation.html#claim-V1", "#claim-V2"]
    one, two = (each.get_text(" ") for each in page.select(".correction"))
    for part in ("reproduced", "seen at: width 64", "Sentence V1.", "(V1)", "In the text: +.5 <more>. Here: +0.4"):
        assert part in one
    assert "In the text" not in two  # a question of our own has no number there
    assert "Here" not in claim_lines([replace(first, found="–")]).html  # nothing could be measured
    assert "V1 · Sentence V1. reproduced (seen at: width 64)" in listed.text


def test_verdicts_of_sentences_and_of_our_own_questions_are_counted_apart():
    groups = {
        SENTENCES: [shown("a", "reproduced"), shown("b", "undecided"), shown("c", "reproduced")],
        "again": [shown("d", "undecided")],
        OWN: [shown("e", "refuted", own=True)],
    }
    want = "Sentences that were tested: 3 (2 reproduced, 1 undecided). Our own questions beside them: 1 (1 refuted)."
    assert text_facts(groups) == want
    assert text_facts(groups | {OWN: []}) == want.split(" Our")[0]


def test_claims_are_judged_and_kept_apart_by_whose_they_are(monkeypatch):
    def numbers(*, number, model, teacher):
        return {("translate", "accuracy"): (0.7 if teacher == "MLP" else 0.5) + 0.01 * number + 0.001 * (-1) ** number}

    claim = TOY.claims[0]
    module = "inductive_bias.record.texts.claims_of_text"
    monkeypatch.setattr(module, lambda number: {"toy": [claim]})
    monkeypatch.setitem(STUDIES, "toy", TOY)
    judged = judged_claims(4, {"toy": fake_results(TOY, numbers)})
    assert {group: [each.claim for each in found] for group, found in judged.items()} == {
        "sentences": ["T1"],
        "again": [],
        "own": [],
    }
    assert judged["sentences"][0].anchor == "../toy.html#claim-T1"


def test_the_report_after_the_plan_has_three_tables():
    table = reported_by_parent()
    assert table.columns.tolist() == ["experiment", "model", "rmse", "seconds", "parameters"]
    assert table.groupby("experiment", sort=False).size().tolist() == [3, 4, 3]
    normalised = table[table["experiment"] == "a year, normalised"].set_index("model")["rmse"]
    assert normalised.idxmin() == "RNN"
