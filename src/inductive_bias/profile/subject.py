"""A layer or a model of images from anywhere that is to be looked at: what builds it, and of which size."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import nn

from inductive_bias.own_layers import built
from inductive_bias.plugins import OwnModel, load
from inductive_bias.seeding import seeded
from inductive_bias.tasks.image_probes import SIZE
from inductive_bias.trials import ModelSpec

#: Answers of a model that is looked at; tokens and answers of one of sequences.
CLASSES = 5
VOCABULARY, OUTPUTS = 7, 5


@dataclass(frozen=True)
class LayerSubject:
    """A layer ``[b, t, width] → [b, t, width]`` that is to be looked at.

    Attributes:
        name: for people.
        target: a class or a function that builds it.
        width: numbers of a token.
        arguments: further keyword arguments of the target.
    """

    name: str
    target: Callable[..., object]
    width: int = 24
    arguments: Mapping[str, object] = field(default_factory=dict)

    def build(self, seed: int = 0) -> nn.Module:
        """A layer with fresh weights, in evaluation mode.

        Raises:
            SettingError: if it cannot be built from a width alone, or is no module.
        """
        with seeded(seed, torch.device("cpu")):
            return built(self.target, self.width, self.arguments, self.name).eval()


def subject_of(source: str, *, width: int = 24, arguments: Mapping[str, object] | None = None) -> LayerSubject:
    """The layer that ``my_layer.py:MyMixer`` names.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    target, _ = load(source)
    return LayerSubject(source.rpartition(":")[2], target, width, dict(arguments or {}))


@dataclass(frozen=True)
class ImageSubject:
    """A model of images ``[n, channels, h, w] → [n, classes]`` that is to be looked at.

    Attributes:
        model: its settings: it is built from ``image`` and ``classes``.
        size: pixels of a side.
    """

    model: OwnModel
    size: int = SIZE

    def build(self, seed: int = 0, *, channels: int = 1) -> nn.Module:
        """A model with fresh weights, in evaluation mode.

        Raises:
            SettingError: if it cannot be built, or is no module with weights.
        """
        with seeded(seed, torch.device("cpu")):
            return self.model.build(image=(channels, self.size, self.size), classes=CLASSES).eval()


def image_subject_of(source: str, *, arguments: Mapping[str, object] | None = None) -> ImageSubject | None:
    """The model of images that ``my_model.py:build`` names; None if it is not built from the size of an ``image``.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    model = _model_built_from("image", source, arguments)
    return None if model is None else ImageSubject(model)


@dataclass(frozen=True)
class TokenSubject:
    """A model of tokens ``[b, t] → [b, t, outputs]`` that is to be looked at.

    Attributes:
        model: its settings: it is built from ``vocabulary`` and ``outputs``.
    """

    model: ModelSpec

    def build(self, seed: int = 0) -> nn.Module:
        """A model with fresh weights, in evaluation mode.

        Raises:
            SettingError: if it cannot be built, or is no module with weights.
        """
        with seeded(seed, torch.device("cpu")):
            return self.model.build(vocabulary=VOCABULARY, outputs=OUTPUTS).eval()


def token_subject_of(source: str, *, arguments: Mapping[str, object] | None = None) -> TokenSubject | None:
    """The model of tokens that ``my_model.py:build`` names; None if it is not built from a ``vocabulary``.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    model = _model_built_from("vocabulary", source, arguments)
    return None if model is None else TokenSubject(model)


def _model_built_from(size: str, source: str, arguments: Mapping[str, object] | None) -> OwnModel | None:
    """The model that a source names; None if what builds it does not take that size."""
    target, _ = load(source)
    if size not in inspect.signature(target).parameters:
        return None
    return OwnModel(source, arguments=dict(arguments or {}))
