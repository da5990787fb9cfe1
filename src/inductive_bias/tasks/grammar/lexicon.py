"""The words of the agreement grammar, each list from its most to its least frequent word.

Nouns and verbs are pairs (singular, plural). No form belongs to two lists, and no noun has one form for both numbers,
so that the number of every noun can be read off it. Words that begin with a vowel letter begin with a vowel.
"""

from collections.abc import Sequence
from itertools import accumulate

Forms = tuple[str, str]  # singular, plural

_IRREGULAR = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "mouse": "mice",
    "goose": "geese",
    "wolf": "wolves",
    "thief": "thieves",
    "hero": "heroes",
    "person": "people",
    "knife": "knives",
    "leaf": "leaves",
    "shelf": "shelves",
    "loaf": "loaves",
    "tooth": "teeth",
    "foot": "feet",
}


def with_s(word: str) -> str:
    """The word with the ending of a plural noun, or of a singular verb: boxes, cities, keys."""
    if word.endswith(("s", "sh", "ch", "x", "z")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _nouns(text: str) -> tuple[Forms, ...]:
    return tuple((word, _IRREGULAR.get(word) or with_s(word)) for word in text.split())


def _verbs(text: str) -> tuple[Forms, ...]:
    return tuple((with_s(word), word) for word in text.split())


ANIMATE = _nouns(
    "man child woman teacher friend dog student doctor person writer lawyer boy girl king farmer pilot soldier actor "
    "artist neighbour nurse cat horse mother singer driver judge sailor hunter banker baker painter thief wolf bird "
    "manager officer poet visitor waiter cousin hero mouse lady prince dancer clerk gardener fox editor uncle monkey "
    "goose senator tailor witch elephant butcher monk plumber juggler otter"
)
INANIMATE = _nouns(
    "house door car book table city key picture letter road tree box window river ship bridge garden chair story "
    "church train machine boat tower cup field island lamp knife leaf coat shelf painting wall bag flower gate clock "
    "apple mountain bottle bell engine basket cabinet carpet foot mirror statue ladder drawer tooth umbrella fence "
    "curtain loaf bench candle hammer violin anchor barrel lantern kettle orchard"
)
NOUNS = ANIMATE + INANIMATE

# by what they can have as subject: only somebody, or anything; and whether they take an object
TRANSITIVE = _verbs(
    "know follow help watch remember admire avoid visit trust praise fear chase carry greet teach forget tease pity"
)
TRANSITIVE_ANY = _verbs("touch block cover protect resemble support surround scratch delay overlook")
INTRANSITIVE = _verbs("laugh sleep wait sing smile listen travel cough whisper argue shiver sneeze")
INTRANSITIVE_ANY = _verbs("move fall appear vanish shine stink tremble rattle collapse glisten")
SPEECH = _verbs("say think believe claim hope suspect")
BE: Forms = ("is", "are")
HAVE: Forms = ("has", "have")
VERBS = TRANSITIVE + TRANSITIVE_ANY + INTRANSITIVE + INTRANSITIVE_ANY + (BE, HAVE)

# "a" becomes "an" before a vowel; "that" is left out, because it begins the relative clauses
DETERMINERS: tuple[Sequence[str], Sequence[str]] = (
    ("the", "the", "the", "the", "the", "a", "a", "my", "our", "this", "her", "every", "some"),
    ("the", "the", "the", "the", "the", "the", "the", "my", "our", "these", "her", "many", "some"),
)
ADJECTIVES = _words(
    "old new small big young good long red famous dark quiet strange happy heavy green clever tall poor bright "
    "angry cold empty brave dusty rich lazy ancient noisy gentle broken narrow yellow proud curious wooden pale "
    "elegant crooked shy enormous rusty polite"
)
ADVERBS = _words("often always usually still never rarely clearly now seldom suddenly obviously secretly")
OPENING_ADVERBS = _words("today sometimes perhaps nowadays indeed apparently luckily tonight")
PREPOSITIONS = _words("of near with behind beside to under for above around beyond opposite")  # after a noun
PLACES = _words("near behind under beside around above beyond opposite")  # with a clause
SUBORDINATORS = _words("when because while if although whenever")
THAT, COMMA, STOP = "that", ",", "."


def zipf_edges(size: int) -> list[float]:
    """Upper edges in 0..1 of the probabilities of ``size`` words, the word of rank r in proportion to 1 / (r + 2)."""
    sums = list(accumulate(1 / (rank + 2) for rank in range(1, size + 1)))
    # the last edge is left off: bisecting any number below 1 among the others cannot fall out of the list
    return [value / sums[-1] for value in sums[:-1]]
