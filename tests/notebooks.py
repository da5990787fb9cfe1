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

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
        elif node.id not in self.bound:
            self.read.add(node.id)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.bound |= {(each.asname or each.name).split(".")[0] for each in node.names}

    visit_ImportFrom = visit_Import

    def visit_Assign(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(node, ast.AugAssign) and isinstance(target, ast.Name):
                self.visit_Name(ast.Name(target.id, ast.Load()))
            self.visit(target)

    visit_AnnAssign = visit_AugAssign = visit_Assign

    def visit_For(self, node: ast.For) -> None:
        for part in (node.iter, node.target, *node.body, *node.orelse):
            self.visit(part)

    def _own_scope(self, node: ast.AST, parts: Iterable[ast.AST], names: Iterable[str]) -> None:
        inner = _Names()
        inner.bound = self.bound | set(names)
        for part in parts:
            inner.visit(part)
        self.read |= inner.read

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._own_scope(node, [node.body], [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.bound.add(node.name)
        self._own_scope(node, node.body, [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)])

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        parts = [part for each in node.generators for part in (each.iter, each.target, *each.ifs)]
        self._own_scope(node, [*parts, *values], [])

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp


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
