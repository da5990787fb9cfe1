"""Small sets of random pieces, as the packed file and as the public ``.mat`` file."""

import io

import numpy as np
import pytest
from scipy.io import savemat

from inductive_bias.tasks.music import files

LENGTHS = {"train": (5, 2, 9), "valid": (3, 4), "test": (2,)}
MATLAB = {"train": "traindata", "valid": "validdata", "test": "testdata"}


def random_rolls(lengths=LENGTHS, seed=0):
    """For each split of the files' names random matrices ``[length, 88]`` of 0 and 1."""
    rng = np.random.default_rng(seed)
    return {
        name: [(rng.random((length, 88)) < 0.1).astype(np.uint8) for length in each] for name, each in lengths.items()
    }


def as_npz(rolls, **changes):
    arrays = {}
    for name, pieces in rolls.items():
        arrays[f"{name}_bits"] = np.packbits(np.concatenate(pieces), axis=1)
        arrays[f"{name}_offsets"] = np.cumsum([0, *map(len, pieces)])
    content = io.BytesIO()
    np.savez_compressed(content, **arrays | changes)
    return content.getvalue()


def as_mat(rolls):
    cells = {}
    for name, pieces in rolls.items():
        cells[MATLAB[name]] = np.empty((1, len(pieces)), object)
        for number, piece in enumerate(pieces):
            cells[MATLAB[name]][0, number] = piece.astype(np.float64)
    content = io.BytesIO()
    savemat(content, cells, do_compression=True)
    return content.getvalue()


@pytest.fixture
def rolls():
    return random_rolls()


@pytest.fixture
def put(tmp_path):
    """``put(name, content)`` writes a file of the folder ``poly_music``."""

    def write(name, content):
        path = tmp_path / files.FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return path

    return write
