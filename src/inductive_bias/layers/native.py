"""The C++ form of a REM, ``recurrence.cpp``: built on first use, kept in the user's cache, called by its C interface.

No header of PyTorch's is needed, no build tool but a compiler, and a finished build serves every version of PyTorch. It
is named by what went into it (source, command, kind of processor) and by its own SHA-256: a damaged file is told from
a good one before it is loaded, and one rename makes it appear, so that processes that build at once do not disturb one
another. A file or folder that somebody else can write is never loaded from: its name could be made to fit.
"""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch
from jaxtyping import Shaped
from torch import Tensor

from inductive_bias.paths import cache_folder

SOURCE = Path(__file__).with_name("recurrence.cpp")
#: Names of compilers, tried in this order after ``$CXX``.
COMPILERS = ("c++", "g++", "clang++")
#: Tried in this order: not every compiler knows the processor it runs on, or OpenMP. Without that there is one thread.
FLAGS = (("-march=native", "-fopenmp"), ("-march=native",), ())
ALWAYS = ("-O3", "-std=c++17", "-shared", "-fPIC")
#: Seconds after which a compiler is given up.
PATIENCE = 120
#: Types of values, and the function for each.
TYPES = {torch.float32: "rem_float32", torch.float64: "rem_float64", torch.bfloat16: "rem_bfloat16"}


class KernelError(RuntimeError):
    """Failure to build or load the compiled form; the message says why."""


class Call(ctypes.Structure):
    """``struct Call`` of the source."""

    _fields_ = (
        [(name, ctypes.c_int64) for name in ("batch", "tokens", "heads", "width", "causal", "printed", "threads")]
        + [(name, ctypes.c_void_p) for name in ("kinds", "dilations", "decay", "angle", "scale", "share")]
        + [(name, ctypes.c_void_p) for name in ("values", "other", "upstream")]
        + [(f"{name}_{of}", ctypes.c_int64) for name in ("values", "other", "upstream") for of in ("row", "token")]
        + [(name, ctypes.c_void_p) for name in ("out", "d_other", "d_heads")]
    )


def call(dtype: torch.dtype, **fields: Shaped[Tensor, "..."] | int | None) -> None:
    """Run the function for ``dtype``; a tensor stands for its address, None for no tensor.

    Raises:
        KernelError: if it cannot be built.
    """
    places = {name: value.data_ptr() if isinstance(value, Tensor) else value for name, value in fields.items()}
    getattr(library(), TYPES[dtype])(ctypes.byref(Call(**places)))


@functools.cache
def why_not() -> str | None:
    """What keeps the compiled form from being used, None if nothing does; asked once a process."""
    try:
        library()
    except KernelError as error:
        return str(error)
    return None


@functools.cache
def library() -> ctypes.CDLL:
    """The compiled form, built if need be.

    Raises:
        KernelError: if there is no compiler, if it fails, or if the cache cannot be written.
    """
    try:
        folder = cache_folder() / "kernels"
        return _kept(folder) or _built(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: a user without a home folder
        raise (
            error if isinstance(error, KernelError) else KernelError(f"the kernel cannot be built: {error}")
        ) from error


def _kept(folder: Path) -> ctypes.CDLL | None:
    """The first build that is what its name promises, and that nobody else can have written; any other is removed.

    Raises:
        KernelError: if somebody else can write in the folder.
    """
    if not folder.is_dir():
        return None
    if not _ours(folder):
        raise KernelError(f"{folder} belongs to somebody else, or others can write in it: chmod 700, or remove it")
    for flags in FLAGS:
        for path in sorted(folder.glob(f"{_key(flags)}-*.so")):
            if _ours(path) and path.stem.endswith(f"-{_sha256(path.read_bytes())}") and (found := _loaded(path)):
                return found
            path.unlink(missing_ok=True)
    return None


def _ours(path: Path) -> bool:
    """Whether it is this user's and nobody else can write it; where there are no such owners, everything is."""
    if not hasattr(os, "getuid"):
        return True
    about = path.lstat()
    mine = about.st_uid == os.getuid() and not stat.S_ISLNK(about.st_mode)
    return mine and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _built(folder: Path) -> ctypes.CDLL:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    compiler, complaints = _compiler(), []
    for flags in FLAGS:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as draft:
            made = Path(draft) / "kernel.so"
            complaint = _compile([compiler, *ALWAYS, *flags, str(SOURCE), "-o", str(made)])
            if complaint is None:
                path = folder / f"{_key(flags)}-{_sha256(made.read_bytes())}.so"
                made.chmod(0o700)  # whatever the user's mask
                os.replace(made, path)
                if found := _loaded(path):
                    return found
                path.unlink(missing_ok=True)
                complaint = "the compiled file cannot be loaded"
            complaints.append(complaint)
    raise KernelError(f"{compiler} failed to build the kernel: {complaints[-1]}")


def _compiler() -> str:
    for name in filter(None, (os.environ.get("CXX"), *COMPILERS)):
        if found := shutil.which(name):
            return found
    raise KernelError(f"there is no C++ compiler here ({', '.join(COMPILERS)})")


def _compile(command: list[str]) -> str | None:
    """None if it went well, else the last line of what the compiler said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    said = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
    return said[-1] if done.returncode else None


def _loaded(path: Path) -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(str(path))
        for name in TYPES.values():
            getattr(found, name).restype = None
    except (OSError, AttributeError):
        return None
    return found


def _key(flags: tuple[str, ...]) -> str:
    return _sha256(b"\0".join((source(), " ".join(ALWAYS + flags).encode(), *_processor())))


@functools.cache
def source() -> bytes:
    """What is compiled."""
    return SOURCE.read_bytes()


@functools.cache
def _processor() -> tuple[bytes, ...]:
    """What ``-march=native`` stands for: a home folder may be that of machines of several kinds."""
    return platform.system().encode(), platform.machine().encode(), *_instructions()


def _instructions() -> Iterator[bytes]:
    try:
        lines = Path("/proc/cpuinfo").read_bytes().splitlines()
    except OSError:
        yield platform.processor().encode()
        return
    for field in (b"flags", b"Features", b"model name", b"CPU part"):
        yield next((line for line in lines if line.startswith(field)), b"")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
