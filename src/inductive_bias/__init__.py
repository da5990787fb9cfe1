"""An executable companion to five texts on the recurrent inductive bias."""

__version__ = "0.1.0"
