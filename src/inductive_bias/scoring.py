"""Minimal pairs of one's own scored by a trained language model: a table with one row a pair, left-out ones too."""

import inductive_bias.with_studies  # noqa: F401

# isort: split
import math
import sys
from pathlib import Path

import pandas as pd
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias.errors import DataError, SettingError, StoreError
from inductive_bias.protocols.language import LanguageProtocol
from inductive_bias.protocols.measures import pair_scores, verb_preferences
from inductive_bias.running import build, resolve_device
from inductive_bias.store import read_run
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.pairs import MinimalPairs, Scoring, minimal_pairs, pair_correct
from inductive_bias.tasks.vocabulary import PAD

#: Of the table, in this order.
COLUMNS = (
    "row",
    "paradigm",
    "good",
    "bad",
    "tokens_good",
    "tokens_bad",
    "score_good",
    "score_bad",
    "difference",
    "correct",
    "difference_per_token",
    "correct_per_token",
    "left_out_because",
)


def score_pairs(model: nn.Module, pairs: MinimalPairs) -> pd.DataFrame:
    """One row a pair, in the order of their rows: the two scores, and whether the right one is the higher.

    Columns: ``row``; ``good`` and ``bad`` as they were written, if the pairs are one's own; ``score_good`` and
    ``score_bad``, log-probabilities in nats of the whole sentences or of the verbs; ``difference``; ``correct``, 1, 0,
    or ½ on a tie; ``left_out_because``, the reason for which the numbers are NaN, else empty.

    A sum over a sentence prefers short sentences. So ``difference_per_token`` and ``correct_per_token`` say the same of
    the mean over the tokens of each sentence, its end included (``tokens_good``, ``tokens_bad``); where pairs differ in
    one word, or verbs are compared, both agree. ``paradigm`` is the construction: ``UID`` or ``template`` of a line.

    Args:
        model: as :class:`~inductive_bias.models.LanguageModel`, in the mode in which it is to be scored.
        pairs: in its vocabulary.
    """
    good, bad = pair_scores(model, pairs)
    difference = verb_preferences(model, pairs) if pairs.by_verb else good - bad
    counts = [_tokens(side, by_verb=pairs.by_verb) for side in (pairs.good, pairs.bad)]
    shares = difference if pairs.by_verb else good / counts[0] - bad / counts[1]
    each = (difference, shares)
    numbers = [values for side in each for values in (side, pair_correct(side, torch.zeros_like(side)))]
    scores = torch.stack((*counts, good, bad, *numbers), 1)
    found = dict(zip(pairs.rows.tolist(), scores.tolist(), strict=True))
    nothing = [math.nan] * scores.shape[1]
    lines = [
        (
            row,
            pairs.paradigms.get(row, ""),
            *pairs.texts.get(row, ("", "")),
            *found.get(row, nothing),
            pairs.left_out.get(row, ""),
        )
        for row in sorted({*found, *pairs.left_out})
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _tokens(side: Int64[Tensor, "n t"], *, by_verb: bool) -> Float[Tensor, " n"]:
    """Tokens whose log-probabilities a score adds up: one verb, or all but the beginning of a sentence."""
    return torch.ones(len(side)) if by_verb else (side != PAD).sum(1).float() - 1


def by_paradigm(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every paradigm: ``paradigm, pairs, scored, accuracy, accuracy_per_token``; NaN where none was scored.

    Args:
        table: of :func:`score_pairs`.
    """
    groups = table.groupby("paradigm", sort=True)
    return pd.DataFrame(
        {
            "pairs": groups.size(),
            "scored": groups["correct"].count(),
            "accuracy": groups["correct"].mean(),
            "accuracy_per_token": groups["correct_per_token"].mean(),
        }
    ).reset_index()


def score_file(
    run: Path,
    file: Path,
    *,
    by: Scoring = "sentence",
    root: Path | None = None,
    device: str = "auto",
    allow_own_code: bool = False,
) -> pd.DataFrame:
    """:func:`score_pairs` of a file, by the language model that a run left.

    Args:
        run: the run's folder in the store, ``runs/<study>/<trial id>``. Nothing in it is a program, and no pickle is
            read; but a model or task from outside is a program that the trial names.
        file: pairs in BLiMP's format or in two columns, see :func:`inductive_bias.tasks.pairs.minimal_pairs`.
        by: compare whole sentences, or the one word in which they differ.
        root: folder of the data of the trial's task, whose words are the vocabulary.
        device: ``auto``, ``cpu``, ``cuda`` …
        allow_own_code: run such a program, once it is found to be the one that the trial was made with.

    Raises:
        StoreError: the folder holds no run, or one that is damaged or of another version.
        SettingError: the run is not that of a language model, or has diverged, or has a program that may not be run;
            unknown device.
        DataError: the data of the trial's task, or the pairs, are missing or not what they should be.
    """
    place = resolve_device(device)
    trial, weights, sha256 = read_run(run, allow_own_code=allow_own_code)
    if not issubclass(trial.protocol, LanguageProtocol):
        raise SettingError(
            f"{run} holds {trial.label}, trained on a task of kind {trial.task.kind!r}: "
            "only language models score pairs"
        )
    if not all(value.isfinite().all() for value in weights.values() if value.is_floating_point()):
        raise SettingError(f"{run} holds {trial.label}, whose training diverged: its weights are not finite")
    data = trial.task.load(root)
    _refuse_other_data(run, data, sha256)
    if data.vocabulary is None:
        raise SettingError(f"{run} holds {trial.label}, whose task has no vocabulary: there are no words to score")
    longest = trial.task.dimensions.get("positions", sys.maxsize)
    pairs = minimal_pairs(file, data.vocabulary, by=by, max_tokens=longest)
    try:
        model = build(trial, weights)
    except RuntimeError as error:
        raise StoreError(f"the weights in {run} do not fit {trial.label}: {error}") from error
    return score_pairs(model.to(place), pairs)


def summary(table: pd.DataFrame) -> str:
    """One line: accuracy of the pairs that could be scored, and how many could not, by reason."""
    scored = table["left_out_because"] == ""
    reasons = table.loc[~scored, "left_out_because"].value_counts()
    whole, each = (table.loc[scored, name].mean() for name in ("correct", "correct_per_token"))
    share = f"{whole:.3f} of {scored.sum():,} pairs correct"
    if each != whole:
        share += f" ({each:.3f} by the mean over tokens)"
    if reasons.empty:
        return f"{share}; none left out"
    listed = "; ".join(f"{reason}: {count:,}" for reason, count in reasons.items())
    return f"{share}; {reasons.sum():,} of {len(table):,} left out ({listed})"


def _refuse_other_data(run: Path, data: TaskData, sha256: dict[str, str]) -> None:
    """Other text would make other words of the same ids, and nothing in a score would show it."""
    changed = [name for name, found in data.sha256.items() if sha256.get(name, found) != found]
    if changed:
        raise DataError(
            f"{run} was trained on another {', '.join(changed)} than the one found here: words would differ"
        )
