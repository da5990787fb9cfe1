"""The site as a whole: complete, without a broken link inside, and searchable."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytestmark = pytest.mark.site


class Anchors(HTMLParser):
    """The ids and the links of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.repeated: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect."""
        found = dict(attrs)
        if name := found.get("id"):
            (self.repeated if name in self.ids else self.ids).add(name)
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        wanted = found.get("src") or (found.get("href") if tag == "link" else None)
        if wanted and found.get("rel") != "canonical":
            self.loaded.append(wanted)


@cache
def anchors_of(path: Path) -> Anchors:
    parser = Anchors()
    parser.feed(path.read_text("utf8"))
    return parser


def moved_pages(html: Path) -> set[str]:
    """Pages that do nothing but lead on."""
    pages = [path for path in html.rglob("*.html") if "_static" not in path.parts]
    return {str(path.relative_to(html)) for path in pages if 'http-equiv="refresh"' in path.read_text("utf8")[:600]}


def test_every_page_of_the_table_of_contents_is_built_and_no_other(html, toc):
    built = {str(path.relative_to(html)) for path in html.rglob("*.html") if "_static" not in path.parts}
    assert built - {"search.html", "genindex.html", "404.html", *moved_pages(html)} == set(toc)


def test_no_link_inside_the_site_is_broken(html, toc):
    broken = []
    for page in [*toc, "search.html", "genindex.html", *moved_pages(html)]:
        for link in anchors_of(html / page).links + anchors_of(html / page).loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (html / page).parent / unquote(parts.path) if parts.path else html / page
            if not target.resolve().is_file():
                broken.append(f"{page} → {link}: no such file")
            elif (
                parts.fragment
                and target.suffix == ".html"
                and unquote(parts.fragment) not in anchors_of(target.resolve()).ids
            ):
                broken.append(f"{page} → {link}: no such place on that page")
    assert broken == []


def test_no_page_names_a_script_a_style_or_a_picture_of_another_host(html, toc):
    foreign = {link for page in toc for link in anchors_of(html / page).loaded if urlsplit(link).netloc}
    assert foreign == set()


def test_no_id_is_given_twice_on_a_page(html, toc):
    twice = {page: ids for page in toc if (ids := anchors_of(html / page).repeated)}
    assert twice == {}


def test_every_page_can_be_reached_from_the_first(html, toc):
    reached, front = set(), ["index.html"]
    while front:
        page = front.pop()
        if page in reached:
            continue
        reached.add(page)
        for link in anchors_of(html / page).links:
            parts = urlsplit(link)
            if not parts.scheme and parts.path.endswith(".html"):
                front.append(str(((html / page).parent / parts.path).resolve().relative_to(html.resolve())))
    assert set(toc) <= reached


def test_an_old_address_leads_to_the_open_claims(browser, address, html):
    assert "decide.html" in moved_pages(html)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address + "decide.html")
    page.wait_for_url(re.compile(r"claims\.html\?verdict=open&sort=time"))
    page.locator("tbody.claim-row:visible").first.wait_for()
    shown = set(page.locator("tbody.claim-row:visible").evaluate_all("all => all.map(r => r.dataset.verdict)"))
    assert shown == {"undecided", "beyond these data", "not testable here"}
    page.close()


def test_a_search_finds_a_page_and_leads_there(browser, address, toc):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.locator(".search-button-field:visible, .search-button:visible, .search-button__button:visible").first.click()
    field = page.locator(".search-button__search-container input[type=search], dialog input[type=search]").first
    field.fill("distillation")
    field.press("Enter")
    page.wait_for_url(re.compile(r"search\.html\?q=distillation"))
    results = page.locator("#search-results ul.search li a")
    results.first.wait_for()
    found = [re.sub(r"[?#].*", "", link) for link in results.evaluate_all("all => all.map(a => a.href)")]
    assert set(found) & {address + name for name in toc}
    results.first.click()
    page.wait_for_url(re.compile(re.escape(found[0])))
    assert page.locator(".bd-article h1").count() == 1
    page.close()


def test_scripts_and_styles_of_a_page_weigh_less_than_a_megabyte(html, toc):
    """MathJax, which is not counted, weighs 1.2 MB: a page has it only where it has a formula."""
    heavy = {}
    for page in toc:
        loaded = {urlsplit(link).path for link in anchors_of(html / page).loaded}
        files = {(html / page).parent / link for link in loaded if Path(link).suffix in (".js", ".css")}
        sizes = {path.name: path.stat().st_size for path in files}
        formulas = 'class="math' in (html / page).read_text("utf8")
        assert ("tex-chtml.js" in sizes) == formulas, page
        weight = sum(size for name, size in sizes.items() if name != "tex-chtml.js")
        if weight > 0.8e6:
            heavy[page] = weight
    assert heavy == {}
