"""Rows of a model of a probe for images: right answers where they stood and elsewhere, and what an answer hangs on."""

import math
from collections.abc import Iterator, Sequence

from jaxtyping import Float
from torch import Tensor, nn

from inductive_bias.analysis import invariance_error
from inductive_bias.metrics import accuracy, confidence_and_correct, expected_calibration_error, negative_log_likelihood
from inductive_bias.protocols.measures.probes import DECIDED, METRICS, PREFERENCE, constant_accuracy
from inductive_bias.protocols.measures.rows import Row, logits_of, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.image_probes import MOVE

#: Metrics of the test split besides those of answers.
INVARIANCE, ARRANGEMENT = "invariance_error", "arrangement_sensitivity"
#: Pixels of a side of the pieces that an image falls into.
PIECE = 4


def answer_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """Every one of :data:`~inductive_bias.protocols.measures.probes.METRICS` of a split."""
    logits, labels = known_logits(model, split.inputs), split.labels
    values = {
        "accuracy": accuracy(logits, labels),
        "constant_accuracy": constant_accuracy(labels),
        "nll": negative_log_likelihood(logits, labels),
        "ece_20": expected_calibration_error(*confidence_and_correct(logits, labels), bins=20),
    }
    yield from (row(name, metric, values[metric], split.source) for metric in METRICS)


def cue_rows(model: nn.Module, split: Split, name: str) -> Iterator[Row]:
    """``preference``: of the answers that follow one of two rules, the share of the first; and how many there are.

    It is NaN where no answer follows either.
    """
    answers = known_logits(model, split.inputs).argmax(-1)
    firsts, seconds = int((answers == split.labels).sum()), int((answers == split.slices["second"]).sum())
    decided = firsts + seconds
    yield row(name, PREFERENCE, firsts / decided if decided else math.nan, split.source)
    yield row(name, DECIDED, decided / len(answers), split.source)


def movement_rows(model: nn.Module, split: Split, name: str, *, pieces: bool) -> Iterator[Row]:
    """``invariance_error`` of the logits, mean over four directions; with ``pieces`` ``arrangement_sensitivity`` too.

    An error of 0 is an answer that stays, one of 1 an answer as far away as that to another image.
    """

    def logits(images: Tensor) -> Tensor:
        return known_logits(model, images)

    errors = [
        invariance_error(logits, split.inputs, dy, dx, normalise="unrelated")
        for dy, dx in ((MOVE, 0), (-MOVE, 0), (0, MOVE), (0, -MOVE))
    ]
    yield row(name, INVARIANCE, sum(errors) / len(errors), split.source)
    if pieces:
        yield row(name, ARRANGEMENT, arrangement_sensitivity(model, split.inputs), split.source)


def arrangement_sensitivity(model: nn.Module, images: Float[Tensor, "n c h w"]) -> float:
    """How far the answer moves when the pieces of an image change places, in units of its move to another image.

    0 is a bag of pieces. It is at most 1, which is what other images do; every image has the next one as its stranger.
    """
    base, torn, others = (known_logits(model, each) for each in (images, in_pieces(images), images.roll(1, 0)))
    moved, strange = ((each - base).norm(dim=-1).mean() for each in (torn, others))
    return min(1.0, float(moved / strange)) if strange > 0 else 0.0


def in_pieces(images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c h w"]:
    """Images whose squares of four by four pixels are in another order, the same for all: turned by half a round."""
    channels, height, width = images.shape[1:]
    rows, columns = height // PIECE, width // PIECE
    tiles = images.unflatten(3, (columns, PIECE)).unflatten(2, (rows, PIECE)).transpose(3, 4).flatten(2, 3)
    turned = tiles.flip(2)
    return turned.unflatten(2, (rows, columns)).transpose(3, 4).reshape(-1, channels, height, width)


def diverged_image_rows(split: Split, name: str, metrics: Sequence[str]) -> Iterator[Row]:
    """Rows of a run that diverged: NaN in place of every number."""
    yield from (row(name, metric, math.nan, split.source) for metric in metrics)


def known_logits(model: nn.Module, images: Float[Tensor, "n c h w"]) -> Float[Tensor, "n k"]:
    """Logits on the CPU; where they are no numbers, all answers are equally likely."""
    logits = logits_of(model, images)
    return logits.where(logits.isfinite().all(-1, keepdim=True), 0.0)
