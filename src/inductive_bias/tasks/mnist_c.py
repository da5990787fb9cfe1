"""MNIST-C (Mu & Gilmer 2019, arXiv:1906.02337): corrupted MNIST test images, read from files or generated."""

import io
import zlib
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Shaped, UInt8

from inductive_bias.errors import DataError
from inductive_bias.tasks.corruptions import GENERATORS
from inductive_bias.tasks.data import Split
from inductive_bias.tasks.files import read_bytes

CLASSES = 10
CORRUPTIONS = tuple(GENERATORS)  # identity and the 15 corruptions, in the order of the benchmark


def to_split(images: UInt8[np.ndarray, "n 28 28"], labels: np.ndarray, source: str) -> Split:
    """Bytes to what a model sees: inputs float32 ``[n, 1, 28, 28]`` in 0..1, labels int64."""
    inputs = torch.from_numpy(images.astype(np.float32)).div_(255).unsqueeze(1)
    return Split(inputs, torch.from_numpy(labels.astype(np.int64)), source)


def corrupt(images: Shaped[np.ndarray, "..."], name: str, *, seed: int) -> UInt8[np.ndarray, "n 28 28"]:
    """The corruption ``name`` of clean images, at MNIST-C's severity.

    Args:
        images: Clean digits, uint8 ``[n, 28, 28]``.
        name: One of ``CORRUPTIONS``.
        seed: Decides all random draws, independently for each corruption.

    Raises:
        ValueError: If the name is unknown, or the images are of another type or shape.
    """
    if name not in CORRUPTIONS:
        raise ValueError(f"unknown corruption {name!r}; known are: {', '.join(CORRUPTIONS)}")
    if images.dtype != np.uint8 or images.shape[1:] != (28, 28):
        raise ValueError(f"images should be uint8 [n, 28, 28], not {images.dtype} {list(images.shape)}")
    if len(images) == 0:
        return images.copy()
    rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
    out = GENERATORS[name](images / 255.0, rng)
    # through float32 and to the nearest byte, as the released files were written
    return np.rint((out.clip(0, 1) * 255).astype(np.float32)).astype(np.uint8)


def file_in(folder: Path, stem: str) -> Path:
    """``stem.npy`` or ``stem.npy.gz`` in a corruption's folder.

    Raises:
        DataError: If neither is there.
    """
    for name in (f"{stem}.npy", f"{stem}.npy.gz"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder} should hold {stem}.npy or {stem}.npy.gz, and holds neither.")


def _read_array(path: Path) -> np.ndarray:
    try:
        return np.lib.format.read_array(io.BytesIO(read_bytes(path)), allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise DataError(f"{path} is not a whole .npy file of numbers ({error}).") from error


def read_folder(folder: Path, *, source: str | None = None) -> Split:
    """A corruption's test set in the public layout, whatever the folder's name.

    Args:
        folder: Holds ``test_images.npy`` (uint8 ``[n, 28, 28, 1]``) and ``test_labels.npy`` (integers 0..9 ``[n]``),
            each perhaps gzipped.
        source: Overrides ``"real:mnist+<folder> (files)"``.

    Raises:
        DataError: If a file is missing, damaged, or of another type or shape, or the two differ in length.
    """
    images_file, labels_file = file_in(folder, "test_images"), file_in(folder, "test_labels")
    images, labels = _read_array(images_file), _read_array(labels_file)
    if images.dtype != np.uint8 or images.shape[1:] != (28, 28, 1):
        raise DataError(f"{images_file} should be uint8 [n, 28, 28, 1], and is {images.dtype} {list(images.shape)}.")
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise DataError(f"{labels_file} should be integers [n], and is {labels.dtype} {list(labels.shape)}.")
    if len(labels) and not (labels.min() >= 0 and labels.max() < CLASSES):
        raise DataError(f"{labels_file} should hold labels 0..9, and holds {labels.min()}..{labels.max()}.")
    if len(images) != len(labels):
        raise DataError(f"{folder} has {len(images)} images but {len(labels)} labels.")
    return to_split(images[..., 0], labels, source or f"real:mnist+{folder.name} (files)")
