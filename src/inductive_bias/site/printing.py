"""The built site as one PDF: its pages behind one another in one document, printed by headless Chromium."""

import functools
import http.server
import os
import posixpath
import re
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from inductive_bias import paths
from inductive_bias.errors import SettingError, extras_named

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from playwright.sync_api import Browser, Route

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# without the switches for background traffic, Chromium looks up hosts of its own at every start
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
)
#: Of a page, what a sheet of paper has no use for: the code is in the notebooks.
LEFT_OUT = "details.above-input, .headerlink, .table-links, .copybtn, noscript"
STYLE = """
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  body > :is(article, section) { break-before: page; max-width: none; overflow: visible; padding: 0; }
  body > section:first-child { break-before: auto; }
  .of-the-book { padding-top: 30vh; }
  .contents ul { list-style: none; padding-left: 0; }
  .contents :is(ul, li, li a) { display: block !important; }
  .contents .caption { font-weight: 600; margin: 1rem 0 0.2rem; }
  .bd-article { line-height: 1.5; }
  .bd-article h1 { font-size: 20pt; }
  .bd-article h2 { font-size: 15pt; }
  .bd-article h3 { font-size: 12pt; }
  /* without pre-wrap Chromium joins the words at a line's end in the outline */
  .bd-article :is(h1, h2, h3, h4) { break-after: avoid; break-inside: avoid; white-space: pre-wrap; text-wrap: wrap; }
  .bd-article img, .bd-article svg { max-height: 17cm; object-fit: contain; }
"""
NUMBERS = (
    '<div style="width: 100%; padding: 0 16mm; font: 8px sans-serif; color: #555; display: flex">'
    '<span style="flex: 1">{title}</span><span class="pageNumber"></span>&nbsp;/&nbsp;'
    '<span class="totalPages"></span></div>'
)


@dataclass(frozen=True)
class Printed:
    """What was printed: the file, its number of pages and the seconds that it took."""

    path: Path
    pages: int
    seconds: float

    def __str__(self) -> str:
        size = self.path.stat().st_size / 1e6
        return f"{self.path}: {self.pages} pages, {size:.1f} MB, {self.seconds:.0f} s"


def site_folder() -> Path:
    """Where `make site` puts the pages."""
    return paths.home() / "book" / "_build" / "html"


def print_site(folder: Path, target: Path, browser: "Browser | None" = None) -> Printed:
    """Print every page of the site in ``folder``, in the order of its sidebar, to the file ``target``.

    The same site gives the same pages, dated by its commit; the bytes may still differ from one printing to the next.

    Args:
        folder: of the pages.
        target: the file.
        browser: one that is open already (default: one of its own).

    Raises:
        SettingError: if there is no built site, no browser, or if a page asks for something outside the site.
    """
    if not (folder / "index.html").is_file():
        raise SettingError(f"there is no built site in {folder}: run `make site` first")
    start = time.monotonic()
    text, outside = one_document(folder), []
    with served(folder) as address, nullcontext(browser) if browser else chromium() as printer:
        page = printer.new_page(color_scheme="light")

        def answer(route: "Route") -> None:
            url = route.request.url
            if url == f"{address}book.html":
                route.fulfill(body=text, content_type="text/html; charset=utf-8")
            elif url.startswith((address, "data:", "blob:")):
                route.continue_()
            else:
                outside.append(url)
                route.abort()

        page.route("**/*", answer)
        page.goto(f"{address}book.html", wait_until="load")
        page.evaluate("async () => { if (window.MathJax?.startup) await MathJax.startup.promise }")
        page.wait_for_load_state("networkidle")
        # with every font and picture there, and laid out once as a whole: how it came to be, piece by piece, would show
        page.evaluate(
            "async () => { await document.fonts.ready;"
            " await Promise.all([...document.images].map(image => image.decode().catch(() => null)));"
            " const all = document.body.style; all.display = 'none'; document.body.offsetHeight; all.display = '';"
            " await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))) }"
        )
        edge = {"top": "16mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
        footer = NUMBERS.format(title=escape(page.title()))
        # the outline is made from the headings, which only a tagged file has
        made = page.pdf(
            format="A4",
            margin=edge,
            print_background=True,
            tagged=True,
            outline=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=footer,
        )
        page.close()
    if outside:
        raise SettingError(f"the pages ask for things outside the site: {', '.join(outside)}")
    target.write_bytes(settled(made, text))
    return Printed(target, len(re.findall(rb"/Type\s*/Page\b", made)), time.monotonic() - start)


def one_document(folder: Path) -> str:
    """The HTML of all pages of a site behind one another, after a title and the contents.

    A link from page to page leads to the place in the document; an id that two pages have gets its page's name.
    """
    first = _parsed((folder / "index.html").read_text("utf8"))
    contents = first.select_one("nav.bd-links .bd-toc-item")
    names = ["index.html", *(link["href"] for link in contents.select("a.reference.internal"))]
    names = list(dict.fromkeys(name for name in names if not name.startswith("#")))
    articles = {name: _article(folder / name) for name in names}
    places_of = _new_ids(articles)
    for name, article in articles.items():
        _link(article, name, places_of)
    _link(contents, "index.html", places_of)
    about = first.select_one(".extra_footer")
    _link(about, "index.html", places_of)
    for caption in contents.select("[role=heading]"):
        del caption["role"]  # the outline names pages and their sections
    title = first.title.get_text().rpartition(" — ")[2].strip()
    heads = "\n".join(_head(folder, names))
    front = f'<section class="of-the-book"><p class="h1">{escape(title)}</p>{about or ""}</section>'
    pages = "\n".join(str(article) for article in articles.values())
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-theme="light" data-mode="light">\n<head>\n<meta charset="utf-8" />\n'
        f"<title>{escape(title)}</title>\n{heads}\n<style>{STYLE}</style>\n</head>\n<body>\n{front}\n"
        f'<section class="contents"><p class="h2">Contents</p>{contents}</section>\n{pages}\n</body>\n</html>\n'
    )


def _article(path: Path) -> "Tag":
    text = path.read_text("utf8")
    start = text.index('<article class="bd-article"')
    article = _parsed(text[start : text.index("</article>", start) + len("</article>")]).article
    for part in article.select(LEFT_OUT):
        part.decompose()
    for part in article.find_all("details"):
        part["open"] = ""
    return article


def _new_ids(articles: "dict[str, Tag]") -> dict[str, str]:
    """Give every article and every id a name of its own; ``page.html#id`` → the id in the document."""
    found, taken = {}, set()
    for name, article in articles.items():
        article["id"] = f"page-{name.removesuffix('.html').replace('/', '-')}"
        found[name] = article["id"]
        for node in article.select("[id]"):
            new = node["id"] if node["id"] not in taken else f"{article['id']}--{node['id']}"
            found[f"{name}#{node['id']}"] = node["id"] = new
            taken.add(new)
    return found


def _link(part: "Tag", name: str, places_of: dict[str, str]) -> None:
    """Make the links of a part of the page ``name`` lead into the document, and its pictures be found from the root."""
    for node in part.select("[href], [src]"):
        for attribute in {"href", "src"} & set(node.attrs):
            parts = urlsplit(node[attribute])
            if parts.scheme or parts.netloc:
                continue
            path = _from_root(name, parts.path) if parts.path else name
            place = f"{path}#{unquote(parts.fragment)}" if parts.fragment else path
            if attribute == "src":
                node["src"] = path
            elif place in places_of:
                node["href"] = f"#{places_of[place]}"
            elif node.name == "a":  # a file beside the pages
                del node["href"]


def _from_root(name: str, path: str) -> str:
    """A path that the page ``name`` uses, seen from the root of the site."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path)))


def _head(folder: Path, names: Sequence[str]) -> Iterator[str]:
    """The style sheets of the pages and what typesets their formulas, each once."""
    given = set()
    for name in names:
        head = _parsed((folder / name).read_text("utf8").partition("</head>")[0])
        for node in [*head.select("link[rel=stylesheet]"), *head.find_all("script")]:
            if node.name == "script" and "mathjax" not in str(node).lower():
                continue
            for attribute in {"href", "src"} & set(node.attrs):
                node[attribute] = _from_root(name, urlsplit(node[attribute]).path)
            if str(node) not in given:
                given.add(str(node))
                yield str(node)


def settled(made: bytes, text: str) -> bytes:
    """The file without what differs from one printing to the next, with all offsets as they were.

    The clock gives way to the date of the commit that the pages name, and the numbers of the browser's nodes to 1, 2, …
    in the same order, which the file's tree of ids relies on.
    """
    day = re.search(r'<time datetime="(\d{4})-(\d\d)-(\d\d)">', text)
    digits = "".join(day.groups()).encode() if day else b"20000101"
    made = re.sub(rb"(/(?:Creation|Mod)Date \(D:)\d{14}", rb"\g<1>" + digits + b"000000", made)
    nodes = sorted(set(re.findall(rb"\(node(\d{8})\)", made)))
    rank = {node: b"(node%08d)" % place for place, node in enumerate(nodes, 1)}
    return re.sub(rb"\(node(\d{8})\)", lambda found: rank[found[1]], made)


def find_browser() -> str:
    """The program of headless Chromium: the one that ``CHROMIUM`` names, or the system's.

    Raises:
        SettingError: if there is none.
    """
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program or not Path(program).is_file():
        wanted = program or ", ".join(BROWSERS)
        raise SettingError(f"no browser found ({wanted}): run `apt-get install chromium`, or set CHROMIUM to one")
    return program


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A headless Chromium that speaks to nobody of its own accord."""
    with extras_named():
        from playwright.sync_api import sync_playwright
    program = find_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=list(SWITCHES))
        yield browser
        browser.close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serve files and say nothing of it."""

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, handler: type[QuietHandler] = QuietHandler) -> Iterator[str]:
    """Address, ending in a slash, of a server of the files in ``folder`` on this machine alone."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _parsed(text: str) -> "BeautifulSoup":
    with extras_named():
        from bs4 import BeautifulSoup
    return BeautifulSoup(text, "html.parser")
