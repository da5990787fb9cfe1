"""How to cite the book, from CITATION.cff, on its first page and the texts'; its commit, at the foot of each page."""

import html
import subprocess
from datetime import date
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes
from placeholder import is_real
from pybtex.database import Entry, Person
from sphinx.application import Sphinx

ANCHOR = "cite-this"
#: Pages of this folder are about a text of others, and say how to cite both.
TEXTS = "texts/"


class Commit(NamedTuple):
    """The commit of a checkout, and whether files that git knows differ from it."""

    name: str
    day: date
    changed: bool

    def __str__(self) -> str:
        return self.name[:10] + ("+changes" if self.changed else "")


def commit_of(folder: Path) -> Commit | None:
    """The commit that ``folder`` is a checkout of; None if it is not, or if there is no git."""
    try:
        name, day = _git(folder, "log", "-1", "--format=%H %cs").split()
        return Commit(name, date.fromisoformat(day), bool(_git(folder, "status", "--porcelain", "-uno")))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def reference(about: dict, commit: Commit | None) -> Entry:
    """The entry of a bibliography for what CITATION.cff describes.

    Args:
        about: the file's content.
        commit: of the checkout; it gives the year if the file names no date of a release.
    """
    people = [
        Person(last=f"{{{each['name']}}}") if "name" in each
        else Person(first=each.get("given-names", ""), last=each["family-names"])
        for each in about["authors"]
    ]  # fmt: skip
    released = about.get("date-released")
    fields = {
        "title": f"{{{about['title']}}}",
        "version": str(about.get("version", "")),
        "year": str(released)[:4] if released else str(commit.day.year) if commit else "",
        "url": about.get("repository-code", "") if is_real(about.get("repository-code")) else "",
        "note": f"commit {commit}" if commit else "",
    }
    return Entry(about["type"], {name: text for name, text in fields.items() if text}, {"author": people})


def cite_box(about: dict, commit: Commit | None, title: str = "Cite this") -> str:
    """HTML of a section under that title: the file's own request, the reference as text, and as BibTeX."""
    entry = reference(about, commit)
    entry.key = about["title"].split(":")[0].replace(" ", "-")
    fields = {name: text.strip("{}") for name, text in entry.fields.items()}
    people = ", ".join(str(person).strip("{}") for person in entry.persons["author"])
    year = f" ({fields['year']})" if "year" in fields else ""
    version = f"version {fields['version']}" if "version" in fields else ""
    text = f"{html.escape(people + year)}. <cite>{html.escape(fields['title'])}</cite>"
    text += "".join(f", {html.escape(each)}" for each in (version, fields.get("note"), fields.get("url")) if each)
    return (
        f'<section id="{ANCHOR}" class="cite-this"><h2>{html.escape(title)}'
        f'<a class="headerlink" href="#{ANCHOR}" title="Link to this heading">#</a></h2>'
        f"<p>{html.escape(about['message'])}</p><p>{text}.</p>"
        '<div class="highlight-bibtex notranslate"><div class="highlight">'
        f"<pre>{html.escape(entry.to_string('bibtex').rstrip())}\n</pre></div></div></section>"
    )


def read_facts(app: Sphinx) -> None:
    """Read the commit and the file once a build."""
    root = Path(app.srcdir).parent
    app.cited_commit = commit_of(root)
    app.cited = yaml.safe_load((root / "CITATION.cff").read_text("utf8"))


def add_to_page(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Put the box at the end of the first page and of the texts', and the commit with a link to it on every page."""
    root, commit = app.config.root_doc, app.cited_commit
    if pagename.startswith(TEXTS) and doctree is not None:
        context["body"] += cite_box(app.cited, commit, "How to cite this book")
    if pagename == root and doctree is not None:
        context["body"] += cite_box(app.cited, commit)
    lines = [context.get("theme_extra_footer") or ""]
    if commit:
        day = f"{commit.day.day} {commit.day:%B %Y}"
        lines.append(f'Built from commit <code>{commit}</code> of <time datetime="{commit.day}">{day}</time>.')
    place = "" if pagename == root else context["pathto"](root)
    lines.append(f'<a href="{place}#{ANCHOR}">Cite this</a>')
    context["theme_extra_footer"] = "<br/>".join(filter(None, lines))


def _git(folder: Path, *arguments: str) -> str:
    answer = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return answer.stdout.strip()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", read_facts)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
