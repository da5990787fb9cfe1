"""What helps a reader: one switch for code, lists that choose claims, figures whose letters can be read, a glossary."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}
CHAPTER = "vision/generalisation.html"
#: Points and dots per inch of the smallest letters in a figure (see book/_ext/figure_boxes.py), and what they need.
SMALLEST, DPI, READABLE = 8.0, 150, 9.0
#: How much of a chapter is open at first, and how many lines its one open cell has.
MOST_FIGURES, MOST_TABLES, LINES, WIDEST = 4, 2, range(5, 19), 88


@pytest.fixture
def open_page(browser, address):
    """``open_page(name, **options)``: a page of the site in a window of its own."""
    opened = []

    def go(name, **options):
        page = browser.new_page(**options)
        opened.append(page)
        page.goto(address + name)
        return page

    yield go
    for page in opened:
        page.close()


def test_one_switch_shows_and_hides_all_code(open_page):
    page = open_page(CHAPTER)
    folded, switch = page.locator("details.hide.above-input"), page.locator(".code-switch")
    assert folded.count() > 5
    assert str(folded.count()) in switch.inner_text()
    assert not folded.first.is_visible()
    switch.focus()
    page.keyboard.press("Enter")
    assert switch.get_attribute("aria-pressed") == "true"
    assert all(folded.evaluate_all("all => all.map(d => d.open && d.offsetHeight > 20)"))
    page.keyboard.press("Enter")
    assert not folded.first.is_visible()


def test_without_the_script_all_code_and_all_claims_are_there(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + CHAPTER)
    assert page.locator("details.hide.above-input").first.is_visible()
    page.goto(address + "claims.html")
    assert page.locator(".claim").evaluate_all("all => all.every(c => c.offsetHeight > 0)")
    assert not page.locator(".claim-filter").is_visible()
    context.close()


def test_lists_choose_claims_and_say_how_many_are_left(open_page):
    page = open_page("claims.html")
    said, total = page.locator(".claim-filter output"), page.locator(".claim").count()
    assert said.inner_text() == f"{total} claims"
    part = page.locator("select[data-filter=part] option").nth(1).inner_text()
    page.locator("select[data-filter=part]").select_option(part)
    page.locator("select[data-filter=verdict]").select_option("reproduced")
    left = page.locator(".claim:visible").evaluate_all("all => all.map(c => [c.dataset.part, c.dataset.verdict])")
    assert left
    assert {tuple(each) for each in left} == {(part, "reproduced")}
    assert said.inner_text().split()[0] == str(len(left))
    page.locator("select[data-filter=part]").select_option("")
    page.locator("select[data-filter=verdict]").select_option("")
    assert said.inner_text() == f"{total} claims"
    page.locator("select[data-filter=whose]").select_option("Our own questions")
    assert page.locator(".claim-group h3:visible").all_inner_texts() == ["Our own questions"]
    assert 0 < page.locator(".claim:visible").count() < total


def test_the_first_page_numbers_chapters_as_their_headings_do(html):
    first = BeautifulSoup((html / "index.html").read_text("utf8"), "html.parser")
    links = [link for link in first.select(".bd-article :is(td, th) a[href]") if re.match(r"\d+\. ", link.get_text())]
    assert len(links) > 30
    for link in links:
        heading = article_of(html, link["href"]).select_one("h1 .section-number").get_text()
        assert link.get_text().split()[0] == heading.strip(), link["href"]


def test_every_tile_and_chip_leads_to_a_box(open_page):
    page = open_page("index.html")
    links = page.locator("a.tile").evaluate_all("all => all.map(a => a.href)")
    assert len(links) == len(set(links)) > 30
    for name in sorted({link.split("#")[0] for link in links}):
        page.goto(name)
        there = set(page.locator(".claim").evaluate_all("all => all.map(c => c.id)"))
        assert {link.split("#")[1] for link in links if link.split("#")[0] == name} == there
        chips = page.locator("a.chip").evaluate_all("all => all.map(a => a.hash.slice(1))")
        assert set(chips) == there


@pytest.mark.parametrize("viewport", [{"width": 1400, "height": 900}, PHONE], ids=["desk", "phone"])
def test_the_first_screen_shows_a_finding(open_page, viewport):
    page = open_page("index.html", viewport=viewport)
    assert "reproduced" in page.locator(".bd-article p", has_text="were put to the test").inner_text()
    figure = page.locator(".bd-article figure img").first.bounding_box()
    title = 0.2 * figure["height"]  # it is the finding
    assert figure["y"] + title < viewport["height"]


def test_letters_in_figures_can_be_read_on_a_phone(visit):
    page = visit.page
    page.set_viewport_size(PHONE)
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = true)")
    page.wait_for_timeout(100)  # what was folded has a size only now
    shown = page.locator(".figure-scroll img").evaluate_all(
        "all => all.filter(i => i.offsetWidth).map(i => [i.getBoundingClientRect().width / i.naturalWidth, i.src])"
    )
    assert [src for scale, src in shown if scale * SMALLEST / 72 * DPI < READABLE - 0.05] == []
    beyond = page.locator(".figure-scroll").evaluate_all(
        "all => all.filter(s => s.scrollWidth > s.clientWidth + 1 && (s.parentElement.dataset.more !== 'right'"
        " || s.tabIndex !== 0)).length"
    )
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = false)")
    assert beyond == 0


def article_of(html: Path, chapter: str) -> Tag:
    return BeautifulSoup((html / chapter).read_text("utf8"), "html.parser").select_one("article.bd-article")


def test_a_chapter_shows_a_few_figures_and_tables_and_folds_the_rest(html, chapter):
    shown = {
        kind: [part for part in article_of(html, chapter).select(kind) if not part.find_parent("details")]
        for kind in ("figure", "table")
    }
    assert 1 <= len(shown["figure"]) <= MOST_FIGURES
    assert len(shown["table"]) <= MOST_TABLES


def test_a_fold_has_something_in_it(html, chapter):
    folds = article_of(html, chapter).select("details.more")
    assert [each.summary.get_text() for each in folds if each.summary.find_next_sibling() is None] == []


def test_a_chapter_has_one_open_cell_of_about_ten_lines(html, chapter):
    (cell,) = article_of(html, chapter).select(".tag_show-input")
    assert not cell.find_parent("details")
    lines = cell.select_one(".cell_input pre").get_text().strip().splitlines()
    assert len(lines) in LINES
    assert max(map(len, lines)) <= WIDEST  # at a desk nothing of it scrolls


def test_a_link_opens_the_folds_around_its_target(html, open_page):
    chapter = "recurrence/ladder.html"
    folds = article_of(html, chapter).select("details.more")
    assert len(folds) > 3
    assert all(fold.summary.get_text().startswith("More: ") for fold in folds)
    names = [fold.select_one("figure[id]")["id"] for fold in folds if fold.select_one("figure[id]")]
    page = open_page(f"{chapter}#{names[-1]}")
    assert page.locator(f"#{names[-1]}").is_visible()
    assert not page.locator(f"#{names[0]}").is_visible()
    page.evaluate("name => { location.hash = name }", names[0])
    page.locator(f"#{names[0]}").wait_for(state="visible")


def test_a_fold_opens_by_keys_and_without_the_script(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + "recurrence/ladder.html")
    fold = page.locator("details.more").first
    assert not fold.locator("img").first.is_visible()
    fold.locator(":scope > summary").focus()
    page.keyboard.press("Enter")
    assert fold.locator("img").first.is_visible()
    context.close()


def test_words_of_the_glossary_lead_there_once_a_page(visit, html):
    links = visit.page.locator(".bd-article a.term").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert len(links) == len(set(links))
    known = set(re.findall(r'<dt id="(term-[^"]+)"', (html / "glossary.html").read_text("utf8")))
    assert {link.split("glossary.html#")[1] for link in links} <= known
