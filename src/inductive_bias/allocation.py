"""Freed memory stays with the process: a training step allocates what the step before it has freed."""

import ctypes
import sys
from functools import cache

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # their names and numbers in glibc's malloc.h
LARGEST = 2**31 - 1  # bytes, of a C int


@cache
def keep_freed_memory() -> bool:
    """Tell glibc to keep freed memory for the next allocation; returns whether it does.

    Unless told, it gives large blocks back at once and asks the system for them again in the next step, which fills
    every page with zeros first (mallopt(3)). Losses and weights are the same; the most memory that a process has held
    stays with it until it ends. Other C libraries are left as they are.
    """
    if not sys.platform.startswith("linux"):
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    # a threshold of blocks that get pages of their own, and one of free memory at the top of the heap
    return all(library.mallopt(option, LARGEST) for option in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD))
