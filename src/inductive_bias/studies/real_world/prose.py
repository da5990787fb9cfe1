"""Numbers that the sentences of the chapter on heartbeats, proteins and share prices ask for by name."""

from collections.abc import Callable

import pandas as pd

from inductive_bias.formatting import decimals, span
from inductive_bias.formatting import with_interval as between
from inductive_bias.studies.bootstrap import Score
from inductive_bias.studies.real_world.claims import ABNORMAL, score
from inductive_bias.studies.real_world.design import (
    ATTENTION,
    LSTM,
    MITBIH,
    MLP,
    MODELS,
    RANDOM,
    RHYTHM,
    TUNED,
    WEIGHTINGS,
)
from inductive_bias.studies.real_world.figures.attributions import near_mark
from inductive_bias.studies.real_world.measures.attributions import dearer
from inductive_bias.studies.real_world.measures.patients import found_by_run, gap, recalls
from inductive_bias.studies.real_world.measures.scores import baseline_value
from inductive_bias.studies.results import Results
from inductive_bias.tasks.heartbeats.baselines import BOTH, CENTROID
from inductive_bias.tasks.heartbeats.task import KINDS

#: A run finds the beats of a kind if it recognises this share of them.
FOUND = 0.1


def heartbeats(results: Results) -> dict[str, Callable[[], str]]:
    """Numbers of the sentences on heartbeats of patients who were not learnt from."""

    def macro(model: str, data: str = MITBIH, **options: object) -> Score:
        return score(results, data, model, "macro_f1", **options)

    def mean(model: str, data: str = MITBIH) -> float:
        return float(macro(model, data).values.mean())

    def best() -> str:
        return max(MODELS, key=mean)

    def with_interval(found: Score, digits: int = 3) -> str:
        shown = found.contrast("of the text")
        return between(shown.estimate, shown.low, shown.high, digits)

    def lost(model: str) -> Score:
        return macro(model).less(macro(model, shifted=True))

    def known(model: str) -> Score:
        return macro(model, RANDOM).less(macro(model))

    def finds(model: str) -> str:
        shares = found_by_run(results, model, "S")
        return f"{(shares >= FOUND).sum()} of {len(shares)}"

    def of_patient(model: str, kind: str, which: str) -> str:
        every = recalls(results, model, kind).mean()
        record = getattr(every, which)()
        return f"{decimals(every[record])} (record {record})"

    def visible(model: str) -> float:
        return gap(results, model, "N").contrast("").visible

    def near() -> str:
        return span(near_mark(results).groupby(["model", "method", "kind"], observed=True).mean(), decimals)

    def worth() -> str:
        tables = (dearer(results, model, kinds=ABNORMAL) for model in MODELS)
        return span((float(table.to_numpy().mean()) for table in tables), decimals)

    def searched(metric: str, **levels: object) -> pd.DataFrame:
        """A metric on validation records of every run of the search on beats of many patients."""
        return results.search.frame(metric, split="validation", data=MITBIH, **levels).dropna(subset="value")

    def weighted(weights: str) -> str:
        """The Transformer's best score in the search with this weighting of the classes."""
        return decimals(searched("macro_f1", model=ATTENTION, weights=weights)["value"].max(), 3)

    def searched_recall() -> str:
        rows = searched("recall", by="label")
        return decimals(rows.loc[rows["label"] == KINDS.index("S"), "value"].max())

    def keep() -> str:
        chosen = (TUNED.chosen(results.scale, data=MITBIH, model=model) for model in MODELS)
        return f"{sum(place is not None and place['weights'] == WEIGHTINGS[0] for place in chosen)} of {len(MODELS)}"

    numbers: dict[str, Callable[[], str]] = {
        "best-network": lambda: f"{best()}, {len(macro(best()).values)} runs",
        "network": lambda: decimals(mean(best()), 3),
        "mean-beat": lambda: decimals(baseline_value(results, MITBIH, "macro_f1", CENTROID), 3),
        "intervals-alone": lambda: decimals(baseline_value(results, MITBIH, "macro_f1", BOTH), 3),
        "rhythm-lstm": lambda: decimals(mean(LSTM, RHYTHM), 3),
        "rhythm-mlp": lambda: decimals(mean(MLP, RHYTHM), 3),
        "beats-Attention": lambda: decimals(mean(ATTENTION), 3),
        "near-mark": near,
        "worth-of-first": worth,
        "least-V-LSTM": lambda: of_patient(LSTM, "V", "idxmin"),
        "most-V-LSTM": lambda: of_patient(LSTM, "V", "idxmax"),
        "searched-runs": lambda: str(len(searched("macro_f1"))),
        "searched-S": searched_recall,
        "keep-weights": keep,
        "without-weights": lambda: weighted("none"),
        "with-weights": lambda: weighted(WEIGHTINGS[0]),
        "known-mlp": lambda: decimals(known(MLP).values.mean(), 3),
    }
    for model in MODELS:
        numbers[f"moved-{model}"] = lambda model=model: with_interval(lost(model))
    for model in (LSTM, ATTENTION):
        numbers |= {
            f"lost-{model}": lambda model=model: decimals(lost(model).values.mean(), 3),
            f"finds-{model}": lambda model=model: finds(model),
            f"known-{model}": lambda model=model: with_interval(known(model)),
            f"least-N-{model}": lambda model=model: of_patient(model, "N", "idxmin"),
            f"gap-seen-{model}": lambda model=model: decimals(visible(model)),
            f"gap-N-{model}": lambda model=model: with_interval(gap(results, model, "N"), 2),
        }
    return numbers
