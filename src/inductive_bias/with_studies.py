"""A look whether the extra ``studies`` is installed, for modules that cannot do without: they import this one first.

Else Python would tell of a missing package without a word about the extra that brings it.
"""

from importlib.util import find_spec

from inductive_bias.errors import extras_named

with extras_named():
    for _name in ("filelock", "joblib", "pandas", "pyarrow", "safetensors", "tqdm"):
        if find_spec(_name) is None:
            raise ModuleNotFoundError(f"No module named {_name!r}", name=_name)
