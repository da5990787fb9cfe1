"""Injected bugs: functions of Python's own standard library, half of them with swapped operands or a wrong variable."""

import ast
import hashlib
import warnings
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from inductive_bias.tasks import card, files
from inductive_bias.tasks.code import injecting
from inductive_bias.tasks.code.base import MADE, CodeTask, task_data
from inductive_bias.tasks.code.encoding import single_split, vocabulary_of
from inductive_bias.tasks.code.library import read_library
from inductive_bias.tasks.code.made import made_module
from inductive_bias.tasks.code.parting import grouped_folds
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.data import TaskData
from inductive_bias.tasks.kept import kept

#: Of the ten parts into which the modules are divided, those of the test and the one that chooses the epoch.
TENTHS, TEST, VALIDATION = 10, (0, 1), (2,)
#: Made-up modules, and functions of each.
MADE_MODULES, MADE_EACH = 20, 8


class Changed(NamedTuple):
    """A function as it is read.

    Attributes:
        tokens: of its text.
        label: 1 if it was changed.
        kind: of the bug that it has, or might have.
        module: number of its module.
        name: path of the module and name of the function.
        text: without comments.
        original: the text before the change; the same where there was none.
    """

    tokens: list[str]
    label: int
    kind: int
    module: int
    name: str
    text: str
    original: str


class InjectedBugs(CodeTask):
    """Say whether a function was changed: its operands swapped, or a variable read in place of another.

    Every function of the library that allows one of the two kinds of bug is there once, half of each kind changed
    (drawn at random, always the same). Both are written anew from their syntax tree, so that comments, docstrings and
    lay-out are gone from both. A function of more than ``length`` tokens is left out: no cut takes a bug away. Copies
    are left out too, and the split is by module. The slice ``item`` is the module, ``group`` the kind of bug.

    Attributes:
        data: Python's library, or made-up modules.
        python: Its version. Syntax trees are read and written by the running Python.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.PYTHON_LIBRARY, card.MADE_FUNCTIONS)
    groups: ClassVar[tuple[str, ...]] = tuple(injecting.KINDS)
    kind: Literal["code_injected"] = "code_injected"
    data: Literal["python", "generated"] = "python"
    python: str = Field(default="3.11.7", pattern=r"^\d+\.\d+\.\d+$")

    def _loaded(self, where: files.Places, download: bool) -> TaskData:
        return _load(self.canonical, where, download)

    def functions(self, root: Path | str | None = None, *, split: str = "test") -> list[Changed]:
        """What the examples of a split were made from, in their order; arguments as of :meth:`load`."""
        where = () if self.data == "generated" else files.places(root)
        found, _, source = _read(self.canonical, where, True)
        return [found[each] for each in _places(found, source)[split]]


def changed_functions(modules: dict[str, bytes], *, length: int) -> list[Changed]:
    """All functions that allow a bug, half of each kind with one; no two are written alike.

    What is drawn for a function depends on its text alone.
    """
    found, seen = [], set()
    for number, (path, source) in enumerate(sorted(modules.items())):
        for name, tree in _functions(source):
            nodes = list(ast.walk(tree))
            fits = [kind for kind, (sites, _) in enumerate(injecting.KINDS.values()) if sites(nodes)]
            text = ast.unparse(tree) if fits else ""
            if not text or text in seen:
                continue
            seen.add(text)
            rng = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
            kind, label, original = int(rng.choice(fits)), int(rng.integers(2)), text
            if label:
                list(injecting.KINDS.values())[kind][1](nodes, rng)
                text = ast.unparse(tree)
            tokens = tokenise(text, comments="python")
            if len(tokens) <= length:
                found.append(Changed(tokens, label, kind, number, f"{path}:{name}", text, original))
    return found


def _functions(source: bytes) -> list[injecting.Named]:
    """Of a module; none if it is none of this Python, as some test data are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of escapes in other people's strings
        try:
            return list(injecting.functions_of(source))
        except (SyntaxError, ValueError):
            return []


@kept(maxsize=1)
def _read(setting: InjectedBugs, where: files.Places, download: bool) -> tuple[list[Changed], dict[str, str], str]:
    """All functions, what was read, and its source."""
    if setting.data == "generated":
        rng = np.random.default_rng(setting.data_seed)
        modules = {f"m{each:02}.py": made_module(rng, MADE_EACH).encode() for each in range(MADE_MODULES)}
        return changed_functions(modules, length=setting.length), {}, MADE
    read = read_library(setting.python, where, download=download, allow_other=setting.allow_other)
    source = f"own:python-{setting.python}" if read.own else f"real:python-{setting.python}"
    functions = changed_functions(read.modules, length=setting.length)
    return functions, {f"python-{setting.python}/Lib": read.digest}, source


def _places(functions: list[Changed], source: str) -> dict[str, Int64[np.ndarray, " _"]]:
    """Places of the functions of every split."""
    tenth = grouped_folds(
        [each.module for each in functions],
        [0] * len(functions),
        TENTHS,
        seed=0,
        what=f"the modules of {source} with functions",
    )
    return {
        "train": np.flatnonzero(~np.isin(tenth, (*TEST, *VALIDATION))),
        "validation": np.flatnonzero(np.isin(tenth, VALIDATION)),
        "test": np.flatnonzero(np.isin(tenth, TEST)),
    }


@kept(maxsize=1)
def _load(setting: InjectedBugs, where: files.Places, download: bool) -> TaskData:
    functions, sha256, source = _read(setting, where, download)
    places = _places(functions, source)
    vocabulary = vocabulary_of([functions[each].tokens for each in places["train"]], setting.vocabulary_size)
    splits = {}
    for name, chosen in places.items():
        own = [functions[each] for each in chosen]
        splits[name] = single_split(
            [each.tokens for each in own],
            [each.label for each in own],
            vocabulary,
            setting.length,
            source,
            item=[each.module for each in own],
            group=[each.kind for each in own],
        )
    return task_data(setting, splits, vocabulary, sha256, ("as it was", "changed"))
