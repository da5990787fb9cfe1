"""Shape annotations of the package are checked in every test."""

from jaxtyping import install_import_hook

# installed before the first import of the package, and kept for the whole session
install_import_hook("inductive_bias", "beartype.beartype")
