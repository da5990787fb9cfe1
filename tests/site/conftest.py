"""The built site on a local port, and a headless Chromium to read it with.

Nothing here skips: a site that is not built or a browser that is missing fails the tests and says what to do.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page

from inductive_bias.record.chapters import chapters
from inductive_bias.site.printing import chromium, served

ROOT = Path(__file__).parents[2]
HTML = ROOT / "book" / "_build" / "html"


def pages_of_toc() -> list[str]:
    """Every page of the table of contents, as a path below the site's root."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))

    def files(node: dict) -> Iterator[str]:
        if "file" in node:
            yield node["file"]
        for key in ("parts", "chapters", "sections"):
            for child in node.get(key, []):
                yield from files(child)

    return [f"{Path(name).with_suffix('') if Path(name).suffix else name}.html" for name in [toc["root"], *files(toc)]]


def pytest_generate_tests(metafunc):
    """A test with an argument ``page_name`` runs once a page, one with ``chapter`` once a chapter."""
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", pages_of_toc(), scope="session")
    if "chapter" in metafunc.fixturenames:
        metafunc.parametrize(
            "chapter", [f"{page.path}.html" for page in chapters() if "/" in page.path], scope="session"
        )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests that open one page, or share what their file makes, stay with one worker: each is opened and made once."""
    for item in items:
        if not item.get_closest_marker("site"):
            continue
        given = item.callspec.params if hasattr(item, "callspec") else {}
        item.add_marker(pytest.mark.xdist_group(given.get("page_name", item.path.name)))


@pytest.fixture(scope="session")
def toc() -> list[str]:
    """Every page of the table of contents."""
    return pages_of_toc()


@pytest.fixture(scope="session")
def html() -> Path:
    """Folder of the built site."""
    if not (HTML / "index.html").is_file():
        pytest.fail("the site is not built: run `make book` first", pytrace=False)
    return HTML


@pytest.fixture(scope="session")
def address(html: Path) -> Iterator[str]:
    """Address of a server of the built site, ending in a slash."""
    with served(html) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium: the one that ``CHROMIUM`` names, or the system's; without one the tests fail."""
    with chromium() as found:
        yield found


class Visit:
    """A page that was opened, and everything it asked for and complained about."""

    def __init__(self, page: Page, url: str):
        self.page, self.requests, self.failures, self.complaints = page, [], [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self.failures.append(f"{request.url}: {request.failure}"))
        page.on(
            "response", lambda answer: answer.status >= 400 and self.failures.append(f"{answer.url}: {answer.status}")
        )
        page.on("console", lambda line: line.type in ("error", "warning") and self.complaints.append(line.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(url, wait_until="load")
        # formulas are typeset after the page has loaded, and MathJax fetches its fonts only then
        page.evaluate("async () => { if (window.MathJax?.startup) await MathJax.startup.promise }")
        page.wait_for_load_state("networkidle")


@pytest.fixture(scope="session")
def visits(browser: Browser) -> Iterator[dict[str, Visit]]:
    """The page that was opened last by its name; see :func:`visit`."""
    opened: dict[str, Visit] = {}
    yield opened
    for visit in opened.values():
        visit.page.close()


@pytest.fixture
def visit(page_name: str, browser: Browser, address: str, visits: dict[str, Visit]) -> Visit:
    """The page ``page_name`` at the size of a desk, opened once for all tests that look at it, which follow another."""
    if page_name not in visits:
        for other in list(visits):
            visits.pop(other).page.close()
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        visits[page_name] = Visit(page, address + page_name)
    visits[page_name].page.set_viewport_size({"width": 1280, "height": 900})
    return visits[page_name]
