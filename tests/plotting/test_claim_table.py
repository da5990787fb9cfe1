"""The table of all claims without a browser: a plain table, whose rows say what a script filters and sorts by."""

import math

import pytest
from bs4 import BeautifulSoup

from inductive_bias.plotting import ShownClaim
from inductive_bias.plotting.claim_table import COLUMNS, GROUPS, ClaimRow, claim_table
from inductive_bias.plotting.tables import VERDICT_CLASSES

FIRST = ShownClaim("V1", "a < b & c", "reproduced", "+.1", "+0.2 [0, 1]", "a paper", "why", "Part", "vision/one.html")
OPEN = ShownClaim("A2", "open.", "undecided", "–", "–", part="Other", page="two.html", regime="width 1", own=True)
WEAK = ShownClaim("A4", "weak.", "not reproduced", "–", "–", part="Part", page="a.html", fragile=True)
ROWS = (
    ClaimRow(FIRST, ("one", "One & only (A 2020)"), "The page"),
    ClaimRow(OPEN, ("two", "Two (B 2021)"), "Two", "3 more seeds; or <data>", 1.5, "an effect of 2", again=True),
    ClaimRow(WEAK, ("one", "One & only (A 2020)"), "A", "nothing does", math.inf),
)


@pytest.fixture(scope="module")
def page():
    return BeautifulSoup(claim_table(ROWS).html, "html.parser")


def test_a_row_begins_with_the_sentence_and_its_code_follows(page):
    heads = page.select("tbody th[scope=row]")
    assert [head.get_text() for head in heads] == ["a < b & c V1", "open. A2", "weak. A4"]
    assert [column.get_text() for column in page.select("thead th")] == [*COLUMNS.values()]


def test_a_verdict_has_its_size_beside_it(page):
    """Also in the row, before its card is opened."""
    sizes = [[each.get_text() for each in row.select("tr:first-child .regime")] for row in page.select("tbody")]
    assert sizes == [[], ["seen at: width 1"], []]
    assert page.select_one("#claim-A2 td").get_text().startswith("undecided seen at: width 1")


def test_a_row_says_what_it_is_chosen_and_sorted_by(page):
    rows = page.select("tbody")
    assert [row["id"] for row in rows] == ["claim-V1", "claim-A2", "claim-A4"]
    assert [row["data-text"] for row in rows] == ["one", "two", "one"]
    assert [row["data-verdict"] for row in rows] == ["reproduced", "undecided", "not reproduced"]
    assert [row["data-whose"] for row in rows] == [
        "Sentences of the papers",
        "Our own questions",
        "Sentences of the papers",
    ]
    assert [row.get("data-again") for row in rows] == [None, "yes", None]
    # decided ones have no time; what no run decides comes after all that have one
    assert [row.get("data-time") for row in rows] == [None, "1.500", "1000000000.000"]


def test_a_card_has_the_facts_that_there_are(page):
    facts = [[word.get_text() for word in row.select("dt")] for row in page.select("tbody")]
    assert facts[0] == ["The paper", "How it was judged", "Whose", "Source", "Chapter"]
    assert facts[1] == ["The paper", "Seen at", "Would decide it", "Could see", "Whose", "Chapter"]
    assert page.select_one("#claim-V1 dd a")["href"] == "vision/one.html#claim-V1"
    assert "3 more seeds; or <data>" in page.select_one("#claim-A2 .needs").get_text()
    assert page.select_one("#claim-A4 .fragile").get_text() == "†"
    assert "Not decided after the correction" in page.select_one("#claim-A4 dl").get_text()


def test_lists_offer_what_there_is_and_groups_of_verdicts(page):
    (form,) = page.select("form[hidden]")
    offered = {each["name"]: [option["value"] for option in each.select("option")] for each in form.select("select")}
    assert offered["text"] == ["", "one", "two"]
    assert offered["verdict"] == ["", *GROUPS, "reproduced", "not reproduced", "undecided"]
    assert {verdict for group in GROUPS.values() for verdict in group} == {*VERDICT_CLASSES}


def test_the_plain_text_says_the_same_and_nothing_empty():
    text = claim_table(ROWS).text
    assert (
        "A2 · open. undecided (seen at: width 1)\npaper: –\nhere: –\nwould decide it: 3 more seeds; or <data>" in text
    )
    assert "\n\n\n" not in text
