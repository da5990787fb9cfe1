"""Tables that follow a figure are folded under *Beside Figure 3.1: accuracy*: a page is read for its figures first.

Which tables these are is seen from the notebooks, which stay as they are: the first cell of a section that shows a
table after one that draws a figure, and those right behind it. A cell with the tag ``open`` keeps its table open.
"""

import json
import re

from bs4 import BeautifulSoup
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx

SHOWS_A_TABLE = re.compile(r"^\s*(?:display\()?(?:\w+\.)?(?:display_)?\w*table\(", re.MULTILINE)
PARTS = re.compile(r"^(?:#|```\{more\})", re.MULTILINE)
OPEN = "open"


def fold(app: Sphinx, docname: str, source: list[str]) -> None:
    """Tag the cells of a notebook that Sphinx is about to parse, in place."""
    if not str(app.env.doc2path(docname)).endswith(".ipynb"):
        return
    notebook, behind, folded = json.loads(source[0]), False, False
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            # words between two tables say what the second is for; a new section or fold is about something else
            behind = behind and not folded and not PARTS.search("".join(cell["source"]))
            continue
        tags = cell["metadata"].setdefault("tags", [])
        shows = bool(SHOWS_A_TABLE.search("".join(cell["source"])))
        folded = behind and shows and not _draws(cell) and OPEN not in tags
        if folded:
            tags.append("hide-output")
        behind = _draws(cell) or folded
    source[0] = json.dumps(notebook)


def _draws(cell: dict) -> bool:
    return "figure" in cell.get("metadata", {}).get("mystnb", {})


def name(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Say beside which figure a table stands, and what it has: not always the numbers that the figure draws."""
    numbers, figure = app.env.toc_fignumbers.get(docname, {}).get("figure", {}), ""
    for node in doctree.findall():
        if isinstance(node, nodes.figure) and node["ids"]:
            number = ".".join(map(str, numbers.get(node["ids"][0], ())))
            figure = f"Figure {number}" if number else "the figure"
        elif isinstance(node, HideCodeCellNode) and "above-input" not in node["classes"] and figure:
            held = short_caption("".join(each.astext() for each in node.findall(nodes.raw)))
            words = f"Beside {figure}: {held}" if held else f"The numbers behind {figure}"
            node["prompt_show"] = node["prompt_hide"] = words


def short_caption(shown: str) -> str:
    """The caption of the first table in some HTML, without what it says after the first sentence or semicolon."""
    caption = BeautifulSoup(shown, "html.parser").caption
    words = caption.get_text().strip() if caption else ""
    return re.split(r"[.;](?:\s|$)", words)[0].strip()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", fold)
    app.connect("doctree-resolved", name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
