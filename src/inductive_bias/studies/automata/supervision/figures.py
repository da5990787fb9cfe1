"""From the rows of the study to what its figures draw."""

import pandas as pd

from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.design import PLANS as WHOLE
from inductive_bias.studies.automata.supervision.design import ALL, LABELS, PLANS, STATE, WORDS, share
from inductive_bias.studies.frames import by_rate, listed
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING


def _scores(results: Results, **levels: object) -> pd.DataFrame:
    at = {"split": "test", "length": WHOLE[results.scale].length, "part": LAST_QUARTER, "variant": STANDARD}
    return results.frame("accuracy", **at, **levels)


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
    a_step = PLANS[results.scale].batch_size * WHOLE[results.scale].length * both["kept"].astype(float)
    return both.assign(labels=both["steps"] * a_step)


def parts(results: Results) -> pd.DataFrame:
    """Every run that is asked for a part: ``automaton, asked, model, number, value``, with the best ``constant``."""
    asked = list(PLANS[results.scale].parts.values())
    found = _scores(results, asked=asked)
    at = {"split": "test", "length": WHOLE[results.scale].length, "part": LAST_QUARTER, "variant": STANDARD}
    constant = results.frame("constant_accuracy", asked=asked, **at)
    constant = constant.groupby(["automaton", "asked"], observed=True)["value"].first().rename("constant").reset_index()
    return found.merge(constant, on=["automaton", "asked"])


def all_runs(results: Results) -> pd.DataFrame:
    """A row per model, share and what is equal: mean and every run; a diverged one is a dash."""
    found = _scores(results, automaton=PLANS[results.scale].sparse, asked=STATE)
    groups = found.groupby(["model", "kept", "counted"], observed=True, sort=False)["value"]
    return pd.DataFrame(
        [{"model": model, "labels kept": share(kept), "equal": "" if kept == ALL else counted,
          "mean": f"{values.fillna(0.0).mean():.3f}", "runs": listed(values)}
         for (model, kept, counted), values in groups]
    )  # fmt: skip


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the best validation accuracy of every model, by factor on its rate."""
    found = results.frame("accuracy", split="validation", epochs=True, variant=TUNING)
    return by_rate(found, ["model", "counted"], highest=True)


def all_words(results: Results) -> pd.DataFrame:
    """Learning curves with equally many words: validation accuracy after every hundred steps, by share."""
    at = {"split": "validation", "epochs": True, "variant": STANDARD}
    return results.frame("accuracy", automaton=PLANS[results.scale].sparse, asked=STATE, counted=WORDS, **at)
