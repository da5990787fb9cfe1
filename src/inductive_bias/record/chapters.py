"""Every chapter of the book, from the pages that studies and benchmarks declare: the contents are made from them."""

from functools import lru_cache
from itertools import count
from pathlib import Path

from inductive_bias import paths
from inductive_bias.benchmarks import BENCHMARKS
from inductive_bias.plotting import Link
from inductive_bias.studies import STUDIES
from inductive_bias.studies.study import Page

#: What stands before the chapters, without numbers: parts by their captions.
BEFORE = {
    "Start here": ("from-zero", "ways", "exercises", "code-to-take"),
    "The five texts": (
        "texts/recurrent-bias",
        "texts/encoding-recurrence",
        "texts/recurrent-models",
        "texts/distilling",
        "texts/transformers-and-rnns",
    ),
}
#: Pages of a part that no study declares; they stand after its declared ones.
BESIDE = {"The bias profile of a model": ("profile", "profiles/others")}
#: The last part of the book: these pages after those of the benchmarks.
RECORD = "Results and reference"
ABOUT_THE_BOOK = (
    "findings",
    "use",
    "claims",
    "gates",
    "studies",
    "glossary",
    "differences",
    "provenance",
    "bring-your-own",
    "own-layers",
    "run-it-yourself",
    "references",
)


def parts() -> dict[str, list[Page]]:
    """The parts of the book with their declared pages, in the order in which studies and benchmarks are listed.

    A page that several of them share stands where the first one declares it.
    """
    found: dict[str, list[Page]] = {}
    known: set[str] = set()
    for owner in (*STUDIES.values(), *BENCHMARKS.values()):
        if owner.pages:
            found.setdefault(owner.part, []).extend(page for page in owner.pages if page.path not in known)
            known |= {page.path for page in owner.pages}
    return found


def chapters() -> list[Page]:
    """All declared pages, in the order of the book."""
    return [page for pages in parts().values() for page in pages]


def numbered_pages() -> dict[str, list[str]]:
    """The numbered parts of the book with the paths of all their pages."""
    return {
        part: [*(page.path for page in pages), *BESIDE.get(part, ())]
        for part, pages in parts().items()
        if part != RECORD
    }


def table_of_contents() -> str:
    """The text of ``_toc.yml``."""
    lines = [
        "# The table of contents of the site, made by `inductive-bias tables` from what studies declare.",
        "# book/_toc.yml is a link to this file. The browser tests open every page named here.",
        "format: jb-book",
        "root: index",
        "parts:",
    ]
    for part, paths_ in BEFORE.items():
        lines += [f"  - caption: {part}", "    chapters:", *(f"      - file: {path}" for path in paths_)]
    for part, numbered in numbered_pages().items():
        lines += [f"  - caption: {part}", "    numbered: true"]
        lines += ["    chapters:", *(f"      - file: {path}" for path in numbered)]
    record = (*(page.path for page in parts().get(RECORD, ())), *ABOUT_THE_BOOK)
    lines += [f"  - caption: {RECORD}", "    chapters:", *(f"      - file: {path}" for path in record)]
    return "\n".join(lines) + "\n"


def chapter_of(claim: str) -> Link:
    """The page on which a claim has its place, by its title, seen from a page at the root of the site.

    Raises:
        KeyError: if no page shows it.
    """
    for study in STUDIES.values():
        for each in study.claims:
            if each.id == claim:
                return link_to(each.page, title_of(each.page))
    raise KeyError(f"no page shows claim {claim}")


def chapter_numbers() -> dict[str, int]:
    """The number of every chapter, by its path, as the site counts them: on through all parts but the last."""
    numbered = count(1)
    return {path: next(numbered) for pages in numbered_pages().values() for path in pages}


def title_of(path: str) -> str:
    """The title of a page's notebook."""
    file = paths.home() / "book" / f"{path}.ipynb"
    return _title(file, file.stat().st_mtime_ns)


@lru_cache
def _title(file: Path, changed: int) -> str:
    """Of a file, and of the time when it was changed."""
    import nbformat

    return nbformat.read(file, as_version=4).cells[0].source.splitlines()[0].removeprefix("# ")


def link_to(path: str, words: str) -> Link:
    """A page by these words, seen from the root of the site."""
    return Link(words, f"{path}.html")
