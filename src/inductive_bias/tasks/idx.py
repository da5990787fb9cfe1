"""The idx format of the original MNIST files: two zero bytes, type, number of axes, big-endian sizes, then data."""

import math
import struct
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import read_bytes

UNSIGNED_BYTE = 8


def read_idx(path: Path) -> UInt8[np.ndarray, "..."]:
    """An idx file of unsigned bytes, gzipped or not, as a read-only array.

    Raises:
        DataError: If the file is unreadable, of another format or type, or shorter or longer than its header says.
    """
    content = read_bytes(path)
    if len(content) < 4 or content[:3] != bytes([0, 0, UNSIGNED_BYTE]):
        raise DataError(
            f"{path} is not an idx file of unsigned bytes: it starts with {content[:4].hex() or 'nothing'}, expected "
            "000008 and the number of axes."
        )
    axes = content[3]
    start = 4 + 4 * axes
    if len(content) < start:
        raise DataError(f"{path} is truncated: {len(content)} bytes, and its header alone takes {start}.")
    shape = struct.unpack(f">{axes}I", content[4:start])
    if len(content) - start != math.prod(shape):
        raise DataError(f"{path} holds {len(content) - start} bytes of data, but its header says {shape}.")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
