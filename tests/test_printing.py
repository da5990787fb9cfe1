"""One document out of several pages; the browser tests print it."""

import pytest
from bs4 import BeautifulSoup

from inductive_bias.errors import SettingError
from inductive_bias.site import printing

PAGE = """<!DOCTYPE html><html><head><title>{title} — The book</title>
<link rel="stylesheet" href="{up}_static/a.css?v=1" /><script src="{up}_static/mathjax.js"></script>
<script src="{up}_static/other.js"></script></head><body><nav class="bd-links"><div class="bd-toc-item">
<p role="heading">Part</p><a class="reference internal" href="{up}part/one.html">One</a></div></nav>
<article class="bd-article">{article}</article><div class="extra_footer">Built</div></body></html>"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "part").mkdir()
    first = (
        '<section id="same"><h1>First<a class="headerlink" href="#same">#</a></h1>'
        '<a href="part/one.html#same">there</a>'
        '<a href="part/one.html">page</a><a href="#same">here</a><a href="_sources/x.ipynb">file</a>'
        '<a href="https://example.org/#same">out</a><img src="_images/i.png"/></section>'
    )
    second = (
        '<section id="same"><details><summary>More</summary><p id="own">x</p></details>'
        '<details class="above-input">code</details><img src="../_images/i.png"/>'
        '<a href="../index.html">back</a></section>'
    )
    (tmp_path / "index.html").write_text(PAGE.format(title="First", up="", article=first))
    (tmp_path / "part" / "one.html").write_text(PAGE.format(title="One", up="../", article=second))
    return tmp_path


def test_links_lead_into_the_document_and_no_id_is_given_twice(site):
    book = BeautifulSoup(printing.one_document(site), "html.parser")
    ids = [node["id"] for node in book.select("[id]")]
    assert sorted(ids) == sorted(["page-index", "same", "page-part-one", "page-part-one--same", "own"])
    links = {link.get_text(): link.get("href") for link in book.select("article a")}
    assert links == {
        "there": "#page-part-one--same",
        "page": "#page-part-one",
        "here": "#same",
        "file": None,
        "out": "https://example.org/#same",
        "back": "#page-index",
    }
    assert book.select_one(".contents a")["href"] == "#page-part-one"


def test_pictures_and_styles_are_found_from_the_root_and_each_once(site):
    book = BeautifulSoup(printing.one_document(site), "html.parser")
    assert [image["src"] for image in book.find_all("img")] == ["_images/i.png"] * 2
    assert [link["href"] for link in book.head.find_all("link")] == ["_static/a.css"]
    assert [script["src"] for script in book.head.find_all("script")] == ["_static/mathjax.js"]


def test_what_is_folded_is_opened_and_code_is_left_out(site):
    book = BeautifulSoup(printing.one_document(site), "html.parser")
    (details,) = book.find_all("details")
    assert details.has_attr("open")
    assert not book.select(".headerlink")
    assert book.title.get_text() == "The book"
    assert "Built" in book.select_one(".of-the-book").get_text()


def test_clock_and_node_numbers_give_way_to_what_is_always_the_same():
    made = b"/CreationDate (D:20991231235959+00'00')\n/ID (node00000170)\n/ID (node00000031) (node00000170)"
    want = b"/CreationDate (D:20260102000000+00'00')\n/ID (node00000002)\n/ID (node00000001) (node00000002)"
    assert printing.settled(made, '<time datetime="2026-01-02">') == want
    assert b"(D:20000101000000" in printing.settled(made, "no commit")


def test_a_missing_site_and_a_missing_browser_are_told(tmp_path, monkeypatch):
    with pytest.raises(SettingError, match=r"there is no built site in .*: run `make site` first"):
        printing.print_site(tmp_path, tmp_path / "book.pdf")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(SettingError, match=r"no browser found \(.*none\): run"):
        printing.find_browser()
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingError, match=r"no browser found \(chromium, chromium-browser"):
        printing.find_browser()
