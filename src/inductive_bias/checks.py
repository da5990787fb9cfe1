"""What losses, metrics and training refuse: every message names the argument, its value and the range allowed.

Types and shapes are looked at everywhere: that costs nothing. The values of labels are looked at where they lie in the
memory of the CPU. Elsewhere that would stop the device at every step of the training; there the kernels that use the
labels assert their range.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real

import torch
from torch import Tensor

from inductive_bias.tracing import transformed


def number(
    name: str, value: object, *, low: float | int = -math.inf, high: float | int = math.inf, above: bool = False
) -> None:
    """Refuse what is no finite real number in [``low``, ``high``]; with ``above`` it must not be ``low``.

    Raises:
        ValueError: naming the value and the range.
    """
    fits = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not fits or not low <= value <= high or (above and value == low):
        raise ValueError(f"{name} must {_range(low, high, above)}, not {value!r}")


def _range(low: float | int, high: float | int, above: bool) -> str:
    if math.isfinite(high):
        return f"lie in {'(' if above else '['}{low:g}, {high:g}]"
    if low == 0:
        return f"be {'positive' if above else 'non-negative'} and finite"
    return "be finite"


def whole(name: str, value: object, *, least: int) -> int:
    """``value`` itself if it is an integer of at least ``least``.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
    return value


def choice(name: str, value: object, allowed: Collection[str]) -> str:
    """``value`` itself if it is one of those allowed.

    Raises:
        ValueError: if it is none of them.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def floats(name: str, value: object, axes: str | None = None) -> Tensor:
    """``value`` itself if it is a tensor of floating-point numbers, with one dimension for each word of ``axes``.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(value, Tensor):
        raise ValueError(f"{name} must be a tensor, not {type(value).__name__}")
    if not value.is_floating_point():
        raise ValueError(f"{name} must hold real floating-point numbers, not {value.dtype}")
    if axes is not None and value.ndim != len(axes.split()):
        raise ValueError(f"{name} must be [{axes.replace(' ', ', ')}], not {tuple(value.shape)}")
    return value


def booleans(name: str, value: object, axes: str) -> Tensor:
    """``value`` itself if it is a tensor of bool, with one dimension for each word of ``axes``.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(value, Tensor) or value.dtype != torch.bool:
        raise ValueError(f"{name} must be a tensor of bool, not {getattr(value, 'dtype', type(value).__name__)}")
    if value.ndim != len(axes.split()):
        raise ValueError(f"{name} must be [{axes.replace(' ', ', ')}], not {tuple(value.shape)}")
    return value


def labels(name: str, value: object, shape: tuple[int, ...], classes: int, *, ignore_index: int | None = None) -> None:
    """Refuse what is no tensor of integers of this shape, each in [0, ``classes``) or ``ignore_index``.

    The values are looked at on the CPU alone, and not within ``torch.func``, where they cannot be; see the module.

    Raises:
        ValueError: saying what is wrong, or that all are ignored.
    """
    if not isinstance(value, Tensor):
        raise ValueError(f"{name} must be a tensor, not {type(value).__name__}")
    if value.is_floating_point() or value.is_complex() or value.dtype == torch.bool:
        raise ValueError(f"{name} must hold integers, not {value.dtype}")
    if tuple(value.shape) != shape:
        raise ValueError(f"{name} must have the shape {shape}, one for each row, not {tuple(value.shape)}")
    if value.device.type != "cpu" or not value.numel() or transformed():
        return
    kept = value if ignore_index is None else value[value != ignore_index]
    if not kept.numel():
        raise ValueError(f"{name} must not all be ignore_index={ignore_index}")
    low, high = (int(end) for end in kept.aminmax())
    if low < 0 or high >= classes:
        excepted = "" if ignore_index is None else f" or be ignore_index={ignore_index}"
        raise ValueError(f"{name} must lie in [0, {classes - 1}]{excepted}, not [{low}, {high}]")


def one_device(**tensors: Tensor | None) -> None:
    """Refuse tensors on more than one device; None is none.

    Raises:
        ValueError: naming the device of each.
    """
    given = {name: tensor.device for name, tensor in tensors.items() if tensor is not None}
    if len(set(given.values())) > 1:
        places = ", ".join(f"{name} on {device}" for name, device in given.items())
        raise ValueError(f"all tensors must be on one device, not {places}")
