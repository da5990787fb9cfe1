"""Writing a file so that it appears whole or not at all."""

import contextlib
import os
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path

from inductive_bias.errors import StoreError


def write(path: Path, writer: Callable[[Path], object]) -> None:
    """Call ``writer`` with a draft beside ``path``, then rename it: a full disk leaves the file as it was.

    No draft is left behind, whatever the writer raises.

    Raises:
        StoreError: if it cannot be written.
    """
    draft = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(draft)
        os.replace(draft, path)
    except OSError as error:
        raise StoreError(f"{path} could not be written: {error}; what was there before is untouched") from error
    finally:  # whatever stopped the writer
        with contextlib.suppress(OSError):
            draft.unlink()


def refuse_unwritable(folder: Path) -> None:
    """Refuse a folder in which no file can be made, before work is done for it; nothing is left behind.

    Raises:
        StoreError: naming the folder, or the one above it that is in the way.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise StoreError(f"{folder} cannot be written: {there}: {error.strerror}") from error
