"""Every table of a page in a box: it scrolls with a cue, turns into cards on a phone, and can be had as CSV.

The HTML of tables is finished here, while a page is written, and not by the package: notebooks keep the plain tables
that they printed, and a change of looks renders none of them again. `book.css` and `scrolling.js` do the rest.
"""

import csv
import html
import re
import unicodedata
from io import StringIO
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx

#: Characters from which a cell is a sentence (as in the package's tables).
LONG = 40
#: Characters up to which a row's name is never broken: they leave room for a number beside them on a phone.
SHORT = 16
#: A table with the sheet of styles that pandas lays before it; scripts are stepped over, whatever stands in them.
TABLE = re.compile(
    r"<script\b.*?</script>|<h[1-6]\b.*?</h[1-6]>|(?P<style><style[^>]*>[^<]*</style>\s*)?(?P<table><table\b.*?</table>)",
    re.DOTALL,
)
#: What pandas writes into that sheet: columns of words are left-aligned. A class says it in a word.
LEFT = re.compile(r"#T_\w+ th\.col(\d+) {\s*text-align: left;\s*}")
ONLY_LEFT = re.compile(rf"<style[^>]*>\s*(?:{LEFT.pattern}\s*)*</style>\s*")
#: Classes that nothing refers to; they are a third of the bytes of a table.
IDLE = re.compile(r"^(data|level\d+|row\d+|col\d+|col_heading|row-odd|row-even|head)$")
ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}


def box_tables(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Put each table of a page that is about to be written into its box, and write its CSV beside the pages."""
    if doctree is None or not context.get("body"):
        return
    heading, given = "", set()

    def finished(found: re.Match) -> str:
        nonlocal heading
        if found["table"] is None:
            if found[0].startswith("<h"):
                heading = _words(BeautifulSoup(found[0], "html.parser")).rstrip("#").strip()
            return found[0]
        if "data-live" in found["table"].partition(">")[0]:  # a script's own table
            return found[0]
        table = Table(found["table"], found["style"] or "", heading)
        name = _free(slug(table.caption), given)
        place = f"_tables/{pagename}/{name}.csv"
        (file := Path(app.outdir, place)).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(table.csv(), encoding="utf8", newline="")
        return table.boxed(context["pathto"](place, 1))

    context["body"] = TABLE.sub(finished, context["body"])


class Table:
    """One table of a page.

    Args:
        text: its HTML, from ``<table`` to ``</table>``.
        style: the sheet of styles before it, or nothing.
        heading: the words of the heading above it: its caption, for who cannot see the page, if it has none.
    """

    def __init__(self, text: str, style: str = "", heading: str = "") -> None:
        self.node = BeautifulSoup(text, "html.parser").table
        self.style = "" if ONLY_LEFT.fullmatch(style) else style
        self.left = set() if self.style else {int(column) for column in LEFT.findall(style)}
        if not self.style:
            del self.node["id"]  # of use to its own sheet only
        self.head = self.node.find_all("tr") if not self.node.tbody else self.node.thead.find_all("tr")
        self.body = self.node.tbody.find_all("tr") if self.node.tbody else []
        self.columns = _columns_of(self.head + self.body)
        self.width = 1 + max(last for _, last in self.columns.values())
        self.caption = self._name(heading)
        self._mark_headers()
        self.cards = self._is_text()
        if self.cards:
            self._label_cells()

    def _name(self, heading: str) -> str:
        if self.node.caption is None or not _words(self.node.caption):
            if self.node.caption:
                self.node.caption.decompose()
            self.node.insert(0, caption := _tag("caption"))
            caption["class"] = "visually-hidden"
            caption.string = heading or "Table"
        words = _words(self.node.caption)
        # the words stay in sight while the table moves under them
        inner = _tag("span")
        inner.extend(list(self.node.caption.contents))
        self.node.caption.append(inner)
        return words

    def _mark_headers(self) -> None:
        for row in self.head:
            for cell in row.find_all(["th", "td"]):
                first, last = self.columns[id(cell)]
                cell.name = "th" if _words(cell) else "td"  # an empty corner heads nothing
                if cell.name == "th":
                    cell["scope"] = "colgroup" if last > first else "col"
                _add(cell, *(["text"] if first in self.left else []), *(["stub"] if first == 0 else []))
        for row in self.body:
            for cell in row.find_all(["th", "td"]):
                if self.columns[id(cell)][0] == 0 or cell.name == "th":
                    cell.name = "th"
                    cell["scope"] = "rowgroup" if int(cell.get("rowspan", 1)) > 1 else "row"
                _add(cell, *(["stub"] if self.columns[id(cell)][0] == 0 else []))
        for cell in self.node.find_all(["th", "td"]):
            kept = [name for name in cell.get("class", []) if self.style or not IDLE.match(name)]
            if kept:
                cell["class"] = kept
            else:
                del cell["class"]

    def _is_text(self) -> bool:
        """Whether a column other than the first holds sentences."""
        cells = (cell for row in self.body for cell in row.find_all(["th", "td"]))
        return any(self.columns[id(cell)][0] > 0 and len(_words(cell)) > LONG for cell in cells)

    def _label_cells(self) -> None:
        """The column's name in every cell, for the cards; as cards, it is a table only if its parts say so."""
        names = {self.columns[id(cell)][0]: _words(cell) for cell in self.head[-1].find_all(["th", "td"])}
        for row in self.body:
            for cell in row.find_all("td"):
                cell["data-label"] = names.get(self.columns[id(cell)][0], "")
                # every seed's number in a row: as one word it would break inside a number, where a card is narrow
                if cell.string and " " not in cell.string and len(cell.string) > LONG:
                    cell.string = cell.string.replace("\u00a0", " ")
        for part in [self.node, *self.node.find_all(list(ROLES))]:
            part["role"] = ROLES[part.name]
        for cell in self.node.find_all("th"):
            cell["role"] = "columnheader" if cell["scope"].startswith("col") else "rowheader"

    def _least(self) -> int:
        """Characters that the table needs beside one another if every line is broken where it may: for paper."""
        longest = dict.fromkeys(range(self.width), 0)
        for row in self.head + self.body:
            for cell in row.find_all(["th", "td"]):
                words = re.split(r"[ \t\n-]+", cell.get_text())  # at a no-break space there is no break
                column = self.columns[id(cell)][0]
                longest[column] = max(longest[column], *map(len, words))
        return sum(longest.values()) + 2 * self.width

    def csv(self) -> str:
        """The words of the cells, with the minus of a keyboard, as comma-separated values."""
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in self.head + self.body:
            line = [""] * self.width
            for cell in row.find_all(["th", "td"]):
                line[self.columns[id(cell)][0]] = re.sub(r"^−(?=[\d.])", "-", _words(cell))
            writer.writerow(line)
        return out.getvalue()

    def boxed(self, address: str) -> str:
        """The HTML of the box, with a link to the CSV at ``address``."""
        short = max(len(_words(cell)) for cell in self.node.select(".stub")) <= SHORT
        kind = " ".join(["table-box", *(["cards"] if self.cards else []), *(["short"] if short else [])])
        name = html.escape(f"This table as CSV: {self.caption}")
        return (
            f'{self.style}<div class="{kind}" style="--least: {self._least()}"><div class="table-frame">'
            f'<div class="table-scroll">{self.node}</div></div><div class="table-links">'
            f'<a class="table-csv" href="{html.escape(address)}" aria-label="{name}" download>CSV</a></div></div>'
        )


def slug(words: str, length: int = 60) -> str:
    """A name for a file: ASCII letters, digits and hyphens, not longer than ``length``."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
    short = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:length]
    return short.rstrip("-") or "table"


def _free(name: str, given: set[str]) -> str:
    """The name, with the first number that makes it new on its page."""
    free, number = name, 1
    while free in given:
        number += 1
        free = f"{name}-{number}"
    given.add(free)
    return free


def _columns_of(rows: list[Tag]) -> dict[int, tuple[int, int]]:
    """First and last column of every cell, by the cell's id; cells that span rows push those below to the right."""
    found, taken = {}, {}
    for row in rows:
        taken = {column: left - 1 for column, left in taken.items() if left > 1}
        place = 0
        below = dict(taken)
        for cell in row.find_all(["th", "td"], recursive=False):
            while place in taken:
                place += 1
            wide, high = int(cell.get("colspan", 1)), int(cell.get("rowspan", 1))
            found[id(cell)] = (place, place + wide - 1)
            below |= {column: high for column in range(place, place + wide) if high > 1}
            place += wide
        taken = below
    return found


def _words(node: Tag) -> str:
    return " ".join(node.get_text().split())


def _tag(name: str) -> Tag:
    return BeautifulSoup("", "html.parser").new_tag(name)


def _add(cell: Tag, *classes: str) -> None:
    if classes:
        cell["class"] = [*cell.get("class", []), *(name for name in classes if name not in cell.get("class", []))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", box_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
