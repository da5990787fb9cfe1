"""Formal languages as a task: what may follow each prefix, on strings as long as in training and on longer ones."""

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field, model_validator

from inductive_bias.settings import Setting
from inductive_bias.tasks import card
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.formal.automata import DEAD, Automaton
from inductive_bias.tasks.formal.drawing import Source, String
from inductive_bias.tasks.formal.languages import LANGUAGES, Bin, Language, LanguageName

#: Names of the bins of longer strings.
LONGER = ("longer", "longest")


class FormalLanguage(Setting):
    """Answer after every symbol of a string: which symbols may follow, or does it belong to the language so far?

    All strings are members; their lengths are spread evenly over those that have a member, and within a length every
    member is equally probable (of the flip-flop, half of all symbols are reads). ``train`` may hold a string more than
    once; ``validation`` (of the same lengths) and the longer bins, ``longer`` and for some languages ``longest``, hold
    different ones. No string of ``validation`` is in ``train``, and of no length is more than half held out.

    The exception are languages with a single string of each length, (aa)*, (abab)*, Tomita 1 and 2 and aⁿbⁿcⁿ: there
    ``validation`` holds the training's own strings, as published, and a bin is as large as it has lengths. Nothing
    would be new in a held-out one: each begins with all shorter ones.

    Departures from the published code: it draws with a generator for each language, whose strings are less even
    (Tomita 3, 7 and D_n have long runs); and its aⁿbⁿcⁿ has an end symbol, where here nothing may follow the last c.

    Attributes:
        language: which of the sixteen.
        train_size: training strings; the published number if None.
        validation_size: different strings of the same lengths.
        test_size: different strings of each longer bin; the published number if None.
        train_lengths: shortest and longest training string; the published ones if None.
        longer_lengths: the same for one or two longer bins.
        watched: strings of each held-out split that are scored after every epoch, the first so many.
        mastered: the share of the watched validation strings that are to be right after two epochs in a row, of which
            the second is then the last one; None goes through all epochs.
        data_seed: decides every draw.
        loss: of the sigmoids of the outputs: squared error (``mse``, as published), or cross-entropy (``bce``).
    """

    generated: ClassVar[bool] = True
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.LANGUAGES,)
    kind: Literal["generated_formal"] = "generated_formal"
    language: LanguageName
    train_size: Annotated[int, Field(ge=1)] | None = None
    validation_size: Annotated[int, Field(ge=1)] = 2_000
    test_size: Annotated[int, Field(ge=1)] | None = None
    train_lengths: tuple[int, int] | None = None
    longer_lengths: tuple[tuple[int, int], ...] | None = Field(default=None, min_length=1, max_length=len(LONGER))
    watched: Annotated[int, Field(ge=1)] = 2_000
    data_seed: Annotated[int, Field(ge=0)] = 0
    loss: Literal["mse", "bce"] = "mse"
    mastered: Annotated[float, Field(gt=0, le=1)] | None = None

    @model_validator(mode="after")
    def _lengths_rise(self) -> "FormalLanguage":
        ends = [end for each in self.bins.values() for end in (each.shortest, each.longest)]
        if ends[0] < 1 or any(a > b for a, b in zip(ends[::2], ends[1::2], strict=True)):
            raise ValueError(f"lengths must be at least 1, the shortest first, not {ends}")
        if any(a >= b for a, b in zip(ends[1::2], ends[2::2], strict=False)):
            raise ValueError(f"each bin must be longer than the one before, but the ends are {ends}")
        return self

    @property
    def spec(self) -> Language:
        """The language: its title, family, target and automaton."""
        return LANGUAGES[self.language]

    @property
    def bins(self) -> dict[str, Bin]:
        """Lengths and number of strings of ``train`` and of each longer bin."""
        known = self.spec.training
        shortest, longest = self.train_lengths or (known.shortest, known.longest)
        found = {"train": Bin(shortest, longest, self.train_size or known.strings)}
        if self.longer_lengths is None:
            longer = [Bin(b.shortest, b.longest, self.test_size or b.strings) for b in self.spec.longer]
        else:
            # a bin of our own has the published number of strings of the first one
            strings = self.test_size or self.spec.longer[0].strings
            longer = [Bin(*ends, strings) for ends in self.longer_lengths]
        return found | dict(zip(LONGER, longer, strict=False))

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model must be made for: answers at every position, and ids of tokens (0 is padding)."""
        automaton = self.spec.make(3)
        return {"outputs": self.spec.targets(automaton).shape[1], "vocabulary": len(automaton.symbols) + 1}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits; no file is read, whatever the arguments.

        Inputs are int64 ``[n, t]``, 1 for the first symbol of the alphabet, padded on the right with 0; labels are
        uint8 ``[n, t, outputs]``, one target a symbol; the slice ``length`` counts the symbols. Equal settings share
        one result per process.

        Raises:
            ValueError: if the language has no string of the lengths asked for.
        """
        return _load(self)


@lru_cache(maxsize=4)
def _load(setting: FormalLanguage) -> TaskData:
    language, bins = setting.spec, setting.bins
    automaton = language.make(max(each.longest for each in bins.values()))
    strings = _draw(setting, Source(automaton, max(each.longest for each in bins.values())))
    answers = language.targets(automaton)
    makers: dict[str, Callable[[], Split]] = {
        name: partial(to_split, members, automaton, answers, f"generated:{setting.language}")
        for name, members in strings.items()
    }
    return TaskData(makers, classes=answers.shape[1], sha256={}, is_sample=False)


def _draw(setting: FormalLanguage, source: Source) -> Mapping[str, list[String]]:
    """The strings of every split, each from a generator of its own: the size of one does not change another."""

    def rng(number: int) -> np.random.Generator:
        return np.random.default_rng((setting.data_seed, number))

    bins = setting.bins
    train = bins["train"]
    single = source.single(train.shortest, train.longest)
    ends = train.shortest, train.longest
    held_out = source.draw_distinct(*ends, setting.validation_size, rng(0), share=1.0 if single else 0.5)
    without = frozenset() if single else {string.tobytes() for string in held_out}
    found = {"train": source.draw(*ends, train.strings, rng(1), without=without), "validation": held_out}
    for number, name in enumerate(LONGER[: len(bins) - 1]):
        found[name] = source.draw_distinct(bins[name].shortest, bins[name].longest, bins[name].strings, rng(2 + number))
    return found


def to_split(strings: list[String], automaton: Automaton, answers: np.ndarray, source: str) -> Split:
    """Padded tokens and targets of strings of the language, given as numbers of symbols.

    Raises:
        ValueError: if a string does not belong to the language.
    """
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    tokens = np.zeros((len(strings), lengths.max(initial=1)), np.int64)
    labels = np.zeros((*tokens.shape, answers.shape[1]), np.uint8)
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        same = np.stack([strings[row] for row in rows])
        states = automaton.trace(same)
        if (states == DEAD).any():
            raise ValueError(f"a string of {length} symbols does not belong to the language")
        tokens[rows, :length] = same + 1
        labels[rows, :length] = answers[states]
    return Split(torch.from_numpy(tokens), torch.from_numpy(labels), source, {"length": torch.from_numpy(lengths)})
