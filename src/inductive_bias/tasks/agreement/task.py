"""Number prediction as a task: named regimes of training data with tests that they share."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field

from inductive_bias.errors import DataError
from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files
from inductive_bias.tasks.agreement.regimes import SPLIT_SEED, gather
from inductive_bias.tasks.agreement.rows import Rows
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.vocabulary import Vocabulary, pad_sentences

CLASSES = 2
#: What may be known of a row besides its label.
SLICES = ("attractors", "distance", "intervening")


class NumberPrediction(Setting):
    """What all tasks of number prediction on sentences that are read say of ids and lengths.

    Attributes:
        train_size: Keep only the first so many training rows, in a fixed random order.
        vocabulary_size: Most ids, the four special ones included; words of the whole training split of the task, so
            that ids do not depend on ``train_size``.
        min_count: Words seen less often in training become the unknown word.
        max_tokens: Positions of the models, BOS and EOS included; longer preambles are left out and counted.
    """

    train_size: Annotated[int, Field(ge=1)] | None = None
    vocabulary_size: Annotated[int, Field(ge=5)] = 10_000
    min_count: Annotated[int, Field(ge=1)] = 2
    max_tokens: Annotated[int, Field(ge=3)] = 64

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model needs to know of the data."""
        return {"vocabulary": self.vocabulary_size, "classes": CLASSES, "positions": self.max_tokens}


class Agreement(NumberPrediction):
    """Is the next verb singular (VBZ, 0) or plural (VBP, 1)? From the words before it (Linzen et al. 2016).

    Splits: ``train``, ``validation`` and ``test`` (natural distribution); ``attractors`` (1 to 5 nouns of the other
    number between subject and verb, slice ``attractors``); ``wikitext`` (cut from the held-out text of WikiText-2, a
    second natural test). A preamble that is in training is in no other split. Inputs are ``BOS preamble EOS`` padded
    on the right, int64 ``[n, t]``.

    Regimes:
        - ``natural``: ``numpred.val``, the official 1 % split, cut by distinct preamble into train, validation, test.
        - ``wikitext``: that, plus preambles cut from the training text of WikiText-2.
        - ``attractor-rich``: natural, plus ``attractor_share`` of the distinct preambles of each attractor set.
        - ``official``: ``numpred.train``, ``.val`` and ``.test``.
        - ``tsv``: ``agr_50_mostcommon_10K.tsv`` cut 10 / 1 / 89 %, with attractors and distance of every row.
        - ``wiki_agreement``: sentences of today's Wikipedia as one sample by one set of rules, in the form of Linzen's
          files; nothing else is trained on. Has the further test ``wikipedia``, those of its own kind, with attractors,
          distance and intervening nouns of every row.
        - ``wikipedia``: that, plus the training parts of ``natural`` and of WikiText-2; about as much as the paper's.

    The part of the attractor sets that ``attractor-rich`` trains on is held out in ``natural``, ``wikitext`` and
    ``official``, so that these share one attractor test. In the two last regimes it is part of the test, and what is in
    a test is not trained on; in ``tsv`` attractor sets come from its own test rows.

    Attributes:
        regime: What is trained on.
        attractor_share: Part of each attractor set that is for training.
        test_per_count: Keep only so many preambles of each count in ``attractors``, in a fixed random order.
        allow_other: Read files of your own in place of the public ones; the source of every split then names them.
    """

    generated: ClassVar[bool] = False
    data_sets: ClassVar[tuple[card.DataSet, ...]] = (card.LINZEN, card.WIKI_AGREEMENT, card.WIKITEXT)
    kind: Literal["agreement"] = "agreement"
    regime: Literal["natural", "wikitext", "attractor-rich", "official", "tsv", "wiki_agreement", "wikipedia"] = (
        "natural"
    )
    attractor_share: Annotated[float, Field(gt=0, lt=1)] = 0.25
    test_per_count: Annotated[int, Field(ge=1)] | None = None
    allow_other: bool = False

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits, made when first asked for; equal settings share one result per process.

        Args:
            root: Folder with ``linzen_agreement/``, ``wikitext2/`` and what else the regime reads; searched before
                ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, not the public one, not UTF-8 or of another layout, if nothing is
                left of a split, or if ``train_size`` is more than there is.
        """
        return _load(self, files.places(root), download)


@kept(maxsize=4)
def _load(setting: Agreement, where: files.Places, download: bool) -> TaskData:
    gathered = gather(
        setting.regime,
        where,
        download=download,
        attractor_share=setting.attractor_share,
        allow_other=setting.allow_other,
    )
    return encoded(
        setting,
        gathered.splits,
        gathered.sources,
        skipped=gathered.skipped,
        sha256=gathered.sha256,
        test_per_count=setting.test_per_count,
    )


def encoded(
    setting: NumberPrediction,
    splits: Mapping[str, Rows],
    sources: Mapping[str, str],
    *,
    skipped: Mapping[str, int],
    sha256: Mapping[str, str],
    test_per_count: int | None = None,
) -> TaskData:
    """Rows of words as a task's data; ``train`` decides the vocabulary, and preambles that are too long are left out.

    Raises:
        DataError: If nothing is left of a split, or ``train_size`` is more than there is.
    """
    skipped, splits = Counter(skipped), dict(splits)
    for name, rows in splits.items():
        splits[name] = [row for row in rows if row.preamble.count(" ") < setting.max_tokens - 2]
        if too_long := len(rows) - len(splits[name]):
            skipped[f"{name}: longer than {setting.max_tokens - 2} words"] += too_long
        if not splits[name]:
            raise DataError(f"Nothing is left of the split {name} of {sources[name]}: {dict(skipped)}.")
    train = splits["train"]
    if "attractors" in splits:
        splits["attractors"] = _at_most(splits["attractors"], test_per_count)
    words = (row.preamble.split() for row in train)
    vocabulary = Vocabulary.most_frequent(words, setting.vocabulary_size, min_count=setting.min_count)
    if setting.train_size is not None and setting.train_size > len(train):
        raise DataError(f"train_size should be 1..{len(train)} here, not {setting.train_size}.")
    order = np.random.default_rng(SPLIT_SEED).permutation(len(train))[: setting.train_size]
    splits["train"] = [train[i] for i in order]
    makers: dict[str, Callable[[], Split]] = {
        name: partial(_to_split, rows, vocabulary, sources[name]) for name, rows in splits.items()
    }
    return TaskData(makers, classes=CLASSES, sha256=sha256, is_sample=False, vocabulary=vocabulary, skipped=skipped)


def _at_most(rows: Rows, per_count: int | None) -> Rows:
    """The first ``per_count`` rows of each number of attractors in a fixed random order."""
    if per_count is None:
        return rows
    seen: Counter[int] = Counter()
    kept = []
    for number in np.random.default_rng(SPLIT_SEED).permutation(len(rows)):
        seen[rows[number].attractors] += 1
        if seen[rows[number].attractors] <= per_count:
            kept.append(rows[number])
    return kept


def _to_split(rows: Rows, vocabulary: Vocabulary, source: str) -> Split:
    columns = {name: torch.tensor([getattr(row, name) for row in rows]) for name in ("label", *SLICES)}
    labels = columns.pop("label")
    known = {name: values for name, values in columns.items() if (values >= 0).any()}
    return Split(pad_sentences([vocabulary.encode(row.preamble.split()) for row in rows]), labels, source, known)
