"""Made from the studies: tables of a page and of the data card, the book's contents, the largest p that survives."""

import re
from collections.abc import Iterable
from pathlib import Path

from inductive_bias import paths
from inductive_bias.notebook import SURVIVING
from inductive_bias.record.chapters import chapters, table_of_contents, title_of
from inductive_bias.record.surviving_p import surviving_p_file
from inductive_bias.studies import STUDIES
from inductive_bias.studies.manifest import designs_path, read_manifest
from inductive_bias.studies.scales import SCALES

MARK = "<!-- {name}: made by `inductive-bias tables` -->\n"
END = "<!-- end of {name} -->"


def made() -> dict[Path, str]:
    """The text that each generated file should have, by file.

    Raises:
        ValueError: if a file lacks the markers of its tables.
    """
    home = paths.home()
    tables = {
        home / "book" / "studies.md": {"chapters": _chapters(), "studies": _studies()},
        home / "data" / "README.md": {"data sets": _data_sets()},
    }
    texts = {
        home / "_toc.yml": table_of_contents(),
        designs_path(): _designs(),
        paths.published(SURVIVING): surviving_p_file(),
    }
    for path, parts in tables.items():
        text = path.read_text("utf8")
        for name, table in parts.items():
            text = replaced(text, name, table)
        texts[path] = text
    return texts


def write_tables() -> list[Path]:
    """Write whatever is not current; returns the files that changed.

    Raises:
        ValueError: if a file lacks the markers of its tables.
    """
    changed = {path: text for path, text in made().items() if not path.is_file() or path.read_text("utf8") != text}
    for path, text in changed.items():
        path.write_text(text, "utf8")
    return list(changed)


def replaced(text: str, name: str, table: str) -> str:
    """The text with another table between the markers of that name.

    Raises:
        ValueError: if they are not there exactly once.
    """
    mark, end = MARK.format(name=name), END.format(name=name)
    if text.count(mark) != 1 or text.count(end) != 1:
        raise ValueError(f"the markers of the table {name!r} must be there once each: {mark.strip()} … {end}")
    return re.sub(re.escape(mark) + r".*?" + re.escape(end), lambda _: f"{mark}{table}\n{end}", text, flags=re.DOTALL)


def _chapters() -> str:
    rows = ((f"[{title_of(page.path)}]({page.path}.ipynb)", page.tests) for page in chapters())
    return _markdown(("chapter", "the claim it tests"), rows)


def _studies() -> str:
    rows = []
    for study in STUDIES.values():
        entries = read_manifest(study.name)
        for scale in SCALES:
            size, trials = study.sizes[scale], len(study.trials(scale))
            entry = entries.get(scale)
            name = f"`{study.name}`, `{scale}`" + (" (published)" if entry else "")
            time = size.time + (f" ({entry['minutes']:,.0f} trial-minutes)" if entry else "")
            rows.append((name, size.data, size.models, f"{trials:,}", time))
    return _markdown(("study, scale", "data", "models", "trials", "time"), rows)


def _designs() -> str:
    """How many cells and trials every design has, as CSV: see :mod:`inductive_bias.studies.manifest`."""
    lines = ["study,scale,cells,trials"]
    for study in STUDIES.values():
        for scale in SCALES:
            cells = sum(len(design.cells(scale)) for design in study.designs.values())
            lines.append(f"{study.name},{scale},{cells},{study.progress(scale)[1]}")
    return "\n".join(lines) + "\n"


def _data_sets() -> str:
    found = {
        data: None
        for study in STUDIES.values()
        for scale in SCALES
        for trials in study.design.cells(scale).values()
        for data in trials[0].task.data_sets
    }
    return _markdown(
        ("set", "examples", "source", "licence", "shipped here"),
        ((each.name, each.examples, each.source, each.licence, each.shipped) for each in found),
    )


def _markdown(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (f"| {' | '.join(line)} |" for line in (head, *rows))
    return "\n".join([next(lines), "|" + "---|" * len(head), *lines])
