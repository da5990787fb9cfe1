"""Running text in the form of WikiText-2: its tokens, set apart by spaces, with upper and lower case as they were.

WikiText was cut by the rules of the Moses tokeniser, with marks of its own inside numbers and compounds: ``1 @,@ 000``,
``3 @.@ 5``, ``real @-@ time``. :func:`as_wikitext` does the same to whole texts in a few passes of regular expressions.
"""

import re

#: Words that keep their full stop, as in WikiText-2: of Moses' list those that occur there or in Wikipedia's prose.
ABBREVIATIONS = (
    "Mr",
    "Mrs",
    "Ms",
    "Dr",
    "St",
    "Mt",
    "Ft",
    "Jr",
    "Sr",
    "Bros",
    "Inc",
    "Ltd",
    "Co",
    "Corp",
    "Lt",
    "Col",
    "Gen",
    "Maj",
    "Sgt",
    "Capt",
    "Cpl",
    "Cmdr",
    "Adm",
    "Rev",
    "Prof",
    "Hon",
    "Gov",
    "Sen",
    "Rep",
    "Pres",
    "Fr",
    "Esq",
    "Messrs",
    "vs",
    "v",
    "cf",
    "ca",
    "al",
    "lit",
    "var",
    "sp",
    "ssp",
)
#: Words that keep it before a number.
BEFORE_NUMBERS = ("No", "Nos", "Nr", "Op", "pp", "p", "c", "vol", "vols")
_FULL_STOP_KEPT = "".join(
    [*(rf"(?<!\b{word}\.)" for word in ABBREVIATIONS), *(rf"(?!(?<=\b{word}\.)\s+\d)" for word in BEFORE_NUMBERS)]
)

#: Patterns and what takes their place, in this order. Each begins with the character that it is about, and looks back
#: from there: so the search jumps from one to the next.
RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), by)
    for pattern, by in (
        (r"''|_", " "),  # marks of italics
        (r"\.(?<!\.\.)\.+", r" \g<0> "),
        # between the figures of a range stands a dash, in a compound @-@; what is left was a dash
        (r"-(?<=\d-)(?=\d)", " – "),
        (r"-(?<=\w-)(?=\w)", " @-@ "),
        (r"-(?<!@-)-*", " – "),
        (r"[,.](?<=\d[,.])(?=\d)", r" @\g<0>@ "),
        (r"[\"(){}\[\];!?%$£€°&/#+=*<>^~|\\`]", r" \g<0> "),
        (r"[,:](?<!@[,:])(?!@)", r" \g<0> "),
        # the apostrophe of don't and Amy's goes with what follows it, every other is a quotation mark or a plural's
        (r"'(?<!\w')|'(?!\w)", " ' "),
        (r"'(?<=\w')", " '"),
        # a full stop ends a sentence unless a small letter follows; initials and U.S. keep it wherever they stand
        (rf"\.(?<!\.\.)(?<!\b[A-Z]\.)(?<!\.\w\.){_FULL_STOP_KEPT}(?=\s+[^a-z\s]|\s*$)", " ."),
    )
)


def as_wikitext(text: str) -> str:
    """The text with the tokens of WikiText-2 set apart by spaces; lines stay lines.

    ``Amy's well-read, e.g. Mr. King's 1,000 pages; she didn't stop.`` gives
    ``Amy 's well @-@ read , e.g. Mr. King 's 1 @,@ 000 pages ; she didn 't stop .``
    """
    for pattern, by in RULES:
        text = pattern.sub(by, text)
    return text
