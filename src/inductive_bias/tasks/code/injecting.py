"""Bugs put into functions of Python by their syntax tree: swapped operands, and one variable in place of another."""

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

#: Operations whose operands may not be swapped. Of ``%`` most are formats of text, and are left alone.
ARITHMETIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.LShift, ast.RShift)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
#: Names that nobody takes for another variable.
RECEIVERS = ("self", "cls")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Named(NamedTuple):
    """A function of a module: its name with those of its classes, and its tree without a docstring."""

    name: str
    tree: ast.FunctionDef | ast.AsyncFunctionDef


def functions_of(source: str | bytes) -> Iterator[Named]:
    """The functions of a module and the methods of its classes; those inside another function belong to it."""

    def within(body: list[ast.stmt], before: str) -> Iterator[Named]:
        for each in body:
            if isinstance(each, FUNCTIONS):
                yield Named(before + each.name, _undocumented(each))
            elif isinstance(each, ast.ClassDef):
                yield from within(each.body, f"{before}{each.name}.")

    yield from within(ast.parse(source).body, "")


def _undocumented(tree: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """Without docstrings, also of functions and classes inside."""
    for each in ast.walk(tree):
        if isinstance(each, (*FUNCTIONS, ast.ClassDef)) and len(each.body) > 1 and ast.get_docstring(each) is not None:
            del each.body[0]
    return tree


def _swappable(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        return ast.dump(node.left) != ast.dump(node.right)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], COMPARISONS):
        return ast.dump(node.left) != ast.dump(node.comparators[0])
    return False


def local_names(nodes: Sequence[ast.AST]) -> list[str]:
    """Arguments and variables that a function assigns to, in order of the alphabet; no receiver and nothing global.

    Args:
        nodes: of the function's tree.
    """
    found, outside = set(), set(RECEIVERS)
    for node in nodes:
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside |= set(node.names)
    return sorted(found - outside)


def swap_sites(nodes: Sequence[ast.AST]) -> list[int]:
    """Places of operations whose operands differ and may not be swapped."""
    return [place for place, node in enumerate(nodes) if _swappable(node)]


def misuse_sites(nodes: Sequence[ast.AST]) -> list[int]:
    """Places of variables that are read, of functions that have another variable."""
    names = set(local_names(nodes))
    if len(names) < 2:
        return []
    return [
        place
        for place, node in enumerate(nodes)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
    ]


def swap(nodes: Sequence[ast.AST], rng: np.random.Generator) -> None:
    """Turn the operands of one operation round, in place."""
    node = nodes[rng.choice(swap_sites(nodes))]
    if isinstance(node, ast.BinOp):
        node.left, node.right = node.right, node.left
    else:
        node.left, node.comparators[0] = node.comparators[0], node.left


def misuse(nodes: Sequence[ast.AST], rng: np.random.Generator) -> None:
    """Read one variable in place of another, in place."""
    node = nodes[rng.choice(misuse_sites(nodes))]
    node.id = str(rng.choice([name for name in local_names(nodes) if name != node.id]))


#: Of every kind of bug: where it fits, and how it is made.
KINDS: dict[str, tuple[Callable[..., list[int]], Callable[..., None]]] = {
    "swapped operands": (swap_sites, swap),
    "misused variable": (misuse_sites, misuse),
}
