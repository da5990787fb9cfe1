"""Pages keep the scripts that they use, and their icons become a style sheet."""

import re
import urllib.parse
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import light_pages
import pydata_sphinx_theme
import pytest

SCRIPT = '<script defer src="../_static/scripts/fontawesome.js?digest=1"></script>\n'
SEARCH = "".join(f'<script src="../_static/{name}"></script>\n' for name in light_pages.OF_SEARCH)
MATH = '<script defer="defer" src="../_static/mathjax/tex-chtml.js"></script>\n'
OTHER = '<script src="../_static/book.js?v=1"></script>\n'


@pytest.fixture(scope="module")
def font_awesome():
    """The script of the theme as it is installed."""
    file = max(Path(pydata_sphinx_theme.__file__).parent.rglob("fontawesome.js"), key=lambda path: path.stat().st_size)
    return file.read_text(encoding="utf8")


def test_icons_are_named_by_their_elements():
    page = '<i class="fa-solid fa-bars"></i><span class="x fas fa-file-pdf"></span><i class="fa-solid fa-moon fa-lg">'
    assert light_pages.icons_of(page) == {"bars", "file-pdf", "moon"}
    assert light_pages.icons_of('<p class="fa-bars-of-gold">fas fa-bars</p>') == set()


def test_every_icon_is_a_drawing_in_its_own_proportions(font_awesome):
    names = {"bars", "moon", "xmark", "angle-left", "circle-half-stroke"}
    sheet = light_pages.style_sheet(names, font_awesome)
    found = dict(re.findall(r"\.fa-([a-z-]+) \{ width: ([\d.]+)em; --icon", sheet))
    assert set(found) == names
    for name, address in re.findall(r'\.fa-([a-z-]+) \{ width: .*url\("data:image/svg\+xml,([^"]+)"\)', sheet):
        root = ET.fromstring(urllib.parse.unquote(address))
        _, _, width, height = map(float, root.get("viewBox").split())
        assert float(found[name]) == pytest.approx(width / height, abs=1e-4)
        assert root[0].get("d").startswith("M")
    assert len(sheet) < 10_000


def test_a_moon_is_the_solid_one(font_awesome):
    # the outline of the regular one is drawn by two curves, one inside the other
    sheet = light_pages.style_sheet({"moon"}, font_awesome)
    assert urllib.parse.unquote(sheet).count("z") < 3


def test_an_unknown_icon_is_refused(font_awesome):
    with pytest.raises(ValueError, match="no icon 'recurrence'"):
        light_pages.style_sheet({"recurrence"}, font_awesome)


@pytest.mark.parametrize("math", [True, False])
@pytest.mark.parametrize("searches", [True, False])
def test_a_page_keeps_what_it_uses(math, searches):
    body = '<div class="math notranslate">x</div>' if math else "<p>mathematics</p>"
    found = light_pages.lighter(SCRIPT + SEARCH + MATH + OTHER + body, searches=searches)
    assert found == (SEARCH if searches else "") + (MATH if math else "") + OTHER + body


def test_a_site_is_rewritten_once(tmp_path, font_awesome):
    script = tmp_path / "_static" / light_pages.SCRIPT
    script.parent.mkdir(parents=True)
    script.write_text(font_awesome)
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "page.html").write_text(SCRIPT + '<i class="fas fa-download"></i>')
    (tmp_path / "search.html").write_text(SCRIPT + SEARCH)
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    light_pages.write(app, None)
    assert (tmp_path / "part" / "page.html").read_text() == '<i class="fas fa-download"></i>'
    assert (tmp_path / "search.html").read_text() == SEARCH
    assert not script.exists()
    assert {".fa-download {", ".fa-xmark {"} <= set(
        re.findall(r"\.fa-[a-z]+ \{", (script.parents[1] / "icons.css").read_text())
    )


def test_nothing_is_done_after_an_error_or_for_another_format(tmp_path):
    light_pages.write(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="latex")), None)
    light_pages.write(SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html")), ValueError())
