"""What a model's mixers have learnt that can be read off them: gates, decays and angles."""

import math
from collections.abc import Iterator

from torch import nn

from inductive_bias.evaluation.rows import Row, row

MODEL = "model"


def mixer_rows(model: nn.Module, source: str, *, epoch: int | None = None) -> Iterator[Row]:
    """``gate`` (σ(μ)), ``decay`` (λ or γ) and ``angle`` (θ, 0 of a real head) of every block that has them.

    The split of these rows is ``model``. Their ``x`` counts gates, and heads, through all blocks from 0. Other models
    than :class:`~inductive_bias.models.MixingModel` give no row.
    """
    found: dict[str, list[float]] = {"gate": [], "decay": [], "angle": []}
    for block in getattr(model, "blocks", ()):
        mixer = getattr(block, "mixer", None)
        rem = getattr(mixer, "rem", None)
        if hasattr(mixer, "gate"):
            found["gate"] += mixer.gate.tolist()
        if rem is not None:
            found["decay"] += rem.decay.tolist()
            found["angle"] += [0.0] * len(rem.kinds) if rem.angle is None else rem.angle.tolist()
    for metric, values in found.items():
        for x, value in enumerate(values):
            yield row(MODEL, metric, value, source, epoch=epoch, x=float(x))


def layer_rows(model: nn.Module, source: str, *, epoch: int | None = None) -> Iterator[Row]:
    """σ(μ) of every layer (and head), λ or γ and θ of every REM head; ``split`` is the layer and x the head.

    A model without gate or REM has no rows.
    """
    for number, block in enumerate(getattr(model, "blocks", ()), start=1):
        mixer, layer = block.mixer, f"layer {number}"
        if hasattr(mixer, "gate"):
            for head, value in enumerate(mixer.gate.tolist()):
                yield row(layer, "gate", value, source, epoch=epoch, x=float(head))
        if hasattr(mixer, "rem"):
            yield from _rem_rows(mixer.rem, layer, source, epoch)


def _rem_rows(rem: nn.Module, layer: str, source: str, epoch: int | None) -> Iterator[Row]:
    angles = [math.nan] * len(rem.kinds) if rem.angle is None else rem.angle.tolist()
    for head, (kind, decay, angle) in enumerate(zip(rem.kinds, rem.decay.tolist(), angles, strict=True)):
        yield row(layer, f"decay, {kind}", decay, source, epoch=epoch, x=float(head))
        if kind != "real":
            yield row(layer, f"angle, {kind}", angle, source, epoch=epoch, x=float(head))
