"""Pages without what they do not use.

The theme loads every icon of Font Awesome (1.5 MB of script), the index of the search (.3 MB) and, on a page with a
widget, MathJax (1.1 MB), whether a page needs them or not. Here the icons that pages have become a style sheet of some
kilobytes, the index is loaded by the page of the search alone, and MathJax where there is a formula.

Icons: Font Awesome Free, https://fontawesome.com/license/free (CC BY 4.0), as the theme brings them.
"""

import re
import urllib.parse
from pathlib import Path

from sphinx.application import Sphinx

#: The icons of the theme, and the style sheet in their place.
SCRIPT, SHEET = "scripts/fontawesome.js", "icons.css"
#: What only the page of the search needs.
OF_SEARCH = ("searchtools.js", "language_data.js", "searchindex.js", "search_text.js")
#: Icons that a script of the theme puts into a page.
MADE_BY_SCRIPTS = ("xmark",)
ICON = re.compile(r'class="[^"]*\b(?:fa-solid|fas)((?: fa-[a-z-]+)+)')
#: Words that size an icon and name none.
SIZES = ("lg",)
HEAD = """/* Icons of Font Awesome Free (https://fontawesome.com/license/free, CC BY 4.0) that these pages have. */
.fa-solid, .fas { display: inline-block; height: 1em; vertical-align: -0.125em; background-color: currentColor;
  mask: var(--icon) center / contain no-repeat; }
.fa-lg { font-size: 1.25em; vertical-align: -0.2em; }
@media (forced-colors: active) { .fa-solid, .fas { forced-color-adjust: none; background-color: ButtonText; } }
"""


def icons_of(page: str) -> set[str]:
    """The names of the icons that a page has."""
    names = {name.removeprefix("fa-") for each in ICON.findall(page) for name in each.split()}
    return names - set(SIZES)


def style_sheet(names: set[str], script: str) -> str:
    """Each icon as a mask that has the colour of the text around it.

    Args:
        names: of the icons.
        script: Font Awesome's own, in which solid icons come last.

    Raises:
        ValueError: if there is no such icon.
    """
    rules = [HEAD]
    for name in sorted(names):
        found = re.findall(rf'[{{,]"?{name}"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","(M[^"]+)"\]', script)
        if not found:
            raise ValueError(f"Font Awesome has no icon {name!r} that is one shape")
        width, height, path = found[-1]
        picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"><path d="{path}"/></svg>'
        data = urllib.parse.quote(picture, safe=" =:/,-")
        ratio = int(width) / int(height)
        rules.append(f'.fa-{name} {{ width: {ratio:g}em; --icon: url("data:image/svg+xml,{data}"); }}\n')
    return "".join(rules)


def lighter(page: str, *, searches: bool) -> str:
    """A page without scripts that it does not use."""
    drop = [SCRIPT] if searches else [SCRIPT, *OF_SEARCH]
    if not re.search(r'class="[^"]*\bmath\b', page):
        drop.append("mathjax/tex-chtml.js")
    for name in drop:
        page = re.sub(rf'[ \t]*<script [^>]*src="[^"]*{re.escape(name)}[^"]*"[^>]*></script>\n?', "", page)
        page = re.sub(rf'[ \t]*<link rel="preload"[^>]*href="[^"]*{re.escape(name)}[^"]*"[^>]*>\n?', "", page)
    return page


def write(app: Sphinx, error: Exception | None) -> None:
    """Rewrite every page, and write the style sheet."""
    if error or app.builder.format != "html":
        return
    out, names = Path(app.outdir), set(MADE_BY_SCRIPTS)
    for file in out.rglob("*.html"):
        if "_static" in file.relative_to(out).parts:
            continue
        page = file.read_text(encoding="utf8")
        names |= icons_of(page)
        file.write_text(lighter(page, searches=file.name == "search.html"), encoding="utf8")
    script = out / "_static" / SCRIPT
    (out / "_static" / SHEET).write_text(style_sheet(names, script.read_text(encoding="utf8")), encoding="utf8")
    script.unlink()


def setup(app: Sphinx) -> dict:
    """Register with Sphinx; other extensions write pages when the build is finished, so that this one comes last."""
    app.add_css_file(SHEET)
    app.connect("build-finished", write, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
