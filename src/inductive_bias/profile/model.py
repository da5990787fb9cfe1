"""Settings of a model that every probe can train, made from what a user names: ``my_file.py:name``."""

import inspect
from collections.abc import Mapping
from typing import Literal

from inductive_bias.errors import SettingError
from inductive_bias.own_layers import OwnLayer, refuse_lacking
from inductive_bias.plugins import OwnModel, load
from inductive_bias.studies.known_models import DIMENSIONS, WEIGHTS
from inductive_bias.studies.parameter_matching import match_parameters

#: Dimensions of a probe that a model of tokens is built from, and a model of images.
TOKENS = VOCABULARY, OUTPUTS = "vocabulary", "outputs"
IMAGES = IMAGE, CLASSES = "image", "classes"
#: What widths are multiples of: the first that a layer allows.
STEPS = 4, 8, 16, 32, 64
Kind = Literal["auto", "layer", "model"]


def model_spec(
    source: str,
    *,
    kind: Kind = "auto",
    weights: int = WEIGHTS,
    layers: int = 2,
    positions: str = "none",
    arguments: Mapping[str, object] | None = None,
    name: str = "",
) -> OwnLayer | OwnModel:
    """The settings of a layer or a model of one's own, for :func:`~inductive_bias.profile.profile`.

    A layer ``[b, t, width] → [b, t, width]`` is put into the model of the population's mixers: ``layers`` blocks with a
    feed-forward layer of twice the width. Its width is the one that comes nearest to ``weights`` among the multiples of
    4; where the layer refuses these, of 8, 16, 32 or 64.
    A model is a function or class of the arguments ``vocabulary`` and ``outputs``, from tokens ``[b, t]`` to logits
    ``[b, t, outputs]``; or of ``image`` and ``classes``, from images ``[b, channels, height, width]`` to logits
    ``[b, classes]``. Its size is its own.

    Args:
        source: ``my_file.py:name``.
        kind: ``layer``, ``model``, or ``auto``: what takes ``vocabulary`` or ``image`` is a model.
        weights: of a layer's model, about so many.
        layers: its blocks.
        positions: added to its embeddings, see :class:`~inductive_bias.models.MixingSpec`.
        arguments: further keyword arguments.
        name: for people; that in ``source`` if empty.

    Raises:
        SettingError: if the file cannot be read or run, what it names takes no such arguments, or no width fits.
    """
    target, _ = load(source)
    taken = inspect.signature(target).parameters
    if kind == "auto":
        kind = "model" if VOCABULARY in taken or IMAGE in taken else "layer"
    options = {"source": source, "arguments": dict(arguments or {}), "name": name}
    if kind == "model":
        needed = _refuse_other_arguments(taken, source)
        refuse_lacking(target, {*needed, *options["arguments"]}, source)
        return OwnModel(**options)

    def of_width(width: int) -> OwnLayer:
        return OwnLayer(width=width, layers=layers, positions=positions, feedforward=2, **options)

    refused = None
    for step in STEPS:
        try:
            return match_parameters(of_width, weights, DIMENSIONS, step=step)
        except SettingError as error:  # heads may ask for a width that they divide
            refused = refused or error
    raise refused


def _refuse_other_arguments(taken: Mapping[str, inspect.Parameter], source: str) -> tuple[str, str]:
    needed = IMAGES if IMAGE in taken else TOKENS
    open_ended = any(each.kind is each.VAR_KEYWORD for each in taken.values())
    if lacking := [name for name in needed if name not in taken and not open_ended]:
        asked = " and ".join(needed)
        raise SettingError(
            f"{source}: a model is built from the arguments {asked}, and this one takes no "
            f"{' and no '.join(lacking)}: write a function def build({', '.join(needed)}) that returns it"
        )
    return needed
