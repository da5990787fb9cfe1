"""Heartbeats as a task: the kind of a beat from its course, of patients who were not learnt from."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Bool, Float32, Int64
from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData, stratified_order
from inductive_bias.tasks.heartbeats.files import (
    AAMI,
    ECG5000_CLASSES,
    SAMPLES,
    TRAIN,
    Beats,
    Patient,
    read_beats,
    read_ecg5000,
    read_patients,
)
from inductive_bias.tasks.heartbeats.made import LEARNT, PER_RECORD, SOURCE, made_beats, made_patients
from inductive_bias.tasks.kept import kept

#: What is told apart in MIT-BIH: normal, supraventricular and ventricular beats. Fusion and unknown ones are left out.
KINDS = AAMI[:3]
#: Records of DS1 that choose rates and epochs: two women and two men, each of whom has beats of all three kinds, a
#: quarter of the supraventricular ones of DS1 together.
VALIDATION = (114, 124, 207, 223)
#: Records of one man that stand on both sides of the usual split: the second of them is left out.
SAME_MAN = (201, 202)
#: Of made-up data: the record that chooses.
CHOOSES = LEARNT - 1
#: Share of the training beats of ECG5000 that choose.
HELD_OUT = 0.2
#: An interval is read as the logarithm of its ratio to the first number of seconds, within the two others.
USUAL, SHORTEST, LONGEST = 0.8, 0.2, 3.0


class Heartbeats(Setting):
    """Say of which kind a beat is.

    MIT-BIH (``mitbih``): normal, supraventricular (S) or ventricular (V), in 144 samples around the R mark, which are
    scaled beat by beat from −1 to 1 (:mod:`~inductive_bias.tasks.heartbeats.cutting`): amplitude is gone, and so is the
    rhythm. The split is between patients: the 22
    records of DS1 are to learn from (four of them for validation), those of DS2 for the test (de Chazal, O'Dwyer &
    Reilly 2004). Record 202 is of the same man as 201, on the other side of the split: it is left out.

    ECG5000 (``ecg5000``): five classes of 140 samples, z-normalised, 500 beats to learn from (100 of them for
    validation) and 4,499 for the test, all of one patient: nothing measured on it says what another patient would give.

    Attributes:
        data: MIT-BIH, ECG5000, or made-up beats (``generated``), which stand in for MIT-BIH in small runs.
        split: ``patients``; or ``beats``: as many for each split, drawn at random from all records, so that every
            patient of the test is learnt from. Many notebooks do the latter; it measures something else.
        rhythm: Whether the intervals to the beat before and to the next one are read too, as two channels that do not
            change over a beat.
        left_out: Records of MIT-BIH that are in no split.
        shifts: Samples by which test beats are moved, each a condition of its own beside the beats as they are.
        weights: Of the classes in the loss: all alike (``none``), inverse to the root of their number (``root``), or
            inverse to their number (``inverse``), so that each class counts as much as any other.
        batches: Of an epoch at most, drawn anew in every epoch; None for all.
        looks: Validation beats at most, drawn evenly; None for all.
        scored: The same of the test. Evenly drawn, every record keeps its share.
        beats: Of a made-up record.
        data_seed: Decides the made-up beats, and a split between beats.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them. The
            column ``split`` of a list of patients may say ``train``, ``validation`` and ``test``; a file
            ``ecg5000/ECG5000_VALIDATION.txt`` chooses in place of a fifth of the training beats.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MIT_BIH, card.ECG5000, card.MADE_BEATS)
    kind: Literal["heartbeats"] = "heartbeats"
    data: Literal["mitbih", "ecg5000", "generated"] = "mitbih"
    split: Literal["patients", "beats"] = "patients"
    rhythm: bool = False
    left_out: tuple[int, ...] = SAME_MAN[1:]
    shifts: tuple[int, ...] = ()
    weights: Literal["none", "root", "inverse"] = "none"
    batches: Annotated[int, Field(ge=1)] | None = None
    looks: Annotated[int, Field(ge=1)] | None = None
    scored: Annotated[int, Field(ge=1)] | None = None
    beats: Annotated[int, Field(ge=8)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _choices_belong_to_their_data(self) -> "Heartbeats":
        if self.data == "ecg5000" and (self.rhythm or self.split == "beats"):
            raise ValueError("ecg5000 has neither intervals between beats (rhythm) nor patients to split it between")
        if self.data != "generated" and self.beats:
            raise ValueError(f"beats={self.beats} belongs to the data 'generated', not to {self.data!r}")
        if self.data != "generated" and self.split == "patients" and self.data_seed:
            raise ValueError(f"data_seed={self.data_seed} decides made-up beats or a split between beats, not this")
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from files, not to 'generated'")
        if 0 in self.shifts or len(set(self.shifts)) < len(self.shifts):
            raise ValueError(f"shifts must be different from each other and from 0, not {self.shifts}")
        if any(abs(by) >= self.length for by in self.shifts):
            raise ValueError(f"shifts must leave something of a beat of {self.length} samples, not {self.shifts}")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: numbers that it reads at a time, and classes to choose from."""
        classes = ECG5000_CLASSES if self.data == "ecg5000" else len(KINDS)
        return {"outputs": classes, "channels": 3 if self.rhythm else 1}

    @property
    def length(self) -> int:
        """Samples of a beat."""
        return SAMPLES["ecg5000" if self.data == "ecg5000" else "mitbih"]

    def patients(self, root: Path | str | None = None, *, download: bool = True) -> Mapping[int, Patient]:
        """The patient of each record; none for ECG5000, of whose patient nothing is known.

        Args:
            root: Folder with ``mitbih/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch the headers of the records from PhysioNet if the file is nowhere.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one.
        """
        if self.data == "ecg5000":
            return {}
        if self.data == "generated":
            return made_patients()
        return read_patients(files.places(root), download=download, allow_other=self.allow_other).content

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``.

        Inputs are float32 ``[n, t, channels]``, labels int64 ``[n]``; the slice ``record`` says whose beat it is. Equal
        settings share one result per process.

        Args:
            root: Folder with ``mitbih/`` and ``ecg5000/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch into the user cache what is nowhere on this machine: the two files of ECG5000, or
                the records of MIT-BIH (94 MB from PhysioNet), from which the beats are then cut, once.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one, or a split has no beat of some class.
        """
        data_only = {"shifts": (), "weights": "none", "batches": None}
        where = () if self.data == "generated" else files.places(root)
        return _load(self.model_copy(update=data_only), where, download)


@kept(maxsize=4)
def _load(setting: Heartbeats, where: files.Places, download: bool) -> TaskData:
    if setting.data == "ecg5000":
        (train, test, chooses), sha256, own = read_ecg5000(where, download=download, allow_other=setting.allow_other)
        held = int(HELD_OUT * len(train.classes))
        if not held and chooses is None:
            least = int(1 / HELD_OUT)
            raise DataError(
                f"{TRAIN} has {len(train.classes)} beats; there should be {least} at least, so that one of "
                "them can choose"
            )
        if chooses is None:
            order = stratified_order(train.classes, seed=0)
            train, chooses = _of(train, order[held:]), _of(train, order[:held])
        parts = {"train": train, "validation": chooses, "test": test}
    else:
        beats, patients, sha256, own = _mitbih(setting, where, download)
        beats = _usable(beats, setting.left_out, rhythm=setting.rhythm)
        chosen = _places(setting, beats, patients)
        parts = {name: _of(beats, places) for name, places in chosen.items()}
        for name, part in parts.items():
            if len(missing := set(range(len(KINDS))) - set(part.classes.tolist())):
                raise DataError(f"the split {name} has no beat of class {', '.join(KINDS[each] for each in missing)}")
    for name, most in (("validation", setting.looks), ("test", setting.scored)):
        if most is not None:
            every = -(-len(parts[name].classes) // most)
            parts[name] = _of(parts[name], np.arange(0, len(parts[name].classes), every))
    source = SOURCE if setting.data == "generated" else identity.source_of(f"real:{setting.data}", own)
    return TaskData(
        {name: partial(to_split, part, source, rhythm=setting.rhythm) for name, part in parts.items()},
        classes=setting.dimensions["outputs"],
        sha256=sha256,
        is_sample=setting.data == "generated",
        label_names=KINDS if setting.data != "ecg5000" else tuple(str(each + 1) for each in range(ECG5000_CLASSES)),
    )


def _mitbih(
    setting: Heartbeats, where: files.Places, download: bool
) -> tuple[Beats, Mapping[int, Patient], dict[str, str], tuple[str, ...]]:
    """Beats, the patient of every record, digests and files of one's own."""
    if setting.data == "generated":
        beats = made_beats(np.random.default_rng(setting.data_seed), setting.beats or PER_RECORD)
        return beats, made_patients(), {}, ()
    beats, patients = (
        read(where, download=download, allow_other=setting.allow_other) for read in (read_beats, read_patients)
    )
    return beats.content, patients.content, beats.sha256 | patients.sha256, (*beats.own, *patients.own)


def _of(beats: Beats, places: np.ndarray) -> Beats:
    return Beats(*(None if part is None else part[places] for part in beats))


def _usable(beats: Beats, left_out: tuple[int, ...], *, rhythm: bool) -> Beats:
    """Those of the three kinds, with the intervals to both neighbours ``[n, 2]`` if these are wanted."""
    wanted = (beats.classes < len(KINDS)) & ~np.isin(beats.records, left_out)
    return _of(beats._replace(intervals=both_intervals(beats) if rhythm else None), wanted)


def both_intervals(beats: Beats) -> Float32[np.ndarray, "n 2"]:
    """Seconds since the beat before and until the next one; where a record ends, those of its other side.

    All beats count as neighbours, those of other kinds too.
    """
    before = beats.intervals
    after = np.append(before[1:], 0)
    last = np.append(beats.records[1:] != beats.records[:-1], True)
    after = np.where(last, before, after)
    return np.column_stack([np.where(before > 0, before, after), after]).astype(np.float32)


def _places(setting: Heartbeats, beats: Beats, patients: Mapping[int, Patient]) -> dict[str, Int64[np.ndarray, " _"]]:
    """Which beats are of which split."""
    validation = (CHOOSES,) if setting.data == "generated" else VALIDATION
    if unknown := set(np.unique(beats.records).tolist()) - set(patients):
        raise DataError(f"there are beats of the records {sorted(unknown)}, of which no split is known")
    section = np.array([patients[record].section for record in beats.records.tolist()])
    named = section == "validation"
    # a list of one's own that names who chooses is asked for nobody else
    chooses = named if named.any() else np.isin(beats.records, validation)
    learnt = np.isin(section, ("DS1", "train", "validation"))
    masks: dict[str, Bool[np.ndarray, " n"]] = {
        "train": learnt & ~chooses,
        "validation": learnt & chooses,
        "test": np.isin(section, ("DS2", "test")),
    }
    if setting.split == "patients":
        return {name: np.flatnonzero(mask) for name, mask in masks.items()}
    those = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
    those = np.random.default_rng(setting.data_seed).permutation(those)
    ends = np.cumsum([int(mask.sum()) for mask in masks.values()])
    return dict(zip(masks, np.split(those, ends[:-1]), strict=True))


def to_split(beats: Beats, source: str, *, rhythm: bool) -> Split:
    """Inputs, labels and records of beats; see :meth:`Heartbeats.load`."""
    values = torch.from_numpy(beats.values)[..., None]
    if rhythm:
        ratios = np.log(beats.intervals.clip(SHORTEST, LONGEST) / USUAL)
        values = torch.cat((values, torch.from_numpy(ratios)[:, None].expand(-1, values.shape[1], -1)), -1)
    slices = {"record": torch.from_numpy(beats.records)}
    return Split(values.contiguous(), torch.from_numpy(beats.classes), source, slices)
