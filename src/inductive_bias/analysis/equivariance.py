"""Does a feature map move with the image, stay as it is, or at least change in a predictable way?

With S a shift of the image, a feature map f is *equivariant* if f(S x) = S' f(x) for the same shift S' of its own grid,
*invariant* if f(S x) = f(x), and *linearly equivariant* if f(S x) = M f(x) for some matrix M (Lenc & Vedaldi 2015).
Each is measured as a relative error: 0 = the property holds.
"""

import math
from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

Normalise = Literal["norm", "unrelated"]
FeatureMap = Callable[[Tensor], Tensor]


def shift(images: Float[Tensor, "n c h w"], dy: int, dx: int) -> Float[Tensor, "n c h w"]:
    """Images moved by ``dy`` pixels down and ``dx`` to the right (negative: up, left), zeros moving in.

    Exact: no interpolation. What leaves the frame is lost.
    """
    moved = torch.zeros_like(images)
    height, width = images.shape[-2:]
    if abs(dy) < height and abs(dx) < width:
        moved[..., max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = images[
            ..., max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
        ]
    return moved


@torch.no_grad()
def equivariance_error(
    feature_map: FeatureMap,
    images: Float[Tensor, "n c h w"],
    dy: int,
    dx: int,
    *,
    stride: int = 1,
    crop: int = 0,
    normalise: Normalise = "norm",
) -> float:
    """Relative error ``‖f(S x) − S' f(x)‖ / scale`` over all images.

    S' moves the feature map by (dy, dx) / stride cells: exactly where that is a whole number, by bilinear
    interpolation otherwise. Cells that S' would have to fill from outside f(x) are left out. The
    result is NaN if a feature is.

    Args:
        feature_map: from images [n, c, h, w] to features [n, c', h', w']; in evaluation mode, or its noise is counted.
        images: the images before the shift.
        dy: shift in image pixels, downwards.
        dx: shift in image pixels, to the right.
        stride: image pixels per cell of the feature map.
        crop: border of the compared region to leave out as well, in cells: the reach of the map's zero padding.
        normalise: "norm" divides by √(‖f(S x)‖² + ‖S' f(x)‖²): 1 for orthogonal features, at most √2. "unrelated"
            divides by the root mean square distance between features of *different* images: 1 = as far apart as two
            unrelated images, also for all-positive features, which are never orthogonal.

    Raises:
        ValueError: if ``stride`` < 1, ``crop`` < 0, ``feature_map`` returns no maps, nothing is left to compare,
            ``normalise`` is unknown, or "unrelated" has a single image.
    """
    if stride < 1 or crop < 0:
        raise ValueError(f"stride must be at least 1 and crop at least 0, not {stride} and {crop}")
    after, before = feature_map(shift(images, dy, dx)), feature_map(images)
    if before.ndim != 4:
        raise ValueError(f"feature_map must return [n, c, h, w], not a tensor of shape {tuple(before.shape)}")
    rows, columns = (
        _overlap(size, move / stride, crop) for size, move in zip(before.shape[-2:], (dy, dx), strict=True)
    )
    moved = _move(before, dy / stride, dx / stride)
    return _relative_error(after[..., rows, columns], moved[..., rows, columns], normalise)


@torch.no_grad()
def invariance_error(
    features: FeatureMap, images: Float[Tensor, "n c h w"], dy: int, dx: int, *, normalise: Normalise = "norm"
) -> float:
    """Relative error ``‖f(S x) − f(x)‖ / scale`` over all images; ``normalise`` as in `equivariance_error`.

    ``features`` may return any shape [n, ...] and should be in evaluation mode. NaN if a feature is.

    Raises:
        ValueError: if ``normalise`` is unknown, or "unrelated" has a single image.
    """
    return _relative_error(features(shift(images, dy, dx)), features(images), normalise)


def linear_equivariance_error(
    before_fit: Float[Tensor, "n d"],
    after_fit: Float[Tensor, "n e"],
    before_test: Float[Tensor, "k d"],
    after_test: Float[Tensor, "k e"],
    *,
    ridge: float = 1e-3,
) -> float:
    """Held-out relative error of the best affine map from the features of x to those of the shifted x.

    The map (Lenc & Vedaldi 2015) is fitted in closed form, in float64, on the first pair and judged on the
    second: ``‖prediction − after_test‖ / ‖after_test − mean(after_fit)‖``, so that 1 is the error of a constant
    guess and 0 means linear equivariance. It needs d × d numbers: reduce wide feature maps first.

    Args:
        before_fit: features of the images to fit on.
        after_fit: features of the same images, shifted.
        before_test: features of other images.
        after_test: features of those, shifted.
        ridge: penalty, in units of the mean variance of the features: any positive value is free of their scale.

    Raises:
        ValueError: if ``ridge`` is not positive or the shapes do not fit.
    """
    if not (ridge > 0 and math.isfinite(ridge)):
        raise ValueError(f"ridge must be positive and finite, not {ridge}")
    before_fit, after_fit, before_test, after_test = (
        x.detach().double() for x in (before_fit, after_fit, before_test, after_test)
    )
    if len(before_fit) != len(after_fit) or len(before_test) != len(after_test) or not len(before_fit):
        raise ValueError("each image needs its features before and after the shift")
    centre_in, centre_out = before_fit.mean(dim=0), after_fit.mean(dim=0)
    x, y = before_fit - centre_in, after_fit - centre_out
    gram = x.T @ x
    penalty = ridge * gram.diagonal().mean()
    if penalty > 0:
        solution = torch.linalg.solve(gram + penalty * torch.eye(len(gram)).to(gram), x.T @ y)
    else:  # constant features predict the mean
        solution = torch.zeros(x.shape[1], y.shape[1]).to(gram)
    target = after_test - centre_out
    error = ((before_test - centre_in) @ solution - target).norm().item()
    return _ratio(error, target.norm().item())


def _overlap(size: int, move: float, crop: int) -> slice:
    """Cells along one axis whose moved value comes from inside the map, less a border."""
    start = math.ceil(max(move, 0.0)) + crop
    stop = size - math.ceil(max(-move, 0.0)) - crop
    if start >= stop:
        raise ValueError(f"a move of {move:g} cells and a crop of {crop} leave nothing of {size} cells to compare")
    return slice(start, stop)


def _move(maps: Float[Tensor, "n c h w"], dy: float, dx: float) -> Float[Tensor, "n c h w"]:
    """Bilinear shift: a weighted sum of at most four exact ones."""
    moved = torch.zeros_like(maps)
    for y, weight_y in _neighbours(dy):
        for x, weight_x in _neighbours(dx):
            moved += weight_y * weight_x * shift(maps, y, x)
    return moved


def _neighbours(move: float) -> list[tuple[int, float]]:
    low = math.floor(move)
    part = move - low
    return [(low, 1 - part), (low + 1, part)] if part else [(low, 1.0)]


def _relative_error(a: Tensor, b: Tensor, normalise: str) -> float:
    a, b = a.flatten(1), b.flatten(1)
    n = len(a)
    # float64 sums, without a float64 copy of the feature maps
    error, norms = _sum_of_squares(a - b), _sum_of_squares(a) + _sum_of_squares(b)
    if normalise == "norm":
        scale = norms
    elif normalise == "unrelated":
        if n < 2:
            raise ValueError(f"normalise='unrelated' needs at least 2 images, not {n}")
        cross = torch.dot(a.sum(dim=0, dtype=torch.float64), b.sum(dim=0, dtype=torch.float64)).item()
        # Σ_{i≠j} ‖a_i − b_j‖² = n (Σ‖a_i‖² + Σ‖b_i‖²) − 2 ⟨Σ a_i, Σ b_j⟩ − Σ ‖a_i − b_i‖²
        scale = max(n * norms - 2 * cross - error, 0.0) / (n - 1)
    else:
        raise ValueError(f"normalise must be 'norm' or 'unrelated', not {normalise!r}")
    return _ratio(math.sqrt(error), math.sqrt(scale))


def _sum_of_squares(x: Tensor) -> float:
    return x.square().sum(dtype=torch.float64).item()


def _ratio(error: float, scale: float) -> float:
    if math.isnan(error) or math.isnan(scale):
        return math.nan
    if error == 0:
        return 0.0
    return error / scale if scale > 0 else math.inf
