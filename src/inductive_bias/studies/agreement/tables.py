"""Tables that need several runs: representations, paths, shared errors, and what single sentences are answered."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import torch

from inductive_bias.protocols.measures.rows import logits_of
from inductive_bias.studies.agreement.design import (
    BLOCK,
    DRAWN,
    FURTHER,
    GRAMMAR,
    GROWING,
    LADDER,
    STANDARD,
    STRONG,
    TRAIN_MODE,
    UNTAUGHT,
    WEAK,
    WHOLE_MAIN_SET,
    of_size,
)
from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.representations import path_table, similarity_table
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Model and teacher of the runs whose training paths are compared.
PATHS = ((STRONG, NO_TEACHER), (WEAK, NO_TEACHER), (WEAK, STRONG), (WEAK, WEAK))
#: The two models, and the columns of a table that are theirs.
SENTENCE_MODELS = {STRONG: "lstm", WEAK: "transformer"}
SENTENCE_COLUMNS = {
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
#: Sentences that a teacher learnt from itself, and those that it has not read.
LEARNT_FROM, OTHER_SENTENCES = "learnt from", "further"


def ladder(runs: Runs) -> list[Trial]:
    """Every rung, alone and taught by every rung."""
    return runs.trials(model=LADDER, **WHOLE_MAIN_SET)


def block(cell: Cell, number: int) -> tuple[str, int]:
    """Runs that are compared: those of a training set, or of some numbers of one that the study grows by."""
    return cell["data"], number // BLOCK if cell["data"] in GROWING else 0


def similarity(runs: Runs) -> pd.DataFrame:
    """Similarity of the final penultimate layers of every two trials, on the same 1,000 validation preambles."""
    return similarity_table(runs, ladder(runs))


def paths(runs: Runs) -> pd.DataFrame:
    """Distances between all checkpoints of a teacher, its students and an undistilled Transformer."""
    return path_table(runs, zip(*_on_paths(runs), strict=True))


def _on_paths(runs: Runs) -> list[list[Trial]]:
    return [runs.trials(model=model, teacher=teacher, **WHOLE_MAIN_SET) for model, teacher in PATHS]


def error_overlap(runs: Runs) -> pd.DataFrame:
    """How often a trial answers as a teacher of the model ``compared`` does, on each test.

    ``agreement_with_teacher`` is that with its own teacher, or for undistilled models the one of its number,
    ``agreement_with_other_teacher`` the mean over the other seeds of that cell in its block, ``chance`` what two models
    of these accuracies share if their errors are independent.
    """
    return pd.DataFrame(row for trial in _answering(runs) for row in _overlaps(runs, trial))


def _answering(runs: Runs) -> list[Trial]:
    taught = WHOLE_MAIN_SET | {"variant": (STANDARD, TRAIN_MODE)}
    return runs.trials(model=LADDER, **UNTAUGHT) + runs.trials(model=LADDER, teacher=LADDER, **taught)


def _overlaps(runs: Runs, trial: Trial) -> Iterator[dict[str, object]]:
    members = runs.design.members(runs.scale)
    cell, number, _ = members[trial.id]
    data = runs.data(trial)
    for compared in LADDER if trial.teacher is None else [cell["teacher"]]:
        teachers = runs.trials(model=compared, **UNTAUGHT)
        own = [members[each.id][1] for each in teachers].index(number)
        for split in ("test", "attractors"):
            ours, *answers = (runs.logits(each, split).argmax(1) for each in (trial, *teachers))
            same = [float((ours == each).double().mean()) for each in answers]
            right, theirs = (float((each == data[split].labels).double().mean()) for each in (ours, answers[own]))
            others = [value for place, value in enumerate(same) if place != own]
            other = sum(others) / len(others)
            yield {
                "trial": trial.id,
                "compared": compared,
                "split": split,
                # an undistilled model is not compared with itself
                "agreement_with_teacher": other if teachers[own] == trial else same[own],
                "agreement_with_other_teacher": other,
                "chance": right * theirs + (1 - right) * (1 - theirs),
            }


def sentences(runs: Runs) -> pd.DataFrame:
    """How both models answer every generated sentence of the attractor test, after the largest generated training set.

    For each model the mean probability of the right number over seeds (``lstm, transformer``) and how many seeds choose
    it (``lstm_right, transformer_right``, of ``seeds``). No row at a scale without generated training sets.
    """
    trials = _trials_by_column(runs)
    if not trials:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in SENTENCE_COLUMNS.items()})
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
        right = np.stack([_probability_of_right(runs, trial) for trial in members])
        table[column] = right.mean(0)
        table[f"{column}_right"] = (right > 0.5).sum(0)
    return table.assign(seeds=len(trials["lstm"]))


def answering_sentences(runs: Runs) -> list[Trial]:
    """An LSTM and a Transformer after the largest generated training set."""
    return [trial for trials in _trials_by_column(runs).values() for trial in trials]


def _trials_by_column(runs: Runs) -> dict[str, list[Trial]]:
    sizes = [cell["sentences"] for cell in runs.design.cells(runs.scale) if cell["data"] == GRAMMAR]
    return {
        column: runs.trials(model=model, data=GRAMMAR, sentences=max(sizes))
        for model, column in SENTENCE_MODELS.items()
        if sizes
    }


def _probability_of_right(runs: Runs, trial: Trial) -> np.ndarray:
    """Probability of the right number, one a sentence."""
    labels = runs.data(trial)["attractors"].labels
    probabilities = torch.softmax(runs.logits(trial, "attractors").double(), dim=1)
    return probabilities.gather(1, labels[:, None]).squeeze(1).numpy()


def drawn_teachers(runs: Runs) -> list[Trial]:
    """The two teachers that are compared, of every draw; those of the main set where that is a generated one."""
    known = {"model": (WEAK, STRONG), **UNTAUGHT}
    trials = runs.trials(**known | {"data": DRAWN}) or runs.trials(**known)
    return [trial for trial in trials if trial.task.generated]


def teacher_accuracy(runs: Runs) -> pd.DataFrame:
    """How often a teacher is right on sentences that it learnt from, and on others, by their number of attractors.

    Columns ``trial, lesson`` (:data:`LEARNT_FROM` or :data:`OTHER_SENTENCES`), ``attractors, n, right`` (a share).
    """
    found = (row for trial in drawn_teachers(runs) for row in _teacher_accuracy(runs, trial))
    return pd.DataFrame(found, columns=["trial", "lesson", "attractors", "n", "right"])


def _teacher_accuracy(runs: Runs, trial: Trial) -> Iterator[dict[str, object]]:
    learnt = trial.task.train_size
    split = of_size(trial.task, FURTHER).load()["train"]
    right = logits_of(runs.model(trial), split.inputs).argmax(1) == split.labels
    counts = split.slices["attractors"]
    for words, part in {LEARNT_FROM: slice(learnt), OTHER_SENTENCES: slice(learnt, None)}.items():
        for count in counts[part].unique().tolist():
            of = counts[part] == count
            share = float(right[part][of].double().mean())
            yield {"trial": trial.id, "lesson": words, "attractors": count, "n": int(of.sum()), "right": share}


TABLES = {
    "similarity": Table(similarity, uses=ladder, group=block),
    "paths": Table(paths, uses=lambda runs: [trial for cell in _on_paths(runs) for trial in cell], group=block),
    "error_overlap": Table(error_overlap, uses=_answering, group=block),
    "sentences": Table(sentences, uses=answering_sentences),
    # the teacher of a draw is compared with nothing
    "lessons": Table(teacher_accuracy, uses=drawn_teachers, group=lambda cell, number: (cell["data"], number)),
}
