"""Which generated sentences separate an LSTM from a Transformer that learnt from the same sentences."""

import numpy as np
import pandas as pd
import torch

from inductive_bias.studies.agreement.parts import GRAMMAR, STRONG, WEAK
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

#: The two models, and the columns of a table that are theirs.
COMPARED = {STRONG: "lstm", WEAK: "transformer"}
_KINDS = {
    "preamble": "str",
    "verb": "str",
    "wrong_verb": "str",
    "attractors": "int64",
    "distance": "int64",
    "lstm": "float64",
    "lstm_right": "int64",
    "transformer": "float64",
    "transformer_right": "int64",
    "seeds": "int64",
}


def sentences(runs: Runs) -> pd.DataFrame:
    """How both models answer every generated sentence of the attractor test, after the largest generated training set.

    For each model the mean probability of the right number over seeds (``lstm, transformer``) and how many seeds choose
    it (``lstm_right, transformer_right``, of ``seeds``). No row at a scale without generated training sets.
    """
    trials = _by_model(runs)
    if not trials:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _KINDS.items()})
    made = trials["lstm"][0].task.sentences("attractors")
    table = pd.DataFrame(
        {
            "preamble": " ".join(s.preamble),
            "verb": s.words[s.verb],
            "wrong_verb": s.wrong_verb,
            "attractors": s.attractors,
            "distance": s.distance,
        }
        for s in made
    )
    for column, members in trials.items():
        right = np.stack([_right(runs, trial) for trial in members])
        table[column] = right.mean(0)
        table[f"{column}_right"] = (right > 0.5).sum(0)
    return table.assign(seeds=len(trials["lstm"]))


def compared(runs: Runs) -> list[Trial]:
    """Both models after the largest generated training set."""
    return [trial for trials in _by_model(runs).values() for trial in trials]


def _by_model(runs: Runs) -> dict[str, list[Trial]]:
    sizes = [cell["sentences"] for cell in runs.design.cells(runs.scale) if cell["data"] == GRAMMAR]
    return {
        column: runs.trials(model=model, data=GRAMMAR, sentences=max(sizes))
        for model, column in COMPARED.items()
        if sizes
    }


def _right(runs: Runs, trial: Trial) -> np.ndarray:
    """Probability of the right number, one a sentence."""
    labels = runs.data(trial)["attractors"].labels
    probabilities = torch.softmax(runs.logits(trial, "attractors").double(), dim=1)
    return probabilities.gather(1, labels[:, None]).squeeze(1).numpy()


def who_is_right(table: pd.DataFrame) -> pd.DataFrame:
    """Shares of the sentences of each attractor count by which model is right in more than half of its seeds."""
    strong, weak = (table[f"{column}_right"] > table["seeds"] / 2 for column in COMPARED.values())
    kinds = {
        "both": strong & weak,
        f"only the {STRONG}": strong & ~weak,
        f"only the {WEAK}": ~strong & weak,
        "neither": ~strong & ~weak,
    }
    groups = pd.DataFrame(kinds).groupby(table["attractors"])
    return groups.mean().reset_index().assign(sentences=groups.size().to_numpy())


def separating(table: pd.DataFrame, *, counts: tuple[int, ...] = (1, 2, 3), each: int = 1) -> pd.DataFrame:
    """Sentences on which the models' probabilities of the right verb differ most, for each count and direction.

    Of sentences that differ equally the shortest come first. The columns are those of a page.
    """
    ahead = table[table["attractors"].isin(counts)].assign(
        ahead=table["lstm"] - table["transformer"],
        length=table["preamble"].str.len(),
        sentence=table["preamble"] + " …",
        verbs=table["verb"] + " / " + table["wrong_verb"],
    )
    sides = (ahead.sort_values(["ahead", "length"], ascending=[ascending, True]) for ascending in (False, True))
    found = pd.concat(
        [side.groupby("attractors").head(each).sort_values("attractors", kind="stable") for side in sides]
    )
    names = {"verbs": "right / wrong", "lstm": STRONG, "transformer": WEAK}
    columns = ["sentence", "verbs", "attractors", "lstm", "transformer"]
    return found[columns].rename(columns=names).reset_index(drop=True)
