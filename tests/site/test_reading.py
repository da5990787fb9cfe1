"""What helps a reader: one switch for code, lists that choose claims, figures whose letters can be read, a glossary."""

import re

import pytest

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}
CHAPTER = "vision/generalisation.html"
#: Points and dots per inch of the smallest letters in a figure (see book/_ext/figure_boxes.py), and what they need.
SMALLEST, DPI, READABLE = 8.0, 150, 9.0


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
    shown = page.locator(".figure-scroll img").evaluate_all(
        "all => all.filter(i => i.offsetWidth).map(i => [i.getBoundingClientRect().width / i.naturalWidth, i.src])"
    )
    assert [src for scale, src in shown if scale * SMALLEST / 72 * DPI < READABLE - 0.05] == []
    beyond = page.locator(".figure-scroll").evaluate_all(
        "all => all.filter(s => s.scrollWidth > s.clientWidth + 1 && (s.parentElement.dataset.more !== 'right'"
        " || s.tabIndex !== 0)).length"
    )
    assert beyond == 0


def test_words_of_the_glossary_lead_there_once_a_page(visit, html):
    links = visit.page.locator(".bd-article a.term").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert len(links) == len(set(links))
    known = set(re.findall(r'<dt id="(term-[^"]+)"', (html / "glossary.html").read_text("utf8")))
    assert {link.split("glossary.html#")[1] for link in links} <= known
