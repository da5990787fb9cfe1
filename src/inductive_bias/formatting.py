"""Names of levels as a legend, a tick or a narrow column has room for them, and numbers as a page writes them."""

import textwrap
from collections.abc import Callable, Iterable
from decimal import Decimal
from numbers import Real

_SHORTER = (("Bidirectional ", "Bidir. "), ("Sequential ", "Seq. "), ("Universal ", "Univ. "))
_NO_BREAK = "\u00a0"
#: An estimate above so many says no more than that it is large.
_MOST_TOLD = 1000


def short(level: object, *, width: int | None = None) -> str:
    """``LSTM → Seq. Univ. Transformer`` for ``LSTM → Sequential Universal Transformer``.

    Args:
        level: a name, or a number of a factor.
        width: characters of a line, broken between words; without it there are no line breaks, not even in a browser.
    """
    name = str(level)
    for words, fewer in _SHORTER:
        name = name.replace(words, fewer)
    if width is None:
        return name.replace(" ", _NO_BREAK)
    lines = textwrap.wrap(name.replace(_NO_BREAK, " "), width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def number(value: Real | Decimal, form: str = "g") -> str:
    """``−0.25``, with a true minus sign, for −0.25 and ``+.2f``; ``form`` is a format of Python's."""
    return f"{value:{form}}".replace("-", "−")


def percent(share: float, digits: int = 0) -> str:
    """``53 %`` for .53, with a space that no line is broken at."""
    return f"{number(100 * share, f'.{digits}f')}{_NO_BREAK}%"


def decimals(value: float, digits: int = 2) -> str:
    """``.82`` for .8216, and ``1.00``: without a 0 before the point."""
    text = number(abs(value), f".{digits}f")
    below_zero = value < 0 and float(text) != 0
    return ("−" if below_zero else "") + (text[1:] if text.startswith("0.") else text)


def points(difference: float, digits: int = 1) -> str:
    """``0.5 points`` for a difference of .005 between two shares, and ``1 point``."""
    text = number(round(100 * difference, digits) + 0.0, f".{digits}f")  # no −0.0
    return f"{text} point{'' if text in ('1', '−1') else 's'}"


def points_between(estimate: float, low: float, high: float, digits: int = 1) -> str:
    """``2.3 points [−1.1, 5.7]``: a difference of two shares with its interval."""
    ends = (number(100 * end, f".{digits}f") for end in (low, high))
    return f"{points(estimate, digits)} [{', '.join(ends)}]"


def with_interval(estimate: float, low: float, high: float, digits: int = 2) -> str:
    """``1.67 [1.47, 1.88]``: an effect with the ends of its interval, without a place for a line to break."""
    first, *ends = (decimals(each, digits).replace("inf", "∞") for each in (estimate, low, high))
    return f"{first}{_NO_BREAK}[{f',{_NO_BREAK}'.join(ends)}]"


def figures(value: Real, digits: int = 3) -> str:
    """``1.52`` for 1.52042, and ``12000`` for 11,987: as many figures as a reader needs, with a true minus sign."""
    return number(float(f"{value:.{digits}g}"))


def about(count: Real) -> str:
    """``about 6``, ``about 170``, ``more than 1,000``: an estimated number of things, no finer than it is known."""
    if count > _MOST_TOLD:
        return f"more than {_MOST_TOLD:,}"
    return f"about {float(f'{count:.2g}') if count >= 100 else round(count):,.0f}"


def span(values: Iterable[float], write: Callable[[float], str]) -> str:
    """``76 to 82 %``: the smallest and the largest value, with one unit; ``76 %`` if they are written alike."""
    values = list(values)
    low, high = write(min(values)), write(max(values))
    return high if low == high else f"{low.split()[0]} to {high}"


def ratio(part: float, whole: float) -> float:
    """``part`` / ``whole``, for a sentence.

    Raises:
        ValueError: if there is no whole; runs of a small scale may be all alike.
    """
    if whole == 0:
        raise ValueError("there is nothing to divide by")
    return float(part) / float(whole)
