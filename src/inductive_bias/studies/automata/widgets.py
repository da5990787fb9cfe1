"""The automaton player of the page: words as the trained models of every depth read them."""

from inductive_bias.plotting import PageWidget, Played, Word, automaton_widget
from inductive_bias.studies.automata.design import ATTENTION
from inductive_bias.studies.automata.measures.depth import automata
from inductive_bias.studies.automata.tables.attention import LOOKED_AT, PLAYED, PLAYED_WORDS, WORDS
from inductive_bias.studies.results import Results
from inductive_bias.tasks.automata import WALLS, Semiautomaton, automaton

#: What an action is in a column of a phone, where its name is too long.
SYMBOLS = {"left": "←", "right": "→", "read": "·", "turn": "↺", "step": "+"}
EMPTY = {"empty": "∅"}


def player(results: Results) -> PageWidget:
    """Every automaton that is played at this scale, with the first run of every depth."""
    shown = [name for name in PLAYED if name in automata(results)]
    return automaton_widget(
        [played(results, name) for name in shown],
        instead="The heat map above shows how many of the states each depth finds.",
    )


def played(results: Results, name: str) -> Played:
    """One automaton, its words, the answers of every depth and, where one position decides, the best head's looks."""
    machine, answers, looks = automaton(name), results.table(PLAYED_WORDS), results.table(LOOKED_AT)
    answers, looks = answers[answers["automaton"] == name], looks[looks["automaton"] == name]
    words = []
    for word in range(WORDS):
        mine = answers[answers["word"] == word].sort_values("position")
        said = {
            _short(model, layers): rows["answer"].tolist()
            for (model, layers), rows in mine.groupby(["model", "layers"], observed=True)
        }
        one = mine.drop_duplicates("position")
        seen = looks[looks["word"] == word].sort_values(["position", "at"])
        rows = [each["weight"].tolist() for _, each in seen.groupby("position")]
        decides = seen.drop_duplicates("position")["decides"].tolist()
        words.append(Word(one["action"].tolist(), one["state"].tolist(), said, rows, decides))
    head = "" if looks.empty else f"Head {looks['head'].iloc[0]} of layer {looks['layer'].iloc[0]} (of 2)"
    states = tuple(EMPTY.get(state, state) for state in machine.states)
    return Played(
        name, states, machine.actions, _symbols(machine), machine.moves.tolist(), words, line=name in WALLS, head=head
    )


def _short(model: str, layers: int) -> str:
    return f"{layers} {'layer' if layers == 1 else 'layers'}" if model == ATTENTION else f"{model}, {layers}"


def _symbols(machine: Semiautomaton) -> tuple[str, ...]:
    return tuple(SYMBOLS.get(action, action.removeprefix("write ")) for action in machine.actions)
