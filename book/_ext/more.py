"""The rest of a section under a fold: ``{more}`` with a line that says what is there.

A page shows a few figures and tables, and whoever wants more finds it where it belongs. In Markdown

    ```{more} Every run, and the paper's numbers
    ```

folds all that follows, text as well as cells, up to the next heading or the next ``{more}``. It is the browser's own
`<details>`: it needs no script, it can be opened by keys, and a search in the page finds what is in it.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)


class Fold(nodes.General, nodes.Element):
    """What is folded, with its line in ``words``."""


class More(SphinxDirective):
    """The place where a fold begins."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """An empty fold; :class:`Gather` fills it when the whole page has been read."""
        fold = Fold(words=self.arguments[0])
        self.set_source_info(fold)
        return [fold]


class Gather(SphinxTransform):
    """Put into each fold what follows it in its section; a fold of nothing is a warning, at which a build ends."""

    default_priority = 200  # while headings are still where they were written, before figures are numbered

    def apply(self) -> None:
        """Move the nodes."""
        for fold in list(self.document.findall(Fold)):
            siblings, start = fold.parent.children, fold.parent.index(fold) + 1
            stop = next((place for place in range(start, len(siblings))
                         if isinstance(siblings[place], Fold | nodes.section)), len(siblings))  # fmt: skip
            followers = siblings[start:stop]
            if not followers:
                LOGGER.warning("nothing follows {more} before the next heading", location=fold)
            for each in followers:
                fold.parent.remove(each)
            fold += followers


def visit(translator: HTML5Translator, node: Fold) -> None:
    """Open the fold's box."""
    translator.body.append(f'<details class="more"><summary>More: {escape(node["words"])}</summary>\n')


def depart(translator: HTML5Translator, _: Fold) -> None:
    """Close it."""
    translator.body.append("</details>\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(Fold, html=(visit, depart))
    app.add_directive("more", More)
    app.add_transform(Gather)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
