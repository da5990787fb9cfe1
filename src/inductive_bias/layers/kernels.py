"""Which form computes a REM: chunks of matrix products, or a kernel that is compiled for the machine.

All forms give the same within rounding (about 1e-7 of the largest number in float32), and so do their gradients. On a
CPU with a C++ compiler the kernel is used by itself, built on first use in some seconds and kept in the user's cache.
``INDUCTIVE_BIAS_KERNEL=0`` or ``with kernel(False)`` keep to the chunks. ``INDUCTIVE_BIAS_KERNEL=1`` or
``with kernel(True)`` ask for the kernel: then it is an error if it cannot be built; the trials of studies, that keep to
the chunks otherwise, use it too (their records say so); and so does a GPU, by a form in Triton that **has not been
measured on one**.

It is never used where PyTorch records or transforms what is run (:mod:`inductive_bias.tracing`), nor for subclasses of
tensors.
"""

import functools
import hashlib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import torch
from jaxtyping import Shaped
from torch import Tensor

from inductive_bias.errors import SettingError
from inductive_bias.layers import native

ENV_KERNEL = "INDUCTIVE_BIAS_KERNEL"
Form = Literal["chunks", "C++", "Triton"]

_choice: ContextVar[bool | None] = ContextVar("kernel", default=None)


@contextmanager
def kernel(on: bool) -> Iterator[None]:
    """Context in which the kernel is asked for, or refused, whatever the environment says.

    Raises:
        KernelError: at the first REM, if it is asked for and cannot be built.
    """
    before = _choice.set(on)
    try:
        yield
    finally:
        _choice.reset(before)


def asked() -> bool | None:
    """Whether the kernel is asked for (True), refused (False), or used where it can be (None).

    Raises:
        SettingError: if ``INDUCTIVE_BIAS_KERNEL`` is neither empty nor 0 nor 1.
    """
    if (chosen := _choice.get()) is not None:
        return chosen
    named = os.environ.get(ENV_KERNEL, "")
    if named not in ("", "0", "1"):
        raise SettingError(f"{ENV_KERNEL} must be 0, 1 or empty, not {named!r}")
    return bool(int(named)) if named else None


def form_for(*operands: Shaped[Tensor, "..."] | None) -> Form:
    """What computes a REM of these operands, the values first.

    Raises:
        KernelError: if the kernel is asked for and cannot be built.
    """
    wanted, values = asked(), operands[0]
    given = [x for x in operands if x is not None]
    # a subclass may have its own rules for operations, and none for ours
    # nor is there anything to compute for a batch of none, of which a kernel would get no address
    if wanted is False or not values.numel() or any(type(x) not in (Tensor, torch.nn.Parameter) for x in given):
        return "chunks"
    if any(x.device != values.device for x in given) or any(x.dtype != values.dtype for x in given if x.ndim == 4):
        return "chunks"
    if values.device.type == "cpu" and values.dtype in native.TYPES:
        if wanted:
            native.library()
        return "chunks" if native.why_not() else "C++"
    if values.device.type == "cuda" and values.dtype != torch.float64 and wanted and _has_triton():
        return "Triton"
    return "chunks"


def kernel_status() -> str:
    """What a REM on a CPU is computed by, and why."""
    if asked() is False:
        return "chunks: the kernel is switched off"
    return f"chunks: {reason}" if (reason := native.why_not()) else "C++"


@contextmanager
def only_if_asked() -> Iterator[None]:
    """Context in which no kernel is used unless it is asked for, so that a study's numbers are those of one form."""
    with kernel(asked() is True):
        yield


def kernel_versions() -> dict[str, str]:
    """What a result depends on besides the versions of packages: the kernel's code, if it is asked for."""
    return {"kernel": hashlib.sha256(native.source()).hexdigest()[:12]} if asked() else {}


@functools.cache
def _has_triton() -> bool:
    return importlib.util.find_spec("triton") is not None
