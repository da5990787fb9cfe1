"""Rendering the book's notebooks through papermill, with outputs and execution counts kept and timings stripped."""

import base64
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inductive_bias import paths
from inductive_bias.errors import SettingError

#: What papermill and Jupyter leave in a notebook that changes with every run, or names a path of this machine.
VOLATILE = ("papermill", "execution", "widgets")
#: The version of the format that notebooks are in.
NBFORMAT = 4
#: The cell with this tag makes the README's picture.
HERO_TAG = "hero"


def hero_picture() -> Path:
    """The README's picture, a copy of one notebook's stored output."""
    return paths.home() / "book" / "images" / "hero.png"


def contents() -> list[Path]:
    """The notebooks of the table of contents, in its order."""
    import yaml

    found: list[Path] = []

    def walk(node: object) -> None:
        if isinstance(node, Mapping):
            for key in ("root", "file"):
                path = paths.home() / "book" / f"{node.get(key)}.ipynb"
                if key in node and path.is_file():
                    found.append(path)
            for value in node.values():
                walk(value)
        elif isinstance(node, Sequence) and not isinstance(node, str):
            for value in node:
                walk(value)

    walk(yaml.safe_load((paths.home() / "_toc.yml").read_text()))
    return found


def check_parameters(path: Path, parameters: Mapping[str, object]) -> None:
    """Refuse what papermill would run past: a notebook without a ``parameters`` cell, and parameters not in it.

    Raises:
        SettingError: naming the notebook and the parameter.
    """
    import papermill

    if not path.is_file():
        raise SettingError(f"there is no notebook {path}")
    _refuse_others(path)
    known = papermill.inspect_notebook(str(path))
    if not known:
        raise SettingError(f"{path.name} has no cell tagged 'parameters', so nothing can be set in it")
    if unknown := sorted(set(parameters) - set(known)):
        raise SettingError(f"{path.name} has no parameter {', '.join(unknown)}; it has {', '.join(known)}")


def _refuse_others(path: Path) -> None:
    """Refuse files that are no notebooks, and notebooks whose kernel is not installed.

    Raises:
        SettingError: naming the file and what was expected.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        sound = isinstance(found, dict) and isinstance(found["cells"], list) and found["nbformat"] == NBFORMAT
    except (OSError, ValueError, KeyError, RecursionError):
        sound = False
    if not sound:
        raise SettingError(
            f"{path} is no notebook: JSON of format {NBFORMAT} with cells, as Jupyter writes it, is expected"
        )
    kernel = found.get("metadata", {}).get("kernelspec", {}).get("name")
    try:
        KernelSpecManager().get_kernel_spec(kernel or "")
    except (NoSuchKernel, ValueError) as error:
        known = ", ".join(sorted(KernelSpecManager().find_kernel_specs()))
        raise SettingError(f"{path} wants the kernel {kernel!r}, which is not installed; there is {known}") from error


def render(
    notebooks: Sequence[Path] = (), *, parameters: Mapping[str, object], output: Path | None = None, jobs: int = 1
) -> list[Path]:
    """Execute ``notebooks`` (default: the whole table of contents) and write them in place or into ``output``.

    In place the parameters are not injected when they are the notebook's own literals, so that a re-rendered book
    differs from the stored one only where its results do.

    Raises:
        SettingError: unknown scale or parameter, missing notebook, a cell that fails, or a kernel that dies.
    """
    from inductive_bias.studies.scales import check_scale

    if "scale" in parameters:
        check_scale(str(parameters["scale"]))
    chosen = [Path(path) for path in notebooks] or contents()
    for path in chosen:
        check_parameters(path, parameters)
    # only now: where the extra is missing, papermill is what the user is told of
    from inductive_bias.site.kernels import forked_by_default

    # absolute: papermill changes the working folder, of all threads
    chosen, output = [path.absolute() for path in chosen], output and Path(output).absolute()
    # Ctrl-C ends the kernels first: the pool waits for what it has begun
    with ThreadPoolExecutor(max(1, jobs)) as pool, forked_by_default():
        return list(pool.map(lambda path: _render_one(path, parameters, output), chosen))


def _render_one(path: Path, parameters: Mapping[str, object], output: Path | None) -> Path:
    import nbformat
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    from inductive_bias.site.pictures import keep_stored_pictures

    own = {name: known["default"].strip("\"'") for name, known in papermill.inspect_notebook(str(path)).items()}
    changed = {name: value for name, value in parameters.items() if own[name] != str(value)}
    target = path if output is None else output / _place_in_book(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".draft-{target.name}")
    try:
        papermill.execute_notebook(
            str(path),
            str(draft),
            parameters=changed,
            progress_bar=False,
            cwd=str(path.parent),
            log_output=False,
            coalesce_streams=True,  # a slow machine would cut what a cell prints in two
        )
        notebook = nbformat.read(draft, as_version=4)
        _strip(notebook)
        if output is None:  # in place: a picture that looks as before is left as it is
            keep_stored_pictures(nbformat.read(path, as_version=4), notebook)
        nbformat.write(notebook, draft)
        draft.replace(target)
        if output is None and (picture := hero_of(notebook)):
            hero_picture().parent.mkdir(exist_ok=True)
            hero_picture().write_bytes(picture)
    except PapermillExecutionError as error:
        raise SettingError(f"{path.name} fails in cell {error.exec_count}: {error.ename}: {error.evalue}") from error
    except DeadKernelError as error:
        raise SettingError(f"the kernel of {path.name} has died; was it killed, or out of memory?") from error
    finally:
        draft.unlink(missing_ok=True)
    return target


def hero_of(notebook) -> bytes | None:
    """The PNG that the cell tagged ``hero`` shows; None if the notebook has no such cell."""
    for cell in notebook.cells:
        if HERO_TAG in cell.metadata.get("tags", []):
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output["data"]["image/png"])
    return None


def _place_in_book(path: Path) -> Path:
    book = (paths.home() / "book").resolve()
    return path.resolve().relative_to(book) if path.resolve().is_relative_to(book) else Path(path.name)


def _strip(notebook) -> None:
    for holder in (notebook, *notebook.cells):
        for key in VOLATILE:
            holder.metadata.pop(key, None)
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata["tags"] = [tag for tag in cell.metadata.get("tags", []) if tag != "papermill-error"]
        if not cell.metadata["tags"]:
            del cell.metadata["tags"]
