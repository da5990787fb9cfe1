"""A REM times values as one recurrence over the tokens, by a kernel: the same as in chunks, in one trip to memory."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias.layers import checks, native
from inductive_bias.layers.chunked_autograd import empty_like
from inductive_bias.layers.chunked_reference import composed_gradients

#: Fewer numbers than this are not worth a second thread.
FEW = 2**15

_OPERANDS = (
    "Tensor values, Tensor decay, Tensor? angle, Tensor? scale, Tensor? other, Tensor? share, "
    "int[] kinds, int[] dilations, bool causal, bool printed"
)
torch.library.define("inductive_bias::rem", f"({_OPERANDS}) -> Tensor")
torch.library.define("inductive_bias::rem_backward", f"(Tensor upstream, {_OPERANDS}) -> (Tensor, Tensor, Tensor)")


def sequential(
    form: str,
    *operands: Float[Tensor, "..."] | None,
    kinds: tuple[str, ...],
    dilations: tuple[int, ...],
    causal: bool,
    diagonal: str,
) -> Float[Tensor, "b h t d"]:
    """What :func:`~inductive_bias.layers.chunked.apply` gives, by a kernel of this form, ``C++`` or ``Triton``."""
    if form == "Triton":  # only now: importing it takes longer than importing the layers
        from inductive_bias.layers import triton_rem as triton_rem
    return SequentialREM.apply(*operands, kinds, dilations, causal, diagonal)


class SequentialREM(torch.autograd.Function):
    """``scale · matrix(t) @ values + share · other``, as :class:`~.chunked_autograd.ChunkedREM` has it, by one kernel.

    Nothing but the operands is kept for the backward pass. Where the gradient's own gradient is asked for, both are
    made by :func:`~inductive_bias.layers.chunked_reference.composed`.
    """

    @staticmethod
    def forward(ctx, values, decay, angle, scale, other, share, kinds, dilations, causal, diagonal):
        """Outputs of all tokens; what the gradient needs is kept in ``ctx``."""
        ctx.save_for_backward(values, decay, angle, scale, other, share)
        ctx.options = {"kinds": kinds, "dilations": dilations, "causal": causal, "diagonal": diagonal}
        return torch.ops.inductive_bias.rem(values, decay, angle, scale, other, share, *_coded(ctx.options))

    @staticmethod
    def backward(ctx, upstream):
        """Gradients of the operands from the gradient of the outputs."""
        operands = ctx.saved_tensors
        if torch.is_grad_enabled():  # the gradient of this gradient will be asked for
            found = composed_gradients(operands, ctx.needs_input_grad[:6], upstream, **ctx.options)
            return *found, None, None, None, None
        d_values, d_other, d_heads = torch.ops.inductive_bias.rem_backward(upstream, *operands, *_coded(ctx.options))
        ours = (d_values, d_heads[0], d_heads[1], d_heads[2], d_other, d_heads[3])
        found = [None if x is None else d.to(x.dtype) for x, d in zip(operands, ours, strict=True)]
        return *found, None, None, None, None


def _coded(options: dict) -> tuple[list[int], list[int], bool, bool]:
    """As the operators take them."""
    kinds = [checks.KINDS.index(kind) for kind in options["kinds"]]
    return kinds, list(options["dilations"]), options["causal"], options["diagonal"] == "printed"


@torch.library.impl("inductive_bias::rem", "CPU")
def _rem(values, decay, angle, scale, other, share, kinds, dilations, causal, printed):
    out = empty_like(values)
    _run(values, decay, angle, scale, other, share, kinds, dilations, causal, printed, out=out)
    return out


@torch.library.impl("inductive_bias::rem_backward", "CPU")
def _rem_backward(upstream, values, decay, angle, scale, other, share, kinds, dilations, causal, printed):
    out, d_heads = empty_like(values), values.new_empty(4, len(kinds), dtype=torch.float64)
    d_other = values.new_empty(0) if other is None else empty_like(values)
    _run(
        values,
        decay,
        angle,
        scale,
        other,
        share,
        kinds,
        dilations,
        causal,
        printed,
        upstream=upstream,
        out=out,
        d_other=d_other,
        d_heads=d_heads,
    )
    return out, d_other, d_heads


@torch.library.register_fake("inductive_bias::rem")
def _(values, *others):
    return empty_like(values)


@torch.library.register_fake("inductive_bias::rem_backward")
def _(upstream, values, decay, angle, scale, other, *others):
    d_heads = values.new_empty(4, decay.shape[0], dtype=torch.float64)
    return empty_like(values), values.new_empty(0) if other is None else empty_like(values), d_heads


def _run(
    values: Tensor,
    decay: Tensor,
    angle: Tensor | None,
    scale: Tensor | None,
    other: Tensor | None,
    share: Tensor | None,
    kinds: Sequence[int],
    dilations: Sequence[int],
    causal: bool,
    printed: bool,
    *,
    upstream: Tensor | None = None,
    **results: Tensor,
) -> None:
    b, h, t, d = values.shape
    # held by names until the call is over: the kernel gets their addresses alone
    values, other, upstream = (_side_by_side(x) for x in (values, other, upstream))
    decay, angle, scale, share = (_float64(x) for x in (decay, angle, scale, share))
    kinds, dilations = torch.tensor(list(kinds)), torch.tensor(list(dilations))
    native.call(
        values.dtype,
        batch=b,
        tokens=t,
        heads=h,
        width=d,
        causal=causal,
        printed=printed,
        threads=1 if values.numel() < FEW else torch.get_num_threads(),
        kinds=kinds,
        dilations=dilations,
        decay=decay,
        angle=angle,
        scale=scale,
        share=share,
        values=values,
        other=other,
        upstream=upstream,
        **_strides("values", values),
        **_strides("other", other),
        **_strides("upstream", upstream),
        **results,
    )


def _float64(x: Tensor | None) -> Tensor | None:
    return None if x is None else x.to(torch.float64).contiguous()


def _side_by_side(x: Tensor | None) -> Tensor | None:
    """``[b, h, t, d]`` in which all channels of a token lie side by side, as a projection into heads leaves them."""
    if x is None or ((x.shape[3] == 1 or x.stride(3) == 1) and (x.shape[1] == 1 or x.stride(1) == x.shape[3])):
        return x
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def _strides(name: str, x: Tensor | None) -> dict[str, int]:
    return {} if x is None else {f"{name}_row": x.stride(0), f"{name}_token": x.stride(2)}
