"""Fetching public data into the user cache with the libraries that know where it lives.

A set appears in the cache only when it is complete: it is fetched into a temporary folder beside its place and then
moved, so that a killed or second download leaves nothing half done. What has a published checksum, or one that is
declared here, is compared with it before it is kept; all else comes over https.
"""

import gzip
import json
import os
import tempfile
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.files import ENV_DATA, checksum, unpack_zip
from inductive_bias.tasks.tar import unpack_tar

MNIST_C_URL = "https://zenodo.org/record/3239543/files/mnist_c.zip"
LINZEN_URL = "https://tallinzen.net/media/rnn_agreement"
MNIST_C_MD5 = "4b34b33045869ee6d424616cd3a65da3"
#: In a fetched ``mnist_c``: the SHA-256 of every file that the verified archive held.
MNIST_C_SUMS = "sha256.json"
NUMPRED_PARTS = ("train", "val", "test", "test.1", "test.2", "test.3", "test.4", "test.5")
# one commit, so that the address keeps its content
TINY_SHAKESPEARE_URL = (
    "https://raw.githubusercontent.com/karpathy/char-rnn/6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e/"
    "data/tinyshakespeare/input.txt"
)
TINY_SHAKESPEARE_SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
TEXT8_URL = "http://mattmahoney.net/dc/text8.zip"
TEXT8_ZIP_SHA256 = "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232"
TEXT8_MD5 = "3bea1919949baf155f99411df5fada7e"
WIKITEXT_ID, WIKITEXT_CONFIG = "Salesforce/wikitext", "wikitext-2-v1"


#: What needs no network where the real digits do.
SAMPLE = "for a quick look, the small sample needs no download (sample=True)"


def _failure(what: str, error: Exception, *, instead: str = "") -> DataError:
    reason = " ".join(str(error).split())
    return DataError(
        f"{what} was not found on this machine and could not be downloaded ({reason}). With no network, point root= or "
        f"{ENV_DATA} to a folder that holds it{'; ' * bool(instead)}{instead}."
    )


def fetch_file(url: str, sha256: str, place: Path, what: str, *, instead: str = "") -> Path:
    """Fetch one file through pooch; it appears at ``place`` complete and verified, or not at all.

    Args:
        url: Its address.
        sha256: Of the file.
        place: Where it is to lie.
        what: Its name, for people.
        instead: What needs no download, for people.

    Raises:
        DataError: If it cannot be fetched, is not the public file, or cannot be saved.
    """
    import pooch

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix="download-") as scratch:
            os.replace(pooch.retrieve(url, f"sha256:{sha256}", fname=place.name, path=scratch), place)
    except (ValueError, OSError) as error:  # pooch: ValueError for a wrong hash; requests' errors are OSErrors
        raise _failure(what, error, instead=instead) from error
    return place


def find_or_fetch(
    name: str, url: str, declared: identity.Declared, where: files.Places, *, download: bool, instead: str = ""
) -> Path:
    """The file ``name``, or ``name.gz``, of the first place that has either; else fetched into the user cache.

    Args:
        name: Its place below a folder of data.
        url: Its address.
        declared: The SHA-256 of its content is the first one there.
        where: Where to look for it.
        download: Whether to fetch it if it is nowhere on this machine.
        instead: What needs no download, for people.

    Raises:
        DataError: If it is nowhere and may or can not be fetched, or what is fetched is another file.
    """
    either = [name, f"{name}.gz"]
    path = files.find(either, where)
    if path is None and not download:
        raise files.missing(either, where)
    if path is None:
        path = fetch_file(url, declared[name][0], files.cache_folder() / name, name, instead=instead)
    return path


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
        raise _failure("MNIST", error, instead=SAMPLE) from error
    return raw


def download_mnist_c(cache: Path) -> Path:
    """Fetch the released MNIST-C (Mu & Gilmer 2019, 228 MB) through pooch and unpack its test sets.

    The archive has a published MD5, but its files have no published sums: those of the verified archive are kept
    beside them, so that files which are exchanged later are noticed.

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
            new = Path(scratch) / "new"
            sums = {path.relative_to(new).as_posix(): checksum(path) for path in sorted(new.rglob("*.npy"))}
            folder.mkdir(exist_ok=True)
            (new / MNIST_C_SUMS).write_text(json.dumps(sums, indent=1))
            os.replace(new / MNIST_C_SUMS, folder / MNIST_C_SUMS)
            for fetched in sorted((new / "mnist_c").iterdir()):
                if not (folder / fetched.name).exists():
                    os.replace(fetched, folder / fetched.name)
    except (ValueError, OSError) as error:  # pooch: ValueError for a wrong hash; requests' errors are OSErrors
        raise _failure("MNIST-C", error, instead=SAMPLE) from error
    return folder


def download_wikitext(cache: Path, declared: identity.Declared) -> Path:
    """Fetch WikiText-2 through Hugging Face ``datasets`` (``Salesforce/wikitext``, ``wikitext-2-v1``).

    Returns:
        ``cache/wikitext2`` with ``train.txt``, ``valid.txt`` and ``test.txt``, lines as in the original files.

    Raises:
        DataError: If it cannot be fetched or saved, is not made of lines of text, or is not the text ``declared``.
    """
    import datasets

    folder = cache / "wikitext2"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            fetched = datasets.load_dataset(WIKITEXT_ID, WIKITEXT_CONFIG, cache_dir=scratch)
            new = Path(scratch) / "new"
            new.mkdir()
            for theirs, ours in (("train", "train"), ("validation", "valid"), ("test", "test")):
                # rows are lines with their line feed; an empty line, one space in the original, is an empty row there
                rows = (row.rstrip("\n") or " " for row in fetched[theirs]["text"])
                (new / f"{ours}.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
            for path in new.iterdir():
                identity.read(path, f"{folder.name}/{path.name}", declared, allow_other=False)
            folder.mkdir(exist_ok=True)
            for path in new.iterdir():
                os.replace(path, folder / path.name)
    except (ValueError, KeyError, AttributeError, RuntimeError, OSError) as error:
        raise _failure("WikiText-2", error) from error
    return folder


def download_numpred(cache: Path, declared: identity.Declared) -> Path:
    """Fetch the number prediction files of Linzen et al. (2016) through pooch; no checksum of the archive is published.

    Those of its files of which a SHA-256 is ``declared`` are compared with it.

    Returns:
        ``cache/linzen_agreement/rnn_agr_simple``, with ``numpred.train`` and the others.

    Raises:
        DataError: If the archive cannot be fetched or saved, is damaged, or does not hold the files, or others.
    """
    import pooch

    folder = cache / "linzen_agreement" / "rnn_agr_simple"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            archive = pooch.retrieve(f"{LINZEN_URL}/{folder.name}.tar.gz", None, fname="numpred.tar.gz", path=scratch)
            unpack_tar(Path(archive), Path(scratch) / "new", keep=lambda name: "numpred." in name)
            fetched = {path.name: path for path in (Path(scratch) / "new").rglob("numpred.*")}
            if absent := [part for part in NUMPRED_PARTS if f"numpred.{part}" not in fetched]:
                raise DataError(f"The archive {archive} should hold numpred.{', numpred.'.join(absent)}, and does not.")
            for path in fetched.values():
                name = f"linzen_agreement/{folder.name}/{path.name}"
                if declared.get(name):
                    identity.read(path, name, declared, allow_other=False)
            folder.mkdir(parents=True, exist_ok=True)
            for name, path in fetched.items():
                os.replace(path, folder / name)
    except (ValueError, OSError) as error:
        raise _failure("rnn_agr_simple of Linzen et al.", error) from error
    return folder


def download_agreement_tsv(cache: Path) -> Path:
    """Fetch ``agr_50_mostcommon_10K.tsv.gz`` (1.57 million sentences) through pooch; no checksum of it is published.

    Raises:
        DataError: If it cannot be fetched or saved.
    """
    import pooch

    place = cache / "linzen_agreement" / "agr_50_mostcommon_10K.tsv.gz"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            fetched = Path(pooch.retrieve(f"{LINZEN_URL}/{place.name}", None, fname=place.name, path=scratch))
            with gzip.open(fetched) as file:  # at least the header, so that an error page is not kept
                if b"verb_index" not in file.readline().split(b"\t"):
                    raise DataError(f"{LINZEN_URL}/{place.name} is not the table of sentences it should be.")
            os.replace(fetched, place)
    except (ValueError, EOFError, OSError) as error:
        raise _failure(place.name, error) from error
    return place


def download_tinyshakespeare(cache: Path) -> Path:
    """Fetch Tiny Shakespeare (1.1 MB, public domain) through pooch, SHA-256 checked.

    Returns:
        ``cache/tinyshakespeare/input.txt``.

    Raises:
        DataError: If it cannot be fetched, is not the published text, or cannot be saved.
    """
    place = cache / "tinyshakespeare" / "input.txt"
    return fetch_file(TINY_SHAKESPEARE_URL, TINY_SHAKESPEARE_SHA256, place, "Tiny Shakespeare")


def download_text8(cache: Path) -> Path:
    """Fetch text8 (Mahoney 2006: 100 million characters of Wikipedia, CC BY-SA and GFDL) through pooch.

    Returns:
        ``cache/text8/text8``.

    Raises:
        DataError: If it cannot be fetched, is not the published archive (SHA-256), or cannot be saved.
    """
    import pooch

    place = cache / "text8" / "text8"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="download-") as scratch:
            archive = pooch.retrieve(TEXT8_URL, f"sha256:{TEXT8_ZIP_SHA256}", fname="text8.zip", path=scratch)
            unpack_zip(Path(archive), Path(scratch) / "new", keep=lambda name: name == "text8")
            os.replace(Path(scratch) / "new" / "text8", place)
    except (ValueError, OSError) as error:
        raise _failure("text8", error) from error
    return place
