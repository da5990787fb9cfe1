"""What the extra ``studies`` brings, for modules that cannot do without: importing this tells how it is installed.

Those modules import it first. A missing package would else be told as Python tells it, without a word about the extra.
"""

from inductive_bias.errors import EXTRAS, extras_named

with extras_named():
    for _name in (name for name, extra in EXTRAS.items() if extra == "studies" and name not in ("tyro", "sklearn")):
        __import__(_name)
