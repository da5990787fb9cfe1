"""Arrays from the bytes of ``.npy`` and ``.npz`` files, which must hold as much as they claim."""

import io
import math
import zipfile
import zlib
from collections.abc import Iterable

import numpy as np

#: Times that deflate makes something smaller at most.
SMALLEST = 1032


def array_of(content: bytes) -> np.ndarray:
    """The array of a whole ``.npy`` file; nothing is set aside for what is claimed and not there.

    Raises:
        ValueError: if it is no such file, is cut short, or holds Python objects.
    """
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"its version is {version}, not 1.0 or 2.0")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    claimed, found = math.prod(shape) * dtype.itemsize, len(content) - stream.tell()
    if not dtype.hasobject and claimed > found:
        raise ValueError(f"it claims {dtype} {list(shape)}, which are {claimed} bytes, and has {found}")
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)


def arrays_of(content: bytes, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The arrays of those names in a whole ``.npz`` file.

    Raises:
        ValueError: if it is no such file, lacks one, or one is damaged or of Python objects; the array is named.
    """
    found, name = {}, ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            for name in names:
                member = opened.getinfo(f"{name}.npy")
                if member.file_size > SMALLEST * (member.compress_size + 1):
                    raise ValueError(f"it claims {member.file_size} bytes packed in {member.compress_size}")
                found[name] = array_of(opened.read(member))
    except KeyError as error:
        raise ValueError(f"it has no array {name}") from error
    except (ValueError, EOFError, OSError, NotImplementedError, RuntimeError, zlib.error) as error:
        raise ValueError(f"{name}: {error}") from error
    except zipfile.BadZipFile as error:
        raise ValueError(str(error)) from error
    return found
