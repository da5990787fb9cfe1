"""Tables behind the figures of the page on depth."""

import math

import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.design import ATTENTION, DECIDED, LSTM, TUNING, layers_in_words
from inductive_bias.studies.automata.measures.depth import (
    ATTENTION_MASS,
    EQUAL,
    TRAINED,
    UNTRAINED,
    automata,
    depth_in_words,
    depths,
    late,
    mass,
    reported_depth,
)
from inductive_bias.studies.frames import listed, search_table, whole
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import FAILED, SOLVED, trained_length
from inductive_bias.tasks.automata import Group, catalogue

#: What is taken of the runs of a cell.
STATISTICS = {"best": "max", "median": "median", "mean": "mean"}


def scores(results: Results, part: str | None = LAST_QUARTER, **levels: object) -> pd.DataFrame:
    """Every run: ``automaton, model, layers, number, value``, over the last quarter, or over all positions if None."""
    at = {"length": trained_length(results)} | ({} if part is None else {"part": part})
    return results.frame("accuracy", split="test", **at, **levels)


def by_depth(results: Results, statistic: str = "best", part: str | None = LAST_QUARTER) -> pd.DataFrame:
    """The Transformer's table: a row an automaton, a column a number of layers; see :data:`STATISTICS`.

    A diverged run has no state right.
    """
    found = scores(results, part, model=ATTENTION).fillna({"value": FAILED})
    groups = found.groupby(["automaton", "layers"], observed=True)["value"]
    return groups.agg(STATISTICS[statistic]).unstack("layers")


def reported(results: Results, by: str = "named") -> pd.DataFrame:
    """The paper's table: a row an automaton, a column a number of layers; the best of 20 runs.

    Rows are ``named`` as in the paper, or by ``automaton``, without the one that is not simulated here.
    """
    found = results.paper[results.paper["metric"] == "best_accuracy"].dropna(subset=[by])
    return found.pivot(index=by, columns="layers", values="mean").loc[found[by].unique()]


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per automaton: the best run over all positions at each of our depths, and the paper's best in brackets."""
    rows = []
    for automaton, values in by_depth(results, part=None).iterrows():
        row = {"automaton": automaton}
        for layers, value in values.items():
            at = {"automaton": automaton, "model": ATTENTION, "layers": layers}
            theirs = results.reported("best_accuracy", split="test", **at)
            known = "" if theirs is None else f" ({100 * theirs[0]:.1f})"
            row[layers_in_words(layers)] = f"{100 * value:.1f}{known}"
        rows.append(row)
    return pd.DataFrame(rows)


def all_runs(results: Results) -> pd.DataFrame:
    """A row per cell: best, median and mean of the last quarter, and every run; a diverged one is a dash."""
    found = scores(results)
    rows = [
        {
            "automaton": automaton,
            "model": model,
            "layers": layers,
            **{name: f"{values.fillna(FAILED).agg(how):.3f}" for name, how in STATISTICS.items()},
            "runs": listed(values),
        }
        for (automaton, model, layers), values in found.groupby(
            ["automaton", "model", "layers"], observed=True, sort=False
        )["value"]
    ]
    return pd.DataFrame(rows)


def exchange(results: Results) -> pd.DataFrame:
    """A row per automaton: layers of a Transformer that equal one of an LSTM, and layers of an LSTM that equal four.

    Equal is a mean over runs at most :data:`EQUAL` below the other's. The deepest Transformer stands for four layers
    where a scale has fewer.
    """
    four = min(4, max(depths(results, ATTENTION)))
    rows = []
    for automaton in automata(results):
        lstm, stack = _mean(results, automaton, LSTM, 1), _mean(results, automaton, ATTENTION, four)
        rows.append(
            {
                "automaton": automaton,
                "LSTM, 1 layer": f"{lstm:.3f}",
                "layers of attention that equal it": _least(results, automaton, ATTENTION, lstm),
                f"attention, {four} layers": f"{stack:.3f}",
                "layers of LSTM that equal it": _least(results, automaton, LSTM, stack),
            }
        )
    return pd.DataFrame(rows)


def _mean(results: Results, automaton: str, model: str, layers: int) -> float:
    return float(late(results, automaton, model, layers).fillna(FAILED).mean())


def _least(results: Results, automaton: str, model: str, wanted: float) -> str:
    """The fewest layers with which a model's mean is at most :data:`EQUAL` below ``wanted``."""
    tried = depths(results, model)
    found = [layers for layers in tried if _mean(results, automaton, model, layers) >= wanted - EQUAL]
    return str(found[0]) if found else f"none up to {max(tried)}"


def order(results: Results) -> pd.DataFrame:
    """The least depth of the best run beside the paper's: ``automaton, ours, reported``; NaN beyond the deepest.

    It is by the paper's measure: all positions.
    """
    solved = by_depth(results, part=None) >= SOLVED
    found = solved.idxmax(axis=1).where(solved.any(axis=1)).astype(float)
    rows = [
        {"automaton": name, "ours": depth, "reported": reported_depth(results, name)} for name, depth in found.items()
    ]
    return pd.DataFrame(rows)


def algebra(results: Results) -> pd.DataFrame:
    """A row per automaton: its size, the best guess at the end, its group, and the least depths found.

    A group stands as the order of it, of its commutators, of theirs, and so on: if that ends at 1 it is solvable. An
    automaton within which there is no group is, too (Liu et al. 2023, theorem 2).
    """
    guesses, found = constants(results).set_index("automaton"), order(results).set_index("automaton")
    rows = []
    for name in automata(results):
        machine = catalogue.automaton(name)
        group = None if machine.aperiodic else machine.permutations
        ours, theirs = found.loc[name].tolist()
        row = {
            "automaton": name,
            "states": len(machine.states),
            "a guess": f"{guesses.loc[name, LAST_QUARTER]:.3f}",
            "group and commutators": "none" if group is None else _series(group),
            "solvable": "yes" if group is None or group.solvable else "no",
            "layers here": depth_in_words(results, ours),
            "the paper’s": "–" if math.isnan(theirs) else f"{theirs:.0f}",
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _series(group: Group) -> str:
    """``24 → 12 → 4 → 1``; a series that stops elsewhere says its last order twice."""
    series = group.derived_series if group.solvable else (*group.derived_series, group.derived_series[-1])
    return whole(" → ".join(map(str, series)))


def by_position(results: Results, **levels: object) -> pd.DataFrame:
    """Accuracy at every position of words as long as in training, with the best ``constant`` answer beside it."""
    at = {"split": "test", "length": trained_length(results), "by": "position"}
    found, facts = results.frame("accuracy", **at, **levels), results.facts_of("constant_accuracy", **at)
    known = dict(zip(zip(facts["automaton"], facts["position"], strict=True), facts["value"], strict=True))
    places = zip(found["automaton"], found["position"], strict=True)
    return found.assign(constant=[known[place] for place in places])


def constants(results: Results) -> pd.DataFrame:
    """The best answer that knows the position alone, exactly: over all positions and over the last quarter."""
    parts = {"all positions": {}, LAST_QUARTER: {"part": LAST_QUARTER}}
    at = {"split": "test", "length": trained_length(results)}
    found = {
        name: results.facts_of("constant_accuracy", **at, **part).set_index("automaton")["value"]
        for name, part in parts.items()
    }
    return pd.DataFrame(found).reset_index()


def longer(results: Results) -> pd.DataFrame:
    """Every run on words as long as in training and twice as long, over the last quarter: ``length, value``."""
    length = trained_length(results)
    return results.frame("accuracy", split="test", length=[length, 2 * length], part=LAST_QUARTER)


def learning(results: Results, **levels: object) -> pd.DataFrame:
    """Validation accuracy after every hundred steps: ``automaton, model, layers, number, epoch, value``."""
    return results.frame("accuracy", split="validation", epochs=True, **levels)


def masses(results: Results, layers: int = 2) -> pd.DataFrame:
    """The best head of every run: ``automaton, number, when, value``, and ``even``, what even attention would give."""
    rows = []
    for automaton in DECIDED:
        table = results.table(ATTENTION_MASS)
        even = table[(table["automaton"] == automaton) & (table["layers"] == layers)]["even"].iloc[0]
        best = mass(results, automaton, layers)
        rows += [
            {"automaton": automaton, "number": number, "when": when, "value": best.loc[number, when], "even": even}
            for number in best.index
            for when in (UNTRAINED, TRAINED)
        ]
    return pd.DataFrame(rows)


def heads(results: Results, automaton: str, number: int = 0, layers: int = 2) -> pd.DataFrame:
    """The mass of every head of one run, trained and untrained: ``when, layer, head, mass``."""
    table = results.table(ATTENTION_MASS)
    one = table[(table["automaton"] == automaton) & (table["layers"] == layers) & (table["number"] == number)]
    return one[["when", "layer", "head", "mass"]].reset_index(drop=True)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the best validation accuracy of every model, mean over automata, a column per rate."""
    return search_table(results, TUNING)
