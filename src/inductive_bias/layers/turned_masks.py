"""A mask of padding that is the wrong way round, True for padding: noticed where a batch itself shows it.

PyTorch has both conventions (``key_padding_mask`` is True for padding, the mask of
``scaled_dot_product_attention`` is True for what is seen), and nothing fails with the wrong one.

A mask alone does not always tell. Padding on the right, turned round, is padding on the left. What does tell is that
some row of a batch is usually whole: turned round, that row is hidden from end to end and no row is whole.
"""

import warnings

from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn

from inductive_bias.tracing import recorded, transformed

#: Masks with padding that a layer looks at, the first ones: then it costs nothing more.
LOOKS = 4


def notice_turned_mask(layer: nn.Module, x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"] | None) -> None:
    """Warn if the mask that a layer was given looks turned round; of its first masks alone, and on a CPU alone.

    On another device a look would stop that device at every call.
    """
    if mask is None or recorded() or transformed() or mask.device.type != "cpu":
        return
    looked = getattr(layer, "_masks_looked_at", 0)
    if looked >= LOOKS or mask.all():
        return
    layer._masks_looked_at = looked + 1
    if reason := reason_turned(x, mask):
        # from one place, whoever called: Python says it once
        warnings.warn(
            f"the mask looks turned round: {reason}. It must be True for real tokens and False for padding; if yours "
            "is True for padding, give ~mask",
            stacklevel=1,
        )


def reason_turned(x: Float[Tensor, "b t width"], mask: Bool[Tensor, "b t"]) -> str:
    """Why a mask looks turned round; "" where it does not, or nothing tells.

    Padding is one and the same vector, real tokens are not. Where tokens have their positions added, the mask alone
    tells: in a batch as long as its longest row, no row is hidden whole while none is whole. Hidden beginnings alone
    count: rows without a token, each padded on the right to a fixed length, are usual in nested data.
    """
    hidden, kept = x[~mask], x[mask]
    if _alike(hidden):
        return ""
    if not len(kept):
        return "it hides every token of the batch, and they differ"
    if mask.sum(1).max() > 1 and _alike(kept):
        return "all tokens that it keeps are the same, and those that it hides differ"
    no_row_is_whole, a_row_is_hidden = not mask.all(1).any(), not mask.any(1).all()
    if no_row_is_whole and a_row_is_hidden and (mask[:, 1:] >= mask[:, :-1]).all():
        return "it hides one row whole, the beginning of every other row, and leaves no row whole"
    return ""


def _alike(tokens: Shaped[Tensor, "n width"]) -> bool:
    return bool((tokens == tokens[:1]).all())
