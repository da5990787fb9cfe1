"""What a notebook's cell leaves on a page, and the words that stand for it where there is no HTML."""

import html
from dataclasses import dataclass


@dataclass(frozen=True, repr=False)
class PageHTML:
    """HTML and a plain text that says the same; both are the same at every run, so that nbval can compare them."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def paragraph(text: str) -> PageHTML:
    """Words made from results, as a page's own text and not as a printed line."""
    return PageHTML(f"<p>{html.escape(text)}</p>", text)
