"""What is around the text: descriptions, how to cite, the commit, the sidebar, the page for what is not there."""

import re
import shutil
from http import HTTPStatus
from pathlib import Path

import pytest
import yaml

from inductive_bias import paths
from inductive_bias.site.printing import QuietHandler, print_site, served

pytestmark = pytest.mark.site


def test_every_page_describes_itself_in_words_of_its_own(html, toc):
    found = {}
    for page in toc:
        head = (html / page).read_text("utf8").partition("</head>")[0]
        (words,) = re.findall(r'<meta name="description" content="([^"]+)"', head)
        assert f'<meta property="og:description" content="{words}"' in head
        assert '<meta property="og:title"' in head
        assert 30 <= len(words) <= 260, (page, words)
        assert "\\" not in words
        found[page] = words
    assert len(set(found.values())) == len(toc)


def test_pictures_of_links_and_a_sitemap_need_an_address(html, toc):
    address = yaml.safe_load((paths.home() / "_config.yml").read_text())["html"]["baseurl"]
    assert (html / "sitemap.xml").is_file() == bool(address)
    for page in toc:
        assert ('property="og:image"' in (html / page).read_text("utf8")) == bool(address)


def test_the_first_page_says_how_to_cite_and_every_page_leads_there(browser, address, toc):
    about = yaml.safe_load((paths.home() / "CITATION.cff").read_text("utf8"))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    for name in (toc[0], toc[1]):
        page.goto(address + name)
        page.locator("footer a", has_text="Cite this").click()
        assert page.url == f"{address}index.html#cite-this"
        text = page.locator("#cite-this").inner_text()
        assert about["title"] in text
        assert "@software{inductive-bias," in text
    page.close()


def test_every_page_names_the_commit_it_was_built_from(visit):
    footer = visit.page.locator(".extra_footer").inner_text()
    if (paths.home() / ".git").exists():
        assert re.search(r"Built from commit [0-9a-f]{10}(\+changes)? of \d{1,2} [A-Z][a-z]+ \d{4}\.", footer)


def test_the_sidebar_shows_the_chapter_that_is_open(browser, address, toc):
    """Also after another page, whose sidebar was somewhere else: the theme goes back to where it was."""
    page = browser.new_page(viewport={"width": 1280, "height": 620})
    for name in [toc[-1], toc[1], toc[-2], toc[len(toc) // 2]]:
        page.goto(address + name, wait_until="load")
        page.wait_for_timeout(100)
        seen = page.evaluate(
            "() => { const s = document.querySelector('.bd-sidebar-primary').getBoundingClientRect();"
            " const e = [...document.querySelectorAll('.bd-docs-nav .current.active > a')].pop()"
            ".getBoundingClientRect();"
            " return [s.top, e.top, e.bottom, Math.min(s.bottom, innerHeight)] }"
        )
        assert seen == sorted(seen), name
    page.close()


class LikePages(QuietHandler):
    """A host of static pages: what is not there is answered with 404.html, at whatever depth."""

    def send_error(self, code, message=None, explain=None):
        """The site's page instead of the server's."""
        if code != HTTPStatus.NOT_FOUND:
            return super().send_error(code, message, explain)
        (page,) = Path(self.directory).rglob("404.html")
        found = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(found)


@pytest.mark.parametrize("folder", ["", "a-project/"])
@pytest.mark.parametrize("place", ["nowhere.html", "vision/nowhere.html", "no/such/folder/"])
def test_a_page_that_is_not_there_leads_home_from_any_depth(browser, html, tmp_path, folder, place):
    (tmp_path / "root").mkdir()
    shutil.copytree(html, tmp_path / "root" / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("_images"))
    page = browser.new_page(viewport={"width": 390, "height": 844})
    with served(tmp_path / "root", LikePages) as address:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}{folder}{place}", wait_until="networkidle")
        assert page.locator("h1").inner_text() == "There is no page here"
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        links = page.locator("a").evaluate_all("all => all.map(a => a.href)")
        assert links == [f"{address}{folder}{name}" for name in ("index.html", "claims.html", "search.html")]
        page.locator("a").first.click()
        page.wait_for_url(f"{address}{folder}index.html")
        assert all(url.startswith((address, "data:")) for url in asked)
    page.close()


@pytest.fixture
def little_site(html, tmp_path, toc):
    """The built site with three pages in its sidebar: printing all of them takes half a minute."""
    site = tmp_path / "html"
    shutil.copytree(html, site, ignore=shutil.ignore_patterns("_tables", "_sources"))
    kept = [toc[1], toc[-1]]
    text = (site / "index.html").read_text("utf8")
    start = text.index('<nav class="bd-links')
    end = text.index("</nav>", start)
    nav = re.sub(
        r'<a class="reference internal" href="([^"]+)">.*?</a>',
        lambda found: found[0] if found[1] in kept else "",
        text[start:end],
        flags=re.DOTALL,
    )
    (site / "index.html").write_text(text[:start] + nav + text[end:], "utf8")
    return site


def test_the_pages_are_printed_behind_one_another_and_twice_as_many(little_site, tmp_path, toc, browser):
    first = print_site(little_site, tmp_path / "1.pdf", browser)
    again = print_site(little_site, tmp_path / "2.pdf", browser)
    made = first.path.read_bytes()
    assert first.pages == again.pages
    assert made.startswith(b"%PDF-")
    assert first.pages >= 5
    names = [f"/page-{name.removesuffix('.html').replace('/', '-')}".encode() for name in (toc[1], toc[-1])]
    assert all(name in made for name in names)  # places that links lead to
    assert b"/URI (http://127.0.0.1" not in made
    assert b"/Outlines" in made
