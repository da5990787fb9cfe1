"""Tables behind the figures of the page on supervision."""

import math

import pandas as pd

from inductive_bias.protocols.batching import FRESH_STEPS
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.frames import listed, search_table
from inductive_bias.studies.results import Results
from inductive_bias.studies.state_tracking import ATTENTION, LSTM, SOLVED, trained_length
from inductive_bias.studies.supervision.design import (
    ALL_LABELS,
    LABELS,
    PARTS,
    SPARSE_IN_PAPER,
    STATE,
    TUNING,
    WORDS,
    share_in_words,
)

#: What a curve is drawn by, in words.
BY_STEPS, BY_LABELS = "steps", "labels seen"
#: Settings whose product is the labels of a step, whatever is equal, words or labels.
OF_A_STEP = ("schedule.batch_size", "task.length", "task.kept")
#: Whether a run has ever had nearly all of the validation states.
REACHED, NEVER = "99 % right", "never"


def _scores(results: Results, metric: str = "accuracy", **levels: object) -> pd.DataFrame:
    at = {"split": "test", "length": trained_length(results), "part": LAST_QUARTER}
    return results.frame(metric, **at, **levels)


def _what(rows: pd.DataFrame) -> pd.Series:
    """What is asked in words: ``wall of Grid9``."""
    return rows["asked"].astype(str) + " of " + rows["automaton"].astype(str)


def few_labels(results: Results) -> pd.DataFrame:
    """Every run of the automaton of which few labels are kept: ``model, kept, counted, number, value``.

    Runs with all labels stand in both parts, of equally many words and of equally many labels: there they are the same.
    """
    found = _scores(results, asked=STATE)
    controlled = found[found["counted"] == LABELS]["model"].unique()
    again = found[(found["kept"] == ALL_LABELS) & found["model"].isin(controlled)].assign(counted=LABELS)
    return pd.concat([found, again], ignore_index=True)


def labels_seen(results: Results) -> pd.DataFrame:
    """Every run by the number of labels that it saw: ``labels``, as many as its steps, words and share give."""
    found = _scores(results, asked=STATE, settings=OF_A_STEP)
    steps = results.frame("steps", split="train", asked=STATE)[["trial", "value"]]
    both = found.merge(steps.rename(columns={"value": "steps"}), on="trial")
    return both.assign(labels=both["steps"] * _labels_of_a_step(both))


def _labels_of_a_step(found: pd.DataFrame) -> pd.Series:
    return found[list(OF_A_STEP)].astype(float).prod(axis=1)


def parts(results: Results) -> pd.DataFrame:
    """Every run that is asked for a part: ``automaton, asked, model, number, value``, with the best ``constant``."""
    found = asked(results)
    return found[found["asked"] != STATE].reset_index(drop=True)


def asked(results: Results) -> pd.DataFrame:
    """Every run that is told all labels, of a part or of the state: ``what`` is ``wall of Grid9``, and ``constant``."""
    parts = _scores(results, asked=[*PARTS.values()])
    found = pd.concat([parts, _scores(results, asked=STATE, kept=ALL_LABELS)], ignore_index=True)
    found = found.assign(what=_what(found))
    best = _best_constants(results)
    return found.assign(constant=found["what"].map(best.set_index(_what(best))["value"]))


def _best_constants(results: Results) -> pd.DataFrame:
    at = {"split": "test", "length": trained_length(results), "part": LAST_QUARTER, "kept": ALL_LABELS}
    return results.facts_of("constant_accuracy", **at)


def constant(results: Results) -> float:
    """The best answer that knows the position alone, of the automaton of which few labels are kept."""
    found = _best_constants(results)
    return float(found[found["asked"] == STATE]["value"].iloc[0])


def reported(results: Results, metric: str) -> pd.DataFrame:
    """The paper's numbers as marks of a figure: ``what, kept, model, mean``, ``share`` in words."""
    found = results.paper[results.paper["metric"] == metric]
    found = found.assign(what=_what(found), share=found["kept"].astype(float).map(share_in_words))
    return found[["what", "share", "model", "mean"]]


def asked_runs(results: Results) -> pd.DataFrame:
    """A row per automaton, what is asked and model: the best constant, best, mean and every run."""
    groups = asked(results).groupby(["what", "model"], observed=True, sort=False)
    return pd.DataFrame(
        [
            {
                "asked": what,
                "model": model,
                "constant": f"{some['constant'].iloc[0]:.3f}",
                "best": f"{some['value'].fillna(0.0).max():.3f}",
                "mean": f"{some['value'].fillna(0.0).mean():.3f}",
                "runs": listed(some["value"]),
            }
            for (what, model), some in groups
        ]
    )


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per share: our medians with equally many words, and the paper's, of its own automaton, in brackets."""
    found = few_labels(results).query("counted == @WORDS").assign(value=lambda rows: rows["value"].fillna(0.0))
    table = found.groupby(["kept", "model"], observed=True)["value"].median().unstack("model")
    theirs = reported(results, "median_accuracy").set_index(["share", "model"])["mean"]
    rows = []
    for kept, values in table.sort_index(ascending=False).iterrows():
        row = {"labels kept": share_in_words(kept)} | {model: f"{value:.3f}" for model, value in values.items()}
        known = {model: theirs.get((share_in_words(kept), model)) for model in (ATTENTION, LSTM)}
        rows.append(
            row
            | {
                f"paper, {SPARSE_IN_PAPER}: {model}": "" if value is None else f"{value:g}"
                for model, value in known.items()
            }
        )
    return pd.DataFrame(rows)


def all_runs(results: Results) -> pd.DataFrame:
    """A row per model, share and what is equal: mean and every run; a diverged one is a dash."""
    found = _scores(results, asked=STATE)
    groups = found.groupby(["model", "kept", "counted"], observed=True, sort=False)["value"]
    return pd.DataFrame(
        [
            {
                "model": model,
                "labels kept": share_in_words(kept),
                "equal": "" if kept == ALL_LABELS else counted,
                "mean": f"{values.fillna(0.0).mean():.3f}",
                "runs": listed(values),
            }
            for (model, kept, counted), values in groups
        ]
    )


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the best validation accuracy of every model and what is equal, a column per rate."""
    return search_table(results, TUNING)


def _validation(results: Results, **levels: object) -> pd.DataFrame:
    return results.frame("accuracy", split="validation", epochs=True, asked=STATE, settings=OF_A_STEP, **levels)


def curves(results: Results) -> pd.DataFrame:
    """Learning curves with equally many words, each twice: ``at`` holds steps or labels, as ``by`` says.

    ``share`` is in words. Where curves of all shares coincide by :data:`BY_LABELS`, the number of labels is what
    counts; by :data:`BY_STEPS`, labels are left over.
    """
    found = _validation(results, counted=WORDS)
    found = found.assign(steps=FRESH_STEPS * found["epoch"], share=found["kept"].astype(float).map(share_in_words))
    seen = found["steps"] * _labels_of_a_step(found)
    by_steps, by_labels = found.assign(by=BY_STEPS, at=found["steps"]), found.assign(by=BY_LABELS, at=seen)
    return pd.concat([by_steps, by_labels], ignore_index=True)


def until(results: Results) -> pd.DataFrame:
    """When each run has :data:`SOLVED` of the validation states: ``steps``, ``labels``, and ``got`` there or not.

    Steps and labels of a run that never has them are all of its training.
    """
    found = _validation(results)
    keys = ["model", "kept", "counted", "number", *OF_A_STEP]
    last = found.groupby(keys, observed=True)["epoch"].max().rename("last")
    first = found[found["value"] >= SOLVED].groupby(keys, observed=True)["epoch"].min().rename("first")
    runs = pd.concat([last, first], axis=1).reset_index()
    runs["steps"] = FRESH_STEPS * runs["first"].fillna(runs["last"])
    runs["got"] = runs["first"].notna().map({True: REACHED, False: NEVER})
    return runs.assign(labels=runs["steps"] * _labels_of_a_step(runs)).drop(columns=["first", "last", *OF_A_STEP])


def waiting(results: Results) -> pd.DataFrame:
    """A row per share, a column per model and what is equal: runs that get there, their median steps and labels.

    The median is of all runs, those that never get there last.
    """
    found = until(results)
    kinds = found[found["kept"] != ALL_LABELS].groupby(["model", "counted"], observed=True).groups
    rows = []
    for kept in results.design.levels(results.scale)["kept"]:
        row = {"labels kept": share_in_words(kept)}
        for model, counted in kinds:
            at = (
                (found["model"] == model)
                & (found["kept"] == kept)
                & ((found["counted"] == counted) | (kept == ALL_LABELS))
            )
            row[f"{model}, {counted}"] = _wait(found[at])
        rows.append(row)
    return pd.DataFrame(rows)


def _wait(runs: pd.DataFrame) -> str:
    """``4 of 4: 1,200 (154 k)``."""
    got = runs["got"] == REACHED
    steps, labels = (runs[name].where(got, math.inf).median() for name in ("steps", "labels"))
    there = f"{got.sum()} of {len(runs)}"
    return there if math.isinf(steps) else f"{there}: {steps:,.0f} ({labels / 1_000:,.0f} k)"


def parts_learning(results: Results) -> pd.DataFrame:
    """Learning curves where a part is asked: ``what, steps, value``, a line per run."""
    found = results.frame("accuracy", split="validation", epochs=True, asked=[*PARTS.values()])
    return found.assign(what=_what(found), steps=FRESH_STEPS * found["epoch"])
