"""The five texts behind the book, and the chapters that test each: what a reader of one of them looks for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FiveText:
    """One of the five texts.

    Attributes:
        key: short, for addresses: ``claims.html?text=rsa``.
        title: of the text.
        author: the first author and the year.
        asks: its question, in a line.
        pages: the paths of its chapters begin so.
    """

    key: str
    title: str
    author: str
    asks: str
    pages: tuple[str, ...]

    @property
    def words(self) -> str:
        """Title and author in a line."""
        return f"{self.title} ({self.author})"

    @property
    def address(self) -> str:
        """Where its claims are shown, seen from the root of the site."""
        return f"claims.html?text={self.key}#every-claim"


#: By the order in which they build on one another.
TEXTS = (
    FiveText(
        "bias",
        "Recurrent inductive bias",
        "Abnar 2020",
        "Which parts make up the recurrent bias?",
        ("recurrence/bias", "recurrence/ladder"),
    ),
    FiveText(
        "distilling",
        "Distilling inductive biases",
        "Abnar 2020",
        "Can distillation move a bias to another network?",
        (
            "vision/",
            "recurrence/inheritance",
            "recurrence/representations",
            "recurrence/grammar",
            "recurrence/perplexity",
            "recurrence/opinions",
        ),
    ),
    FiveText(
        "rsa",
        "Encoding recurrence into Transformers",
        "Huang 2023",
        "Can recurrence be built into attention?",
        ("attention/",),
    ),
    FiveText(
        "stability",
        "When recurrent models don’t need to be recurrent",
        "Miller 2018",
        "Can a window of inputs replace the state?",
        ("stability/",),
    ),
    FiveText(
        "automata",
        "How do Transformers implement recurrence?",
        "Parent 2023",
        "How does a shallow Transformer imitate an automaton?",
        ("automata/", "recurrence/fairness"),
    ),
)


def text_of(page: str) -> FiveText:
    """The text that a chapter tests.

    Raises:
        KeyError: if no text has this page.
    """
    for text in TEXTS:
        if page.startswith(text.pages):
            return text
    raise KeyError(f"no text has the page {page!r}; name it in one of TEXTS")
