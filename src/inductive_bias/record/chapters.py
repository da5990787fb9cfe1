"""Every chapter of the book, from the pages that studies and benchmarks declare, in the order of the contents."""

import pandas as pd

from inductive_bias import places
from inductive_bias.benchmarks import BENCHMARKS
from inductive_bias.book import contents
from inductive_bias.plotting import Link
from inductive_bias.studies import STUDIES
from inductive_bias.studies.study import Page


def chapters() -> list[Page]:
    """The declared pages that are in the table of contents, in its order."""
    declared = {page.path: page for owner in (*STUDIES.values(), *BENCHMARKS.values()) for page in owner.pages}
    book = places.home() / "book"
    order = [path.relative_to(book).with_suffix("").as_posix() for path in contents()]
    return [declared[path] for path in order if path in declared]


def chapter_of(claim: str) -> Link:
    """The page on which a claim has its place, by its short name, seen from a page at the root of the site.

    Raises:
        KeyError: if no page shows it.
    """
    for study in STUDIES.values():
        for page in study.pages:
            if claim in page.claims:
                return Link(page.path.split("/")[-1], f"{page.path}.html")
    raise KeyError(f"no page shows claim {claim}")


def chapter_table() -> pd.DataFrame:
    """One row a chapter: ``chapter`` (a link) and ``the question behind it``."""
    return pd.DataFrame(
        {"chapter": Link(page.path.split("/")[-1], f"{page.path}.html"), "the question behind it": page.question}
        for page in chapters()
    )
