"""The pages of the five texts as they are built: little is open, and both the text and the book can be cited."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from inductive_bias.record import TEXTS

pytestmark = pytest.mark.site

#: How much is open at first, as in a chapter.
MOST_FIGURES, MOST_TABLES = 4, 3


@pytest.fixture(params=TEXTS, ids=lambda text: text.page)
def article(request, html: Path):
    page = BeautifulSoup((html / f"{request.param.page}.html").read_text("utf8"), "html.parser")
    return request.param, page.select_one("article.bd-article")


def test_a_page_shows_a_few_figures_and_tables_and_folds_the_rest(article):
    _, shown = article
    figures, tables = (
        [part for part in shown.select(kind) if not part.find_parent("details")] for kind in ("figure", "table")
    )
    assert 2 <= len(figures) <= MOST_FIGURES
    assert 1 <= len(tables) <= MOST_TABLES


def test_a_figure_of_the_text_stands_with_ours(article):
    """A caption or a description says what is the text's and what is from here."""
    _, shown = article
    words = [figure.get_text() + figure.img["alt"] for figure in shown.select("figure")]
    both = [each for each in words if "here" in each.lower() and ("text" in each or "paper" in each or "Bai" in each)]
    assert len(both) >= 2


def test_the_text_and_the_book_can_be_cited(article):
    text, shown = article
    entries = "".join(each.get_text() for each in shown.select(".cite-this pre"))
    for key in (*text.works, "inductive-bias"):
        assert f"{{{key}," in entries
    assert "How to cite this book" in shown.get_text()


def test_a_sentence_leads_to_its_rule_in_a_chapter(article, html):
    text, shown = article
    links = [link["href"] for link in shown.select(".corrections a")]
    assert len(links) == len(set(links)) > 3
    for link in links:
        page, anchor = link.split("#")
        assert f'id="{anchor}"' in (html / text.page).parent.joinpath(page).resolve().read_text("utf8"), link
