"""Language models: the next word, and the preference for the right form of a verb."""

import math
from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import Tensor, nn

from inductive_bias.evaluation import SLICE_MEANS, Row, corpus_rows, pair_rows, perplexity, row
from inductive_bias.losses import OutputLayer, vocabulary_cross_entropy
from inductive_bias.models import LanguageModel
from inductive_bias.protocols.base import Protocol
from inductive_bias.tasks.batching import Batch, bucketed_batches, sentence_batches
from inductive_bias.tasks.pairs import MinimalPairs
from inductive_bias.tasks.vocabulary import PAD


class LanguageProtocol(Protocol):
    """Mean cross-entropy per token; batches with about equally many tokens."""

    _teacher_states: Callable[[Batch], Tensor] | None = None
    _teacher_output: OutputLayer | None = None

    def steps_per_epoch(self) -> int:
        return sentence_batches(len(self.train), self.trial.schedule.batch_size)

    def epoch(self, order: torch.Generator, device: torch.device) -> Iterator[Batch]:
        inputs, labels = self.training_tensors(device)
        return bucketed_batches(
            inputs, labels, batch_size=self.trial.schedule.batch_size, generator=order, even="tokens"
        )

    def set_teacher(self, teacher: LanguageModel) -> None:
        # the teacher's states are made again for each batch: those of two million tokens would take a gigabyte
        teacher.train(self.trial.distill.teacher_mode == "train")
        self._teacher_states = torch.no_grad()(lambda batch: _predicting(teacher, batch.inputs))
        self._teacher_output = OutputLayer(teacher.output_weight.detach(), teacher.bias.detach())

    def loss(self, model: LanguageModel, batch: Batch) -> Tensor:
        targets = batch.inputs[:, 1:]
        output = OutputLayer(model.output_weight, model.bias)
        narrow = self.trial.schedule.output_precision == "bfloat16"
        common = {"precision": torch.bfloat16 if narrow else torch.float32}
        if self._teacher_states is not None:
            settings = self.trial.distill
            common |= {
                "teacher_states": self._teacher_states(batch),
                "teacher_output": self._teacher_output,
                "temperature": settings.temperature,
                "mixing": settings.mixing,
                "scaling": settings.scaling,
            }
        return vocabulary_cross_entropy(_predicting(model, batch.inputs), output, targets[targets != PAD], **common)

    def after_epoch(self, model: LanguageModel, epoch: int) -> Iterator[Row]:
        value = perplexity(model, self.validation.inputs)
        yield row("validation", "perplexity", value, self.validation.source, epoch=epoch)

    def pairs(self) -> dict[str, MinimalPairs]:
        """The sets for agreement by scoring, in the words of this trial's vocabulary."""
        return self.trial.task.load_pairs(self.data.vocabulary, self.root)

    def sha256(self) -> dict[str, str]:
        return super().sha256() | {
            file: digest for each in self.pairs().values() for file, digest in each.sha256.items()
        }

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        if diverged:
            yield from self._diverged()
            return
        for name in ("validation", "test"):
            yield from corpus_rows(model, self.data[name], name)
        for pairs in self.pairs().values():
            yield from pair_rows(model, pairs)

    def _diverged(self) -> Iterator[Row]:
        """NaN for what every comparison reads, so that a diverged trial stays in the tables."""
        for name, metric in product(("validation", "test"), ("nll", "perplexity")):
            yield row(name, metric, math.nan, self.data[name].source)
        for name, pairs in self.pairs().items():
            for metric in ("accuracy", *(SLICE_MEANS[s][0] for s in pairs.slices if s in SLICE_MEANS)):
                yield row(f"pairs:{name}", metric, math.nan, pairs.source)


def _predicting(model: LanguageModel, tokens: Tensor) -> Tensor:
    """The states ``[m, d]`` from which the next token of a sentence is predicted, padding left out."""
    return model.states(tokens[:, :-1])[tokens[:, 1:] != PAD].float()
