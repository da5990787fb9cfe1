"""A layer from anywhere, asked in one way: how it is built from a width, and how it takes a mask of padding."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.plugins import load, plain_answer
from inductive_bias.seeding import seeded

#: What the argument is called that says how many numbers a token has, in common libraries.
WIDTHS = ("width", "dim", "d_model", "hidden_size", "embed_dim", "model_dim", "n_embd", "channels", "features")
#: What a mask of padding is called, and what it says of a real token.
MASKS = {
    "mask": True,
    "attention_mask": True,
    "padding_mask": True,
    "key_padding_mask": False,
    "src_key_padding_mask": False,
}


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
            try:
                made = self.target(**{_width_of(self.target, self.name): self.width}, **self.arguments)
            except Exception as error:
                raise SettingError(f"{self.name} cannot be built: {type(error).__name__}: {error}") from error
        if not isinstance(made, nn.Module):
            raise SettingError(f"{self.name} must build a torch.nn.Module, not a {type(made).__name__}")
        return made.eval()

    def mask_name(self, layer: nn.Module) -> str | None:
        """What the layer calls its mask of padding; None if it takes none."""
        taken = inspect.signature(layer.forward).parameters
        return next((name for name in MASKS if name in taken), None)

    def call(self, layer: nn.Module, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """The answer to ``x [b, t, width]``; ``mask [b, t]`` is True for real tokens, whatever that of the layer says.

        In a tuple it is the tensor that has a row for every token.

        Raises:
            ValueError: if it answers no tensor, or takes no mask where there is one.
        """
        name = None if mask is None else self.mask_name(layer)
        if mask is not None and name is None:
            raise ValueError("the layer takes no mask of padding")
        answer = layer(x) if mask is None else layer(x, **{name: mask if MASKS[name] else ~mask})
        if isinstance(answer, tuple | list):
            of_tokens = [part for part in answer if isinstance(part, Tensor) and part.shape[:2] == x.shape[:2]]
            return plain_answer(of_tokens[:1] or answer)
        return plain_answer(answer)


def _width_of(target: Callable[..., object], name: str) -> str:
    """The name of the argument that is the width: a known one, or the first.

    Raises:
        SettingError: if there is no argument.
    """
    taken = inspect.signature(target).parameters
    if known := next((each for each in WIDTHS if each in taken), None):
        return known
    plain = [each.name for each in taken.values() if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    if not plain:
        raise SettingError(f"{name} takes no argument for its width; known names: {', '.join(WIDTHS)}")
    return plain[0]


def subject_of(source: str, *, width: int = 24, arguments: Mapping[str, object] | None = None) -> LayerSubject:
    """The layer that ``my_layer.py:MyMixer`` names.

    Raises:
        SettingError: if the file cannot be read or run, or has nothing of that name to call.
    """
    target, _ = load(source)
    return LayerSubject(source.rpartition(":")[2], target, width, dict(arguments or {}))
