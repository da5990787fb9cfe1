"""How far the gates of RSA have moved in every study: which task asks for recurrence, and which for attention.

A gate's logit μ starts at 0, or anywhere between −3 and 3 by the seed of its run. What training has done to it is its
change. It is read off the published rows, and its start off the same model before training, which a trial's seed makes
again.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import torch

from inductive_bias.formatting import number
from inductive_bias.protocols.measures import mixer_rows
from inductive_bias.running import build, reproducible
from inductive_bias.studies import STUDIES
from inductive_bias.studies.design import Cell
from inductive_bias.studies.published import read_rows
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.studies.study import Study
from inductive_bias.trials import Trial

#: What kinds of task are called here; a kind without a name of its own cannot be shown.
KINDS = {
    "forecasting": "hourly series",
    "heartbeats": "heartbeats",
    "stocks": "share prices",
    "proteins": "proteins",
    "polyphonic_music": "music",
    "character_modelling": "characters",
    "segment_stream": "characters",
    "generated_formal": "formal languages",
    "generated_states": "automata",
    "generated_shifted_states": "automata",
    "generated_transduction": "memory of strings",
    "generated_last_parity": "parity",
    "generated_mixed_signal": "made-up signals",
    "generated_copying": "copying",
    "generated_adding": "adding",
    "code_defects": "code",
    "code_clones": "code",
    "code_programs": "code",
    "code_repairs": "code",
    "code_injected": "code",
}
#: Of a study with many cells of RSA, those that stand for a task each: levels by factor.
CELLS: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    "signal_vs_samples": {"samples": (8192,)},
    "elsewhere": {"samples": (8192,)},
    "mastery": {"positions": ("none",)},
    "rem_vs_toeplitz": {"variant": ("half plain", "undilated"), "positions": ("sinusoidal",)},
    "forecasting": {"order": ("shuffled", "streams")},
    "memory_models": {"layers": (4,)},
    "supervision": {"kept": (1.0,)},
    "sharing": {"bits": (12,), "strings": (1024,)},
}
RSA = "RSA"


def moved() -> pd.DataFrame:
    """Every gate of every published run with RSA: a row each, at the scale ``laptop``.

    Columns: ``study, kind, task`` (the name of its cell), ``trial, layer`` (from 1), ``start`` and ``end`` (both logits
    μ), ``change`` and ``drawn``: whether the start is drawn at random. Of heads with a gate each, a layer has the mean.
    """
    found = pd.DataFrame([row for study in STUDIES.values() for row in _of_study(study)])
    return found.assign(change=found["end"] - found["start"])


def by_task(gates: pd.DataFrame) -> pd.DataFrame:
    """The mean change of a task over its runs and layers: ``kind, task, change``; kinds that open most come first."""
    tasks = gates.groupby(["kind", "study", "task"], sort=False)["change"].mean().reset_index()
    order = tasks.groupby("kind")["change"].mean().sort_values(ascending=False).index
    return tasks.assign(kind=pd.Categorical(tasks["kind"], order, ordered=True)).sort_values("kind", kind="stable")


def by_kind(gates: pd.DataFrame) -> pd.DataFrame:
    """A row per kind of task: its tasks and runs, how gates start, the correlation of start and end, and the change.

    The correlation is over the gates whose start is random; the changes are means over tasks, as of :func:`by_task`.
    """
    tasks = by_task(gates.assign(change=gates["change"].abs())).groupby("kind", observed=True)["change"].mean()
    rows = []
    for kind, change in by_task(gates).groupby("kind", observed=True)["change"].mean().items():
        own = gates[gates["kind"] == kind]
        drawn = own[own["drawn"]]
        rows.append(
            {
                "kind": kind,
                "tasks": own[["study", "task"]].drop_duplicates().shape[0],
                "runs": own["trial"].nunique(),
                "starts": _starts(own),
                "r": number(drawn["start"].corr(drawn["end"]), ".3f") if len(drawn) else "–",
                "change": number(change, "+.2f"),
                "without sign": f"{tasks[kind]:.2f}",
            }
        )
    return pd.DataFrame(rows)


def _starts(gates: pd.DataFrame) -> str:
    """``0.50 or 0.73``, ``at random``, or both, with the number of runs that start at random."""
    drawn, fixed = gates[gates["drawn"]], gates[~gates["drawn"]]
    words = sorted({f"{1 / (1 + np.exp(-start)):.2f}" for start in fixed["start"]})
    if len(drawn):
        words.append(f"at random in {drawn['trial'].nunique()}" if words else "at random")
    return " or ".join(words)


def _of_study(study: Study) -> Iterator[dict[str, object]]:
    rows = read_rows(study.name, PUBLISHED)
    if rows is None:
        return
    ends = rows[(rows["metric"] == "gate") & (rows["split"] == "model") & rows["epoch"].isna()]
    if ends.empty:
        return
    ends = ends.assign(value=np.log(ends["value"] / (1 - ends["value"]))).groupby(["trial", "layer"])["value"].mean()
    there = set(ends.index.get_level_values("trial"))
    for cell, trials in study.design.cells(PUBLISHED).items():
        if _stands_for_a_task(study, cell):
            for trial in (each for each in trials if each.id in there):
                yield from _of_trial(study, cell, trial, ends.loc[trial.id])


def _stands_for_a_task(study: Study, cell: Cell) -> bool:
    wanted = CELLS.get(study.name, {})
    return cell.get("mixer", cell["model"]) == RSA and all(cell[name] in levels for name, levels in wanted.items())


def _of_trial(study: Study, cell: Cell, trial: Trial, ends: pd.Series) -> Iterator[dict[str, object]]:
    starts = logits_at_start(trial)
    for layer, end in ends.items():
        yield {
            "study": study.name,
            "kind": KINDS[trial.task.kind],
            "task": study.design.name(cell),
            "trial": trial.id,
            "layer": int(layer),
            "start": starts[int(layer)],
            "end": end,
            "drawn": trial.model.mixer.gate_logit is None,
        }


def logits_at_start(trial: Trial) -> dict[int, float]:
    """The mean of μ over the heads of every layer before training, by the number of the layer."""
    with reproducible(trial.seed, torch.device("cpu")):
        model = build(trial)
    rows = pd.DataFrame([row for row in mixer_rows(model, "–") if row["metric"] == "gate"])
    logits = np.log(rows["value"] / (1 - rows["value"]))
    return {int(layer): float(value) for layer, value in logits.groupby(rows["layer"].astype(int)).mean().items()}
