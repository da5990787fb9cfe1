"""From the rows of the study to what its figures draw."""

import math

import pandas as pd

from inductive_bias.protocols.batching import FRESH_STEPS
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.claims import SOLVED
from inductive_bias.studies.automata.design import ATTENTION, LSTM
from inductive_bias.studies.automata.design import PLANS as WHOLE
from inductive_bias.studies.automata.supervision.design import ALL, LABELS, PLANS, STATE, WORDS, share
from inductive_bias.studies.frames import by_rate, listed
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING

#: What a number is taken by, in words.
STEPS, SEEN = "steps", "labels seen"
#: Whether a run has ever had nearly all of the validation states.
THERE, NEVER = "99 % right", "never"


def _scores(results: Results, metric: str = "accuracy", **levels: object) -> pd.DataFrame:
    at = {"split": "test", "length": WHOLE[results.scale].length, "part": LAST_QUARTER, "variant": STANDARD}
    return results.frame(metric, **at, **levels)


def _what(rows: pd.DataFrame) -> pd.Series:
    """``wall of Grid9``, what is asked in words."""
    return rows["asked"].astype(str) + " of " + rows["automaton"].astype(str)


def few_labels(results: Results) -> pd.DataFrame:
    """Every run of the automaton of which few labels are kept: ``model, kept, counted, number, value``.

    Runs with all labels stand in both parts, of equally many words and of equally many labels: there they are the same.
    """
    found = _scores(results, automaton=PLANS[results.scale].sparse, asked=STATE)
    controlled = found[found["counted"] == LABELS]["model"].unique()
    again = found[(found["kept"] == ALL) & found["model"].isin(controlled)].assign(counted=LABELS)
    return pd.concat([found, again], ignore_index=True)


def labels_seen(results: Results) -> pd.DataFrame:
    """The same by the number of labels that a run saw: ``labels``, as many as its steps, words and share give."""
    found = _scores(results, automaton=PLANS[results.scale].sparse, asked=STATE)
    steps = results.frame("steps", split="train", variant=STANDARD, automaton=PLANS[results.scale].sparse, asked=STATE)
    keys = ["model", "kept", "counted", "number"]
    both = found.merge(steps[[*keys, "value"]].rename(columns={"value": "steps"}), on=keys)
    return both.assign(labels=both["steps"] * _labels_per_step(results, both))


def _labels_per_step(results: Results, found: pd.DataFrame) -> pd.Series:
    """Whatever is equal, words or labels."""
    return PLANS[results.scale].batch_size * WHOLE[results.scale].length * found["kept"].astype(float)


def parts(results: Results) -> pd.DataFrame:
    """Every run that is asked for a part: ``automaton, asked, model, number, value``, with the best ``constant``."""
    return _with_constant(results, asked=list(PLANS[results.scale].parts.values()))


def asked(results: Results) -> pd.DataFrame:
    """The same, and the runs that are asked for all of the one state; ``what`` is ``wall of Grid9``."""
    whole = _with_constant(results, automaton=PLANS[results.scale].sparse, asked=STATE, kept=ALL)
    both = pd.concat([parts(results), whole], ignore_index=True)
    return both.assign(what=_what(both))


def _with_constant(results: Results, **levels: object) -> pd.DataFrame:
    constant = _scores(results, "constant_accuracy", **levels)
    constant = constant.groupby(["automaton", "asked"], observed=True)["value"].first().rename("constant").reset_index()
    return _scores(results, **levels).merge(constant, on=["automaton", "asked"])


def constant(results: Results) -> float:
    """The best answer that knows the position alone, of the automaton of which few labels are kept."""
    at = {"automaton": PLANS[results.scale].sparse, "asked": STATE, "kept": ALL}
    return float(_with_constant(results, **at)["constant"].iloc[0])


def reported(results: Results, metric: str) -> pd.DataFrame:
    """The paper's numbers as marks of a figure: ``what, kept, model, mean``, ``share`` in words."""
    found = results.paper[results.paper["metric"] == metric]
    found = found.assign(what=_what(found), share=found["kept"].astype(float).map(share))
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
        row = {"labels kept": share(kept)} | {model: f"{value:.3f}" for model, value in values.items()}
        known = {model: theirs.get((share(kept), model)) for model in (ATTENTION, LSTM)}
        rows.append(
            row
            | {
                f"paper, {PLANS['paper'].sparse}: {model}": "" if value is None else f"{value:g}"
                for model, value in known.items()
            }
        )
    return pd.DataFrame(rows)


def all_runs(results: Results) -> pd.DataFrame:
    """A row per model, share and what is equal: mean and every run; a diverged one is a dash."""
    found = _scores(results, automaton=PLANS[results.scale].sparse, asked=STATE)
    groups = found.groupby(["model", "kept", "counted"], observed=True, sort=False)["value"]
    return pd.DataFrame(
        [
            {
                "model": model,
                "labels kept": share(kept),
                "equal": "" if kept == ALL else counted,
                "mean": f"{values.fillna(0.0).mean():.3f}",
                "runs": listed(values),
            }
            for (model, kept, counted), values in groups
        ]
    )


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the best validation accuracy of every model, by factor on its rate."""
    found = results.frame("accuracy", split="validation", epochs=True, variant=TUNING)
    return by_rate(found, ["model", "counted"], highest=True)


def all_words(results: Results) -> pd.DataFrame:
    """Learning curves with equally many words: validation accuracy after every hundred steps, by share."""
    return _validation(results, counted=WORDS)


def _validation(results: Results, **levels: object) -> pd.DataFrame:
    at = {"split": "validation", "epochs": True, "variant": STANDARD, "asked": STATE}
    return results.frame("accuracy", automaton=PLANS[results.scale].sparse, **at, **levels)


def curves(results: Results) -> pd.DataFrame:
    """Learning curves, each drawn twice: ``at`` holds steps or labels seen, as ``by`` says; ``share`` in words.

    Where curves of all shares coincide by :data:`SEEN`, the number of labels is what counts; by :data:`STEPS`, labels
    are left over.
    """
    found = all_words(results)
    found = found.assign(steps=FRESH_STEPS * found["epoch"], share=found["kept"].astype(float).map(share))
    seen = found["steps"] * _labels_per_step(results, found)
    return pd.concat([found.assign(by=STEPS, at=found["steps"]), found.assign(by=SEEN, at=seen)], ignore_index=True)


def until(results: Results) -> pd.DataFrame:
    """When each run has :data:`SOLVED` of the validation states: ``steps``, ``labels``, and ``got`` there or not.

    Steps and labels of a run that never has them are all of its training.
    """
    found = _validation(results)
    keys = ["model", "kept", "counted", "number"]
    last = found.groupby(keys, observed=True)["epoch"].max().rename("last")
    first = found[found["value"] >= SOLVED].groupby(keys, observed=True)["epoch"].min().rename("first")
    runs = pd.concat([last, first], axis=1).reset_index()
    runs["steps"] = FRESH_STEPS * runs["first"].fillna(runs["last"])
    runs["got"] = runs["first"].notna().map({True: THERE, False: NEVER})
    return runs.assign(labels=runs["steps"] * _labels_per_step(results, runs)).drop(columns=["first", "last"])


def waiting(results: Results) -> pd.DataFrame:
    """A row per share, a column per model and what is equal: runs that get there, their median steps and labels.

    The median is of all runs, those that never get there last.
    """
    found = until(results)
    kinds = found[found["kept"] != ALL].groupby(["model", "counted"], observed=True).groups
    rows = []
    for kept in PLANS[results.scale].shares:
        row = {"labels kept": share(kept)}
        for model, counted in kinds:
            at = (found["model"] == model) & (found["kept"] == kept) & ((found["counted"] == counted) | (kept == ALL))
            row[f"{model}, {counted}"] = _wait(found[at])
        rows.append(row)
    return pd.DataFrame(rows)


def _wait(runs: pd.DataFrame) -> str:
    """``4 of 4: 1,200 (154 k)``."""
    got = runs["got"] == THERE
    steps, labels = (runs[name].where(got, math.inf).median() for name in ("steps", "labels"))
    there = f"{got.sum()} of {len(runs)}"
    return there if math.isinf(steps) else f"{there}: {steps:,.0f} ({labels / 1_000:,.0f} k)"


def parts_learning(results: Results) -> pd.DataFrame:
    """Learning curves where a part is asked: ``what, steps, value``, a line per run."""
    at = {"split": "validation", "epochs": True, "variant": STANDARD}
    found = results.frame("accuracy", asked=list(PLANS[results.scale].parts.values()), **at)
    return found.assign(what=_what(found), steps=FRESH_STEPS * found["epoch"])
