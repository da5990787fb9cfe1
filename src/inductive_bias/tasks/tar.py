"""Unpacking a tar archive that someone else made."""

import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path

from inductive_bias.errors import DataError


def unpack_tar(archive: Path, folder: Path, *, keep: Callable[[str], bool] = lambda name: True) -> None:
    """Unpack the plain files whose name ``keep`` accepts into ``folder``.

    Raises:
        DataError: If the archive is damaged, or such a member is a link, a device, or would land outside ``folder``.
    """
    try:
        with tarfile.open(archive) as opened:
            wanted = [member for member in opened.getmembers() if keep(member.name) and not member.isdir()]
            for member in wanted:
                if not member.isreg():
                    raise DataError(f"{archive} holds {member.name!r}, which is no plain file; it was not unpacked.")
            opened.extractall(folder, wanted, filter="data")
    except tarfile.FilterError as error:
        raise DataError(f"{archive} holds a member that leaves its folder ({error}); it was not unpacked.") from error
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise DataError(f"{archive} is a damaged or truncated tar file ({error}).") from error
