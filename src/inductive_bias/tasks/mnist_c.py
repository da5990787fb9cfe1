"""MNIST-C (Mu & Gilmer 2019, arXiv:1906.02337): corrupted MNIST test images, read from files or generated."""

import json
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Shaped, UInt8

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, identity
from inductive_bias.tasks.arrays import array_of
from inductive_bias.tasks.corruptions import GENERATORS
from inductive_bias.tasks.data import Split
from inductive_bias.tasks.kept import note

CLASSES = 10
CORRUPTIONS = tuple(GENERATORS)  # identity and the 15 corruptions, in the order of the benchmark
_LABELS = "996074233ccae69ee65b8551233f608adc1bce84b6b440e3531478a847958149"  # of MNIST's test images, in every set
#: Of nine sets made by the authors' functions; the released archive has files of its own, see :func:`declared`.
IMAGES = {
    "brightness": "b761c247f297566db2f612d71402afef54a7c744ac37178a248753dd4ba1bc85",
    "canny_edges": "e86b158456cbaf0bf621092259f186a223b68e31128c18cceedb8a2f1b8baf1f",
    "identity": "c544e9053023b30ffd401a9825696f84af6fb1eb822bba5fcffc6992808357c3",
    "impulse_noise": "0c34562bb019b1502a80649324a7a35bc45aae6e09def73e816e0ea2a47c70af",
    "rotate": "0d41e818bfcfd53a57049dcdb0aaf8e54ecfadb80cf7b3bd8df32c0e14ee8e7f",
    "scale": "b87196ed3af53ca9a6ab68298546e73f471afa4743f8a9be4493818b5924beaf",
    "shear": "296d2d802c52881d39822499ba47aa595d96ed96cdc1d83bfdd5a293bffac0b6",
    "shot_noise": "b29ce8152d2fd7b1692d4eb13bbd5f3a65d50946c8af241f7f504e49621227ad",
    "translate": "a7b1f6ab143997239e608d8efaf38931159378bce678052cbb407437d521ff4a",
}
SHA256: dict[str, tuple[str, ...]] = {
    f"mnist_c/{name}/{file}": (digest,)
    for name, images in IMAGES.items()
    for file, digest in (("test_images.npy", images), ("test_labels.npy", _LABELS))
}


class Corrupted(NamedTuple):
    """A corrupted test set: images and labels as bytes, the SHA-256 of its files, and whether it is the user's own."""

    images: UInt8[np.ndarray, "n 28 28"]
    labels: np.ndarray
    sha256: dict[str, str]
    own: bool


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
        note(folder / name)
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder} should hold {stem}.npy or {stem}.npy.gz, and holds neither.")


def read_folder(folder: Path, *, allow_other: bool = False) -> Corrupted:
    """A corruption's test set in the public layout: ``mnist_c/<corruption>``, the folder's name being the corruption.

    Args:
        folder: Holds ``test_images.npy`` (uint8 ``[n, 28, 28, 1]``) and ``test_labels.npy`` (integers 0..9 ``[n]``),
            each perhaps gzipped.
        allow_other: Whether the files may be others than the public ones.

    Raises:
        DataError: If a file is missing, damaged, not the public one, or of another type or shape, if the two differ in
            length, or if there is no image.
    """
    known = declared(folder)
    read = {}
    for stem in ("test_images", "test_labels"):
        path = file_in(folder, stem)
        read[path] = identity.read(path, f"mnist_c/{folder.name}/{stem}.npy", known, allow_other=allow_other)
    images_file, labels_file = read
    images, labels = (_array(found.content, path) for path, found in read.items())
    if images.dtype != np.uint8 or images.shape[1:] != (28, 28, 1):
        raise DataError(f"{images_file} should be uint8 [n, 28, 28, 1], and is {images.dtype} {list(images.shape)}.")
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise DataError(f"{labels_file} should be integers [n], and is {labels.dtype} {list(labels.shape)}.")
    if len(images) != len(labels) or not len(labels):
        raise DataError(
            f"{folder} should have as many images as labels and at least one, "
            f"and has {len(images)} images but {len(labels)} labels."
        )
    if not (labels.min() >= 0 and labels.max() < CLASSES):
        raise DataError(f"{labels_file} should hold labels 0..9, and holds {labels.min()}..{labels.max()}.")
    sha256 = {f"mnist_c/{folder.name}/{path.name}": found.sha256 for path, found in read.items()}
    return Corrupted(images[..., 0], labels, sha256, any(found.own for found in read.values()))


def declared(folder: Path) -> identity.Declared:
    """The known sums of corrupted sets, with those that the verified download of the released ones left beside them.

    Raises:
        DataError: If that file is not what the download writes.
    """
    path = folder.parent / downloads.MNIST_C_SUMS
    note(path)
    if not path.is_file():
        return SHA256
    try:
        fetched = {name: (str(digest),) for name, digest in json.loads(path.read_text()).items()}
    except (OSError, ValueError, AttributeError) as error:
        raise DataError(f"{path} is not the list of sums that a download writes ({error}); remove it.") from error
    return {name: SHA256.get(name, ()) + fetched.get(name, ()) for name in {**SHA256, **fetched}}


def _array(content: bytes, path: Path) -> np.ndarray:
    try:
        return array_of(content)
    except ValueError as error:
        raise DataError(f"{path} is not a whole .npy file of numbers ({error}).") from error
