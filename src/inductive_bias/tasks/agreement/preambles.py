"""Preambles cut out of plain text: what stands before a form of *be* or *has* whose number is plain to see.

``is``, ``was`` and ``has`` are singular, ``are`` and ``were`` plural; ``have`` may be an infinitive and is not used.
No parser is needed, so the rules are of words only. They leave out, in this order, a verb

1. in a question (the sentence ends with ``?``);
2. with nothing before it;
3. after *there* or *here*, whose subject follows the verb;
4. with the subject *I* or *you*, whose verb form does not tell the number;
5. in an inversion: after *so, as, than, nor, neither, how, when, where, why, what*, after *not only* and other negative
   adverbs, after nothing but adverbs and conjunctions, or in a sentence that begins with *among*, *included* and the
   like and has no comma yet;
6. that may be a subjunctive: *were* after *he, she, it, this, one*, or in a clause with *if, though, unless* or
   *wish*.

Adverbs between subject and verb (*also*, *never*, words in *-ly*, ...) are looked through.

What rules of words cannot see: whether *and* joins two subjects or two clauses (the verb's own number is the label
either way); British plurals (*the band were*) and verbs that agree with a nearer noun; an inversion that begins with
other words (*alongside the doorway is a stone*). In a sample of 100 read one by one, 3 labels were not the number of
the subject, and 2 could not be told (``tests/tasks/agreement/data_card.md``).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from inductive_bias.tasks.agreement.rows import VBP, VBZ, Row, Rows

VERBS = {"is": VBZ, "was": VBZ, "has": VBZ, "are": VBP, "were": VBP}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EXPLETIVES = _words("there here")
SPEAKERS = _words("i you")
INVERTING = _words("so as than nor neither how when where why what")
NEGATIVE = _words("never rarely seldom hardly scarcely nowhere only")
OPENINGS = _words("among amongst included including notable gone attached")
SINGULAR_PRONOUNS = _words("he she it this one")
UNREAL = _words("if though unless wish wishes wished")
CONJUNCTIONS = _words("and but or yet although because while since")
CLAUSE_ENDS = _words(', ; : – — ( ) "')
ADVERBS = _words(
    "again almost alone already also always even ever further hence however indeed instead just later "
    "long longer meanwhile nearly never nevertheless no nonetheless not now nowhere often once only perhaps quite "
    "rather seldom sometimes soon still then therefore therein thus today too twice"
)
NOT_ADVERBS = _words(
    "ally anomaly assembly belly beverly billy bully butterfly daily early elderly emily family holly italy jelly july "
    "kelly kimberly lally lily molly monopoly monthly polly rally reilly reply sally sicily supply wally weekly willy"
)


def cut_preambles(sentences: Iterable[Sequence[str]]) -> tuple[Rows, Counter[str]]:
    """The preambles of every verb that the rules of this module accept, and how many they refused, by reason.

    Args:
        sentences: Lower-case words; a sentence with two verbs may give two preambles, one the beginning of the other.
    """
    rows: Rows = []
    refused: Counter[str] = Counter()
    for words in sentences:
        for place, word in enumerate(words):
            if word not in VERBS:
                continue
            if reason := refusal(words, place):
                refused[f"cut from text: {reason}"] += 1
            else:
                rows.append(Row(" ".join(words[:place]), VERBS[word]))
    return rows, refused


def refusal(words: Sequence[str], place: int) -> str | None:
    """Why the verb at ``place`` gives no preamble, or None if it does."""
    if "?" in words[-2:]:
        return "question"
    if place == 0:
        return "nothing before the verb"
    last = _last_word(words, place)
    if EXPLETIVES & set(words[last + 1 : place]) or (last >= 0 and words[last] in EXPLETIVES):
        return "there or here before the verb"
    if last >= 0 and words[last] in SPEAKERS:
        return "subject I or you"
    if _is_inverted(words, place, last):
        return "inversion"
    if words[place] == "were" and (words[last] in SINGULAR_PRONOUNS or UNREAL & set(_clause(words, place))):
        return "subjunctive"
    return None


@lru_cache(maxsize=65_536)
def is_adverb(word: str) -> bool:
    """Whether a word may stand between a subject and its verb; by list and by the ending *-ly*."""
    return word in ADVERBS or (word.endswith("ly") and len(word) > 3 and word not in NOT_ADVERBS)


def _last_word(words: Sequence[str], place: int) -> int:
    """Place of the last word before the verb that is no adverb, -1 if all are."""
    last = place - 1
    while last >= 0 and is_adverb(words[last]):
        last -= 1
    return last


def _clause(words: Sequence[str], place: int) -> Sequence[str]:
    """The words between the last punctuation mark and the verb."""
    start = next((i + 1 for i in range(place - 1, -1, -1) if words[i] in CLAUSE_ENDS), 0)
    return words[start:place]


def _is_inverted(words: Sequence[str], place: int, last: int) -> bool:
    if last < 0 or words[last] in INVERTING:
        return True
    if last < place - 1 and NEGATIVE & set(words[last + 1 : place]) and words[last] in CLAUSE_ENDS | CONJUNCTIONS:
        return True
    if last == 0 and words[0] in CONJUNCTIONS | CLAUSE_ENDS:
        return True
    opening = next(word for word in words if not is_adverb(word))
    return opening in OPENINGS and "," not in words[:place]
