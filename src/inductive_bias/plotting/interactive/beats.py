"""Beats of one patient beside those that were learnt from, and the share of them that each model recognises."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from inductive_bias.formatting import short
from inductive_bias.plotting.interactive.base import Choice, PageWidget, page_widget, rounded
from inductive_bias.plotting.palette import check_columns, levels_of

#: Steps from −1 to 1, in three hexadecimal digits: finer than a third decimal.
LEVELS = 4095
#: So far beyond −1 or 1 is rounding.
SLACK = 1e-5
#: What is drawn of a patient's beats.
CURVES = ("mean", "low", "high")


def beats_widget(
    courses: pd.DataFrame,
    *,
    learnt: pd.DataFrame,
    recalls: pd.DataFrame,
    patients: Mapping[int, str],
    kinds: Mapping[str, str],
    colours: Mapping[str, str],
    instead: str,
    start: tuple[int, str] | None = None,
    mark: int = 50,
    rate: float = 180.0,
) -> PageWidget:
    """Choices of patient and kind of beat; the course of these beats, and a bar for every model.

    The script offers a curve as it draws it to tests, as ``element.course(record, kind, what)``.

    Args:
        courses: columns ``record, kind, sample, mean, low, high``: of every patient and kind of beat that he or she
            has the mean and a band, all between −1 and 1.
        learnt: columns ``kind, sample, mean``: of every kind the mean of all beats that were learnt from.
        recalls: columns ``model, record, kind, beats, value``: how many beats there are, and the share of them that
            a model recognises, mean over its runs; of every model, for every patient and kind of ``courses``.
        patients: by record in words, ``"record 232, woman of 76"``, in the order of the list.
        kinds: by letter in words, ``{"N": "normal"}``, in the order of the buttons.
        colours: of models.
        instead: a sentence for who has no JavaScript.
        start: record and kind that are shown at first; the first ones if None.
        mark: the sample of the R mark.
        rate: samples a second.

    Raises:
        ValueError: for an unknown column, record, kind or model, samples that are not evenly spaced or not the same
            for all curves, values outside of −1..1, shares outside of 0..1, or a kind without a curve or a share.
    """
    check_columns(courses, "record", "kind", "sample", *CURVES)
    check_columns(learnt, "kind", "sample", "mean")
    check_columns(recalls, "model", "record", "kind", "beats", "value")
    if courses.empty:
        raise ValueError("there are no beats to show")
    models = [model for model in levels_of(recalls["model"]) if (recalls["model"] == model).any()]
    _refuse_unknown(courses["record"], patients, "record")
    _refuse_unknown([*courses["kind"], *learnt["kind"]], kinds, "kind")
    _refuse_unknown(models, colours, "model")
    theirs = {place: rows.sort_values("sample") for place, rows in courses.groupby(["record", "kind"], observed=True)}
    ours = {kind: rows.sort_values("sample") for kind, rows in learnt.groupby("kind", observed=True)}
    samples = _samples([*theirs.values(), *ours.values()])
    if missing := sorted({kind for _, kind in theirs} - set(ours)):
        raise ValueError(f"there is no mean of kind {missing[0]!r} that was learnt from")
    records = [record for record in patients if (courses["record"] == record).any()]
    begin = start or next((records[0], kind) for kind in kinds if (records[0], kind) in theirs)
    if begin not in theirs:
        raise ValueError(f"record {begin[0]} has no beats of kind {begin[1]!r} to start with")
    shares = dict(iter(recalls.groupby(["record", "kind"], observed=True)))
    found = [
        [_beats(theirs, shares, (record, kind), models) if (record, kind) in theirs else None for kind in kinds]
        for record in records
    ]
    return page_widget(
        "beats",
        {
            "patients": [patients[record] for record in records],
            "kinds": list(kinds.items()),
            "found": found,
            "learnt": [_drawn(ours[kind]["mean"]) if kind in ours else "" for kind in kinds],
            "models": [short(model) for model in models],
            "first": rounded((samples[0] - mark) * 1000 / rate, 6),
            "apart": rounded((samples[1] - samples[0]) * 1000 / rate, 6),
            "count": len(samples),
            "levels": LEVELS,
        },
        controls=[
            Choice("record", "patient", [patients[record] for record in records], records.index(begin[0])),
            Choice(
                "kind",
                "beats",
                [f"{words} ({letter})" for letter, words in kinds.items()],
                list(kinds).index(begin[1]),
                open=True,
            ),
        ],
        pictures={
            "course": "Mean, and a band from the 10th to the 90th percentile. Each beat is scaled from −1 to 1.",
            "bars": "Share of these beats that is recognised, mean over runs",
        },
        text="Interactive heartbeats: beats of one patient beside those learnt from, and who recognises them.",
        instead=instead,
        colours=[colours[model] for model in models],
    )


def _refuse_unknown(found: Iterable, known: Mapping, what: str) -> None:
    if odd := [each for each in found if each not in known]:
        raise ValueError(f"{what} {odd[0]!r} is none of {', '.join(map(str, known))}")


def _samples(curves: Sequence[pd.DataFrame]) -> np.ndarray:
    """Of all curves the same, from the first to the last."""
    samples = curves[0]["sample"].to_numpy()
    apart = np.diff(samples)
    if len(samples) < 2 or apart[0] <= 0 or not np.allclose(apart, apart[0]):
        raise ValueError("samples must be evenly spaced, each once a curve")
    if any(not np.array_equal(rows["sample"], samples) for rows in curves):
        raise ValueError(f"all curves must have the same samples, {samples[0]:g} to {samples[-1]:g}")
    for rows in curves:
        values = rows[[name for name in CURVES if name in rows]].to_numpy(float)
        if not (np.abs(values) <= 1 + SLACK).all():  # NaN is none either
            raise ValueError(f"beats must be in −1..1, not {np.min(values):g} to {np.max(values):g}")
    return samples


def _beats(
    courses: Mapping[tuple, pd.DataFrame], shares: Mapping[tuple, pd.DataFrame], place: tuple, models: Sequence[str]
) -> dict[str, object]:
    """Beats of one kind of one patient: how many, their three curves, and what is recognised by model."""
    rows, where = shares.get(place), f"record {place[0]}, {place[1]}"
    if rows is None or sorted(rows["model"].astype(str)) != sorted(map(str, models)):
        raise ValueError(f"{where}: every model must have one share, of {', '.join(map(str, models))}")
    if not rows["value"].between(0, 1).all():
        raise ValueError(f"{where}: shares must be in 0..1, not {rows['value'].min():g} to {rows['value'].max():g}")
    values = dict(zip(rows["model"], rows["value"], strict=True))
    curves = {name: _drawn(courses[place][name]) for name in CURVES}
    return {"beats": int(rows["beats"].max()), **curves, "shares": [rounded(values[model]) for model in models]}


def _drawn(values: pd.Series) -> str:
    """Three hexadecimal digits a point, from −1 (000) to 1 (fff)."""
    return "".join(f"{level:03x}" for level in np.rint((values.clip(-1, 1).to_numpy() + 1) / 2 * LEVELS).astype(int))
