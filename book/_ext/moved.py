"""Old addresses lead on: a page that was merged into another leaves a file behind that goes there."""

import html
import os
from pathlib import Path

from sphinx.application import Sphinx

#: The old page → where its content is now. Both are seen from the root of the site.
MOVED = {
    "decide.html": "claims.html?verdict=open&sort=time#every-claim",
    "together.html": "benchmarks.html#how-much-faster-is-training-several-seeds-together",
    "automata/patients.html": "automata/real_world.html#for-whom-do-they-make-errors",
    "automata/speed.html": "automata/depth.html#how-long-until-it-is-right",
    "stability/training.html": "stability/truncation.html#training-on-windows-that-are-cut",
    "recurrence/fairness.html": "recurrence/inheritance.html#number-gap",
    "attention/elsewhere.html": "attention/signal.html#does-the-initial-decay-matter",
    "attention/mastery.html": "attention/languages.html#training-until-a-language-is-mastered",
    "profiles/images.html": "profiles/architectures.html#which-rules-do-image-models-prefer",
    "attention/form.html": "attention/memory.html#is-it-the-form-of-the-matrix",
}


def page(old: str, new: str, language: str) -> str:
    """The whole page: it goes on by itself, and has a link for who does not want that.

    Args:
        old: the address that it has, from the root of the site.
        new: where it leads, from the root of the site.
        language: of its text.
    """
    path, mark, rest = new.partition("?")
    target = html.escape(os.path.relpath(path, Path(old).parent) + mark + rest)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8" />\n'
        f'<meta http-equiv="refresh" content="0; url={target}" />\n<meta name="robots" content="noindex" />\n'
        '<link rel="icon" href="data:," />\n<title>This page has moved</title>\n</head>\n<body>\n'
        f'<main><h1>This page has moved</h1>\n<p><a href="{target}">It is here now.</a></p></main>\n</body>\n</html>\n'
    )


def write(app: Sphinx, error: Exception | None) -> None:
    """Write a file for every old page.

    Raises:
        ValueError: if there is a page at an old address again, or none at a new one.
    """
    if error or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        if old.removesuffix(".html") in app.env.found_docs:
            raise ValueError(f"{old} is a page of the site; it cannot lead to {new} as well")
        if new.partition("?")[0].partition("#")[0].removesuffix(".html") not in app.env.found_docs:
            raise ValueError(f"{old} leads to {new}, which is no page of the site")
        file = Path(app.outdir, old)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page(old, new, app.config.language), encoding="utf8")


def setup(app: Sphinx) -> dict:
    """Register with Sphinx."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
