"""Words as WikiText-2 spells them, in lower case."""

import re
from collections.abc import Sequence

# Penn Treebank's marks; WikiText-2 has one kind of quotation mark
TREEBANK = {"``": '"', "''": '"', "--": "–", "-lrb-": "(", "-rrb-": ")"}
TOKEN = re.compile(r"<unk>|@-@|'\w+|\w+|[^\w\s]")
HYPHEN = re.compile(r"(?<=\w)-(?=\w)")


def as_in_wikitext(words: Sequence[str]) -> list[str]:
    """Treebank tokens in WikiText's spelling, one for one: places stay the same."""
    return [TREEBANK.get(word, word) for word in words]


def tokenise(sentence: str) -> list[str]:
    """Lower-case tokens of running text, spelt as in WikiText-2.

    ``"Amy's well-read; she didn't."`` gives ``amy 's well @-@ read ; she didn 't .``
    """
    sentence = sentence.lower()
    if sentence.replace(" ", "").isalnum():  # no rule applies; the 300,000 sentences of templates are such
        return sentence.split()
    return TOKEN.findall(HYPHEN.sub(" @-@ ", sentence.replace("’", "'")))
