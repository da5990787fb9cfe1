"""What a layer or a model of one's own prefers: its contract first, then its profile beside known models."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inductive_bias.profile.contract import CHECKS as CHECKS
    from inductive_bias.profile.contract import Check as Check
    from inductive_bias.profile.contract import check_layer as check_layer
    from inductive_bias.profile.image_contract import IMAGE_CHECKS as IMAGE_CHECKS
    from inductive_bias.profile.image_contract import check_image_model as check_image_model
    from inductive_bias.profile.model import model_spec as model_spec
    from inductive_bias.profile.profiling import profile as profile
    from inductive_bias.profile.report import Report as Report
    from inductive_bias.profile.report import read_report as read_report
    from inductive_bias.profile.subject import ImageSubject as ImageSubject
    from inductive_bias.profile.subject import LayerSubject as LayerSubject
    from inductive_bias.profile.subject import TokenSubject as TokenSubject
    from inductive_bias.profile.subject import image_subject_of as image_subject_of
    from inductive_bias.profile.subject import subject_of as subject_of
    from inductive_bias.profile.subject import token_subject_of as token_subject_of
    from inductive_bias.profile.token_contract import TOKEN_CHECKS as TOKEN_CHECKS
    from inductive_bias.profile.token_contract import check_token_model as check_token_model

#: Where each name comes from: contract tests need neither pandas nor the studies, and start without them.
_PLACES = {
    "CHECKS": "contract",
    "Check": "contract",
    "check_layer": "contract",
    "IMAGE_CHECKS": "image_contract",
    "check_image_model": "image_contract",
    "ImageSubject": "subject",
    "image_subject_of": "subject",
    "LayerSubject": "subject",
    "subject_of": "subject",
    "TOKEN_CHECKS": "token_contract",
    "check_token_model": "token_contract",
    "TokenSubject": "subject",
    "token_subject_of": "subject",
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
