"""Tables behind the figures of the page on real data: scores by task and model."""

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.protocols.proteins import LONG
from inductive_bias.studies.frames import estimated, mean_std, search_table, size_table
from inductive_bias.studies.real_world.design import (
    ATTENTION,
    BEATS,
    DIRECTIONS,
    LSTM,
    MITBIH,
    MODELS,
    PROFET,
    PROTEINS,
    RANDOM,
    RHYTHM,
    RSA,
    SIZES,
    STOCKS,
    TUNING,
    VARIANTS,
)
from inductive_bias.studies.real_world.measures.scores import (
    ALIKE,
    METRICS,
    UNITS,
    Score,
    baseline_names,
    baseline_value,
    beats,
    cell_of,
    directions,
    errors,
    proteins,
    trained,
)
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.task import KINDS
from inductive_bias.tasks.stocks import baselines as of_stocks

#: What each set is judged by; of stocks always a share beyond a baseline.
METRIC = {
    **dict.fromkeys(BEATS, "macro_f1"),
    **{data: METRICS[data][0] for data in PROTEINS},
    **dict.fromkeys(STOCKS, "r2"),
    DIRECTIONS: "accuracy",
}
#: The baseline that R² and directions are measured from.
AGAINST = dict.fromkeys(STOCKS, of_stocks.ZERO) | {SIZES: of_stocks.EWMA, DIRECTIONS: of_stocks.MAJORITY}
#: The words of an axis by the unit of a score.
AXES = {unit: unit for unit in UNITS.values()} | {UNITS["accuracy"]: "directions beyond majority"}
#: Depths that none of ours reaches.
NO_DEPTH = "none up to 4"


def every_set(results: Results) -> tuple[str, ...]:
    """The data that have runs."""
    return results.design.levels(results.scale)["data"]


def depths_on(results: Results, data: str) -> list[int]:
    """The depths that are compared on a set; none where every model has one."""
    there = [at["layers"] for at in results.cells if at["data"] == data and at["model"] == LSTM]
    return there if len(there) > 1 else []


def main_score(results: Results, data: str, model: str, layers: int | None = None) -> Score:
    """What a set is judged by, of every run of a model; at its usual depth unless told."""
    at = cell_of(results, data, model, layers)
    if data in BEATS:
        return beats(results, at)
    if data in PROTEINS:
        return proteins(results, at, METRIC[data])
    return (directions if data == DIRECTIONS else errors)(results, at, AGAINST[data])


def forest(results: Results) -> pd.DataFrame:
    """A row per set and model at usual depths: ``data, model, estimate, low, high, text, unit, baseline, by``.

    ``baseline`` is the best of the answers without a network (:func:`lines`), and ``by`` its name.
    """
    rows, known = [], lines(results)
    for data in every_set(results):
        theirs = known[known["data"] == data]
        best = theirs.loc[theirs["value"].idxmax()]
        for model in trained(results, data):
            found = main_score(results, data, model).contrast(f"{model} on {data}")
            line = {"unit": found.unit, "baseline": best["value"], "by": best["baseline"]}
            rows.append({"data": data, "model": model} | estimated(found) | line)
    return pd.DataFrame(rows)


def lines(results: Results) -> pd.DataFrame:
    """What answers without a network are worth on the same axes: ``data, baseline, value``."""
    rows = []
    for data in every_set(results):
        theirs = None if data not in STOCKS else _stock_value(results, data, AGAINST[data])
        for name in baseline_names(results, data):
            if data in STOCKS:
                mine = _stock_value(results, data, name)
                value = 0.0 if data == DIRECTIONS else 1 - mine / theirs
            else:
                value = baseline_value(results, data, METRIC[data], name)
            rows.append({"data": data, "baseline": name, "value": value})
    return pd.DataFrame(rows)


def baseline_table(results: Results) -> pd.DataFrame:
    """What answers without a network are worth, without variants of a set: ``data, score, answer, value``."""
    found = lines(results)
    found = found[~found["data"].isin([RANDOM, RHYTHM])]
    score = found["data"].map(METRIC).map(UNITS)
    words = {"data": found["data"], "score": score.map(AXES), "answer": found["baseline"], "value": found["value"]}
    return pd.DataFrame(words)


def _stock_value(results: Results, data: str, name: str) -> float:
    return baseline_value(results, data, "right" if data == DIRECTIONS else "squared_error", name)


def differences(results: Results) -> pd.DataFrame:
    """Transformer − LSTM and RSA − Transformer: ``data, pair, estimate, low, high, text``."""
    rows = []
    for data in every_set(results):
        for one, two in ((ATTENTION, LSTM), (RSA, ATTENTION)):
            if not {one, two} <= set(trained(results, data)):
                continue
            pair = f"{one} − {two}"
            found = main_score(results, data, one).less(main_score(results, data, two)).contrast(f"{pair}, {data}")
            rows.append({"data": data, "pair": pair} | estimated(found))
    return pd.DataFrame(rows)


def by_record(results: Results, data: str = MITBIH) -> pd.DataFrame:
    """What is found of every class in every record: ``model, record, kind, beats, value``, the mean over runs.

    ``value`` is the recall, ``beats`` how many there are of the class; records without any have no row.
    """
    found = results.frame("count", split="test", by=("item", "label", "answer"), data=data)
    usual = {model: cell_of(results, data, model)["layers"] for model in trained(results, data)}
    chosen = found[found["layers"] == found["model"].astype(object).map(usual)]
    chosen = chosen.assign(right=lambda rows: rows["value"].where(rows["label"] == rows["answer"], 0.0))
    keys = ["model", "item", "label"]
    sums = chosen.groupby(keys, observed=True)[["value", "right"]].sum()
    runs = chosen.groupby("model", observed=True)["number"].nunique()
    table = sums.assign(recall=sums["right"] / sums["value"]).reset_index()
    return pd.DataFrame(
        {
            "model": table["model"],
            "record": table["item"].astype(int),
            "kind": [KINDS[int(label)] for label in table["label"]],
            "beats": (table["value"] / table["model"].map(runs).astype(float)).round().astype(int),
            "value": table["recall"],
        }
    )


def exchange(results: Results) -> pd.DataFrame:
    """How many layers of one model another is worth: a row per set whose depths are varied.

    The least depth at which the mean score of a Transformer comes within .03 of an LSTM with one layer, and the least
    at which that of an LSTM comes as near to the deepest Transformer.
    """
    rows = []
    for data in every_set(results):
        depths = depths_on(results, data)
        if not depths:
            continue
        means = {
            (model, depth): float(main_score(results, data, model, depth).values.mean())
            for model in (LSTM, ATTENTION)
            for depth in depths
        }
        wanted = {ATTENTION: means[LSTM, min(depths)], LSTM: means[ATTENTION, max(depths)]}
        least = {
            model: next((str(depth) for depth in depths if means[model, depth] >= goal - ALIKE), NO_DEPTH)
            for model, goal in wanted.items()
        }
        rows.append(
            {
                "data": data,
                "layers of a Transformer for an LSTM with one": least[ATTENTION],
                f"layers of an LSTM for a Transformer with {max(depths)}": least[LSTM],
            }
        )
    return pd.DataFrame(rows)


def by_depth(results: Results) -> pd.DataFrame:
    """Scores of every run by depth: ``data, model, layers, number, value``."""
    rows = []
    for data in every_set(results):
        for model in (LSTM, ATTENTION):
            for depth in depths_on(results, data):
                values = main_score(results, data, model, depth).values
                rows += [
                    {"data": data, "model": model, "layers": depth, "number": number, "value": value}
                    for number, value in values.items()
                ]
    return pd.DataFrame(rows)


def harder(results: Results) -> pd.DataFrame:
    """Scores on what is harder or easier than the usual test: ``test, condition, model, number, value``.

    Longer proteins, beats moved within their windows, and beats of patients who are learnt from.
    """
    rows = []
    for model in MODELS:
        longer, moved = (cell_of(results, data, model) for data in (PROFET, MITBIH))
        usual = beats(results, moved)
        tests = {
            "ProFET, AUC": {
                "proteins as long as in training": proteins(results, longer, "auc"),
                "longer proteins": proteins(results, longer, "auc", LONG),
            },
            "moved, macro-F1": {"beats in the middle": usual, "moved beats": beats(results, moved, shifted=True)},
        }
        if model in trained(results, RANDOM):
            known = beats(results, cell_of(results, RANDOM, model))
            tests["known, macro-F1"] = {"unknown patients": usual, "known patients": known}
        rows += [row for test, found in tests.items() for row in _scores(test, found, model)]
    order = list(dict.fromkeys(row["test"] for row in rows))
    return pd.DataFrame(sorted(rows, key=lambda row: order.index(row["test"])))


def variants(results: Results) -> pd.DataFrame:
    """Macro-F1 between patients, without and with the rhythm: ``test, condition, model, number, value``."""
    rows = []
    for model in trained(results, RHYTHM):
        there = {"beat alone": MITBIH, "and both intervals": RHYTHM}
        found = {words: beats(results, cell_of(results, data, model)) for words, data in there.items()}
        rows += _scores("macro-F1", found, model)
    return pd.DataFrame(rows)


def _scores(test: str, found: dict[str, Score], model: str) -> list[dict[str, object]]:
    return [
        {"test": test, "condition": condition, "model": model, "number": number, "value": value}
        for condition, score in found.items()
        for number, value in score.values.items()
    ]


def not_shared(results: Results) -> pd.DataFrame:
    """MCC and AUC on signal peptides, on all test proteins and on those that begin like none to learn from."""
    rows = []
    for data in [data for data in PROTEINS if data in every_set(results)]:
        for model in MODELS:
            at = cell_of(results, data, model)
            row = {"data": data, "model": model}
            for metric in ("mcc", "auc"):
                for words, shared in (("", True), (", none alike", False)):
                    row[metric.upper() + words] = mean_std(proteins(results, at, metric, shared=shared).values)
            rows.append(row)
    return pd.DataFrame(rows)


def all_runs(results: Results) -> pd.DataFrame:
    """Every run at its usual depth: a row per set, a column per model."""
    return pd.DataFrame(
        [
            {"data": data, "score": AXES[UNITS[METRIC[data]]]}
            | {
                model: " ".join(number(value, ".3f") for value in main_score(results, data, model).values)
                for model in trained(results, data)
            }
            for data in every_set(results)
        ]
    ).fillna("–")


def sizes(results: Results) -> pd.DataFrame:
    """Parameters of every model and depth: a row per model and depth, a column per set but those of variants."""
    found = results.trials[~results.trials["data"].isin([*VARIANTS])]
    names = found["model"].astype(str) + ", " + found["layers"].astype(str)
    return size_table(found.assign(**{"model, layers": names}), "model, layers", "data")


def grid(results: Results) -> pd.DataFrame:
    """The search for rates and weightings: the validation scores of every model by rate; all rates in one column."""
    return search_table(results, TUNING, folded=True).fillna({"weights": ""})
