"""Tables behind the figures of the page on stable networks."""

from collections.abc import Mapping

import pandas as pd

from inductive_bias.studies.frames import estimated, mean_std, search_table
from inductive_bias.studies.results import Results
from inductive_bias.studies.stable_benchmarks.design import (
    CONSTRAINTS,
    FLIP_FLOP,
    FORMS,
    FREE,
    JSB,
    LSTM,
    METRICS,
    MODELS,
    NOTTINGHAM,
    PARITY,
    SCORES,
    STABLE,
    STOPS,
    TUNING,
    WHERE,
    WORDS,
    after,
)
from inductive_bias.studies.stable_benchmarks.measures import (
    STEPS,
    TRAINED,
    UNTRAINED,
    cost,
    forms,
    margin,
    real,
    values,
)

#: How the pages call a model: free, stable (by the bound that did best on validation, whichever it is), or rescaled.
KINDS = CONSTRAINTS
#: From here on a certificate is only said to be above.
FAR_ABOVE = 100
#: A model at its beginning, on its way, and at its end.
TIMES = UNTRAINED, *map(after, STOPS), TRAINED


def tasks(results: Results) -> tuple[str, ...]:
    """The tasks that have runs, real ones first."""
    return results.design.levels(results.scale)["task"]


def searched(results: Results) -> tuple[str, ...]:
    """The tasks whose rates and bounds were searched for."""
    return tasks(results.search)


def costs(results: Results) -> pd.DataFrame:
    """What stability and rescaling cost, in margins: ``task, model, form, estimate, low, high, text``."""
    rows = []
    for task in real(results):
        for model in MODELS:
            there, unit = forms(results, task, model), margin(task)
            for kind in (kind for kind in KINDS[1:] if kind in there):
                found = estimated(cost(results, task, model, there[kind]), unit)
                rows.append({"task": task, "model": model, "form": kind} | found)
    return pd.DataFrame(rows)


def scores(results: Results, task: str) -> pd.DataFrame:
    """Final test scores of every form with runs: ``model, form, number, value``."""
    return results.frame(METRICS[task], **WHERE[task], task=task, stopped=None)


def as_kinds(looks: Mapping[str, str]) -> dict[str, str]:
    """The look of every form by those of :data:`KINDS`: whatever bound it has, a stable form is one of the stable."""
    return {form: looks[form if form in looks else STABLE] for forms in FORMS.values() for form in forms}


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per task and model: free, stable and rescaled (mean ± std over seeds), and what others report.

    A dash: not run, or not known to us.
    """
    rows = []
    for task in tasks(results):
        for model in MODELS:
            there = forms(results, task, model)
            reported = results.reported(METRICS[task], split="test", task=task, model=model)
            own = dict.fromkeys(KINDS, "–")
            digits = 1 if METRICS[task] == "perplexity" else 3
            own |= {name: mean_std(values(results, task, model, form), digits) for name, form in there.items()}
            known = "–" if reported is None else f"{reported[0]:.2f}"
            rows.append(
                {
                    "task": f"{task}, {SCORES[task]}",
                    "model": model,
                    **own,
                    "its bound": there[STABLE],
                    "reported": known,
                }
            )
    return pd.DataFrame(rows)


def public_run(results: Results) -> tuple[float, float]:
    """Validation perplexity of the free LSTM on words after all passes, and that of a public run after as many."""
    where = {"split": "validation", "task": WORDS, "model": LSTM}
    own = results.values("perplexity", **where, form=FREE, stopped=None)
    return float(own.mean()), results.reported("perplexity", **where)[0]


def grid(results: Results, task: str) -> pd.DataFrame:
    """The search for rates on a task: the best validation score of every form, a column per rate.

    Of any epoch, as rates were chosen; the memories are measured at the end alone.
    """
    return search_table(results, TUNING, folded=True, task=task)


def held(results: Results) -> pd.DataFrame:
    """How long a bit is held by models of :data:`KINDS`: ``task, model, kind, number, steps, value``.

    Of the flip-flop, accuracy by the symbols since the bit was written; of parity, by the place in the longest strings,
    as all symbols before it count. The last places are left out: every string ends with an even count, which is the
    answer of anybody who knows where the end is.
    """
    curves = []
    for task, axis in ((FLIP_FLOP, "distance"), (PARITY, "position")):
        if task in tasks(results):
            found = results.frame(METRICS[task], split=WHERE[task]["split"], by=axis, task=task, stopped=None)
            if task == PARITY:
                found = found[found[axis] < found[axis].max()]
            curves.append(_with_kind(found).rename(columns={axis: "steps"}))
    return pd.concat(curves, ignore_index=True)


def fitted(results: Results) -> pd.DataFrame:
    """How well music that was learnt and music that is new is known after every epoch, by networks of :data:`KINDS`.

    ``task, model, kind, epoch, train, validation``, means over runs. Nothing is dropped in training, so that both are
    the same measure; the one of training is the mean over an epoch, while it is learnt.
    """
    curves = []
    for task in (each for each in (JSB, NOTTINGHAM) if each in tasks(results)):
        at = {"epochs": True, "task": task, "stopped": None}
        train = results.frame("loss", split="train", **at)[["trial", "epoch", "value"]]
        new = results.frame(METRICS[task], split="validation", **at)
        both = _with_kind(new).merge(train, on=["trial", "epoch"], suffixes=("", "_train"))
        both = both.rename(columns={"value": "validation", "value_train": "train"})
        groups = both.groupby(["task", "model", "kind", "epoch"], observed=True)[["train", "validation"]]
        curves.append(groups.mean().reset_index())
    return pd.concat(curves, ignore_index=True)


def by_kind(results: Results, table: str) -> pd.DataFrame:
    """Rows of a table about models of :data:`KINDS`, with a column ``kind``."""
    return _with_kind(results.table(table))


def with_the_last(results: Results) -> pd.DataFrame:
    """What models lose of their loss with the last inputs alone: ``model, kind, number, context, lost``."""
    found = by_kind(results, "context_curves")
    whole = found[found["context"] == 0].set_index("trial")["value"]
    found = found[found["context"] > 0]
    return found.assign(lost=found["value"] / found["trial"].map(whole) - 1)


def word_by_word(results: Results) -> pd.DataFrame:
    """The passage that is shown, as networks of :data:`KINDS` read it: ``model`` in words, free ones first."""
    found = by_kind(results, "influence")
    found = found.assign(model=found["kind"] + " " + found["model"].astype(str))
    return found.assign(order=found["kind"].map(KINDS.index)).sort_values("order", kind="stable")


def over_steps(results: Results) -> pd.DataFrame:
    """How a small difference of the state of a free network goes on, at its beginning, on its way, and at its end.

    ``factor`` is what σ over ``lag`` steps makes of one step, median over places.
    """
    found = results.table("stretches")
    found = found[found["form"] == FREE]
    found = found.assign(factor=found["q50"] ** (1 / found["lag"]))
    return found.assign(when=pd.Categorical(found["when"], [name for name in TIMES if name in set(found["when"])]))


def per_step(results: Results) -> pd.DataFrame:
    """Over ten steps, taken as the factor of one, medians over places: ``model, kind, when, number, q50, visible``."""
    found = by_kind(results, "stretches")
    found = found[found["lag"] == STEPS]
    return found.assign(**{column: found[column] ** (1 / STEPS) for column in ("q50", "visible")})


def promised(certified: pd.Series) -> str:
    """A certificate over seeds; one that promises nothing by far has no digits."""
    return f"above {FAR_ABOVE:.0f}" if certified.min() > FAR_ABOVE else mean_std(certified, 2)


def summary(results: Results) -> pd.DataFrame:
    """A row per model and kind, trained, and per time of a free one: what is promised and what is found."""
    found = per_step(results)
    found = found[(found["kind"] == FREE) | (found["when"] == TRAINED)]
    rows = []
    for (model, kind, when), each in found.groupby(["model", "kind", "when"], observed=True):
        rows.append(
            {
                "model": model,
                "form": kind,
                "when": when,
                "certificate": promised(each["certified"]),
                "places that contract": mean_std(each["below"]),
                "factor per step": mean_std(each["q50"]),
                "of the outputs": mean_std(each["visible"]),
            }
        )
    order = {name: place for place, name in enumerate((*MODELS, *KINDS, *TIMES))}
    return pd.DataFrame(rows).sort_values(["model", "form", "when"], key=lambda column: column.map(order))


def _with_kind(found: pd.DataFrame) -> pd.DataFrame:
    """Rows of models of :data:`KINDS`, with the column ``kind``."""
    return found.assign(kind=found["constraint"].astype(object)).dropna(subset="kind")
