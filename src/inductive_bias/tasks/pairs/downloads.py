"""Finding the files of agreement pairs, or fetching them through pooch, checksums verified, into the user cache."""

from collections.abc import Sequence
from pathlib import Path

from inductive_bias.tasks import downloads, files, identity

EDINBURGH = "linzen_agreement/full_sentences"
LM_TESTSET = "linzen_agreement/lm_testset"
GITHUB = "https://raw.githubusercontent.com"
ADDRESSES = {
    EDINBURGH: f"{GITHUB}/treszkai/edinburgh-nlu-cw/7312229f3b7bd6cbcc8108173b8af51487cfe23b/data",
    LM_TESTSET: f"{GITHUB}/facebookresearch/colorlessgreenRNNs/dbffbf0f2ef86c50bac204d7a2292862e1c6036f"
    "/data/linzen_testset",
}
#: SHA-256 of the plain files.
CHECKSUMS: dict[str, tuple[str, ...]] = {
    f"{EDINBURGH}/wiki-dev.txt": ("e38b28be5ced0af4aaca9e02aa6543fdac2f3ab40b124805663f4e78a28df0a6",),
    f"{EDINBURGH}/wiki-test.txt": ("1ff97d6ab9b9612da7ccbf9648553c0eeec2291b9bd7b698f3a85c1412f45abf",),
    f"{LM_TESTSET}/subj_agr_filtered.text": ("618f7583d6cc3942b2127e5ffb61603e0fd8b031628d574b10b9bc2930452be4",),
    f"{LM_TESTSET}/subj_agr_filtered.gold": ("984be2eaf9f37812b1727ec165b2c9802fb71552684cc6a123daf96091118f5b",),
    f"{LM_TESTSET}/subj_agr_filtered.eval": ("c1d83149ce080c1c5db9d7ba8cbe3c11d6ca9618ce4cc8eb50c57e1934717903",),
}


def read(
    names: Sequence[str], where: files.Places, *, download: bool, allow_other: bool
) -> list[tuple[Path, identity.Identified]]:
    """The files of ``names`` (keys of ``CHECKSUMS``) with what is in them, compared with their checksums.

    Raises:
        DataError: If one is missing and cannot be fetched, is damaged, or is not the public one and may not be another.
    """
    paths = locate(names, where, download=download)
    return [
        (path, identity.read(path, name, CHECKSUMS, allow_other=allow_other))
        for path, name in zip(paths, names, strict=True)
    ]


def locate(names: Sequence[str], where: files.Places, *, download: bool) -> list[Path]:
    """The files of ``names`` (keys of ``CHECKSUMS``), zipped or not; what is nowhere is fetched if that is allowed.

    Raises:
        DataError: If one is missing and cannot be fetched.
    """
    paths = []
    for name in names:
        path = files.find([name, f"{name}.gz"], where)
        if path is None and not download:
            raise files.missing([name, f"{name}.gz"], where)
        paths.append(path or fetch(name, files.cache_folder()))
    return paths


def fetch(name: str, cache: Path) -> Path:
    """Fetch one file into ``cache/<name>``; it appears there complete and verified, or not at all.

    Raises:
        DataError: If it cannot be fetched, is not the file it was, or cannot be saved.
    """
    path = cache / name
    url = f"{ADDRESSES[path.relative_to(cache).parent.as_posix()]}/{path.name}"
    return downloads.fetch_file(url, CHECKSUMS[name][0], path, name, instead="corpus='grammar' needs no download")
