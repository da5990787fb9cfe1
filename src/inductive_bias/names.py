"""Names of cells as a legend or a narrow column has room for them."""


def short_name(name: str) -> str:
    """``LSTM → Seq. Univ. Transformer`` for ``LSTM → Sequential Universal Transformer``; no line breaks inside it."""
    for words, short in (("Sequential ", "Seq. "), ("Universal ", "Univ. "), (" ", "\u00a0")):
        name = name.replace(words, short)
    return name
