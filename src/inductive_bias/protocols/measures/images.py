"""What is measured of a classifier of images only: what becomes of it when the image moves."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from inductive_bias.analysis import equivariance_error, invariance_error, linear_equivariance_error, shift
from inductive_bias.metrics import accuracy
from inductive_bias.models import CNN
from inductive_bias.protocols.measures.rows import Row, logits_of, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import ordered_chunks
from inductive_bias.training import predict

#: In pixels; smaller images move by a third of their width, so that enough of them is left.
MAX_SHIFT = 8
#: Examples for the shift experiments; the first are used to fit the linear map where one is fitted.
SHIFTED_EXAMPLES = 2000


def shift_rows(model: nn.Module, split: Split, *, epoch: int | None = None) -> Iterator[Row]:
    """Accuracy and feature errors when the images move by 0 … 8 pixels.

    ``accuracy``: mean over the four directions. ``invariance_error``: of the penultimate layer, to the right.
    ``equivariance_error`` by ``layer``: of a CNN's maps under the known shift of the map (pixels over stride).
    ``linear_equivariance_error``: of the last spatial map (CNN) or first hidden layer (MLP) under the best linear map,
    fitted on three quarters of the images and measured on the rest (Lenc & Vedaldi 2015), which asks the same of both.
    A model without ``features`` or ``stages`` has no rows of what needs them.
    """
    device = next(model.parameters()).device
    images, labels = split.inputs[:SHIFTED_EXAMPLES].to(device), split.labels[:SHIFTED_EXAMPLES]

    def last_map(chunk: Tensor) -> Tensor:
        stages = model.stages(chunk)
        name = list(stages)[-1] if isinstance(model, CNN) else next(iter(stages))
        return stages[name].flatten(1)

    # a model from outside may know neither its penultimate layer nor its stages
    has_features, has_stages = hasattr(model, "features"), hasattr(model, "stages")
    still = predict(last_map, ordered_chunks(images)) if has_stages else None
    unmoved = predict(model.features, ordered_chunks(images)) if has_features else None

    def features(chunk: Tensor) -> Tensor:
        return unmoved if chunk is images else predict(model.features, ordered_chunks(chunk))

    fitted = len(images) * 3 // 4
    for pixels in range(min(MAX_SHIFT, images.shape[-1] // 3) + 1):
        at = {"epoch": epoch, "shift": pixels}
        # those of 0 pixels are one
        directions = dict.fromkeys([(0, pixels), (0, -pixels), (pixels, 0), (-pixels, 0)])
        scores = [accuracy(logits_of(model, shift(images, dy, dx)), labels) for dy, dx in directions]
        yield row("test", "accuracy", sum(scores) / len(scores), split.source, **at)
        if has_features:
            error = invariance_error(features, images, 0, pixels, normalise="unrelated")
            yield row("test", "invariance_error", error, split.source, **at)
        if isinstance(model, CNN):
            yield from _block_rows(model, images[:200], pixels, split.source, epoch)
        if has_stages:
            moved = predict(last_map, ordered_chunks(shift(images, 0, pixels)))
            error = linear_equivariance_error(
                still[:fitted].cpu(), moved[:fitted].cpu(), still[fitted:].cpu(), moved[fitted:].cpu(), ridge=1e-2
            )
            yield row("test", "linear_equivariance_error", error, split.source, **at)


@torch.no_grad()
def _block_rows(model: CNN, images: Tensor, pixels: int, source: str, epoch: int | None) -> Iterator[Row]:
    for number, stride in enumerate(model.strides, start=1):
        if images.shape[-1] // stride < 2:  # a map of one cell has nowhere to move
            continue
        error = equivariance_error(
            lambda chunk, name=f"block {number}": model.stages(chunk)[name],
            images,
            0,
            pixels,
            stride=stride,
            normalise="unrelated",
        )
        yield row("test", "equivariance_error", error, source, epoch=epoch, shift=pixels, layer=number)
