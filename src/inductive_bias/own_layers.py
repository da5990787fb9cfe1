"""A token-mixing layer from outside: how it is built from a width, asked for an answer, and put into a fixed model.

The package's own mixers are settings of their own; this is for a class or a function in a file of one's own.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import ClassVar, Literal, no_type_check

from jaxtyping import Bool, Float
from pydantic import Field, model_validator
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.models import MixingModel, MixingSpec
from inductive_bias.models.positions import PositionName, check_reach
from inductive_bias.plugins import Own, plain_answer

#: What the argument is called that says how many numbers a token has, in common libraries.
WIDTHS = ("width", "dim", "d_model", "hidden_size", "embed_dim", "model_dim", "n_embd", "channels", "features")
#: What a mask of padding is called, and what it says of a real token.
MASKS = {
    # first: what has these as well calls a mask of pairs of tokens `mask`
    "key_padding_mask": False,
    "src_key_padding_mask": False,
    "mask": True,
    "attention_mask": True,
    "padding_mask": True,
}


def built(target: Callable[..., object], width: int, arguments: Mapping[str, object], name: str) -> nn.Module:
    """The layer that ``target`` makes of a width and further arguments.

    Raises:
        SettingError: if it cannot be built from them, or is no module.
    """
    width_name = width_argument(target, name)
    refuse_lacking(target, {width_name, *arguments}, name)
    try:
        made = target(**{width_name: width}, **arguments)
    except SettingError:
        raise
    except Exception as error:
        raise SettingError(f"{name} cannot be built: {type(error).__name__}: {error}") from error
    if not isinstance(made, nn.Module):
        raise SettingError(f"{name} must build a torch.nn.Module, not a {type(made).__name__}")
    return made


def width_argument(target: Callable[..., object], name: str) -> str:
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


def refuse_lacking(target: Callable[..., object], given: Collection[str], name: str) -> None:
    """Refuse what has arguments without a default that are not ``given``.

    Raises:
        SettingError: naming them, and the option that gives them.
    """
    taken = inspect.signature(target).parameters.values()
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    needed = {each.name for each in taken if each.kind in named and each.default is each.empty}
    if lacking := sorted(needed.difference(given)):
        raise SettingError(
            f"{name} has no value for {' and '.join(lacking)}: give one with --arguments '{{\"{lacking[0]}\": …}}' "
            "(in Python arguments={…}), or a default in its definition"
        )


def mask_argument(layer: nn.Module) -> str | None:
    """What the layer calls its mask of padding; None if it takes none."""
    taken = inspect.signature(layer.forward).parameters
    return next((name for name in MASKS if name in taken), None)


@no_type_check  # torch.compile records it, and cannot record the checks of shapes that tests add
def asked(layer: nn.Module, x: Float[Tensor, "b t d"], mask: Bool[Tensor, "b t"] | None = None) -> Tensor:
    """A layer's answer to ``x [b, t, d]``; ``mask [b, t]`` is True for real tokens, whatever that of the layer says.

    In a tuple it is the tensor that has a row for every token.

    Raises:
        ValueError: if it answers no tensor, or takes no mask where there is one.
    """
    name = None if mask is None else mask_argument(layer)
    if mask is not None and name is None:
        raise ValueError("the layer takes no mask of padding")
    answer = layer(x) if mask is None else layer(x, **{name: mask if MASKS[name] else ~mask})
    if isinstance(answer, tuple | list):
        of_tokens = [part for part in answer if isinstance(part, Tensor) and part.shape[:2] == x.shape[:2]]
        return plain_answer(of_tokens[:1] or answer)
    return plain_answer(answer)


class AskedLayer(nn.Module):
    """A layer from outside as a mixer of the package: ``mixer(x, mask)`` keeps the shape of x."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x: Float[Tensor, "b t d"], mask: Bool[Tensor, "b t"] | None = None) -> Float[Tensor, "b t d"]:
        """The layer's answer, of the shape of x.

        Raises:
            ValueError: if the answer has another shape.
        """
        answer = asked(self.layer, x, mask)
        if answer.shape != x.shape:
            raise ValueError(
                f"the layer must keep the shape of its tokens, {tuple(x.shape)}, not {tuple(answer.shape)}"
            )
        return answer


class OwnLayer(Own):
    """A layer of one's own in the model in which all mixers are compared (:class:`~inductive_bias.models.MixingModel`).

    Attributes:
        causal: whether no output of the layer sees a later token.
        positions, reach, layers, width, feedforward, dropout, l1, l2: of that model, see
            :class:`~inductive_bias.models.MixingSpec`.
        name: for people; that in ``source`` unless given.
    """

    inputs: ClassVar[tuple[frozenset[str], ...]] = MixingSpec.inputs
    kind: Literal["own_layer"] = "own_layer"
    causal: bool = True
    positions: PositionName = "none"
    reach: int | None = Field(default=None, ge=1)
    layers: int = Field(default=2, ge=1)
    width: int = Field(default=64, ge=1)
    feedforward: int = Field(default=4, ge=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)
    name: str = ""

    def __init__(self, source: str | None = None, **values: object):
        super().__init__(source, **values)  # spelt out for type checkers, which know of no inherited one

    @model_validator(mode="after")
    def _is_named(self) -> "OwnLayer":
        check_reach(self.positions, self.reach)
        object.__setattr__(self, "name", self.name or self.source.rpartition(":")[2])
        return self

    def build(self, *, outputs: int, vocabulary: int | None = None, channels: int | None = None) -> MixingModel:
        """A freshly initialised model of tokens (``vocabulary``) or of real-valued sequences (``channels``).

        Raises:
            SettingError: if the layer cannot be built.
        """
        return self._backbone.build(
            outputs=outputs,
            vocabulary=vocabulary,
            channels=channels,
            mixer=lambda width: AskedLayer(self._layer(width)),
        )

    def _layer(self, width: int) -> nn.Module:
        return built(self.target, width, self.arguments, self.source)

    @property
    def _backbone(self) -> MixingSpec:
        # its own mixer is never built
        shared = ("positions", "reach", "layers", "width", "feedforward", "dropout")
        return MixingSpec(mixer={"kind": "attention", "heads": 1}, **{name: getattr(self, name) for name in shared})
