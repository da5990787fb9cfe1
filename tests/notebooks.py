"""A notebook's code cells in this process: no kernel to start, no package to import again; and the flow of names."""

import ast
from collections.abc import Iterable
from pathlib import Path

import matplotlib
import nbformat


def run_notebook(path: Path, **parameters: object) -> dict[str, object]:
    """Run every code cell in order, with other values after the cell of parameters; returns the namespace.

    Raises:
        AssertionError: where a cell fails, naming the notebook and the cell's first line.
    """
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from IPython.display import display

    space: dict[str, object] = {"__name__": "__main__", "display": display}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        try:
            exec(compile(cell.source, str(path), "exec"), space)
        except Exception as error:
            first = cell.source.splitlines()[0]
            raise AssertionError(f"{path.name}, cell {first!r}: {type(error).__name__}: {error}") from error
        finally:
            plt.close("all")
        if "parameters" in cell.metadata.get("tags", ()):
            assert set(parameters) <= set(space), f"{path.name} has no parameter {set(parameters) - set(space)}"
            space.update(parameters)
    return space


class _Names(ast.NodeVisitor):
    """In the order of execution: what a cell reads that it has not bound itself, and what it binds."""

    def __init__(self, bound: Iterable[str] = ()) -> None:
        self.read: set[str] = set()
        self.bound = set(bound)

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.read |= {name} - self.bound
            case ast.Name(id=name):
                self.bound.add(name)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                self.bound |= {(each.asname or each.name).split(".")[0] for each in names}
            case ast.Assign(targets=targets, value=value):
                self._in_turn(value, *targets)
            case ast.AnnAssign(target=target, value=value):
                self._in_turn(*([value] if value else []), target)
            case ast.AugAssign(target=target, value=value):
                self._in_turn(
                    value, *([ast.Name(target.id, ast.Load())] if isinstance(target, ast.Name) else []), target
                )
            case ast.For(target=target, iter=values, body=body, orelse=orelse):
                self._in_turn(values, target, *body, *orelse)
            case ast.FunctionDef(name=name, args=args, body=body):
                self.bound.add(name)
                self._in_a_scope(args, *body)
            case ast.Lambda(args=args, body=body):
                self._in_a_scope(args, body)
            case ast.ListComp(generators=loops) | ast.SetComp(generators=loops) | ast.GeneratorExp(generators=loops):
                self._in_a_scope(*self._loops(loops), node.elt)
            case ast.DictComp(generators=loops, key=key, value=value):
                self._in_a_scope(*self._loops(loops), key, value)
            case ast.arg(arg=name):
                self.bound.add(name)
            case _:
                self.generic_visit(node)

    @staticmethod
    def _loops(loops: list[ast.comprehension]) -> list[ast.AST]:
        return [part for each in loops for part in (each.iter, each.target, *each.ifs)]

    def _in_turn(self, *parts: ast.AST) -> None:
        for part in parts:
            self.visit(part)

    def _in_a_scope(self, *parts: ast.AST) -> None:
        inner = _Names(self.bound)
        inner._in_turn(*parts)
        self.read |= inner.read


def names_with_two_meanings(sources: Iterable[str]) -> dict[str, list[int]]:
    """Names that one cell binds and a later one reads, and another cell binds anew and yet another reads.

    Moving a cell of such a page changes what its readers read, and nothing fails.

    Args:
        sources: of the code cells, in order.

    Returns:
        The places of the cells that bind it, by name.
    """
    bound_at: dict[str, int] = {}
    found: dict[str, set[int]] = {}
    for place, source in enumerate(sources):
        names = _Names()
        names.visit(ast.parse(source))
        for name in names.read & set(bound_at):
            found.setdefault(name, set()).add(bound_at[name])
        bound_at |= dict.fromkeys(names.bound, place)
    return {name: sorted(places) for name, places in found.items() if len(places) > 1}
