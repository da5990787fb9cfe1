"""What is measured of a tagger: spans, and single tags."""

import math
from collections.abc import Iterator, Sequence

import torch
from jaxtyping import Bool, Int64
from torch import Tensor, nn

from inductive_bias.metrics import SpanScores, span_scores, spans
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import Split
from inductive_bias.tasks.batching import length_chunks
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.vocabulary import PAD, UNK

#: Of a split, after every epoch and at the end.
METRICS = ("span_f1", "span_precision", "span_recall", "accuracy")


@torch.no_grad()
def answers(model: nn.Module, tokens: Int64[Tensor, "n t"]) -> Int64[Tensor, "n t"]:
    """The number of the highest logit at every position, on the CPU; −1 where logits are not finite, and at padding."""
    device = next(model.parameters()).device
    found = torch.full(tokens.shape, IGNORED)
    for index, chunk in length_chunks(tokens):
        logits = model(chunk.to(device)).float().cpu()
        best = logits.argmax(-1).masked_fill(~logits.isfinite().all(-1), IGNORED)
        found[index, : chunk.shape[1]] = best.masked_fill(chunk == PAD, IGNORED)
    return found


def tag_rows(model: nn.Module, split: Split, name: str, names: Sequence[str], *, epoch: int | None = None) -> list[Row]:
    """F1, precision and recall of spans, and the share of right tags; all NaN where an answer has no logits."""
    given, real = answers(model, split.inputs), split.labels != IGNORED
    values = (math.nan,) * len(METRICS)
    if not (given[real] == IGNORED).any():
        found = scores(split.labels, given, real, names)
        right = float((given[real] == split.labels[real]).double().mean())
        values = (found.f1, found.precision, found.recall, right)
    return [row(name, metric, each, split.source, epoch=epoch) for metric, each in zip(METRICS, values, strict=True)]


def scores(
    labels: Int64[Tensor, "n t"], given: Int64[Tensor, "n t"], real: Bool[Tensor, "n t"], names: Sequence[str]
) -> SpanScores:
    """The spans of sentences whose tags are numbers of ``names``, at the positions that are ``real``."""

    def named(numbers: Int64[Tensor, "n t"]) -> Iterator[list[str]]:
        for sentence, there in zip(numbers, real, strict=True):
            yield [names[number] for number in sentence[there].tolist()]

    return span_scores(named(labels), named(given))


def text_rows(split: Split, name: str, names: Sequence[str], classes: int) -> Iterator[Row]:
    """What the split itself is: its words, how many of them are unknown, its spans, and those that cannot be found.

    A span cannot be found if one of its tags is none of the first ``classes``, those of the training sentences.
    """
    words = split.inputs[_words(split)]
    yield row(name, "words", float(len(words)), split.source)
    yield row(name, "unknown_share", float((words == UNK).double().mean()), split.source)
    total = lost = 0
    for sentence in split.labels:
        tags = [names[number] for number in sentence[sentence != IGNORED].tolist()]
        known = set(names[:classes])
        found = spans(tags)
        total += len(found)
        lost += sum(not known.issuperset(tags[span.start : span.end]) for span in found)
    yield row(name, "spans", float(total), split.source)
    yield row(name, "unseen_spans", float(lost), split.source)


def _words(split: Split) -> Tensor:
    """Where the words stand, without the end tokens behind them."""
    return torch.arange(split.inputs.shape[1]) < split.slices["length"][:, None]
