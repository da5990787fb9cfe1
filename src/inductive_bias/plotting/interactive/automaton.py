"""The automaton player: a word step by step, the state on its graph, the models' answers, and where a head looks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductive_bias.plotting.interactive.base import Choice, PageWidget, Slider, page_widget, rounded

#: Below so much a weight is not told from 0, and is not written out.
LEAST_WEIGHT = 0.005


@dataclass(frozen=True)
class Word:
    """One word and what was made of it, by position from 0.

    Attributes:
        actions: numbers of the actions.
        states: the state after each.
        answers: by the name of a model, the states that it says.
        looks: what a head takes at each position of all up to it, row by row; empty if there is no head to show.
        decides: the position on which the state depends, −1 for none; empty if no single one does.
    """

    actions: Sequence[int]
    states: Sequence[int]
    answers: Mapping[str, Sequence[int]]
    looks: Sequence[Sequence[float | int]] = ()
    decides: Sequence[int] = ()


@dataclass(frozen=True)
class Played:
    """An automaton and words that were run through it.

    Attributes:
        name: as on the page.
        states, actions: in words.
        symbols: of the actions, short enough for a column of a phone.
        moves: rows of next states.
        words: of one length.
        line: whether its states stand in a line, as a walk's do, and not on a circle.
        head: whose looks are shown, in words.
    """

    name: str
    states: Sequence[str]
    actions: Sequence[str]
    symbols: Sequence[str]
    moves: Sequence[Sequence[int]]
    words: Sequence[Word]
    line: bool = False
    head: str = ""


def automaton_widget(played: Sequence[Played], *, instead: str) -> PageWidget:
    """Choices of automaton and word, and a slider from the start to the last action.

    The script offers the state that it computes from the moves to tests as ``element.state(automaton, word, step)``.

    Args:
        played: automata, each with as many words, all of one length.
        instead: a sentence for who has no JavaScript.

    Raises:
        ValueError: if there is none, numbers of words or lengths differ, or states are not those of the moves.
    """
    lengths = {len(word.actions) for each in played for word in each.words}
    counts = {len(each.words) for each in played}
    if len(lengths) != 1 or len(counts) != 1:
        raise ValueError(f"automata must have as many words, of one length, not {sorted(counts)} of {sorted(lengths)}")
    for each in played:
        for word in each.words:
            _refuse_other_states(each, word)
    (length,), (count,) = lengths, counts
    return page_widget(
        "automaton",
        {"machines": [_data(each) for each in played]},
        controls=[
            Choice("automaton", "Automaton", [each.name for each in played]),
            Choice("word", "Word", [str(number + 1) for number in range(count)]),
            Slider("step", "actions read", 0, length, length),
        ],
        pictures={"graph": "States, and the last move", "answers": "The word, the answers, and where a head looks"},
        text="Interactive automaton: the state after every action of a word, and what models of several depths say.",
        instead=instead,
    )


def _refuse_other_states(played: Played, word: Word) -> None:
    state = 0
    for place, action in enumerate(word.actions):
        state = played.moves[state][action]
        if state != word.states[place]:
            raise ValueError(
                f"{played.name}: after action {place + 1} the state is {state}, and not {word.states[place]}"
            )


def _data(played: Played) -> dict[str, object]:
    edges = sorted({(min(a, b), max(a, b)) for a, row in enumerate(played.moves) for b in row if a != b})
    return {
        "name": played.name,
        "states": list(played.states),
        "actions": list(played.actions),
        "symbols": list(played.symbols),
        "moves": [list(map(int, row)) for row in played.moves],
        "places": _places(played.states, line=played.line),
        "edges": edges,
        "line": played.line,
        "head": played.head,
        "words": [
            {
                "actions": list(map(int, word.actions)),
                "states": list(map(int, word.states)),
                "answers": [[name, list(map(int, said))] for name, said in word.answers.items()],
                "looks": [
                    [_weight(float(value)) for value in row[: place + 1]] for place, row in enumerate(word.looks)
                ],
                "decides": list(map(int, word.decides)),
            }
            for word in played.words
        ],
    }


def _weight(value: float) -> float | None:
    return rounded(value, 2) if value >= LEAST_WEIGHT else 0.0


def _places(states: Sequence[str], *, line: bool) -> list[tuple[float, float]]:
    """Where the states are drawn, in [−1, 1]²; on a circle they are in the order of their names, from the top."""
    if line:
        return [(2 * place / max(1, len(states) - 1) - 1, 0.0) for place in range(len(states))]
    turns = [2 * math.pi * sorted(states).index(name) / len(states) for name in states]
    return [(round(math.sin(turn), 4), round(-math.cos(turn), 4)) for turn in turns]
