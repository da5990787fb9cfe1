"""Fold the code of every notebook cell behind a 'Show code' toggle, unless the cell's tags say otherwise.

MyST-NB folds by cell tag only; a page is read for its figures first, so the tag is the default here rather than a line
that every cell of every notebook (and papermill's injected ones) must carry. The notebooks themselves stay untouched.
"""

import json

from sphinx.application import Sphinx

#: A cell with one of these decides for itself; ``show-input`` leaves the code open.
OWN_WISH = {"hide-input", "hide-cell", "remove-input", "remove-cell", "show-input"}


def fold(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add the tag ``hide-input`` to the code cells of a notebook that Sphinx is about to parse, in place."""
    if not str(app.env.doc2path(docname)).endswith(".ipynb"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        tags = cell["metadata"].setdefault("tags", []) if cell["cell_type"] == "code" else None
        if tags is not None and not OWN_WISH.intersection(tags):
            tags.append("hide-input")
    source[0] = json.dumps(notebook)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", fold)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
