"""Proteins with a yes-or-no label, as prepared for ProteinBERT (Brandes et al. 2022): SignalP 5 and ProFET."""

from pathlib import Path
from typing import NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads, files, identity
from inductive_bias.tasks.lines import rows_of

FOLDER = "protein"
#: The file of each split. SignalP has none for validation.
NAMES: dict[str, dict[str, str]] = {
    "signalp": {"train": "signalP_binary.train.csv", "test": "signalP_binary.test.csv"},
    "profet": {
        "train": "ProFET_NP_SP_Cleaved.train.csv",
        "validation": "ProFET_NP_SP_Cleaved.valid.csv",
        "test": "ProFET_NP_SP_Cleaved.test.csv",
    },
}
#: Of one's own, if it is there: proteins that choose, where SignalP has no file of them.
OWN_VALIDATION = "signalP_binary.valid.csv"
# one commit, so that the address keeps its content
ADDRESS = (
    "https://raw.githubusercontent.com/nadavbra/protein_bert/83198c99f18147c126f16f504e53e2201a6256e4/"
    "protein_benchmarks"
)
SHA256: dict[str, tuple[str, ...]] = {
    "protein/signalP_binary.train.csv": ("c2f92e8507e96d315451aefab5fe92372852f481104c2adb2933671f437249ff",),
    "protein/signalP_binary.test.csv": ("849ff0591e4bb60841047680c69be8c5d74cff5ddfd3d6f7a839b8b33688f718",),
    "protein/ProFET_NP_SP_Cleaved.train.csv": ("a756fbb053c80ba2a878fa8b89fb52d4ca35084b006c08af15e53141795951d9",),
    "protein/ProFET_NP_SP_Cleaved.valid.csv": ("fcea14162bedaf46e1eca4ccce0a298368879be3734ea19f92779fc0e985db7f",),
    "protein/ProFET_NP_SP_Cleaved.test.csv": ("d8c2076b375a4b201d1a402089fefc2264aaa71d24e25f40047a8f8377a85303",),
}
#: The twenty residues, and letters for two of them at once (B, Z), selenocysteine (U) and any (X).
RESIDUES, RARE = "ACDEFGHIKLMNPQRSTVWY", "BUXZ"
LETTERS = RESIDUES + RARE


class Protein(NamedTuple):
    """A protein: its residues as letters, and whether the answer is yes (1) or no (0)."""

    residues: str
    label: int


class Read(NamedTuple):
    """The proteins of every file by split, the SHA-256 of every file by its name, and those that are not public."""

    splits: dict[str, list[Protein]]
    sha256: dict[str, str]
    own: tuple[str, ...]


def read_proteins(data: str, where: files.Places, *, download: bool, allow_other: bool) -> Read:
    """The proteins of one of the sets in :data:`NAMES`.

    Args:
        data: Which.
        where: Where to look for its files, zipped or not.
        download: Whether to fetch into the user cache what is nowhere on this machine.
        allow_other: Whether the files may be others than the public ones.

    Raises:
        DataError: If a file is missing, damaged, or not the expected one, or a row is not a protein and a label.
    """
    splits, sha256, own = {}, {}, []
    chosen = dict(NAMES[data])
    if allow_other and "validation" not in chosen and _is_there(OWN_VALIDATION, where):
        chosen["validation"] = OWN_VALIDATION
    for split, file in chosen.items():
        name = f"{FOLDER}/{file}"
        instead = "data='generated' needs no download"
        path = downloads.find_or_fetch(name, f"{ADDRESS}/{file}", SHA256, where, download=download, instead=instead)
        found = identity.read(path, name, SHA256, allow_other=allow_other)
        splits[split] = _proteins(found.content, path)
        sha256[f"{FOLDER}/{path.name}"] = found.sha256
        own += [path.name] * found.own
    return Read(splits, sha256, tuple(own))


def _is_there(file: str, where: files.Places) -> bool:
    return files.find((f"{FOLDER}/{file}", f"{FOLDER}/{file}.gz"), where) is not None


def _proteins(content: bytes, path: Path) -> list[Protein]:
    """The columns ``seq`` and ``label`` stand in different order in different files."""
    found = []
    for number, row in rows_of(content, path):
        residues, label = row.get("seq"), row.get("label")
        if not residues or set(residues) - set(LETTERS) or label not in ("0", "1"):
            raise DataError(
                f"{path}, line {number}: should be a protein (seq, letters of {LETTERS}) and 0 or 1 (label), not "
                f"{str(residues)[:40]!r} and {label!r}."
            )
        found.append(Protein(residues, int(label)))
    if not found:
        raise DataError(f"{path} should hold proteins below a header, from line 2 on, but there is none in it.")
    return found
