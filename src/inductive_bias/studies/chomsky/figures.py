"""What the page draws and prints, from the rows of the study."""

import pandas as pd

from inductive_bias.studies.chomsky.design import ENCODED, MODELS, RSA, TRANSFORMER, TUNING, named
from inductive_bias.studies.chomsky.measures import FAILED, MASTERED
from inductive_bias.studies.frames import listed, search_table
from inductive_bias.studies.results import Results
from inductive_bias.tasks.transduction import RULE_NAMES, RULES

#: What is taken of the runs of a cell, or of all encodings of a Transformer.
STATISTICS = {"best": "max", "median": "median", "mean": "mean"}
TRAINED, LONGER = "training lengths", "longer strings"
_SPLITS = {TRAINED: "validation", LONGER: "test"}


def scores(results: Results, where: str = LONGER, **levels: object) -> pd.DataFrame:
    """Every judged run: ``task, model, positions, number, value``; a diverged run has no answer right."""
    return results.frame("accuracy", split=_SPLITS[where], **levels).fillna({"value": FAILED})


def hierarchy(results: Results, statistic: str = "best", where: str = LONGER) -> pd.DataFrame:
    """A row a task in the order of the hierarchy, a column a model; see :data:`STATISTICS`.

    Over all encodings of a Transformer, as in the paper.
    """
    found = scores(results, where).groupby(["task", "model"], observed=True)["value"].agg(STATISTICS[statistic])
    return _titled(found.unstack("model"))[[model for model in MODELS if model in found.index.get_level_values(1)]]


def encodings(results: Results, statistic: str = "best", where: str = LONGER) -> pd.DataFrame:
    """Scores of Transformers: a row a task in the order of the hierarchy, a column an encoding."""
    found = scores(results, where, model=TRANSFORMER)
    groups = found.groupby(["task", "positions"], observed=True)["value"]
    return _titled(groups.agg(STATISTICS[statistic]).unstack("positions"))


def reported(results: Results) -> pd.DataFrame:
    """The paper's best, in the shape of :func:`hierarchy`; NaN where no number is confirmed."""
    table = results.paper[results.paper["metric"] == "best_accuracy"].pivot(
        index="task", columns="model", values="mean"
    )
    return _titled(table.reindex(index=results.design.levels(results.scale)["task"], columns=MODELS))


def _titles(rows: pd.DataFrame) -> list[str]:
    """The title of every row's task."""
    return [RULES[task].title for task in rows["task"]]


def _names(rows: pd.DataFrame) -> list[str]:
    """The name of every row's model, with its encoding."""
    return [named(*pair) for pair in zip(rows["model"], rows["positions"], strict=True)]


def _titled(table: pd.DataFrame) -> pd.DataFrame:
    """Rows named as in the paper, in the order of the hierarchy."""
    order = [task for task in RULE_NAMES if task in table.index]
    return table.loc[order].rename(index=lambda task: RULES[task].title).rename_axis("task")


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per task: level, best constant, and of every model ``best (median, mean) · reported`` in per cent."""
    tables, theirs = {name: hierarchy(results, name) for name in STATISTICS}, reported(results)
    levels = {rule.title: rule.level for rule in RULES.values()}
    constant = constants(results).set_index("task")[LONGER]
    rows = []
    for task in tables["best"].index:
        row = {"task": task, "needs": levels[task], "best constant": f"{100 * constant[task]:.1f}"}
        for model in tables["best"].columns:
            ours = {name: f"{100 * table.loc[task, model]:.1f}" for name, table in tables.items()}
            known = theirs.loc[task, model]
            more = "" if pd.isna(known) else f" · {100 * known:.1f}"
            row[model] = f"{ours['best']} ({ours['median']}, {ours['mean']}){more}"
        rows.append(row)
    return pd.DataFrame(rows)


def constants(results: Results) -> pd.DataFrame:
    """The best answer that knows length and place alone, exactly: ``task``, at training lengths and beyond."""
    found = {
        where: results.facts_of("constant_accuracy", split=split).set_index("task")["value"]
        for where, split in _SPLITS.items()
    }
    return _titled(pd.DataFrame(found)).reset_index()


def by_length(results: Results, **levels: object) -> pd.DataFrame:
    """Every run by the length of the string: ``task, model, positions, number, where, length, value, constant``."""
    at = {"split": list(_SPLITS.values()), "by": "length", **levels}
    found, place = results.frame("accuracy", **at), ["task", "length"]
    constant = results.facts_of("constant_accuracy", **at).set_index(place)["value"]
    known = constant.reindex(pd.MultiIndex.from_frame(found[place])).to_numpy()
    where = found["split"].map({split: where for where, split in _SPLITS.items()})
    return found.assign(where=where, name=_names(found), constant=known)


def of_best_runs(results: Results, group: int = 5) -> pd.DataFrame:
    """Accuracy by string length, for the run of every task and model that has most of the longer strings right.

    Training lengths are averaged in groups, for there are few strings of each: ``length`` is the last of its group.
    Columns: ``title`` (the task's), ``model, length, value, constant``.
    """
    best = scores(results).sort_values("value").groupby(["task", "model"], observed=True).tail(1)
    keys = ["task", "model", "positions", "number"]
    found = by_length(results).merge(best[keys], on=keys)
    grouped = -(-found["length"] // group) * group
    found["length"] = found["length"].where(found["where"] == LONGER, grouped)
    found["title"] = _titles(found)
    places = found.groupby(["title", "model", "where", "length"], observed=True, sort=False)
    return places[["value", "constant"]].mean().reset_index()


def learnt(results: Results) -> pd.DataFrame:
    """A row per cell: runs, how many master the training lengths, and how many longer strings as well."""
    rows = []
    for (task, model, positions), count in _cells(results).items():
        at = {"task": task, "model": model, "positions": positions}
        short, long = (scores(results, where, **at).set_index("number")["value"] >= MASTERED for where in _SPLITS)
        rows.append(
            {
                "task": RULES[task].title,
                "model": named(model, positions),
                "runs": count,
                TRAINED: int(short.sum()),
                LONGER: int((short & long).sum()),
            }
        )
    return pd.DataFrame(rows)


def all_runs(results: Results) -> pd.DataFrame:
    """A row per cell: best, median and mean on longer strings, every run there, and on the training lengths."""
    rows = []
    for task, model, positions in _cells(results):
        at = {"task": task, "model": model, "positions": positions}
        trained, longer = (scores(results, where, **at)["value"] for where in _SPLITS)
        statistics = {name: f"{longer.agg(how):.3f}" for name, how in STATISTICS.items()}
        rows.append(
            {
                "task": RULES[task].title,
                "model": named(model, positions),
                **statistics,
                LONGER: listed(longer),
                TRAINED: listed(trained),
            }
        )
    return pd.DataFrame(rows)


def _cells(results: Results) -> dict[tuple[str, str, str], int]:
    """Judged cells and their runs."""
    groups = scores(results).groupby(["task", "model", "positions"], observed=True)["value"].size()
    return {place: int(count) for place, count in groups.items()}


def over_rates(results: Results) -> pd.DataFrame:
    """Where rates were searched, all rates and seeds together: ``task, model, runs``, best, median and mean.

    The paper takes the best of three rates as well as of its seeds; here the runs that chose a rate join the others.
    """
    tried = results.search.frame("accuracy", split="test")
    every = pd.concat([tried, results.frame("accuracy", split="test")]).fillna({"value": FAILED})
    groups, rows = every.groupby(["task", "model", "positions"], observed=True)["value"], []
    for place in tried[["task", "model", "positions"]].drop_duplicates().itertuples(index=False):
        found = groups.get_group(tuple(place))
        statistics = {name: f"{found.agg(how):.3f}" for name, how in STATISTICS.items()}
        row = {"task": RULES[place.task].title, "model": named(place.model, place.positions), "runs": len(found)}
        rows.append(row | statistics)
    return pd.DataFrame(rows)


def learning(results: Results, **levels: object) -> pd.DataFrame:
    """Accuracy at training lengths by steps: ``title`` (the task's), ``model, name, number, steps, value``."""
    at = {"split": "validation", "epochs": True, "settings": ("task.batches",), **levels}
    found = results.frame("accuracy", **at)
    return found.assign(title=_titles(found), name=_names(found), steps=found["epoch"] * found["task.batches"])


def gates(results: Results) -> pd.DataFrame:
    """σ(μ) of every layer of RSA: ``task`` (its title), ``layer, number, value``; near 0 it is attention alone."""
    found = results.frame("gate", split="model", by=("layer", "head"), model=RSA)
    return found.assign(layer=found["layer"].astype(int), task=_titles(found))[["task", "layer", "number", "value"]]


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model on a task of two classes, where all have the fewest."""
    found = results.trials.groupby(["model", "positions"], observed=True)["parameters"].min()
    return pd.DataFrame({"model": named(*each), "parameters": f"{found[each]:,}"} for each in ENCODED if each in found)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the lowest validation loss of every model and task, a column per rate."""
    return search_table(results, TUNING)
