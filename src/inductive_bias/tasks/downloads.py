"""Fetching public data into the user cache with the libraries that know where it lives.

A set appears in the cache only when it is complete: it is fetched into a temporary folder beside its place and then
moved, so that a killed or second download leaves nothing half done.
"""

import os
import tempfile
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import ENV_DATA, unpack_zip

MNIST_C_URL = "https://zenodo.org/record/3239543/files/mnist_c.zip"
MNIST_C_MD5 = "4b34b33045869ee6d424616cd3a65da3"


def _failure(what: str, error: Exception) -> DataError:
    reason = " ".join(str(error).split())
    return DataError(
        f"{what} was not found on this machine and could not be downloaded ({reason}). With no network, point root= or "
        f"{ENV_DATA} to a folder that holds it; for a quick look, the small sample needs no download (sample=True)."
    )


def download_mnist(cache: Path) -> Path:
    """Fetch the four original MNIST files through torchvision, md5 checked, into ``cache/MNIST/raw``.

    Raises:
        DataError: If they cannot be fetched or saved.
    """
    from torchvision.datasets import MNIST

    raw = cache / "MNIST" / "raw"
    try:
        raw.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            fetched = Path(MNIST(scratch, download=True).raw_folder)
            for name, _ in MNIST.resources:
                os.replace(fetched / name, raw / name)
    except (RuntimeError, OSError) as error:  # URLError and HTTPError are OSErrors
        raise _failure("MNIST", error) from error
    return raw


def download_mnist_c(cache: Path) -> Path:
    """Fetch the released MNIST-C (Mu & Gilmer 2019, 228 MB) through pooch and unpack its test sets.

    Returns:
        ``cache/mnist_c``, with one folder per corruption.

    Raises:
        DataError: If it cannot be fetched, is not the released file, or cannot be saved.
    """
    import pooch

    folder = cache / "mnist_c"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            archive = pooch.retrieve(MNIST_C_URL, known_hash=f"md5:{MNIST_C_MD5}", fname="mnist_c.zip", path=scratch)
            # the zip also holds 16 corrupted training sets of 47 MB, which nothing here uses
            unpack_zip(Path(archive), Path(scratch) / "new", keep=lambda name: "/test_" in name)
            folder.mkdir(exist_ok=True)
            for fetched in sorted((Path(scratch) / "new" / "mnist_c").iterdir()):
                if not (folder / fetched.name).exists():
                    os.replace(fetched, folder / fetched.name)
    except (ValueError, OSError) as error:  # pooch: ValueError for a wrong hash; requests' errors are OSErrors
        raise _failure("MNIST-C", error) from error
    return folder
