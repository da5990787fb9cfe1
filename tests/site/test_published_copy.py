"""A copy with a repository and an address of its own, and one without: two small books with the real settings."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

pytestmark = pytest.mark.site

ROOT = Path(__file__).parents[2]
PLACEHOLDER = "https://github.com/inductive-bias/inductive-bias"
SITE = "https://example.org/book/"


def built(folder: Path, repository: str, **environment: str) -> Path:
    """A book of a page and a notebook; returns the folder of its HTML."""
    book = folder / "book"
    shutil.copytree(ROOT / "book" / "_ext", book / "_ext", ignore=shutil.ignore_patterns("__pycache__"))
    # pages that moved within the real book lead nowhere in this one
    moved = book / "_ext" / "moved.py"
    emptied = re.sub(r"^MOVED = \{.*?\}$", "MOVED = {}", moved.read_text("utf8"), flags=re.MULTILINE | re.DOTALL)
    moved.write_text(emptied, "utf8")
    shutil.copytree(ROOT / "book" / "_static", book / "_static")
    (book / "images").mkdir()
    shutil.copy(ROOT / "book" / "images" / "hero.png", book / "images")
    shutil.copy(ROOT / "book" / "references.bib", book)
    shutil.copy(ROOT / "CITATION.cff", folder)
    (book / "_config.yml").write_text((ROOT / "_config.yml").read_text("utf8").replace(PLACEHOLDER, repository))
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\nchapters:\n  - file: part/chapter\n")
    (book / "index.md").write_text(
        "# First\n\nA first page with a paragraph of prose.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    chapter = new_notebook(cells=[new_markdown_cell("# Second\n\nA second page that says something else.")])
    chapter.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    (book / "part").mkdir()
    nbformat.write(chapter, book / "part" / "chapter.ipynb")
    program = "import sys; from jupyter_book.cli.main import main; sys.exit(main())"
    kept = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
    # the folder is in no repository: nothing above it may be taken for its checkout
    kept |= {"GIT_CEILING_DIRECTORIES": str(folder)}
    answer = subprocess.run(
        [sys.executable, "-c", program, "build", str(book), "--all", "--quiet"],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return book / "_build" / "html"


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    return built(tmp_path_factory.mktemp("real"), "https://github.com/ann/companion", SITE_URL=SITE.rstrip("/"))


@pytest.fixture(scope="module")
def unpublished(tmp_path_factory):
    return built(tmp_path_factory.mktemp("unpublished"), PLACEHOLDER)


def test_without_a_repository_nothing_leads_to_one(unpublished):
    for page in unpublished.rglob("*.html"):
        text = page.read_text("utf8")
        for sign in (PLACEHOLDER, "colab.research", "source-repository-button", "source-issues-button"):
            assert sign not in text, (page.name, sign)


def test_with_a_repository_its_buttons_and_a_plain_link_to_colab_are_there(real):
    text = (real / "part" / "chapter.html").read_text("utf8")
    links = re.findall(r'href="(https?://[^"]+)"', text)
    assert "https://colab.research.google.com/github/ann/companion/blob/main/book/part/chapter.ipynb" in links
    assert "https://github.com/ann/companion" in links
    assert any(link.startswith("https://github.com/ann/companion/issues/new") for link in links)
    assert "colab.research" not in (real / "index.html").read_text("utf8")  # no notebook


def test_colab_is_asked_for_nothing_before_it_is_clicked(real, browser):
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((real / "part" / "chapter.html").as_uri(), wait_until="load")
    page.close()
    assert asked
    assert all(url.startswith(("file:", "data:")) for url in asked)


def test_with_an_address_there_are_a_sitemap_canonical_links_and_pictures_in_previews(real):
    tree = ElementTree.parse(real / "sitemap.xml")
    found = [node.text for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert found == [SITE, f"{SITE}part/chapter.html"]
    text = (real / "part" / "chapter.html").read_text("utf8")
    assert f'<link rel="canonical" href="{SITE}part/chapter.html"' in text
    assert f'property="og:url" content="{SITE}part/chapter.html"' in text
    (picture,) = re.findall(r'property="og:image" content="([^"]+)"', text)
    assert (real / picture.removeprefix(SITE)).read_bytes() == (ROOT / "book" / "images" / "hero.png").read_bytes()
    assert f'<a href="{SITE}index.html"' in (real / "404.html").read_text("utf8")


def test_without_an_address_nothing_pretends_to_have_one(unpublished):
    assert not (unpublished / "sitemap.xml").exists()
    text = (unpublished / "part" / "chapter.html").read_text("utf8")
    for sign in ('rel="canonical"', "og:image", "og:url", "twitter:card"):
        assert sign not in text
    assert '<meta name="description" content="A second page that says something else."' in text


def test_outside_a_checkout_no_commit_is_named(unpublished):
    text = (unpublished / "index.html").read_text("utf8")
    assert "Built from commit" not in text
    assert 'href="#cite-this"' in text


def test_the_same_sources_give_the_same_pages(unpublished, tmp_path):
    again = built(tmp_path, PLACEHOLDER)
    files = sorted(path.relative_to(unpublished) for path in unpublished.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again) for path in again.rglob("*") if path.is_file())
    different = [name for name in files if (unpublished / name).read_bytes() != (again / name).read_bytes()]
    assert [str(name) for name in different if name.suffix in (".html", ".csv", ".js", ".css", ".xml")] == []
