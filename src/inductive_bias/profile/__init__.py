"""What a layer or a model of one's own prefers: its contract first, then its profile beside known models."""

from importlib import import_module

#: Where each name comes from: contract tests need neither pandas nor the studies, and start without them.
_PLACES = {
    "CHECKS": "contract",
    "Check": "contract",
    "check_layer": "contract",
    "LayerSubject": "subject",
    "subject_of": "subject",
    "model_spec": "model",
    "profile": "profiling",
    "Report": "report",
    "read_report": "report",
}
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> object:
    """A name of the room, imported when it is first asked for."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
