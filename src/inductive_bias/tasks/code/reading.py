"""Files of functions: found on this machine or written from the Hugging Face hub, known by their SHA-256."""

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from inductive_bias.errors import DataError
from inductive_bias.strict_json import strict_json
from inductive_bias.tasks import files, identity
from inductive_bias.tasks.code.base import INSTEAD
from inductive_bias.tasks.lines import lines_of

Record = Mapping[str, Any]


class Read(NamedTuple):
    """What was read, the SHA-256 of every file by its name, and the files that are not public ones."""

    content: list[Any]
    sha256: dict[str, str]
    own: tuple[str, ...]


class Hub(NamedTuple):
    """Where a file's records are on the Hugging Face hub.

    Attributes:
        name: of the data set.
        split: of it.
        record: from its row to ours.
    """

    name: str
    split: str
    record: Callable[[Record], Record]


def read_records(
    name: str,
    fields: Mapping[str, type],
    declared: identity.Declared,
    where: files.Places,
    *,
    hub: Hub | None,
    download: bool,
    allow_other: bool,
    among: Mapping[str, Sequence[object]] | None = None,
) -> Read:
    """The records of a file of JSON lines, in the order of their content: that of the file means nothing.

    Args:
        name: its place below a folder of data, zipped or not.
        fields: what every record must have, and of which type; all else is left out.
        declared: SHA-256 of its content: that of the file as it circulates, and that of the one written from the hub.
        where: where to look for it.
        hub: where to fetch it from if it is nowhere; None if it has no public address.
        download: whether to fetch it.
        allow_other: whether it may be another file than the public one.
        among: the values that a field may have, where they are few.

    Raises:
        DataError: If it is missing, damaged, or not the expected one, or a line is no such record.
    """
    either = [name, f"{name}.gz"]
    path = files.find(either, where)
    if path is None and (hub is None or not download):
        raise files.missing(either, where)
    path = path or fetch_records(name, hub, declared)
    found = identity.read(path, name, declared, allow_other=allow_other)
    records = [
        _record(line, fields, among or {}, path, number) for number, line in enumerate(lines_of(found.content, path), 1)
    ]
    if not records:
        raise DataError(f"{path} should hold functions, but there is none in it.")
    return Read(
        sorted(records, key=line_of), {f"{Path(name).parent}/{path.name}": found.sha256}, (path.name,) * found.own
    )


def _record(
    line: str, fields: Mapping[str, type], among: Mapping[str, Sequence[object]], path: Path, number: int
) -> dict[str, Any]:
    try:
        read = strict_json(line)
        record = {field: read[field] for field in fields}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(f"{path}, line {number}: should be JSON with {', '.join(fields)} ({error!r}).") from error
    if wrong := [field for field, kind in fields.items() if type(record[field]) is not kind]:
        raise DataError(
            f"{path}, line {number}: {wrong[0]} should be {fields[wrong[0]].__name__}, not {record[wrong[0]]!r:.40}."
        )
    if large := [field for field, kind in fields.items() if kind is int and abs(record[field]) >= 2**63]:
        raise DataError(f"{path}, line {number}: {large[0]} should be below 2⁶³, not {record[large[0]]!r:.40}.")
    for field, known in among.items():
        if record[field] not in known:
            raise DataError(
                f"{path}, line {number}: {field} should be {' or '.join(map(str, known))}, not {record[field]!r:.40}."
            )
    return record


def line_of(record: Record) -> str:
    """A record as a line of JSON, always the same for the same content."""
    return json.dumps(record, sort_keys=True)


def written(records: Iterable[Record]) -> bytes:
    """The file that is made from records of the hub."""
    return "".join(f"{line}\n" for line in sorted(map(line_of, records))).encode()


def fetch_records(name: str, hub: Hub, declared: identity.Declared) -> Path:
    """Write the file ``name`` into the user cache from the hub; it appears complete and verified, or not at all.

    Raises:
        DataError: If it cannot be fetched or saved, or is not what is declared.
    """
    import datasets

    cache = files.cache_folder()
    place = cache / name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix="download-") as scratch:
            rows = datasets.load_dataset(hub.name, split=hub.split, cache_dir=scratch)
            new = Path(scratch) / place.name
            new.write_bytes(written(map(hub.record, rows)))
            identity.read(new, name, declared, allow_other=False)
            os.replace(new, place)
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, OSError) as error:
        raise DataError(
            f"{name} was not found on this machine and could not be made from {hub.name} of the Hugging Face hub "
            f"({' '.join(str(error).split())}). With no network, point root= or {files.ENV_DATA} to a folder that "
            f"holds it; {INSTEAD}."
        ) from error
    return place
