"""Studies of one's own: found in a file, remembered by name, and started from a template.

A notebook that has opened ``my_study.py`` knows its study by name from then on, as it knows those of the package.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from inductive_bias.errors import SettingError

if TYPE_CHECKING:
    from inductive_bias.studies.study import Study

#: Studies from outside that this process has opened, by name.
OPENED: "dict[str, Study]" = {}
#: Files of the package that a new study and its page are made of.
TEMPLATE, CELLS = "starter_study.txt", "starter_cells.json"


def is_source(name: str) -> bool:
    """Whether a name is that of a file, ``my_study.py`` or ``my_study.py:STUDY``."""
    return ":" in name or name.endswith(".py")


def from_outside(source: str, taken: Sequence[str]) -> "Study":
    """The study of a file, which may leave out ``:STUDY`` if it has one only.

    Args:
        source: ``my_study.py`` or ``my_study.py:STUDY``.
        taken: names that it may not have.

    Raises:
        SettingError: if the file cannot be read or run, has no study, or one whose name is taken.
    """
    from inductive_bias import plugins
    from inductive_bias.studies.study import Study

    if ":" in source:
        study, _ = plugins.named(source)
    else:
        found = [each for each in vars(plugins.module_of(source)).values() if isinstance(each, Study)]
        if len(found) != 1:
            raise SettingError(f"{source} should have one Study, and has {len(found)}; name one: {source}:STUDY")
        (study,) = found
    if not isinstance(study, Study):
        raise SettingError(f"{source} should be a Study, not {type(study).__name__}")
    if study.name in taken:
        raise SettingError(f"{source}: the name {study.name!r} is that of a study of the package; give it another one")
    OPENED[study.name] = study
    return study


def notebooks_of(source: Path, taken: Sequence[str]) -> list[Path]:
    """The notebooks of a study's pages, beside its file.

    Raises:
        SettingError: if the study has no page, or a page no notebook; see :func:`from_outside` as well.
    """
    study = from_outside(str(source), taken)
    found = [source.parent / f"{page.path}.ipynb" for page in study.pages]
    if not found:
        raise SettingError(f"{source} has a study without pages; give it pages=(Page(…),)")
    if absent := [path for path in found if not path.is_file()]:
        raise SettingError(
            f"{source} has the page {absent[0].stem!r}, but there is no notebook {absent[0]}; inductive-bias new-study "
            "writes one to start from"
        )
    return found


def write_new(name: str, folder: Path) -> list[Path]:
    """Write a study that runs as it is, and the notebook of its page; returns both files.

    Args:
        name: of the study and of both files: letters, digits and ``_``, first a letter.
        folder: where.

    Raises:
        SettingError: if the name is none, a file is there already, or nothing can be written.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,59}", name):
        raise SettingError(f"a new study's name is 1 to 60 letters, digits or _, first a letter, not {name!r}")
    written = {
        folder / f"{name}.py": _template(TEMPLATE).replace("NAME", name),
        folder / f"{name}.ipynb": _notebook(name),
    }
    if there := [path for path in written if path.exists()]:
        raise SettingError(f"{there[0]} is there already; nothing was written")
    try:
        for path, text in written.items():
            path.write_text(text, "utf8")
    except OSError as error:
        raise SettingError(f"{error.filename or folder} cannot be written: {error.strerror}") from error
    return list(written)


def _template(name: str) -> str:
    return (files(__package__) / name).read_text("utf8")


def _notebook(name: str) -> str:
    """The notebook's JSON; cells without outputs."""
    cells = []
    for number, cell in enumerate(json.loads(_template(CELLS))):
        source = "\n".join(cell["source"]).replace("NAME", name)
        code = {"execution_count": None, "outputs": []} if cell["cell_type"] == "code" else {}
        told = {"cell_type": cell["cell_type"], "id": f"cell-{number}", "metadata": cell.get("metadata", {})}
        cells.append(told | code | {"source": source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
