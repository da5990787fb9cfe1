"""Where a model with attention looks: its softmax weights, and their share at a position that is known to decide."""

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from inductive_bias.layers.attention import PlainAttention
from inductive_bias.models import MixingModel


@torch.no_grad()
def attention_maps(model: MixingModel, inputs: Tensor) -> Float[Tensor, "l b h t t"]:
    """The softmax weights of every layer and head: ``out[l, b, h, i, j]`` is what token i takes of token j ≤ i.

    Args:
        model: whose mixers are softmax attention alone, with equally many heads.
        inputs: as the model takes them, without padding.

    Raises:
        ValueError: if a mixer is another one: what its heads take is more than softmax weights.
    """
    for layer, block in enumerate(model.blocks, start=1):
        if not isinstance(block.mixer, PlainAttention):
            raise ValueError(f"layer {layer} is no plain attention but {type(block.mixer).__name__}")
    found: list[Tensor] = []
    hooks = [
        block.mixer.register_forward_pre_hook(lambda mixer, given: found.append(mixer.weights(given[0])))
        for block in model.blocks
    ]
    try:
        model.states(inputs)
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack(found)


def mass_at(maps: Float[Tensor, "*l b h t t"], place: Int64[Tensor, "b t"]) -> Float[Tensor, "*l h"]:
    """Mean share of attention at ``place``, over all tokens whose place lies before them.

    Args:
        maps: softmax weights.
        place: of every token, the position that it should look at; −1 for none. Tokens that should look at themselves
            do not count: to them every head looks that does nothing.

    Raises:
        ValueError: if no token has a place before it.
    """
    asked = (place >= 0) & (place < torch.arange(place.shape[1], device=place.device))
    if not asked.any():
        raise ValueError("no token has a place before it to look at")
    index = place.clamp(min=0)[:, None, :, None].expand(*maps.shape[:-1], 1)
    share = maps.gather(-1, index)[..., 0].movedim(-2, 0)  # [h, *l, b, t]
    return share[..., asked].mean(-1).movedim(0, -1)
