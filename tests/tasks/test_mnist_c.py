import gzip
import io

import numpy as np
import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks.mnist_c import CORRUPTIONS, corrupt, read_folder, to_split


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_every_corruption_gives_bytes_and_repeats_for_its_seed(digits, name):
    before = digits.copy()
    out = corrupt(digits, name, seed=1)
    assert out.dtype == np.uint8
    assert out.shape == digits.shape
    assert np.array_equal(out, corrupt(digits, name, seed=1))
    assert np.array_equal(digits, before)
    drawn = name not in {"identity", "scale", "brightness", "stripe", "canny_edges"}
    assert np.array_equal(out, corrupt(digits, name, seed=2)) != drawn
    assert np.array_equal(out, digits) == (name == "identity")


@pytest.mark.parametrize("name", CORRUPTIONS)
@pytest.mark.parametrize("n", [0, 1])
def test_no_image_and_one_image_are_corrupted_too(digits, name, n):
    assert corrupt(digits[:n], name, seed=0).shape == (n, 28, 28)


def test_a_seed_does_not_tie_the_corruptions_together(digits):
    same = digits[:1].repeat(64, 0)
    turned, sheared = (corrupt(same, name, seed=0) for name in ("rotate", "shear"))
    assert not np.array_equal((turned == turned[0]).all((1, 2)), (sheared == sheared[0]).all((1, 2)))


def test_unknown_corruption_is_refused_with_the_known_ones(digits):
    with pytest.raises(ValueError, match=r"unknown corruption 'snow'; known are: identity, shot_noise.*canny_edges"):
        corrupt(digits, "snow", seed=0)


@pytest.mark.parametrize(
    "images", [np.zeros((2, 28, 28), np.float32), np.zeros((2, 28, 28, 1), np.uint8), np.zeros((28, 28), np.uint8)]
)
def test_images_of_another_type_or_shape_are_refused(images):
    with pytest.raises(ValueError, match=r"uint8 \[n, 28, 28\]"):
        corrupt(images, "identity", seed=0)


@pytest.mark.parametrize("name", ["identity", "scale", "brightness", "canny_edges"])
def test_deterministic_corruption_has_the_bytes_of_the_authors_functions(clean, released, name):
    assert np.array_equal(corrupt(clean, name, seed=0), released(name))


def save(path, array):
    content = io.BytesIO()
    np.save(content, array, allow_pickle=True)
    path.write_bytes(gzip.compress(content.getvalue()) if path.suffix == ".gz" else content.getvalue())


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "any_name"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("images_suffix", [".npy", ".npy.gz"])
@pytest.mark.parametrize("labels_suffix", [".npy", ".npy.gz"])
@pytest.mark.parametrize("n", [1, 3])
def test_folder_in_the_public_layout_is_read(folder, rng, images_suffix, labels_suffix, n):
    images = rng.integers(0, 256, (n, 28, 28, 1)).astype(np.uint8)
    save(folder / f"test_images{images_suffix}", images)
    save(folder / f"test_labels{labels_suffix}", np.arange(n))
    read = read_folder(folder, allow_other=True)
    split = to_split(read.images, read.labels, "mine")
    torch.testing.assert_close(split.inputs, torch.from_numpy(images).float().movedim(3, 1) / 255)
    assert split.labels.tolist() == list(range(n))
    assert read.own
    assert list(read.sha256) == [
        f"mnist_c/any_name/test_{kind}" for kind in (f"images{images_suffix}", f"labels{labels_suffix}")
    ]


GOOD_IMAGES, GOOD_LABELS = np.zeros((4, 28, 28, 1), np.uint8), np.zeros(4, int)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (GOOD_IMAGES, None, r"should hold test_labels\.npy or test_labels\.npy\.gz"),
        (None, GOOD_LABELS, r"should hold test_images\.npy"),
        (GOOD_IMAGES, np.zeros(3, int), "4 images but 3 labels"),
        (GOOD_IMAGES[:0], GOOD_LABELS[:0], "at least one, and has 0 images"),
        (
            GOOD_IMAGES.astype(np.float32),
            GOOD_LABELS,
            r"test_images.npy should be uint8 .* is float32 \[4, 28, 28, 1\]",
        ),
        (GOOD_IMAGES[..., 0], GOOD_LABELS, r"is uint8 \[4, 28, 28\]"),
        (GOOD_IMAGES, GOOD_LABELS.astype(float), r"test_labels.npy should be integers \[n\], and is float64"),
        (GOOD_IMAGES, GOOD_LABELS[:, None], r"is int64 \[4, 1\]"),
        (GOOD_IMAGES, GOOD_LABELS + 10, r"labels 0\.\.9, and holds 10\.\.10"),
        (np.array([print], dtype=object), GOOD_LABELS, r"not a whole \.npy file of numbers"),
    ],
    ids=[
        "no labels",
        "no images",
        "lengths",
        "empty",
        "type",
        "shape",
        "label type",
        "label shape",
        "label range",
        "pickle",
    ],
)
def test_folder_with_other_content_is_refused(folder, images, labels, message):
    if images is not None:
        save(folder / "test_images.npy", images)
    if labels is not None:
        save(folder / "test_labels.npy", labels)
    with pytest.raises(DataError, match=message):
        read_folder(folder, allow_other=True)


@pytest.mark.parametrize(
    ("name", "cut", "message"),
    [
        ("test_images.npy", lambda content: content[:-5], "not a whole"),
        ("test_images.npy", lambda content: content[:5], "not a whole"),
        ("test_images.npy", lambda content: b"", "not a whole"),
        ("test_images.npy", lambda content: b"PK" + content, "not a whole"),
        ("test_images.npy.gz", lambda content: content[:-20], "damaged or truncated gzip"),
    ],
)
def test_damaged_array_is_named(folder, name, cut, message):
    save(folder / name, GOOD_IMAGES)
    save(folder / "test_labels.npy", GOOD_LABELS)
    (folder / name).write_bytes(cut((folder / name).read_bytes()))
    with pytest.raises(DataError, match=f"{name}.*{message}"):
        read_folder(folder, allow_other=True)
