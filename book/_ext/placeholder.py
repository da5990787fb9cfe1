"""No link to a repository that does not exist: the buttons for it and for Colab wait until the address is a real one.

`_config.yml` names a placeholder until somebody publishes a copy (CONTRIBUTING.md). This is the one place that decides.
"""

from sphinx.application import Sphinx
from sphinx.config import Config

#: The address that `_config.yml` and `CITATION.cff` hold until there is a repository.
PLACEHOLDER = "https://github.com/inductive-bias/inductive-bias"


def is_real(address: str | None) -> bool:
    """Whether somebody put an address of a repository in the place of the placeholder."""
    return bool(address) and address.removesuffix("/").removesuffix(".git") != PLACEHOLDER


def hide_placeholder(app: Sphinx, config: Config) -> None:
    """Take the buttons away that would lead to the placeholder."""
    options = config.html_theme_options
    if not is_real(options.get("repository_url")):
        options |= {"use_repository_button": False, "use_issues_button": False, "repository_url": ""}
        options["launch_buttons"] = {**options.get("launch_buttons", {}), "colab_url": ""}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", hide_placeholder)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
