"""Number prediction on generated sentences: any sample size, exact attractor counts and distances, from a seed."""

from collections.abc import Callable
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.grammar.mixture import stream
from inductive_bias.tasks.grammar.sentences import PLURAL, SINGULAR, Sentence
from inductive_bias.tasks.vocabulary import Vocabulary, pad_sentences

SOURCE = "generated:agreement grammar"
COUNTS = range(5)
CLASSES = 2

Sentences = tuple[Sentence, ...]


class GeneratedAgreement(Setting):
    """Is the verb after these words singular (VBZ, 0) or plural (VBP, 1)? On sentences of a probabilistic grammar.

    ``train``, ``validation`` and ``test`` have the natural mix of attractors (nouns of the other number between subject
    and verb); ``attractors`` has as many sentences of each count 0..4, half of them singular, in which every
    intervening noun is an attractor. No preamble (the words before the verb) is in two splits; within one it may come
    more than once. The training sentences of a smaller ``train_size`` are the first of those of a larger one.

    Attributes:
        train_size: Training sentences.
        validation_size: Validation sentences.
        test_size: Test sentences.
        per_count: Sentences of each count 0..4 in ``attractors``; even.
        data_seed: Decides every draw.
        enrichment: Share of the training sentences drawn from those with an attractor; 0 leaves the natural mix.
        vocabulary_size: Most ids, the four special ones included; the words of the training preambles, most frequent
            first. The grammar has fewer than 500 words, and a small training set lacks some of them.
        vocabulary_from: So many training sentences, the first ones, have the words that are known; all if None. A
            larger set with the words of a smaller one can be learnt from a model of the smaller one.
        max_tokens: Positions of the models; a longer preamble, BOS and EOS included, is drawn again.
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.GRAMMAR,)
    kind: Literal["generated_agreement"] = "generated_agreement"
    train_size: Annotated[int, Field(ge=1)] = 10_000
    validation_size: Annotated[int, Field(ge=1)] = 1_000
    test_size: Annotated[int, Field(ge=1)] = 2_000
    per_count: Annotated[int, Field(ge=2, multiple_of=2)] = 400
    data_seed: Annotated[int, Field(ge=0)] = 0
    enrichment: Annotated[float, Field(ge=0, le=1)] = 0.0
    vocabulary_size: Annotated[int, Field(ge=5)] = 1_000
    vocabulary_from: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=24)] = 64

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: ids of the vocabulary, classes, positions."""
        return {"vocabulary": self.vocabulary_size, "classes": CLASSES, "positions": self.max_tokens}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation``, ``test`` and ``attractors``; no file is read, whatever the arguments.

        Inputs are int64 ``[n, t]``: BOS, the words before the verb, EOS, padding; labels int64 ``[n]``. Each split has
        the slices ``attractors`` and ``distance`` (index of the verb less that of the head noun). Equal settings share
        one result per process. ``skipped`` counts what was drawn again for the training split.
        """
        return _load(self)

    def sentences(self, split: str) -> Sentences:
        """The whole sentences of a split, row by row: for minimal pairs and for language models.

        Raises:
            ValueError: if there is no such split.
        """
        made = {**_evaluation(*self._evaluation_key), "train": _training(self)[0]}
        if split not in made:
            raise ValueError(f"split should be one of {', '.join(made)}, not {split!r}")
        return made[split]

    @property
    def _evaluation_key(self) -> tuple[int, int, int, int, int]:
        """Everything that decides the held-out splits; neither the size nor the enrichment of the training does."""
        return self.data_seed, self.validation_size, self.test_size, self.per_count, self.max_tokens


@lru_cache(maxsize=4)
def _load(setting: GeneratedAgreement) -> TaskData:
    training, skipped = _training(setting)
    known = (sentence.preamble for sentence in training[: setting.vocabulary_from])
    vocabulary = Vocabulary.most_frequent(known, setting.vocabulary_size)
    parts = {"train": training, **_evaluation(*setting._evaluation_key)}
    makers: dict[str, Callable[[], Split]] = {
        name: partial(_to_split, sentences, vocabulary) for name, sentences in parts.items()
    }
    return TaskData(makers, classes=CLASSES, sha256={}, is_sample=True, vocabulary=vocabulary, skipped=skipped)


@lru_cache(maxsize=4)
def _evaluation(seed: int, validation_size: int, test_size: int, per_count: int, max_tokens: int) -> dict:
    """The three held-out splits, each without the preambles of those made before it."""
    gates = _Gate(max_tokens)
    attractors = [
        sentence
        for count in COUNTS
        for number in (SINGULAR, PLURAL)
        for sentence in islice(
            stream(_rng(seed, 0, count, number), attractors=count, number=number, accept=gates), per_count // 2
        )
    ]
    gates.close(attractors)
    test = list(islice(stream(_rng(seed, 1), accept=gates), test_size))
    gates.close(test)
    validation = list(islice(stream(_rng(seed, 2), accept=gates), validation_size))
    return {"validation": tuple(validation), "test": tuple(test), "attractors": tuple(attractors)}


@lru_cache(maxsize=4)
def _training(setting: GeneratedAgreement) -> tuple[Sentences, dict[str, int]]:
    """Training sentences without any preamble of the held-out splits, and what was drawn again."""
    gate = _Gate(setting.max_tokens)
    for sentences in _evaluation(*setting._evaluation_key).values():
        gate.close(sentences)
    rng = _rng(setting.data_seed, 3)
    training = islice(stream(rng, enrichment=setting.enrichment, accept=gate), setting.train_size)
    return tuple(training), gate.skipped


class _Gate:
    """Lets a sentence pass whose preamble is short enough and not among the closed ones."""

    def __init__(self, max_tokens: int) -> None:
        self._words = max_tokens - 2  # BOS and EOS take their positions
        self._closed: set[tuple[str, ...]] = set()
        self.skipped = {"preamble in a held-out split": 0, "longer than max_tokens": 0}

    def close(self, sentences: Sentences | list[Sentence]) -> None:
        self._closed.update(sentence.preamble for sentence in sentences)

    def __call__(self, sentence: Sentence) -> bool:
        if sentence.verb > self._words:
            self.skipped["longer than max_tokens"] += 1
            return False
        if sentence.preamble in self._closed:
            self.skipped["preamble in a held-out split"] += 1
            return False
        return True


def _rng(*seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def _to_split(sentences: Sentences, vocabulary: Vocabulary) -> Split:
    def column(values: list[int]) -> torch.Tensor:
        return torch.tensor(values, dtype=torch.int64)

    return Split(
        pad_sentences([vocabulary.encode(sentence.preamble) for sentence in sentences]),
        column([sentence.number for sentence in sentences]),
        SOURCE,
        {
            "attractors": column([sentence.attractors for sentence in sentences]),
            "distance": column([sentence.distance for sentence in sentences]),
        },
    )
