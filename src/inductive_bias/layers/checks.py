"""What the functions of this room refuse: every message names the argument, its value and the range allowed."""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from inductive_bias.checks import choice as choice  # this room calls them by its own name
from inductive_bias.checks import one_device as one_device
from inductive_bias.checks import whole as whole
from inductive_bias.tracing import recorded, transformed

#: The lag functions of a head: λⁿ, γⁿ cos nθ, γⁿ sin nθ.
KINDS = ("real", "cos", "sin")
DIAGONALS = ("zero", "printed")


def tensor_of(name: str, value: Tensor, axes: str, *, no_batch: bool = False) -> Tensor:
    """``value`` itself if it is a floating-point tensor with one dimension for each word of ``axes``, none empty.

    With ``no_batch`` the first one may be.

    Raises:
        ValueError: if it is none.
    """
    if not isinstance(value, Tensor):
        raise ValueError(f"{name} must be a tensor, not {type(value).__name__}")
    if value.ndim != len(axes.split()):
        raise ValueError(f"{name} must have {len(axes.split())} dimensions [{axes}], not shape {tuple(value.shape)}")
    if not value.is_floating_point():
        raise ValueError(f"{name} must hold real floating-point numbers, not {value.dtype}")
    if 0 in value.shape[no_batch:]:
        filled = " ".join(axes.split()[no_batch:])
        raise ValueError(f"{name} must not be empty: every one of [{filled}] is at least 1, not {tuple(value.shape)}")
    return value


def per_head(name: str, value: object, heads: int, what: str = "heads") -> tuple:
    """One value a head: a single one is repeated, a sequence must have as many as there are heads.

    Raises:
        ValueError: if it has another number of values.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        return (value,) * heads
    if len(value) != heads:
        raise ValueError(f"{name} must be one value or one for each of the {heads} {what}, not {len(value)} values")
    return tuple(value)


def head_width(width: int, heads: int) -> int:
    """The width of each head, from that of all heads.

    Raises:
        ValueError: if ``heads`` does not divide ``width``.
    """
    whole("width", width, least=1)
    if width % whole("heads", heads, least=1):
        raise ValueError(f"heads must divide width={width}, not {heads}")
    return width // heads


def shared_heads(heads: int, kv_heads: int) -> int:
    """The number of heads of keys and values itself.

    Raises:
        ValueError: if it does not divide the number of heads.
    """
    if heads % whole("kv_heads", kv_heads, least=1):
        raise ValueError(f"kv_heads must divide heads={heads}, not {kv_heads}")
    return kv_heads


def heads_of(
    kind: str | Sequence[str],
    decay: Float[Tensor, " h"],
    angle: Float[Tensor, " h"] | None,
    dilation: int | Sequence[int],
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The kind and the dilation of every head, after a check of all that describes them.

    The values of ``decay`` are not looked at while a graph is recorded or transformed: that would break it.

    Raises:
        ValueError: saying which argument is out of range, its value and the range.
    """
    heads = len(tensor_of("decay", decay, "h"))
    kinds = tuple(choice("kind", each, KINDS) for each in per_head("kind", kind, heads))
    dilations = tuple(whole("dilation", each, least=1) for each in per_head("dilation", dilation, heads))
    if angle is None and kinds != ("real",) * heads:
        raise ValueError("angle may be left out (None) only where every head is real; cos and sin need θ")
    if angle is not None and tensor_of("angle", angle, "h").shape != decay.shape:
        raise ValueError(f"angle must have decay's shape {tuple(decay.shape)}, not {tuple(angle.shape)}")
    one_device(decay=decay, angle=angle)
    if not recorded() and not transformed() and decay.device.type != "meta":
        for each, value in zip(kinds, decay.tolist(), strict=True):
            low = -1 if each == "real" else 0
            if not low < value < 1:
                raise ValueError(f"decay of a {each} head must lie strictly between {low} and 1, not {value}")
    return kinds, dilations
