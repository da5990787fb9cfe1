"""Every figure in a box that never shrinks its text below what can be read: on a narrow page it scrolls, with a cue.

A drawing that is shrunk to the width of a phone has letters of three or four pixels. How far one may be shrunk follows
from its own width and from the smallest letters that the book draws, so that it is settled while a page is written;
`book.css` and `scrolling.js` do the rest. Where panels stand side by side a phone gets another picture, in which they
are under one another, and need not scroll. The size of an image is told as well, so that nothing jumps while it loads.
"""

import re
from functools import cache
from pathlib import Path

from docutils import nodes
from PIL import Image, UnidentifiedImageError
from sphinx.application import Sphinx
from stacked_panels import stacked

#: Points of the smallest letters in a figure, the dots per inch that figures are drawn with, and the pixels of a page
#: below which letters must not fall.
SMALLEST, DPI, READABLE = 8.0, 150, 9.0
#: Pixels that a figure has on a phone, and up to how many pixels of a window a screen is taken for one (book.css).
COLUMN, PHONE = 382, 600
IMAGE = re.compile(r'<img (?P<before>[^>]*?)src="(?P<place>[^"]*_images/(?P<name>[^"/]+\.png))"(?P<after>[^>]*?)/?>')


def least_width(width: int) -> int:
    """To how many pixels of a page a figure of so many pixels may be shrunk."""
    return round(width * READABLE / (SMALLEST / 72 * DPI))


def widest(column: int) -> int:
    """How many pixels a figure may have that is shrunk to a column of so many pixels of a page."""
    return int(column * (SMALLEST / 72 * DPI) / READABLE)


@cache
def for_a_phone(path: Path, target: Path) -> tuple[int, int] | None:
    """Write the figure with its panels under one another; its size, or None if it fits as it is or cannot be cut."""
    with Image.open(path) as picture:
        found = stacked(picture, widest(COLUMN))
    if found is None:
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    found.save(target)
    return found.size


@cache
def size_of(path: Path) -> tuple[int, int] | None:
    """Width and height of a picture; None if the file is none."""
    try:
        with Image.open(path) as picture:
            return picture.size
    except UnidentifiedImageError:
        return None


def box_figures(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Put each figure of a page that is about to be written into its box."""
    if doctree is None or not context.get("body"):
        return
    paths = {name: Path(app.srcdir, path) for path, (_, name) in app.env.images.items()}

    def boxed(found: re.Match) -> str:
        size = size_of(paths[found["name"]]) if found["name"] in paths else None
        if size is None or "style=" in found[0]:
            return found[0]
        width, height = size
        name, least = found["name"].replace(".png", "-phone.png"), f"--least: {least_width(width)}px"
        if phone := for_a_phone(paths[found["name"]], Path(app.outdir, "_images", name)):
            least += f"; --least-on-phone: {least_width(phone[0])}px"
        image = f'<img {found["before"]}src="{found["place"]}"{found["after"]} width="{width}" height="{height}" '
        image += f'style="{least}" />'
        if phone:
            place, wide = found["place"].replace(found["name"], name), f'width="{phone[0]}" height="{phone[1]}"'
            source = f'<source media="(max-width: {PHONE}px)" srcset="{place}" {wide} />'
            image = f"<picture>{source}{image}</picture>"
        return f'<span class="figure-box"><span class="figure-scroll">{image}</span></span>'

    context["body"] = IMAGE.sub(boxed, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", box_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
