"""A reader that knows a sentence from its words only: no list of the package, just spelling and open clauses."""

from typing import NamedTuple

DETERMINERS = {"the", "a", "an", "my", "our", "her", "this", "these", "every", "many", "some"}
ODD_PLURALS = {"men", "women", "children", "mice", "geese", "people", "teeth", "feet"}
SPEECH = {form for verb in ("say", "think", "believe", "claim", "hope", "suspect") for form in (verb, verb + "s")}


class Reading(NamedTuple):
    subject: int
    verb: int
    number: int
    intervening: list[int]  # numbers of the nouns
    inner: list[tuple[list[int], int]]  # for each verb of a relative clause: numbers it may agree with, its own


def noun_number(noun):
    return int(noun in ODD_PLURALS or noun.endswith("s"))


def verb_number(verb):
    return int(not verb.endswith("s"))


def read(words, nouns, verbs):
    """Every "that" opens a clause and every verb closes one; the verb that has none to close is the main one."""
    start = 0
    if "," in words:
        start = words.index(",") + 1
    for place, word in enumerate(words):
        if word in SPEECH:
            start = place + 2
            break
    assert words[start] in DETERMINERS
    clauses, seen, inner = [], [], []
    for place in range(start, len(words)):
        word = words[place]
        if word in nouns:
            if clauses and clauses[-1] is None:
                clauses[-1] = noun_number(word)  # the clause has a subject of its own
            seen.append((place, noun_number(word)))
        elif word == "that":
            clauses.append(None)
        elif word in verbs:
            if not clauses:
                (subject, number), *rest = seen
                return Reading(subject, place, number, [n for _, n in rest], inner)
            own = clauses.pop()
            # without a subject of its own, it agrees with some noun before it
            inner.append(([n for _, n in seen] if own is None else [own], verb_number(word)))
    raise AssertionError(f"no main verb in {words}")
