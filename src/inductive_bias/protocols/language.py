"""Language models: the next word, and the preference for the right form of a verb."""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from inductive_bias.evaluation import Row, corpus_rows, pair_rows, perplexity, row
from inductive_bias.losses import OutputLayer, vocabulary_cross_entropy
from inductive_bias.models import LanguageModel
from inductive_bias.protocols.base import Protocol
from inductive_bias.tasks.batching import Batch, bucketed_batches, sentence_batches
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

    def final(self, model: nn.Module, *, diverged: bool) -> Iterator[Row]:
        for name in ("validation", "test"):
            if diverged:
                yield row(name, "perplexity", math.nan, self.data[name].source)
            else:
                yield from corpus_rows(model, self.data[name], name)
        for name, pairs in self.trial.task.load_pairs(self.data.vocabulary, self.root).items():
            if diverged:
                yield row(f"pairs:{name}", "accuracy", math.nan, pairs.source)
            else:
                yield from pair_rows(model, pairs)


def _predicting(model: LanguageModel, tokens: Tensor) -> Tensor:
    """The states ``[m, d]`` from which the next token of a sentence is predicted, padding left out."""
    return model.states(tokens[:, :-1])[tokens[:, 1:] != PAD].float()
