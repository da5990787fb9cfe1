"""A search finds what a page says: the index has no folded code, which nobody reads, and no list of a page's contents.

What the results show beside a title is chosen in `search_text.js`.
"""

from docutils import nodes
from sphinx.application import Sphinx

#: The class of a cell whose code is open on the page.
OPEN = "tag_show-input"


def without_what_nobody_reads(doctree: nodes.document) -> nodes.document:
    """A copy of a page without the code of its folded cells and without the list of its contents."""
    page = doctree.deepcopy()
    for node in list(page.findall(nodes.Element)):
        code = node.get("nb_element") == "cell_code_source" and not _is_open(node)
        listed = isinstance(node, nodes.topic) and "contents" in node["classes"]
        if (code or listed) and node.parent is not None:
            node.parent.remove(node)
    return page


def _is_open(node: nodes.Element) -> bool:
    while node is not None:
        if OPEN in node.get("classes", []):
            return True
        node = node.parent
    return False


def choose(app: Sphinx) -> None:
    """Put the choice between the builder and its index."""
    if not hasattr(app.builder, "index_page"):
        return
    index = app.builder.index_page
    app.builder.index_page = lambda name, doctree, title: index(name, without_what_nobody_reads(doctree), title)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", choose)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
