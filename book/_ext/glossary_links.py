"""Where a word of the glossary first stands in the text of a page, it leads there; the notebooks stay as they are."""

import re

from docutils import nodes
from sphinx.application import Sphinx

#: Text within these stays as it is: it is a link or a name already, or no running text.
LEAVE = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.raw, nodes.math, nodes.term,
         nodes.caption, nodes.figure, nodes.table)  # fmt: skip
#: Words that the text uses in their plain sense as well.
PLAIN = {"scale", "control"}
#: Words that mean something else on some pages: a gate of an LSTM, a margin between two outputs.
OTHER_SENSE = {
    "gate": {f"stability/{name}" for name in ("cost", "forgetting", "truncation", "feed_forward")} | {"automata/mlp"},
    "margin": {"automata/explanation", "automata/real_world"},
}
#: Pages that are no running text: titles of papers have words of their own.
UNLINKED = {"glossary", "references"}
#: Words that are written in other ways too, by their name in the glossary.
ALSO = {"preamble": "preambles", "attractor": "attractors", "twin": "twins", "student": "students",
        "soft target": "soft targets", "decay": "decays", "seed": "seeds", "gate": "gates", "margin": "margins",
        "interval": "intervals", "barrier": "barriers", "head": "heads"}  # fmt: skip


def link_terms(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make the first of each word in a page's paragraphs a link."""
    terms = {name: target for _, name, kind, *target in app.env.domains["std"].get_objects() if kind == "term"}
    plain = PLAIN | {name for name, pages in OTHER_SENSE.items() if docname in pages}
    terms = {name: target for name, target in terms.items() if name not in plain}
    if docname in UNLINKED or not terms:
        return
    spelt = {word: name for name in terms for word in (name, ALSO.get(name, name))}
    longest_first = sorted(spelt, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, longest_first))})(?![\w-])")
    given: set[str] = set()

    def linked(text: nodes.Text) -> list[nodes.Node]:
        parts, end, words = [], 0, text.astext()
        for found in pattern.finditer(words):
            name = spelt[found[0]]
            if name not in given:
                given.add(name)
                page, anchor, _ = terms[name]
                link = nodes.reference("", found[0], internal=True, classes=["term"])
                link["refuri"] = f"{app.builder.get_relative_uri(docname, page)}#{anchor}"
                parts += [nodes.Text(words[end : found.start()]), link]
                end = found.end()
        return [*parts, nodes.Text(words[end:])]

    for text in [text for text in doctree.findall(nodes.Text) if _runs(text)]:
        text.parent.replace(text, linked(text))


def _runs(text: nodes.Text) -> bool:
    """Whether it is part of a page's running text."""
    around, node = [], text.parent
    while node is not None:
        around.append(node)
        node = node.parent
    return any(isinstance(each, nodes.paragraph) for each in around) and not any(isinstance(e, LEAVE) for e in around)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("doctree-resolved", link_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
