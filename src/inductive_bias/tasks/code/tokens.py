"""Tokens of C, C++, Java and Python by one regular expression; comments and white space are left out."""

import re
from collections.abc import Iterator
from typing import Literal

Comments = Literal["c", "python"]

#: Comments by family of languages: what begins one in C is whole division in Python, and a directive the other way.
_COMMENTS = {"c": r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)", "python": r"#[^\n]*"}
#: What comments begin with, and no other token.
_BEGIN = {"c": ("//", "/*"), "python": ("#",)}
#: Kinds of token, the first that fits: a quotation that is not closed ends with its line (with three quotes, the text).
_KINDS = (
    r"{comments}",
    r"(?:[rRbBuUfFL]{{1,2}})?(?:"
    r"\"\"\"(?:\\[\s\S]|(?!\"\"\")[\s\S])*(?:\"\"\"|\Z)|'''(?:\\[\s\S]|(?!''')[\s\S])*(?:'''|\Z)"
    r"|\"(?:\\[\s\S]|[^\"\\\n])*\"?|'(?:\\[\s\S]|[^'\\\n])*'?)",
    r"[^\W\d]\w*",
    r"(?:0[xXbBoO]\w+|(?:\d+\.?\d*|\.\d+)(?:[eEpP][+-]?\d+)?\w*)",
    r"(?:>>>=|<<=|>>=|>>>|\*\*=|//=|\.\.\.|->\*|<=>|\+\+|--|->|::|:=|&&|\|\||<<|>>|[-+*/%&|^<>=!@]="
    r"|\*\*|//|[^\s\w])",
)
#: There are no groups in them, so that all tokens of a program come from one call.
PATTERNS: dict[str, re.Pattern[str]] = {
    family: re.compile("|".join(_KINDS).format(comments=comments)) for family, comments in _COMMENTS.items()
}


def places_of(source: str, *, comments: Comments = "c") -> Iterator[tuple[str, int]]:
    """Every token and where it begins; see :func:`tokenise`."""
    begin = _BEGIN[comments]
    for found in PATTERNS[comments].finditer(source):
        if not found.group().startswith(begin):
            yield found.group(), found.start()


def tokenise(source: str, *, comments: Comments = "c") -> list[str]:
    """Names, numbers, quotations (each one token) and operators, in their order.

    Args:
        source: Of a function, a program or a part of one; it need not be correct.
        comments: How they look: as in ``c`` (C, C++ and Java), or as in ``python``.
    """
    begin = _BEGIN[comments]
    tokens = PATTERNS[comments].findall(source)
    return [each for each in tokens if not each.startswith(begin)] if any(map(source.count, begin)) else tokens
