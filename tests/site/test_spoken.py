"""What a page says to who listens: names that are those in sight, parts that keys reach, a search that quotes prose."""

import re

import pytest
from bs4 import BeautifulSoup

pytestmark = pytest.mark.site

PHONE = {"width": 390, "height": 844}


def test_every_fold_is_called_by_its_title(html, page_name):
    for summary in BeautifulSoup((html / page_name).read_text("utf8"), "html.parser").select("summary"):
        assert not summary.get("aria-label")
        assert summary.get_text().strip()


def test_buttons_are_called_by_the_words_on_them(html, page_name):
    for button in BeautifulSoup((html / page_name).read_text("utf8"), "html.parser").select("button[aria-label]"):
        words = button.get_text(" ").split()
        assert not words or words[0].lower() in button["aria-label"].lower()
        assert "search-button-field" not in button["class"]  # its words are *Search*, and keys


def test_what_scrolls_on_a_phone_is_reached_by_keys_and_has_a_name_of_its_own(visit):
    page = visit.page
    page.set_viewport_size(PHONE)
    page.evaluate(
        "async () => { document.querySelectorAll('.bd-article details').forEach(d => d.open = true);"
        " if (window.MathJax?.startup) await MathJax.startup.promise;"
        " const frame = () => new Promise(done => requestAnimationFrame(done)); await frame(); await frame() }"
    )
    found = page.locator(".figure-scroll, .table-scroll, .bd-article mjx-container[display='true']").evaluate_all(
        "all => all.filter(s => s.offsetWidth && s.scrollWidth > s.clientWidth + 1)"
        ".map(s => [s.tabIndex, s.getAttribute('role'), s.getAttribute('aria-label')])"
    )
    page.evaluate("() => document.querySelectorAll('.bd-article details').forEach(d => d.open = false)")
    assert all((focus, role) == (0, "region") and name for focus, role, name in found)
    figures = [name for _, _, name in found if name.startswith("Figure")]
    assert len(figures) == len(set(figures))


#: Targets on a phone that are lower than 24 pixels: links that are not within other words, buttons, folds, fields.
LOW = """all => all.filter(n => n.offsetWidth && n.getBoundingClientRect().height < 24
  && !n.closest('label, mjx-container') && !n.matches('.headerlink, .skip-link, [type=hidden]')).filter(n => {
    const around = n.closest('p, li, td, th, dd, figcaption, caption');
    return n.tagName !== 'A' || !around || around.textContent.trim().length <= n.textContent.trim().length + 3;
  }).map(n => n.outerHTML.slice(0, 120))"""


def test_a_finger_has_24_pixels(visit):
    page = visit.page
    page.set_viewport_size(PHONE)
    assert page.locator(".bd-article :is(a, button, summary, select, input), .extra_footer a").evaluate_all(LOW) == []


def test_the_page_for_what_is_not_there_has_a_main_part(html):
    page = BeautifulSoup((html / "404.html").read_text("utf8"), "html.parser")
    assert page.select_one("main h1")


def test_the_index_of_the_search_has_words_of_pages_and_none_of_folded_code(html):
    index = (html / "searchindex.js").read_text("utf8")
    words = set(re.findall(r'"([a-z_0-9]+)": ?[\[\d]', index))
    assert {"distil", "attractor"} <= words
    assert words & {"register_famili", "sharey", "hue_ord", "map_datafram"} == set()


def test_a_result_of_the_search_quotes_the_page_s_own_text(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}search.html?q=attractors")
    page.locator("#search-results ul.search li p.context").first.wait_for()
    quotes = page.locator("#search-results ul.search li p.context").all_inner_texts()
    assert len(quotes) > 2
    assert [quote for quote in quotes if ".ipynb" in quote or "import " in quote] == []
    assert sum("attractor" in quote.lower() for quote in quotes) > len(quotes) / 2
    page.close()
