"""From the rows and tables of the study to what its figures draw."""

from collections.abc import Mapping

import pandas as pd

from inductive_bias.studies.frames import by_rate, mean_std
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING
from inductive_bias.studies.stable_benchmarks.claims import STEPS, cost, margin, real, values
from inductive_bias.studies.stable_benchmarks.design import parts
from inductive_bias.studies.stable_benchmarks.parts import (
    FLIP_FLOP,
    FORMS,
    FREE,
    JSB,
    METRICS,
    MODELS,
    NOTTINGHAM,
    PARITY,
    POINTS,
    REAL,
    RESCALED,
    SCORES,
    STOPPED,
    WHERE,
)
from inductive_bias.studies.stable_benchmarks.tables import TRAINED, UNTRAINED

#: The bound that did best on validation, whichever it is.
CHOSEN_STABLE = "stable"
KINDS = FREE, CHOSEN_STABLE, RESCALED
#: From here on a certificate is only said to be above.
FAR_ABOVE = 100
#: A model at its beginning, on its way, and at its end.
TIMES = UNTRAINED, *STOPPED, TRAINED


def begun(results: Results) -> list[str]:
    """The tasks that have seeds, real ones first."""
    return [task for task, part in parts(results.scale).items() if part.seeds]


def searched(results: Results) -> list[str]:
    """The tasks whose rates and bounds were searched for."""
    return [task for task, part in parts(results.scale).items() if part.tuned]


def kinds(results: Results, task: str, model: str) -> dict[str, str]:
    """The form of each of :data:`KINDS` on a task."""
    part = parts(results.scale)[task]
    found = {FREE: FREE, CHOSEN_STABLE: part.stable(model), RESCALED: RESCALED}
    return {name: form for name, form in found.items() if form in part.forms[model]}


def costs(results: Results) -> pd.DataFrame:
    """What stability and rescaling cost, in margins: ``task, model, form, estimate, low, high, text``."""
    rows = []
    for task in real(results):
        for model in MODELS:
            for name, form in list(kinds(results, task, model).items())[1:]:
                found, unit = cost(results, task, model, form), margin(task)
                rows.append(
                    {
                        "task": task,
                        "model": model,
                        "form": name,
                        "estimate": found.estimate / unit,
                        "low": found.low / unit,
                        "high": found.high / unit,
                        "text": str(found),
                    }
                )
    return pd.DataFrame(rows)


def scores(results: Results, task: str) -> pd.DataFrame:
    """Final test scores of every form with runs: ``model, form, number, value``."""
    return results.frame(METRICS[task], **WHERE[task], task=task, variant=STANDARD)


def as_kinds(looks: Mapping[str, str]) -> dict[str, str]:
    """The look of every form by those of :data:`KINDS`: whatever bound it has, a stable form is one of the stable."""
    return {form: looks[form if form in looks else CHOSEN_STABLE] for forms in FORMS.values() for form in forms}


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per task and model: free, stable and rescaled (mean ± std over seeds), and what others report.

    A dash: not run, or not known to us.
    """
    rows = []
    for task in begun(results):
        for model in MODELS:
            forms = kinds(results, task, model)
            reported = results.reported(METRICS[task], split="test", task=task, model=model)
            own = dict.fromkeys(KINDS, "–")
            digits = 1 if METRICS[task] == "perplexity" else 3
            own |= {name: mean_std(values(results, task, model, form), digits) for name, form in forms.items()}
            known = "–" if reported is None else f"{reported[0]:.2f}"
            rows.append(
                {
                    "task": f"{task}, {SCORES[task]}",
                    "model": model,
                    **own,
                    "its bound": forms[CHOSEN_STABLE],
                    "reported": known,
                }
            )
    return pd.DataFrame(rows)


def grid(results: Results, task: str) -> pd.DataFrame:
    """The search for rates: the best validation score of every form, by factor on the task's rate.

    Of any epoch, as rates were chosen; the memories are measured at the end alone.
    """
    found = results.frame(METRICS[task], split="validation", epochs=task in REAL, task=task, variant=TUNING)
    return by_rate(found, ["model", "form"], highest=METRICS[task] in POINTS)


def held(results: Results) -> pd.DataFrame:
    """How long a bit is held by models of :data:`KINDS`: ``task, model, kind, number, steps, value``.

    Of the flip-flop, accuracy by the symbols since the bit was written; of parity, by the place in the longest strings,
    as all symbols before it count. The last places are left out: every string ends with an even count, which is the
    answer of anybody who knows where the end is.
    """
    curves = []
    for task, axis in ((FLIP_FLOP, "distance"), (PARITY, "position")):
        if task in begun(results):
            found = results.frame(METRICS[task], split=WHERE[task]["split"], by=axis, task=task, variant=STANDARD)
            if task == PARITY:
                found = found[found[axis] < found[axis].max()]
            curves.append(_with_kind(results, found).rename(columns={axis: "steps"}))
    return pd.concat(curves, ignore_index=True)


def fitted(results: Results) -> pd.DataFrame:
    """How well music that was learnt and music that is new is known after every epoch, by networks of :data:`KINDS`.

    ``task, model, kind, epoch, train, validation``, means over runs. Nothing is dropped in training, so that both are
    the same measure; the one of training is the mean over an epoch, while it is learnt.
    """
    curves = []
    for task in (each for each in (JSB, NOTTINGHAM) if each in begun(results)):
        at = {"epochs": True, "task": task, "variant": STANDARD}
        train = results.frame("loss", split="train", **at)[["trial", "epoch", "value"]]
        new = results.frame(METRICS[task], split="validation", **at)
        both = _with_kind(results, new).merge(train, on=["trial", "epoch"], suffixes=("", "_train"))
        both = both.rename(columns={"value": "validation", "value_train": "train"})
        groups = both.groupby(["task", "model", "kind", "epoch"], observed=True)[["train", "validation"]]
        curves.append(groups.mean().reset_index())
    return pd.concat(curves, ignore_index=True)


def by_kind(results: Results, table: str) -> pd.DataFrame:
    """Rows of a table about models of :data:`KINDS`, with a column ``kind``."""
    return _with_kind(results, results.table(table))


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


def _with_kind(results: Results, found: pd.DataFrame) -> pd.DataFrame:
    names = {
        (task, model, form): name
        for task in begun(results)
        for model in MODELS
        for name, form in kinds(results, task, model).items()
    }
    kind = [names.get(each) for each in zip(found["task"], found["model"], found["form"], strict=True)]
    return found.assign(kind=kind).dropna(subset="kind")
