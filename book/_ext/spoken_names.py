"""Names that a screen reader says are those that a page shows: a fold has its title, a button its words.

MyST-NB calls every fold *Toggle hidden content*, whatever its line says, and the theme calls its field of the search
otherwise than the words in sight. Both are named by their text once the label is gone.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

FOLD = re.compile(r'(<summary\b[^>]*?) aria-label="Toggle hidden content"')
SEARCH = re.compile(r'(<button class="[^"]*\bsearch-button-field\b[^>]*?)(?: title="Search")? aria-label="Search"')


def named_as_shown(page: str) -> str:
    """A page without labels that hide the text they stand on."""
    return SEARCH.sub(r"\1", FOLD.sub(r"\1", page))


def write(app: Sphinx, error: Exception | None) -> None:
    """Rewrite every page."""
    if error or app.builder.format != "html":
        return
    for file in Path(app.outdir).rglob("*.html"):
        if "_static" not in file.relative_to(app.outdir).parts:
            file.write_text(named_as_shown(file.read_text(encoding="utf8")), encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx; pages are finished by then."""
    app.connect("build-finished", write, priority=890)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
