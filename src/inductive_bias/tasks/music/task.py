"""Polyphonic music as a task: from the keys that sounded so far to those of the next step."""

from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, model_validator

from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import IGNORED, Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.music.files import KEYS, SHORTEST, SPLITS, Pieces, read_rolls
from inductive_bias.tasks.music.progressions import SOURCE, pieces

#: Made-up pieces to learn from unless said otherwise, and in each held-out split.
MADE, HELD_OUT = 40, 10


class PolyphonicMusic(Setting):
    """Predict which of the 88 keys sound in the next step of a piece, from the steps before it.

    The sets, splits and steps are those of Boulanger-Lewandowski et al. (2012), in the files of Bai et al. (2018): the
    inputs of a piece of T steps are the steps 1 … T − 1, its labels the steps 2 … T. The first step is not predicted.

    Attributes:
        data: Bach's chorales (``jsb``), folk tunes (``nottingham``), orchestral and piano music (``musedata``), piano
            music (``piano_midi``), or made-up chord progressions (``generated``), which stand in for them in small
            runs.
        pieces: Of the made-up ones, to learn from; 40 unless said otherwise. Each held-out split has 10.
        data_seed: Decides the made-up pieces.
        allow_other: Read packed rolls of your own in place of the public ones; the source of every split then names
            their file.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.POLYPHONIC_MUSIC, card.PROGRESSIONS)
    kind: Literal["polyphonic_music"] = "polyphonic_music"
    data: Literal["jsb", "nottingham", "musedata", "piano_midi", "generated"] = "jsb"
    pieces: Annotated[int, Field(ge=1)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    allow_other: bool = False

    @model_validator(mode="after")
    def _made_up_pieces_have_choices_of_their_own(self) -> "PolyphonicMusic":
        if self.data != "generated" and (self.data_seed or self.pieces):
            raise ValueError(
                f"pieces={self.pieces} and data_seed={self.data_seed} belong to the data 'generated', not to "
                f"{self.data!r}"
            )
        if self.data == "generated" and self.allow_other:
            raise ValueError("allow_other=True belongs to data that are read from a file, not to 'generated'")
        return self

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: numbers that it reads in a step, and answers that it gives."""
        return {"outputs": KEYS, "channels": KEYS}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, each made when first asked for.

        Inputs are uint8 ``[n, t, 88]``, 1 where a key sounds, padded on the right with silence (as numbers for a model:
        ``inputs.float()``); labels are int8 ``[n, t, 88]``, −1 at padding: silence is a step like any other, so that
        inputs do not tell where a piece ends. The slice ``length`` counts the predicted steps. Equal settings share one
        result per process.

        Args:
            root: Folder with ``poly_music/``; searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If the file is missing, damaged, or not the expected one.
        """
        return _load(self, () if self.data == "generated" else files.places(root), download)


@kept(maxsize=4)
def _load(setting: PolyphonicMusic, where: files.Places, download: bool) -> TaskData:
    if setting.data == "generated":
        sizes = {"train": setting.pieces or MADE, "validation": HELD_OUT, "test": HELD_OUT}
        streams = {name: np.random.default_rng((setting.data_seed, number)) for number, name in enumerate(SPLITS)}
        rolls, sha256, source = {name: pieces(streams[name], size) for name, size in sizes.items()}, {}, SOURCE
    else:
        rolls, sha256, own = read_rolls(setting.data, where, download=download, allow_other=setting.allow_other)
        source = identity.source_of(f"real:{setting.data}", own)
    return TaskData(
        {name: partial(to_split, parts, source) for name, parts in rolls.items()},
        classes=KEYS,
        sha256=sha256,
        is_sample=setting.data == "generated",
    )


def to_split(rolls: Pieces, source: str) -> Split:
    """Inputs, labels and lengths of pieces; see :meth:`PolyphonicMusic.load`.

    Raises:
        ValueError: If there is no piece, or one of fewer than two steps.
    """
    if min(map(len, rolls), default=0) < SHORTEST:
        raise ValueError(f"there must be pieces of at least {SHORTEST} steps, not of {[len(roll) for roll in rolls]}")
    lengths = np.fromiter((len(roll) - 1 for roll in rolls), np.int64, len(rolls))
    inputs = np.zeros((len(rolls), lengths.max(), KEYS), np.uint8)
    labels = np.full(inputs.shape, IGNORED, np.int8)
    for row, roll in enumerate(rolls):
        inputs[row, : len(roll) - 1] = roll[:-1]
        labels[row, : len(roll) - 1] = roll[1:]
    return Split(torch.from_numpy(inputs), torch.from_numpy(labels), source, {"length": torch.from_numpy(lengths)})
