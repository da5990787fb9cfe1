"""Tokens of large sets in the user cache: they are found once on a machine, not in every process."""

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from inductive_bias.tasks import files
from inductive_bias.tasks.arrays import arrays_of
from inductive_bias.tasks.code.tokens import PATTERNS, tokenise

FOLDER = "tokens"
#: Changes with the form of the files.
VERSION = 1


def tokens_of(sources: Sequence[str], sha256: Mapping[str, str]) -> list[list[str]]:
    """:func:`~.tokens.tokenise` of every source, from a file in the user cache where an earlier process left it.

    Another text, another pattern and another form have a file of another name. A file that is damaged is made again,
    and where none can be written there is none.

    Args:
        sources: programs in C or C++.
        sha256: of the files that they come from; it names the set, and its order is that of ``sources``.
    """
    named = json.dumps([VERSION, PATTERNS["c"].pattern, len(sources), sorted(sha256.items())])
    path = files.cache_folder() / FOLDER / f"{hashlib.sha256(named.encode()).hexdigest()[:16]}.npz"
    try:
        return _unpacked(path.read_bytes())
    except (OSError, ValueError):
        found = [tokenise(each) for each in sources]
        _save(found, path)
        return found


def _unpacked(content: bytes) -> list[list[str]]:
    arrays = arrays_of(content, ("types", "ids", "ends"))
    types = np.array(json.loads(arrays["types"].tobytes()), dtype=object)
    tokens = types[arrays["ids"]].tolist()
    return [tokens[start:end] for start, end in pairwise(arrays["ends"].tolist())]


def _save(functions: list[list[str]], path: Path) -> None:
    types = {token: number for number, token in enumerate(dict.fromkeys(chain.from_iterable(functions)))}
    ends = np.cumsum([0, *map(len, functions)])
    ids = np.fromiter(map(types.__getitem__, chain.from_iterable(functions)), np.int32, int(ends[-1]))
    packed = io.BytesIO()
    np.savez_compressed(packed, types=np.frombuffer(json.dumps(list(types)).encode(), np.uint8), ids=ids, ends=ends)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="made-") as scratch:
            new = Path(scratch) / path.name
            new.write_bytes(packed.getvalue())
            os.replace(new, path)
    except OSError:
        return
