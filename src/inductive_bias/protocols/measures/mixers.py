"""What a model's mixers have learnt that can be read off them: gates, decays and angles."""

from collections.abc import Iterable, Iterator

from torch import Tensor, nn

from inductive_bias.layers.rem import REM
from inductive_bias.protocols.measures.rows import Row, row


def mixer_rows(model: nn.Module, source: str, *, epoch: int | None = None) -> Iterator[Row]:
    """``gate`` (σ(μ)), ``decay`` (λ or γ) and ``angle`` (θ) of every block that has them, on split ``model``.

    ``layer`` counts from 1 and ``head`` from 0 within its layer; a gate of a whole layer is at head 0. Decays and
    angles say the ``kind`` of their head, and a real head has no angle. A model without such mixers has no row.
    """
    blocks = getattr(model, "blocks", ())
    # models from outside may mean something else by these names
    for layer, block in enumerate(blocks if isinstance(blocks, Iterable) else (), start=1):
        mixer = getattr(block, "mixer", None)
        if isinstance(getattr(mixer, "gate", None), Tensor):
            for head, value in enumerate(mixer.gate.tolist()):
                yield row("model", "gate", value, source, epoch=epoch, layer=layer, head=head)
        if isinstance(getattr(mixer, "rem", None), REM):
            yield from _rem_rows(mixer.rem, layer, source, epoch)


def _rem_rows(rem: nn.Module, layer: int, source: str, epoch: int | None) -> Iterator[Row]:
    angles = [] if rem.angle is None else rem.angle.tolist()
    for head, (kind, decay) in enumerate(zip(rem.kinds, rem.decay.tolist(), strict=True)):
        at = {"epoch": epoch, "layer": layer, "head": head, "kind": kind}
        yield row("model", "decay", decay, source, **at)
        if kind != "real":
            yield row("model", "angle", angles[head], source, **at)
