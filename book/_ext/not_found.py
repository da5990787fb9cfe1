"""A page for addresses that lead nowhere: hosts of static pages show `404.html`, at whatever depth the address was.

Nothing on it may be relative, for the same file is shown at every depth. Where the site knows its address, that is the
base of its links; where it does not, a script looks for the nearest folder above that holds the site.
"""

import html
from pathlib import Path

from sphinx.application import Sphinx

#: Page of the site → what the link says.
LEADS_TO = {"index.html": "The first page", "claims.html": "All claims", "search.html": "Search"}

STYLE = """
  body { font: 1.1rem/1.6 system-ui, sans-serif; margin: 15vh auto; max-width: 32rem; padding: 0 1.2rem;
    color: #1d232b; background: #fff; }
  a { color: #0a5fb4; }
  @media (prefers-color-scheme: dark) { body { color: #ced6dd; background: #121212; } a { color: #7ab8ff; } }
"""
SCRIPT = """
  (async () => {
    const folders = location.pathname.split("/").slice(1, -1);
    for (let depth = folders.length; depth >= 0; depth--) {
      const root = "/" + folders.slice(0, depth).map((name) => name + "/").join("");
      const answer = await fetch(root + "objects.inv", { method: "HEAD" }).catch(() => ({ ok: false }));
      if (!answer.ok) continue;
      document.querySelectorAll("a").forEach((link) => { link.href = root + link.dataset.page; });
      return;
    }
  })();
"""


def page(title: str, language: str, address: str) -> str:
    """The whole page.

    Args:
        title: of the site.
        language: of its text.
        address: of the site, ending in a slash; empty if it does not know it.
    """
    base = html.escape(address or "/")
    links = "".join(
        f'<li><a href="{base}{name}" data-page="{name}">{words}</a></li>' for name, words in LEADS_TO.items()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8" />\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1" />\n'
        '<meta name="robots" content="noindex" />\n<link rel="icon" href="data:," />\n'
        f"<title>Page not found — {html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        "<main>\n<h1>There is no page here</h1>\n<p>The address leads nowhere: a page may have been renamed, or the "
        f"link has a slip in it. <em>{html.escape(title)}</em> goes on here:</p>\n<ul>{links}</ul>\n</main>\n"
        f"{'' if address else f'<script>{SCRIPT}</script>'}\n</body>\n</html>\n"
    )


def write(app: Sphinx, error: Exception | None) -> None:
    """Write it beside the first page."""
    if not error and app.builder.format == "html":
        text = page(app.config.html_title, app.config.language, app.config.html_baseurl)
        Path(app.outdir, "404.html").write_text(text, encoding="utf8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
