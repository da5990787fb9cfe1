"""Keep Thebe out of the pages.

Jupyter Book always loads the extension sphinx_thebe, which writes the address of a script on another host into every
page, and writes it twice in a build from clean, which the browser's console reports as an error. There is no setting
against it; the pages have no live cells, so its listeners are taken away before the first page is read.
"""

from sphinx.application import Sphinx
from sphinx.config import Config


def silence(app: Sphinx, config: Config) -> None:
    """Disconnect what sphinx_thebe would do to a page (its style sheet stays: the theme links to it)."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in list(app.events.listeners.get(event, [])):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx; by the time the configuration is read, every extension is set up."""
    app.connect("config-inited", silence)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
