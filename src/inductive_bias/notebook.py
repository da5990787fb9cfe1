"""What a notebook of the book needs at its top: the study's results, and a refusal of parameters it does not know."""

from collections.abc import Mapping

from inductive_bias import plotting
from inductive_bias.errors import SettingError
from inductive_bias.studies import Results, study_named

PARAMETERS = ("scale", "device")


def open_study(name: str, namespace: Mapping[str, object], *, scale: str, device: str = "auto") -> Results:
    """The study's results for the notebook's parameters, and the book's plotting style.

    ``namespace`` is the notebook's ``globals()``: papermill only warns of a parameter that the notebook does not have,
    so that a misspelt one would silently change nothing.

    Raises:
        SettingError: unknown study, scale, device or parameter.
    """
    refuse_unknown(namespace)
    plotting.use_book_style()
    return study_named(name).results(scale, device=device)


def refuse_unknown(namespace: Mapping[str, object], known: tuple[str, ...] = PARAMETERS) -> None:
    """Refuse plain values in the notebook's namespace that are not among its ``known`` parameters.

    Raises:
        SettingError: naming them.
    """
    plain = (str, int, float, bool, list, tuple, dict, type(None))
    unknown = {
        key: value
        for key, value in namespace.items()
        # In, Out, _dh … are IPython's own
        if not key.startswith("_") and key not in ("In", "Out", *known) and isinstance(value, plain)
    }
    if unknown:
        listed = ", ".join(f"{key}={value!r}" for key, value in unknown.items())
        raise SettingError(f"unknown parameter {listed}; this notebook knows {', '.join(known)}")
