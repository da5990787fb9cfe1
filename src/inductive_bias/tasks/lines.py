"""Text files as numbered lines or rows, and the key under which a parsed file may be kept."""

import csv
from collections.abc import Iterator
from pathlib import Path

from inductive_bias.errors import DataError
from inductive_bias.tasks.kept import note

FileKey = tuple[Path, int, int]  # (path, time of change in ns, size): another file at the same path has another key


def file_key(path: Path) -> FileKey:
    """What tells a file from a later one at the same path, without reading it.

    Raises:
        DataError: If the file cannot be reached.
    """
    note(path)
    try:
        status = path.stat()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error}).") from error
    return path, status.st_mtime_ns, status.st_size


def lines_of(content: bytes, path: Path) -> list[str]:
    """The lines of the content of the file at ``path``.

    Raises:
        DataError: If it is not text; see :func:`text_of`.
    """
    # not splitlines(): the text may hold other separators of Unicode inside a line
    lines = text_of(content, path).replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def text_of(content: bytes, path: Path) -> str:
    """The text of the file at ``path``, which must be UTF-8; the mark that some editors put first (BOM) is left out.

    Raises:
        DataError: If it is not UTF-8, or has NUL bytes (UTF-16 has them, and so has a damaged disk); line and byte are
            named.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        raise DataError(
            f"{path} is not UTF-8 text: line {line}, byte {byte} is 0x{content[error.start]:02x} ({error.reason})."
        ) from error
    if (place := content.find(b"\0")) >= 0:
        line = content.count(b"\n", 0, place) + 1
        raise DataError(f"{path} is not text: line {line} has a NUL byte.")
    return text.removeprefix("\ufeff")


def rows_of(content: bytes, path: Path) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The rows below the header of comma-separated text, each with its line; cells by the name of their column.

    A cell that is missing is None. Empty lines are left out.

    Raises:
        DataError: If it is not text, or a row is not comma-separated; the line is named.
    """
    reader = csv.DictReader(lines_of(content, path))
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise not_separated(error, path, reader.reader.line_num) from error
        if row is None:
            return
        # the reader of rows itself does not count empty lines before a row
        yield reader.reader.line_num, row


def not_separated(error: csv.Error, path: Path, line: int) -> DataError:
    """The error for a line that the reader of comma-separated text refuses."""
    if "field limit" in str(error):
        return DataError(
            f"{path}, line {line}: a field should have at most {csv.field_size_limit():,} characters, and has more; "
            "perhaps a quotation mark is not closed."
        )
    return DataError(f"{path}, line {line}: not comma-separated text ({error}).")
