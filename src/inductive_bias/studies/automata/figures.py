"""From the rows and the table of the study to what its figures draw."""

import math

import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.claims import EQUAL, SOLVED, depth_in_words, late, mass, reported_depth
from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID, LSTM, PLANS, deep, depths
from inductive_bias.studies.automata.tables import ATTENTION_MASS, TRAINED, UNTRAINED
from inductive_bias.studies.frames import by_rate, listed, whole
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING
from inductive_bias.tasks.automata import Group, catalogue

#: What is taken of the runs of a cell.
STATISTICS = {"best": "max", "median": "median", "mean": "mean"}


def scores(results: Results, part: str | None = LAST_QUARTER, **levels: object) -> pd.DataFrame:
    """Every run: ``automaton, model, layers, number, value``, over the last quarter, or over all positions if None."""
    at = {"length": PLANS[results.scale].length} | ({} if part is None else {"part": part})
    return results.frame("accuracy", split="test", variant=STANDARD, **at, **levels)


def by_depth(results: Results, statistic: str = "best", part: str | None = LAST_QUARTER) -> pd.DataFrame:
    """The Transformer's table: a row an automaton, a column a number of layers; see :data:`STATISTICS`.

    A diverged run has no state right.
    """
    found = scores(results, part, model=ATTENTION).fillna({"value": 0.0})
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
            ours = "–" if math.isnan(value) else f"{100 * value:.1f}"
            row[f"{layers} layer{'s' * (layers > 1)}"] = f"{ours}{known}"
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
            **{name: f"{values.fillna(0.0).agg(how):.3f}" for name, how in STATISTICS.items()},
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
    where a scale has fewer; a dash where four layers are not run.
    """
    plan, four = PLANS[results.scale], min(4, max(depths(results.scale, ATTENTION)))
    rows = []
    for automaton in plan.automata:
        lstm = _mean(results, automaton, LSTM, 1)
        stack = _mean(results, automaton, ATTENTION, four) if four in plan.depths(automaton, ATTENTION) else None
        rows.append(
            {
                "automaton": automaton,
                "LSTM, 1 layer": f"{lstm:.3f}",
                "layers of attention that equal it": _least(results, automaton, ATTENTION, lstm),
                f"attention, {four} layers": "–" if stack is None else f"{stack:.3f}",
                "layers of LSTM that equal it": "–" if stack is None else _least(results, automaton, LSTM, stack),
            }
        )
    return pd.DataFrame(rows)


def _mean(results: Results, automaton: str, model: str, layers: int) -> float:
    return float(late(results, automaton, model, layers).fillna(0.0).mean())


def _least(results: Results, automaton: str, model: str, wanted: float) -> str:
    """The fewest layers with which a model's mean is at most :data:`EQUAL` below ``wanted``."""
    tried = PLANS[results.scale].depths(automaton, model)
    found = [layers for layers in tried if _mean(results, automaton, model, layers) >= wanted - EQUAL]
    return str(found[0]) if found else f"none up to {max(tried)}"


def order(results: Results) -> pd.DataFrame:
    """The least depth of the best run beside the paper's: ``automaton, ours, reported``; NaN beyond the deepest.

    Of automata that have all depths, and by the paper's measure: all positions.
    """
    solved = by_depth(results, part=None).loc[list(deep(results.scale))] >= SOLVED
    found = solved.idxmax(axis=1).where(solved.any(axis=1)).astype(float)
    rows = [
        {"automaton": name, "ours": depth, "reported": reported_depth(results, name)} for name, depth in found.items()
    ]
    return pd.DataFrame(rows)


def algebra(results: Results) -> pd.DataFrame:
    """A row per automaton: its size, the best guess at the end, its group, and the least depths found.

    A group stands as the order of it, of its commutators, of theirs, and so on: if that ends at 1 it is solvable. An
    automaton within which there is no group is, too (Liu et al. 2023, theorem 2). Depths are of automata that have all.
    """
    guesses, found = constants(results).set_index("automaton"), order(results).set_index("automaton")
    rows = []
    for name in PLANS[results.scale].automata:
        machine = catalogue.automaton(name)
        group = None if machine.aperiodic else machine.permutations
        ours, theirs = found.loc[name].tolist() if name in found.index else (None, None)
        row = {
            "automaton": name,
            "states": len(machine.states),
            "a guess": f"{guesses.loc[name, LAST_QUARTER]:.3f}",
            "group and commutators": "none" if group is None else _series(group),
            "solvable": "yes" if group is None or group.solvable else "no",
            "layers here": "–" if ours is None else depth_in_words(results, ours),
            "the paper’s": "–" if theirs is None or math.isnan(theirs) else f"{theirs:.0f}",
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _series(group: Group) -> str:
    """``24 → 12 → 4 → 1``; a series that stops elsewhere says its last order twice."""
    series = group.derived_series if group.solvable else (*group.derived_series, group.derived_series[-1])
    return whole(" → ".join(map(str, series)))


def by_position(results: Results, **levels: object) -> pd.DataFrame:
    """Accuracy at every position of words as long as in training, with the best ``constant`` answer beside it."""
    at = {"split": "test", "length": PLANS[results.scale].length, "by": "position", "variant": STANDARD, **levels}
    found = results.frame("accuracy", **at)
    constant = (
        results.frame("constant_accuracy", **at).groupby(["automaton", "position"], observed=True)["value"].first()
    )
    places = pd.MultiIndex.from_frame(found[["automaton", "position"]].astype({"automaton": str}))
    constant.index = constant.index.set_levels(constant.index.levels[0].astype(str), level=0)
    return found.assign(constant=constant.reindex(places).to_numpy())


def constants(results: Results) -> pd.DataFrame:
    """The best answer that knows the position alone, exactly: over all positions and over the last quarter."""
    at = {"split": "test", "length": PLANS[results.scale].length, "variant": STANDARD}
    parts = {"all positions": {}, LAST_QUARTER: {"part": LAST_QUARTER}}
    found = {
        name: results.frame("constant_accuracy", **at, **part).groupby("automaton", observed=True)["value"].first()
        for name, part in parts.items()
    }
    return pd.DataFrame(found).reset_index()


def longer(results: Results) -> pd.DataFrame:
    """Every run on words as long as in training and twice as long, over the last quarter: ``length, value``."""
    lengths = PLANS[results.scale].test_lengths
    return results.frame("accuracy", split="test", length=list(lengths), part=LAST_QUARTER, variant=STANDARD)


def learning(results: Results, **levels: object) -> pd.DataFrame:
    """Validation accuracy after every hundred steps: ``automaton, model, layers, number, epoch, value``."""
    return results.frame("accuracy", split="validation", epochs=True, variant=STANDARD, **levels)


def masses(results: Results, layers: int = 2) -> pd.DataFrame:
    """The best head of every run: ``automaton, number, when, value``, and ``even``, what even attention would give."""
    rows = []
    for automaton in (GRID, FLIP_FLOP):
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
    """The search for rates: the best validation accuracy of every model and automaton, by factor on its rate."""
    found = results.frame("accuracy", split="validation", epochs=True, variant=TUNING)
    return by_rate(found, ["model", "layers", "automaton"], highest=True)
