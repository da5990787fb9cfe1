"""What search engines and previews of links read: a description for each page, a picture, and a map of the site.

A description and a title need no address. A picture, a canonical link and a sitemap must name the host, so they are
there only if the site knows where it will stand: `html.baseurl` in `_config.yml`, or the environment variable SITE_URL,
which the workflow that publishes the pages sets.
"""

import html
import os
import re
from pathlib import Path
from shutil import copyfile

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

#: Longer ones are cut off by whoever shows them.
LONGEST = 200
#: A paragraph in one of these is not the page's own prose.
ASIDE = (nodes.figure, nodes.table, nodes.footnote, nodes.citation, nodes.Admonition)
PICTURE = "images/hero.png"
PICTURE_ON_SITE = "_images/social.png"


def take_address(app: Sphinx, config: Config) -> None:
    """The site's address from the environment, if the settings name none; it ends in a slash."""
    address = config.html_baseurl or os.environ.get("SITE_URL", "")
    config.html_baseurl = address and address.rstrip("/") + "/"


def describe(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Add the description of a page and what a preview of a link to it shows."""
    if doctree is None:
        return
    address, title = app.config.html_baseurl, _plain(context["title"])
    description = description_of(doctree) or f"{title}: a page of “{app.config.html_title}”."
    facts = {
        "og:title": title,
        "og:description": description,
        "og:type": "website" if pagename == app.config.root_doc else "article",
        "og:site_name": app.config.html_title,
    }
    if address:
        page = "" if pagename == app.config.root_doc else f"{pagename}.html"
        facts |= {"og:url": address + page, "og:image": address + PICTURE_ON_SITE}
    tags = [_meta("name", "description", description), *(_meta("property", *fact) for fact in facts.items())]
    tags += [_meta("name", "twitter:card", "summary_large_image")] if address else []
    context["metatags"] = context.get("metatags", "") + "\n" + "\n".join(tags)


def description_of(doctree: nodes.document) -> str:
    """The first paragraph of prose, cut after a whole sentence, or else a whole word; nothing if there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        node = paragraph.parent
        while node is not None and not isinstance(node, ASIDE):
            node = node.parent
        if node is None and len(words := " ".join(_prose(paragraph).split()).split(" ")) > 4:
            return shortened(" ".join(words).rstrip(",:")) + ("…" if words[-1][-1] in ",:" else "")
    return ""


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, or as many of its first sentences as fit, or else of its words."""
    if len(text) <= longest:
        return text
    start = text[:longest]
    sentences = re.match(r".*(?<!\bal)[.?!](?=\s)", start + text[longest])
    if sentences and len(sentences[0]) > longest // 3:
        return sentences[0]
    return start[: longest - 1].rpartition(" ")[0].rstrip(" ,;:–—") + "…"


def write_site_map(app: Sphinx, error: Exception | None) -> None:
    """The sitemap, which is valid with whole addresses only, and the picture of the previews."""
    address = app.config.html_baseurl
    if error or not address or app.builder.format != "html":
        return
    pages = sorted("" if page == app.config.root_doc else f"{page}.html" for page in app.env.found_docs)
    lines = [f"  <url><loc>{html.escape(address + page)}</loc></url>" for page in pages]
    kind = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    text = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<urlset {kind}>", *lines, "</urlset>", ""])
    Path(app.outdir, "sitemap.xml").write_text(text, encoding="utf8")
    (picture := Path(app.outdir, PICTURE_ON_SITE)).parent.mkdir(exist_ok=True)
    copyfile(Path(app.srcdir, PICTURE), picture)


def _prose(paragraph: nodes.paragraph) -> str:
    """The words; of a formula the letters without LaTeX's marks."""
    return "".join(
        re.sub(r"\\[,;!]|\\(?:math\w+|text)|[\\{}$]", "", part.astext()) if isinstance(part.parent, nodes.math)
        else part.astext()
        for part in paragraph.findall(nodes.Text)
    )  # fmt: skip


def _plain(title: str) -> str:
    """A page's title without tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", title))


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{html.escape(content)}" />'


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", take_address)
    app.connect("html-page-context", describe)
    app.connect("build-finished", write_site_map)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
