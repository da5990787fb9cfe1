"""What the claims compare and the page draws: scores of cells, of families of models, and who masters the training.

A score is the share of right answers, averaged over strings longer than those trained on, each length weighing the
same; all answers to such a string count, as in the paper. A diverged run has no answer right.
"""

import pandas as pd

from inductive_bias.studies.chomsky.design import ENCODED, LSTM, NONE, RNN, TRANSFORMER, Encoded, named
from inductive_bias.studies.preconditions import masters, where
from inductive_bias.studies.results import Results, once
from inductive_bias.tasks.transduction import RULES
from inductive_bias.verdicts import Contrast, single

#: Models of which one run that reaches a score is enough: the five encodings of a Transformer, as in the paper.
FAMILIES: dict[str, tuple[Encoded, ...]] = {
    "rnn": ((RNN, NONE),),
    "lstm": ((LSTM, NONE),),
    "transformer": tuple(each for each in ENCODED if each[0] == TRANSFORMER),
}
#: The training lengths are mastered from here on.
MASTERED = 0.95
#: The score of a diverged run, and what a run can have.
FAILED, SHARES = 0.0, (0.0, 1.0)
UNIT = "of the answers"


@once
def values(results: Results, task: str, model: Encoded, split: str = "test") -> pd.Series:
    """Scores of one cell by number, of longer strings or (``validation``) of the training lengths; NaN if diverged."""
    at = {"task": task, "model": model[0], "positions": model[1]}
    return results.values("accuracy", split=split, **at)


@once
def pooled(results: Results, task: str, models: tuple[Encoded, ...], split: str = "test") -> Contrast:
    """The scores of all runs of some models as a contrast with nothing: its numbers are those of the runs."""
    found = pd.concat({named(*model): values(results, task, model, split) for model in models})
    found.index = [f"{model}, run {number}" for model, number in found.index]
    lengths = "training lengths" if split == "validation" else "longer strings"
    # the name would be taken for that of a cell whose runs are failed ones
    return single(
        found.rename(None),
        name=f"{RULES[task].title}, {family(models)}, {lengths}",
        unit=UNIT,
        failed_value=FAILED,
        extremes=SHARES,
    )


def family(models: tuple[Encoded, ...]) -> str:
    """``LSTM``; of one encoding ``Transformer, RoPE``, of several ``Transformer``; else ``tanh RNN or LSTM``."""
    return named(*models[0]) if len(models) == 1 else " or ".join(dict.fromkeys(model for model, _ in models))


def mastering_runs(results: Results, task: str, models: tuple[Encoded, ...]) -> int:
    """How many runs master the training lengths."""
    return int((pooled(results, task, models, "validation").values >= MASTERED).sum())


def mastering(results: Results, task: str, models: tuple[Encoded, ...]) -> tuple[tuple[Encoded, ...], str]:
    """The models that master the training lengths of a task, and in words what each of the others has of them."""
    scores = {model: values(results, task, model, "validation").fillna(FAILED) for model in models}
    found = {model: masters(runs, what=named(*model), least=MASTERED, failed=FAILED) for model, runs in scores.items()}
    known, _, _ = where(found)
    absent = [f"{named(*model)} {runs.mean():.3f}" for model, runs in scores.items() if model not in known]
    words = f"training lengths of {RULES[task].title} not mastered ({MASTERED:g} is asked): {', '.join(absent)}"
    return tuple(known), words if absent else ""


def summary(results: Results, task: str, models: tuple[Encoded, ...]) -> str:
    """Best, median and mean of all runs, and how many master the training lengths, in words."""
    found = pooled(results, task, models)
    scores, count = found.values, mastering_runs(results, task, models)
    known = f"{count or 'none'} {'master' if count > 1 else 'masters'} the training lengths"
    middle = f"median {scores.median():.3f}, mean {scores.mean():.3f}"
    untested = mastering(results, task, models)[1]
    return f"{found.name}: best of {len(scores)} {scores.max():.3f}, {middle}; {known}" + (
        f" ({untested})" if untested and count else ""
    )


def best_constant(results: Results, task: str) -> float:
    """The best answer that knows a string's length and the place of an answer alone, mean over the test lengths."""
    return results.facts_of("constant_accuracy", split="test", task=task)["value"].item()
