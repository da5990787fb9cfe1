"""A notebook's code cells in this process: no kernel to start, no package to import again."""

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
