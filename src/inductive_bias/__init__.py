"""An executable companion to five texts on the recurrent inductive bias."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inductive_bias.comparison import Comparison as Comparison
    from inductive_bias.comparison import compare as compare
    from inductive_bias.tasks.tensors import NextToken as NextToken
    from inductive_bias.tasks.tensors import Regression as Regression
    from inductive_bias.tasks.tensors import SequenceClassification as SequenceClassification
    from inductive_bias.tasks.tensors import TokenLabels as TokenLabels

__version__ = "0.1.0"

#: What is imported when it is first asked for: the package itself imports nothing.
_LAZY = {
    **dict.fromkeys(("Comparison", "compare"), "inductive_bias.comparison"),
    **dict.fromkeys(
        ("NextToken", "Regression", "SequenceClassification", "TokenLabels"), "inductive_bias.tasks.tensors"
    ),
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        from inductive_bias.errors import extras_named

        with extras_named():
            return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
