"""A page that a reader prints: everything that is folded is there, nothing is that can only be pressed."""

import re

import pytest

from tests.pdf_words import bare, pages_of, words_of

pytestmark = pytest.mark.site

#: An A4 sheet without its margins, in pixels of a page.
PAPER = {"width": 680, "height": 960}
#: Pages, and how many sheets each may take: the folds of a chapter are a few sheets, its code would be some more.
SHEETS = {"vision/distillation.html": range(15, 30), "attention/rem.html": range(7, 14), "index.html": range(3, 7)}
BUTTONS = (
    ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .prev-next-footer, .search-button,"
    " .code-switch, .claim-filter, .claim-more, .copybtn, .headerlink, .table-links"
)


@pytest.fixture(scope="module")
def printed(browser, address):
    """``printed(name)``: a page as it was opened at night, and the file that its reader prints."""
    made = {}

    def go(name):
        if name not in made:
            page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
            page.goto(address + name, wait_until="networkidle")
            page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
            made[name] = page, page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "16mm"))
        return made[name]

    yield go
    for page, _ in made.values():
        page.close()


@pytest.mark.parametrize("name", SHEETS)
def test_all_folds_are_on_paper_but_no_code_and_no_buttons(printed, name):
    page, made = printed(name)
    assert pages_of(made) in SHEETS[name]
    words = words_of(made)
    folds = page.locator(".bd-article details:not(.above-input)").evaluate_all(
        "all => all.map(d => [(d.querySelector(':scope > summary > .expanded') ??"
        " d.querySelector('summary')).textContent,"
        " [...d.querySelectorAll('caption, p, dd, td')].filter(n => !n.querySelector('.math, .headerlink')"
        " && !n.closest('summary, .above-input')).map(n => n.textContent).filter(t => t.trim())])"
    )
    title = page.locator(".bd-article h1").text_content().rstrip("#\n")
    assert words.startswith(bare(title))  # with the number of its chapter
    assert re.match(r"\s*\d+\.", title) or name == "index.html"
    assert len(folds) > 3 or name == "index.html"
    for title, inside in folds:
        assert bare(title) in words
        assert all(bare(text) in words for text in inside[:3]), title
    assert bare("Show the code") not in words
    code = page.locator(".bd-article details.above-input pre").first
    if code.count():
        assert bare(code.text_content().splitlines()[-1]) not in words
    # and afterwards everything is as it was
    assert page.locator(".bd-article details[open]").count() == 0
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("name", SHEETS)
def test_paper_is_white_and_cuts_no_figure_and_no_row(printed, name):
    page, _ = printed(name)
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    try:
        look = page.evaluate(
            "() => ({ground: getComputedStyle(document.body).backgroundColor,"
            " ink: getComputedStyle(document.querySelector('.bd-article p')).color,"
            " filters: [...document.querySelectorAll('.figure-scroll img')]"
            ".map(i => getComputedStyle(i).filter)})"
        )
        assert look["ground"] in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")
        assert max(map(int, look["ink"].strip("rgb()").split(","))) < 90
        assert set(look["filters"]) <= {"none"}
        assert page.locator(BUTTONS).evaluate_all("all => all.filter(n => n.offsetWidth).map(n => n.className)") == []
        figures = page.locator(".bd-article .figure-box").evaluate_all(
            "all => all.map(n => { const i = n.querySelector('img').getBoundingClientRect();"
            " return [i.right, i.height, getComputedStyle(n).breakInside] })"
        )
        for right, height, broken in figures:
            assert right <= PAPER["width"] + 1
            assert height < PAPER["height"]
            assert broken == "avoid"
        rows = page.locator(".bd-article tr").evaluate_all("all => all.map(r => getComputedStyle(r).breakInside)")
        assert set(rows) <= {"avoid"}
    finally:
        page.evaluate("() => dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen")
        page.set_viewport_size({"width": 1280, "height": 900})


def test_cards_that_are_folded_are_on_paper_and_rows_that_were_not_chosen_are_not(printed):
    page, made = printed("claims.html?verdict=confirmed")
    words = words_of(made)
    cards = page.locator("tbody.claim-row").evaluate_all(
        "all => all.map(row => [row.hidden, row.querySelector('.claim-card').hidden,"
        " [...row.querySelectorAll('.claim-card dd')].map(n => n.textContent).filter(t => t.trim().length > 20)])"
    )
    chosen = [inside for hidden, folded, inside in cards if not hidden and folded]
    assert len(chosen) > 3
    for inside in chosen:
        assert inside
        assert all(bare(text) in words for text in inside)
    others = [text for hidden, _, inside in cards if hidden for text in inside]
    kept = {text for inside in chosen for text in inside}
    # the size of a verdict stands in the list of corrections as well, which is printed whole
    corrections = bare(page.locator(".corrections").evaluate_all("all => all.map(n => n.textContent).join(' ')"))
    seen = [text for text in others if text not in kept and len(text) > 80 and bare(text) in words]
    assert not [text for text in seen if bare(text) not in corrections]


def test_an_address_can_be_read_on_paper(printed):
    page, made = printed("index.html")
    links = page.locator(".bd-article p a[href^='http'], .bd-article li a[href^='http']").evaluate_all(
        "all => all.filter(a => !a.closest('table')).map(a => a.getAttribute('href'))"
    )
    words = words_of(made)
    assert all(bare(link) in words for link in links)


def test_code_that_a_reader_opened_is_printed(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}attention/rem.html", wait_until="networkidle")
    page.locator(".code-switch").click()
    code = page.locator(".bd-article details.above-input pre").first.text_content()
    assert bare(code.splitlines()[0]) in words_of(page.pdf(format="A4"))
    page.close()
