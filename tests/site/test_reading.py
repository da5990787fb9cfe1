"""What helps a reader: one switch for code, lists that choose claims, figures whose letters can be read, a glossary."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1400, "height": 900}
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
    assert page.locator(".claim-row tr").evaluate_all("all => all.every(c => c.offsetHeight > 0)")
    assert not page.locator(".claim-filter").is_visible()
    card = page.locator(".claim-card details").first
    card.locator("summary").focus()
    page.keyboard.press("Enter")
    assert card.locator("dl").is_visible()
    context.close()


ROWS = "tbody.claim-row:visible"


def test_lists_and_words_choose_claims_and_the_address_keeps_what_was_chosen(open_page):
    page = open_page("claims.html", viewport=DESK)
    said, total = page.locator(".claim-filter output"), page.locator("tbody.claim-row").count()
    counted = page.locator("tbody.claim-row:not([data-again])").count()
    assert said.inner_text() == f"{counted} of {total} claims"
    part = page.locator("select[name=part] option").nth(1).inner_text()
    page.locator("select[name=part]").select_option(part)
    page.locator("select[name=verdict]").select_option("reproduced")
    left = page.locator(ROWS).evaluate_all("all => all.map(c => [c.dataset.part, c.dataset.verdict])")
    assert left
    assert {tuple(each) for each in left} == {(part, "reproduced")}
    assert said.inner_text().startswith(f"{len(left)} of {total}")
    page.locator(".claim-filter input[name=q]").fill("cnn INVARIANT")
    found = page.locator(ROWS).all_inner_texts()
    assert 0 < len(found) < len(left)
    assert all("cnn" in words.lower() and "invariant" in words.lower() for words in found)
    again = open_page(page.url.split("/")[-1], viewport=DESK)
    assert again.locator(ROWS).all_inner_texts() == found
    assert again.locator("select[name=part]").input_value() == part
    again.locator("button[type=reset]").click()
    again.wait_for_function("() => !location.search")
    assert again.locator(".claim-filter output").inner_text() == f"{counted} of {total} claims"
    again.locator("input[name=again]").check()
    assert again.locator(".claim-filter output").inner_text() == f"{total} claims"


def test_a_sentence_opens_its_card_by_keys(open_page):
    page = open_page("claims.html", viewport=DESK)
    row = page.locator(ROWS).first
    sentence, card = row.locator("button.claim-open"), row.locator(".claim-card")
    assert (sentence.get_attribute("aria-expanded"), card.is_visible()) == ("false", False)
    sentence.focus()
    page.keyboard.press("Enter")
    assert sentence.get_attribute("aria-expanded") == "true"
    assert card.locator("dl").is_visible()
    assert page.locator(f"#{sentence.get_attribute('aria-controls')}").count() == 1
    page.keyboard.press("Enter")
    assert not card.is_visible()


def test_a_link_to_a_claim_opens_its_card_whatever_the_lists_say(open_page):
    page = open_page("claims.html?verdict=confirmed#claim-V3", viewport=DESK)
    assert page.locator("#claim-V3 .claim-card dl").is_visible()
    page.evaluate("() => { location.hash = 'claim-Q9-begun' }")  # a second look at a sentence
    page.locator("#claim-Q9-begun .claim-card dl").wait_for(state="visible")


def test_claims_are_sorted_by_what_would_decide_them(open_page):
    page = open_page("claims.html?verdict=open", viewport=DESK)
    head = page.locator("th[data-sort=time]")
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    times = page.locator(ROWS).evaluate_all("all => all.map(row => Number(row.dataset.time ?? Infinity))")
    assert times == sorted(times)
    assert times[0] < times[-1]
    assert "sort=time" in page.url


def test_a_phone_shows_a_part_of_the_claims_until_it_is_asked_for_all(open_page):
    page = open_page("claims.html", viewport=PHONE)
    few = page.locator(ROWS).count()
    assert 10 < few < 40
    assert page.evaluate("() => document.documentElement.scrollHeight") < 20_000
    page.locator("button.claim-more").click()
    assert page.locator(ROWS).count() > few
    assert not page.locator("button.claim-more").is_visible()


def test_every_claim_of_the_table_leads_to_its_box_and_chips_do(html):
    table = article_of(html, "claims.html").select(".claim-row")
    links = [row.select_one("dl a")["href"] for row in table]
    assert len(links) == len(set(links)) > 100
    for name in sorted({link.split("#")[0] for link in links}):
        chapter = article_of(html, name)
        there = {box["id"] for box in chapter.select(".claim")}
        assert {link.split("#")[1] for link in links if link.split("#")[0] == name} == there
        assert {chip["href"].split("#")[1] for chip in chapter.select("a.chip")} == there


@pytest.mark.parametrize("viewport", [{"width": 1400, "height": 900}, PHONE], ids=["desk", "phone"])
def test_the_first_screen_answers_the_question_of_the_book(open_page, viewport):
    page = open_page("index.html", viewport=viewport)
    answers = page.locator("ol.answers > li")
    assert answers.count() == 5
    taught = answers.nth(1)
    assert re.search(r"gains \d+\s% of the LSTM’s lead", taught.inner_text())
    assert taught.bounding_box()["y"] < viewport["height"]
    for answer in answers.all():
        assert re.search(r"\d", answer.inner_text())
        assert answer.locator("a[href]").count() >= 1
    assert "runs" in page.locator(".bd-article p", has_text="run again with small models").inner_text()


def test_the_first_page_is_short_and_shows_no_code_of_a_claim(open_page):
    page = open_page("index.html", viewport={"width": 1440, "height": 900})
    assert page.locator(".bd-article").evaluate("node => node.scrollHeight") <= 3 * 900
    text = page.locator(".bd-article").inner_text()
    assert re.findall(r"\b[VARMLQ]\d+[a-z]?\b", text) == []


def test_every_line_beside_the_papers_has_both_numbers_and_a_mark(html):
    rows = article_of(html, "index.html").select("table.beside tbody tr:not(.part)")
    assert len(rows) > 15
    for row in rows:
        numbers = [cell.get_text() for cell in row.select("td:not(.drawn)")]
        assert all(re.search(r"\d", number) for number in numbers)
        assert "[" in numbers[1]
        assert row.select("svg circle, svg polygon")
        assert row.select_one("th a")["href"].endswith("html") or "#claim-" in row.select_one("th a")["href"]


def test_all_findings_are_decided_and_lead_to_their_chapter(html):
    rows = article_of(html, "findings.html").select("table.findings tbody tr")
    assert len(rows) > 40
    for row in rows:
        assert row.select_one("th > span").get_text() in {"reproduced", "not reproduced", "confirmed", "refuted"}
        link = row.select_one("td a")
        heading = article_of(html, link["href"]).select_one("h1 .section-number").get_text()
        assert link.get_text() == heading.strip().rstrip(".")


def test_every_line_about_what_to_use_has_a_number_and_its_claims(html):
    rows = article_of(html, "use.html").select("table.advice tbody tr")
    assert len(rows) > 10
    for row in rows:
        assert re.search(r"\d", row.select("td")[1].get_text())
        assert row.select("details li a[href*='#claim-']")


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


def test_on_a_phone_panels_are_under_one_another_and_their_figure_does_not_scroll(visit):
    page = visit.page
    page.set_viewport_size(PHONE)
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = true)")
    page.wait_for_timeout(100)
    found = page.locator(".figure-scroll:has(source)").evaluate_all(
        "all => all.filter(s => s.offsetWidth).map(s => [s.scrollWidth - s.clientWidth, s.getBoundingClientRect().left,"
        " s.querySelector('img').currentSrc])"
    )
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = false)")
    for hidden, left, source in found:
        assert source.endswith("-phone.png")
        assert hidden <= 1
        assert left >= 0


def test_four_in_nine_figures_or_more_have_a_picture_for_a_phone(html, toc):
    pages = [(html / name).read_text("utf8") for name in toc]
    assert sum(page.count("-phone.png") for page in pages) > 4 / 9 * sum(page.count("figure-scroll") for page in pages)


def test_a_figure_leads_to_its_code(open_page):
    page = open_page(CHAPTER, viewport=DESK)
    cell = page.locator(".bd-article .cell:has(> details.above-input):has(figure)").first
    button, code = cell.locator("figcaption button.figure-code"), cell.locator("details.above-input")
    assert not code.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    assert code.locator("pre").is_visible()
    assert page.locator(".bd-article details.above-input[open]").count() == 1


def article_of(html: Path, chapter: str) -> Tag:
    return BeautifulSoup((html / chapter).read_text("utf8"), "html.parser").select_one("article.bd-article")


def test_a_chapter_shows_a_few_figures_and_tables_and_folds_the_rest(html, chapter):
    shown = {
        kind: [part for part in article_of(html, chapter).select(kind) if not part.find_parent("details")]
        for kind in ("figure", "table")
    }
    assert 1 <= len(shown["figure"]) <= MOST_FIGURES
    assert len(shown["table"]) <= MOST_TABLES


def test_a_page_beside_the_chapters_folds_its_tables_too(html):
    tables = [
        part for part in article_of(html, "profiles/others.html").select("table") if not part.find_parent("details")
    ]
    assert 1 <= len(tables) <= MOST_TABLES


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
