"""Proteins as a task: yes or no, from the residues in their order."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData, stratified_order
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.proteins.files import LETTERS, Protein, read_proteins
from inductive_bias.tasks.proteins.made import SHORTEST, SOURCE, made_proteins

#: Residues at most of a protein that is learnt from, unless said otherwise: SignalP has no longer ones.
LONGEST = {"signalp": 70, "profet": 200, "generated": 40}
#: Made-up proteins to learn from unless said otherwise, and in each held-out split; the longest of the test.
MADE, HELD_OUT, MADE_LONGEST = 120, 40, 80
#: Share of the training proteins that choose, where there is no file of them.
VALIDATION = 0.1
#: Proteins that begin with the same so many residues are relatives, as far as a signal is asked for.
SHARED = 30
#: The id of padding; letters follow.
PAD = 0


class Proteins(Setting):
    """Say whether a protein has a signal peptide (SignalP), or is the precursor of a neuropeptide (ProFET).

    SignalP: the first 70 residues; a tenth of its training proteins chooses rates and epochs. ProFET: whole proteins
    without their signal; no protein of more than ``longest`` residues is learnt from or chooses, so that the split
    ``long``, all of them from all three files, asks what a model makes of a length that it has never seen.

    Attributes:
        data: SignalP, ProFET, or made-up proteins (``generated``), which stand in for them in small runs.
        longest: Residues at most of a protein to learn from: 70 of SignalP, 200 of ProFET, 40 of made-up ones unless
            said otherwise.
        weights: Of the classes in the loss: all alike (``none``), or inverse to the root of their number (``root``).
        batches: Of an epoch at most; None for all.
        proteins: Made-up ones to learn from; 120 unless said otherwise. Each held-out split has 40.
        data_seed: Decides the made-up proteins.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them. A
            file ``protein/signalP_binary.valid.csv`` chooses in place of a tenth of the training proteins.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.PROTEINS, card.MADE_PROTEINS)
    kind: Literal["proteins"] = "proteins"
    data: Literal["signalp", "profet", "generated"] = "signalp"
    longest: Annotated[int, Field(ge=SHORTEST)] | None = None
    weights: Literal["none", "root"] = "none"
    batches: Annotated[int, Field(ge=1)] | None = None
    proteins: Annotated[int, Field(ge=10)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _made_up_proteins_have_choices_of_their_own(self) -> "Proteins":
        if self.data != "generated" and (self.data_seed or self.proteins):
            raise ValueError(
                f"proteins={self.proteins} and data_seed={self.data_seed} belong to the data 'generated', not to "
                f"{self.data!r}"
            )
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from files, not to 'generated'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of residues (0 is padding), and two answers."""
        return {"outputs": 2, "vocabulary": len(LETTERS) + 1}

    @property
    def length(self) -> int:
        """Residues at most of a protein to learn from."""
        return self.longest or LONGEST[self.data]

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, and ``long`` where there are longer proteins.

        Inputs are int64 ``[n, t]``, residues from 1 on, padded on the right with 0; labels int64 ``[n]``, 1 for yes.
        The slice ``length`` counts the residues; ``shared`` is 1 where a protein begins like one to learn from or to
        choose by. The split ``test`` has proteins of up to ``longest`` residues alone. Equal settings share one result
        per process.

        Args:
            root: Folder with ``protein/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one, or a split would be empty.
        """
        where = () if self.data == "generated" else files.places(root)
        return _load(self.model_copy(update={"weights": "none", "batches": None}), where, download)


@kept(maxsize=4)
def _load(setting: Proteins, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        sizes = {"train": setting.proteins or MADE, "validation": HELD_OUT, "test": HELD_OUT, "more": HELD_OUT}
        longest = dict.fromkeys(sizes, setting.length) | {"more": MADE_LONGEST}
        rngs = {name: np.random.default_rng((setting.data_seed, number)) for number, name in enumerate(sizes)}
        read = {name: made_proteins(rngs[name], size, longest[name]) for name, size in sizes.items()}
        sha256, source = {}, SOURCE
    else:
        read, sha256, own = read_proteins(setting.data, where, download=download, allow_other=setting.allow_other)
        source = identity.source_of(f"real:{setting.data}", own)
    splits = {name: [each for each in part if len(each.residues) <= setting.length] for name, part in read.items()}
    if "validation" not in splits:
        splits |= _divided(splits["train"])
    chosen = {name: splits[name] for name in ("train", "validation", "test")}
    if empty := [name for name, part in chosen.items() if len({each.label for each in part}) < 2]:
        raise DataError(f"{source}: {empty[0]} has not both labels among proteins of up to {setting.length} residues")
    long = [each for part in read.values() for each in part if len(each.residues) > setting.length]
    if len({each.label for each in long}) == 2:
        chosen["long"] = long
    known = {each.residues[:SHARED] for name in ("train", "validation") for each in chosen[name]}
    return TaskData(
        {name: partial(to_split, part, source, known) for name, part in chosen.items()},
        classes=2,
        sha256=sha256,
        is_sample=setting.data == "generated",
        label_names=("no", "yes"),
        alphabet=LETTERS,
    )


def _divided(proteins: Sequence[Protein]) -> dict[str, list[Protein]]:
    """A tenth for validation, with both labels in proportion."""
    order = stratified_order(np.array([each.label for each in proteins]), seed=0).tolist()
    held = int(VALIDATION * len(proteins))
    return {"train": [proteins[each] for each in order[held:]], "validation": [proteins[each] for each in order[:held]]}


def to_split(proteins: Sequence[Protein], source: str, known: set[str]) -> Split:
    """Ids, labels, lengths and who begins like a ``known`` one; see :meth:`Proteins.load`."""
    lengths = np.fromiter((len(each.residues) for each in proteins), np.int64, len(proteins))
    ids = {letter: number for number, letter in enumerate(LETTERS, start=PAD + 1)}
    inputs = np.full((len(proteins), lengths.max()), PAD)
    for row, each in enumerate(proteins):
        inputs[row, : len(each.residues)] = [ids[letter] for letter in each.residues]
    labels = torch.tensor([each.label for each in proteins])
    shared = torch.tensor([int(each.residues[:SHARED] in known) for each in proteins])
    return Split(torch.from_numpy(inputs), labels, source, {"length": torch.from_numpy(lengths), "shared": shared})
