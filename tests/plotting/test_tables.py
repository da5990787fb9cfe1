"""A table of a page is rounded, escaped and the same at every run."""

import re
from pathlib import Path

import pandas as pd
import pytest

from inductive_bias import plotting
from inductive_bias.verdicts import OWN_WORDS, VERDICTS

CSS = Path(__file__).parents[2] / "book" / "_static" / "book.css"
CLAIMS = pd.DataFrame(
    {
        "claim": ["translated: a < b", None],
        "effect": [-0.13749, float("nan")],
        "seeds": [4, 12],
        "verdict": ["reproduced", "not reproduced"],
    }
)


def test_a_table_is_rounded_escaped_and_equal_every_time():
    table = plotting.display_table(CLAIMS, "Claims & verdicts", index=False)
    page = table._repr_html_()
    assert page == plotting.display_table(CLAIMS.copy(), "Claims & verdicts", index=False)._repr_html_()
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page)
    assert cells[:3] == ["translated: a &lt; b", "−0.137", "4"]
    assert cells[4:7] == ["", "", "12"]
    assert cells[7] == '<span class="verdict-not">not reproduced</span>'
    assert "Claims &amp; verdicts" in page
    assert "−0.137" in repr(table)
    assert "0x" not in repr(table)


def test_numbers_that_name_rows_have_no_idle_zeros():
    shares = pd.DataFrame({"runs": [4, 8]}, index=pd.Index([-0.25, 1.0], name="ρ"))
    table = plotting.display_table(shares)
    assert re.findall(r'<th class="row_heading[^>]*>(.*?)</th>', table.html) == ["−0.25", "1"]
    assert re.findall(r"<td[^>]*>(.*?)</td>", table.html) == ["4", "8"]
    assert "ρ" in table.html
    assert "0.250000" not in repr(table)


def test_two_tables_of_a_page_have_different_ids():
    ids = {re.search(r'<table id="([^"]+)"', plotting.display_table(CLAIMS, name).html)[1] for name in ("a", "b")}
    assert len(ids) == 2


@pytest.mark.parametrize("verdict", dict.fromkeys((*VERDICTS, *OWN_WORDS.values())))
def test_every_verdict_has_a_badge_that_the_books_css_gives_a_sign(verdict):
    name = re.search('class="([^"]+)"', plotting.verdict_badge(verdict))[1]
    assert re.search(rf"\.{name}::before[^{{]*{{ content: \"\S", CSS.read_text())
    assert plotting.family_of(verdict)  # a figure has a colour for it too


def test_verdicts_that_mean_different_things_have_signs_of_their_own():
    signs = [plotting.VERDICT_SIGNS[verdict] for verdict in VERDICTS]
    assert len(set(signs)) == len(VERDICTS)
    assert all(plotting.VERDICT_SIGNS[own] == plotting.VERDICT_SIGNS[verdict] for verdict, own in OWN_WORDS.items())
    for verdict, sign in plotting.VERDICT_SIGNS.items():  # as the page's CSS has them
        name = re.search('class="([^"]+)"', plotting.verdict_badge(verdict))[1]
        assert re.search(rf"\.{name}::before[^{{]*{{ content: \"{sign}", CSS.read_text()), verdict


def test_an_unknown_verdict_is_refused():
    with pytest.raises(ValueError, match="'maybe'; it must be one of 'reproduced'"):
        plotting.verdict_badge("maybe")


def test_an_empty_table_is_a_table():
    assert "<table" in plotting.display_table(CLAIMS.head(0)).html


def test_a_link_leads_to_its_page_and_is_escaped():
    table = plotting.display_table(pd.DataFrame({"chapter": [plotting.Link("a < b", "vision/paths.html"), None]}))
    assert '<a href="vision/paths.html">a &lt; b</a>' in table.html
    assert "a < b" in table.text


def test_a_paragraph_is_escaped_on_the_page_and_plain_elsewhere():
    made = plotting.paragraph("a < b")
    assert made._repr_html_() == "<p>a &lt; b</p>"
    assert repr(made) == "a < b"
