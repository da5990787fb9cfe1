"""The site's own extensions are modules of `book/_ext`, where Sphinx finds them; so do these tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_ext"))
