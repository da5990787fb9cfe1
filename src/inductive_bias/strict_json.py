"""JSON in which no object has a key twice: Python's own reader takes the last one without a word."""

import json


class RepeatedKeyError(ValueError):
    """A key stands twice in one object."""


def strict_json(text: str | bytes) -> object:
    """What JSON text says.

    Raises:
        RepeatedKeyError: if an object has a key twice; the key is named.
        json.JSONDecodeError: if it is no JSON. Both are a ``ValueError``.
    """
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedKeyError(f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found
