"""Next-word prediction on WikiText-2, more of Wikipedia or generated sentences; agreement by scoring with the model."""

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from inductive_bias.settings import Setting
from inductive_bias.tasks import card, files, identity
from inductive_bias.tasks.data import Split, TaskData
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.overlap import without
from inductive_bias.tasks.pairs.edinburgh import read_edinburgh
from inductive_bias.tasks.pairs.grammar import SOURCE, generated_sentences
from inductive_bias.tasks.pairs.lm_testset import read_lm_testset
from inductive_bias.tasks.pairs.loading import PAIR_SETS, file_name, load_set
from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs
from inductive_bias.tasks.parts_of_speech import Tags, read_tags
from inductive_bias.tasks.rows import cut_into_rows
from inductive_bias.tasks.vocabulary import SPECIALS, TaggedVocabulary, Vocabulary
from inductive_bias.tasks.wikipedia import read_wikipedia
from inductive_bias.tasks.wikitext import Part, read_wikitext

ORDER_SEED = 20_160_926
GRAMMAR_TRAIN = 10_000
REAL_PAIRS = ("wiki-dev", "wiki-test", "linzen-lm", "marvin-linzen")
SPLITS = {"train": "train", "validation": "valid", "test": "test"}  # our names and those of WikiText's files

Sentences = list[list[str]]
#: Positions at least of models that score pairs: as many as number prediction on the grammar has.
LEAST_WITH_PAIRS = 24


class LanguageModelling(Setting):
    """Predict each word from those before it, in lower-case sentences of their own (no context across sentences).

    Attributes:
        corpus: WikiText-2; ``wikipedia``, which trains on 5.8 million words more (see :mod:`~.wikipedia`) without the
            sentences of any test set, and is validated and tested on WikiText-2; or the generated agreement grammar
            that stands in for them in small runs.
        sentences: Of the training text: all, or only those with a verb whose form shows a number, as all of Linzen's
            have: a word that is first of all a present-tense verb.
        rare_words: Words outside the vocabulary are one unknown word, or their part of speech, as in Linzen's
            sentences; then the tags are among the ``vocabulary_size`` ids.
        vocabulary_size: Ids of the vocabulary, the four special ones included; the most frequent words of all the
            training text, whatever ``train_sentences`` is.
        max_tokens: Positions of the models, ``BOS`` and ``EOS`` included; longer sentences are cut into several rows
            and longer pairs are left out.
        train_sentences: Train on the first so many sentences of a fixed random order; of the grammar, on so many
            (10,000 unless said otherwise).
        data_seed: Decides the sentences of the grammar.
        pairs: Sets for agreement by scoring; without it those of WikiText-2, or ``("grammar",)`` for the grammar.
        pair_files: More sets: files in BLiMP's format or of two columns (``.tsv``, ``.csv``), sought like other data if
            they are not absolute, e.g. ``"blimp/anaphor_number_agreement.jsonl.gz"``; each is called by its file's
            name without endings, and is your own whatever it holds.
        allow_other: Read files of your own in place of those of WikiText-2 and of the ``pairs``; the source of what
            depends on one then names it.
    """

    data_sets: ClassVar[tuple[card.DataSet, ...]] = (
        card.WIKITEXT,
        card.WIKIPEDIA_TEXT,
        card.EDINBURGH,
        card.GULORDAVA,
        card.MARVIN,
        card.BLIMP,
        card.GRAMMAR,
    )
    kind: Literal["language_modelling"] = "language_modelling"
    corpus: Literal["wikitext-2", "wikipedia", "grammar"] = "wikitext-2"
    sentences: Literal["all", "present tense"] = "all"
    rare_words: Literal["unknown", "parts of speech"] = "unknown"
    vocabulary_size: Annotated[int, Field(ge=5)] = 10_000
    max_tokens: Annotated[int, Field(ge=2)] = 64
    train_sentences: Annotated[int, Field(ge=1)] | None = None
    data_seed: Annotated[int, Field(ge=0)] = 0
    pairs: tuple[str, ...] = REAL_PAIRS
    pair_files: tuple[str, ...] = ()
    allow_other: bool = False

    @model_validator(mode="before")
    @classmethod
    def _pairs_of_the_corpus(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and values.get("corpus") == "grammar" and "pairs" not in values:
            return {**values, "pairs": ("grammar",)}
        return values

    @field_validator("pairs")
    @classmethod
    def _known_pairs(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in PAIR_SETS:
                raise ValueError(f"unknown pairs {name!r}; known are: {', '.join(PAIR_SETS)}")
        return names

    @model_validator(mode="after")
    def _names_differ(self) -> "LanguageModelling":
        names = [*self.pairs, *map(file_name, self.pair_files)]
        if len(set(names)) < len(names):
            raise ValueError(f"each set of pairs needs a name of its own, but they are {', '.join(names)}")
        return self

    @model_validator(mode="after")
    def _pairs_fit(self) -> "LanguageModelling":
        if self.pairs and self.max_tokens < LEAST_WITH_PAIRS:
            raise ValueError(
                f"max_tokens={self.max_tokens} should be {LEAST_WITH_PAIRS} at least where pairs={self.pairs} are "
                "scored: shorter ones have none of some numbers of attractors; or give pairs=()"
            )
        return self

    @model_validator(mode="after")
    def _grammar_has_words_of_its_own(self) -> "LanguageModelling":
        if self.corpus != "grammar" and "grammar" in self.pairs:
            raise ValueError(f"the pairs 'grammar' are made of words of the corpus 'grammar', not of {self.corpus!r}")
        if self.corpus != "grammar" and self.data_seed:
            raise ValueError(f"data_seed={self.data_seed} belongs to the corpus 'grammar', not to {self.corpus!r}")
        return self

    @model_validator(mode="after")
    def _grammar_is_as_it_is(self) -> "LanguageModelling":
        if self.corpus == "grammar" and (self.sentences, self.rare_words) != ("all", "unknown"):
            raise ValueError("sentences and rare_words choose among real words, and the corpus 'grammar' has its own")
        return self

    @property
    def generated(self) -> bool:
        """Whether no real data are read, whatever they stand for."""
        return self.corpus == "grammar"

    @property
    def dimensions(self) -> dict[str, int]:
        """What a model for this task has to provide for: ``vocabulary`` ids and ``positions``."""
        return {"vocabulary": self.vocabulary_size, "positions": self.max_tokens}

    def load(self, root: Path | str | None = None, *, download: bool = True) -> TaskData:
        """The splits ``train``, ``validation`` and ``test``, each made when first asked for.

        Inputs are int64 ``[n, t]``: ``BOS words EOS`` and padding (see :func:`~.rows.cut_into_rows`); labels ``[n]``
        count the predicted tokens of each row. Equal settings share one result per process.

        Args:
            root: Folder with ``wikitext2/``, and for ``wikipedia`` also ``wikipedia_en/`` and ``linzen_agreement/``;
                searched before ``INDUCTIVE_BIAS_DATA`` and the user cache.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged, not text, or not the expected one.
        """
        if self.corpus == "grammar":
            return _load_grammar(self)
        return _load_real(self, root, files.places(root), download)

    def load_pairs(
        self, vocabulary: Vocabulary, root: Path | str | None = None, *, download: bool = True
    ) -> dict[str, MinimalPairs]:
        """The sets named by ``pairs`` and ``pair_files``, in that order, as ids of ``vocabulary``.

        Args:
            vocabulary: Of the model that is to score them.
            root: Folder with ``linzen_agreement/`` and ``marvin_linzen/``; searched first.
            download: Whether to fetch what is nowhere on this machine into the user cache.

        Raises:
            DataError: If a file is missing, damaged or not of its format, or the vocabulary is of another corpus.
        """
        where = files.places(root)
        load = partial(
            load_set,
            vocabulary=vocabulary,
            max_tokens=self.max_tokens,
            where=where,
            download=download,
            data_seed=self.data_seed,
            allow_other=self.allow_other,
        )
        names = {**{name: name for name in self.pairs}, **{file_name(path): path for path in self.pair_files}}
        return {name: load(of) for name, of in names.items()}


@kept(maxsize=4)
def _load_real(setting: LanguageModelling, root: Path | str | None, where: files.Places, download: bool) -> TaskData:
    texts: dict[str, Sentences] = {}
    sha256: dict[str, str] = {}
    own: list[str] = []
    for name, theirs in SPLITS.items():
        part = read_wikitext(theirs, root, download, allow_other=setting.allow_other)
        texts[name], sha256, own = part.sentences, sha256 | part.sha256, [*own, *part.own]
    source, skipped = "real:wikitext2", {}
    if setting.corpus == "wikipedia":
        more = read_wikipedia(root, allow_other=setting.allow_other)
        tested = _tested_agreement(where, download=download, allow_other=setting.allow_other)
        source, sha256, own = "real:wikipedia", sha256 | more.sha256 | tested.sha256, [*own, *more.own, *tested.own]
        pages = [*([words] for words in texts["train"]), *more.pages]
        texts["train"], skipped = without(pages, [*texts["validation"], *texts["test"], *tested.sentences])
    tags = None
    if (setting.sentences, setting.rare_words) != ("all", "unknown"):
        tags = read_tags(where, allow_other=setting.allow_other)
        sha256, own = sha256 | tags.sha256, [*own, *tags.own]
    if setting.sentences == "present tense":
        texts["train"] = [words for words in texts["train"] if any(map(tags.shows_number, words))]
    vocabulary = _vocabulary(texts["train"], setting, tags)
    order = np.random.default_rng(ORDER_SEED).permutation(len(texts["train"]))[: setting.train_sentences]
    texts["train"] = [texts["train"][i] for i in order]
    # every split is in the words of the training text: one file of your own makes all of them your own
    return _task_data(setting, texts, vocabulary, identity.source_of(source, own), sha256, skipped)


def _vocabulary(train: Sentences, setting: LanguageModelling, tags: Tags | None) -> Vocabulary:
    """The most frequent words; with tags among their ids if rare words are to stand as such."""
    if setting.rare_words == "unknown":
        return Vocabulary.most_frequent(train, setting.vocabulary_size)
    words = Vocabulary.most_frequent(train, setting.vocabulary_size - len(tags.names)).words
    return TaggedVocabulary(words[len(SPECIALS) :], tags.names, tags.of)


def _tested_agreement(where: files.Places, *, download: bool, allow_other: bool) -> Part:
    """The sentences of Wikipedia on which agreement is tested, whatever the ``pairs`` of the setting.

    Those made from templates are found nowhere else.
    """
    options = {"download": download, "allow_other": allow_other}
    read = [read_edinburgh(name, where, **options) for name in ("wiki-dev", "wiki-test")]
    read.append(read_lm_testset(where, **options))
    sentences = [list(pair.good) for each in read for pair in each.pairs]
    sha256 = {name: digest for each in read for name, digest in each.sha256.items()}
    return Part(sentences, sha256, tuple(name for each in read for name in each.own))


@lru_cache(maxsize=4)
def _load_grammar(setting: LanguageModelling) -> TaskData:
    made = generated_sentences(setting.data_seed, setting.train_sentences or GRAMMAR_TRAIN)
    texts = {name: [list(sentence.words) for sentence in made(name)] for name in SPLITS}
    vocabulary = Vocabulary.most_frequent(texts["train"], setting.vocabulary_size)
    return _task_data(setting, texts, vocabulary, SOURCE, {}, {})


def _task_data(
    setting: LanguageModelling,
    texts: Mapping[str, Sentences],
    vocabulary: Vocabulary,
    source: str,
    sha256: Mapping[str, str],
    skipped: Mapping[str, int],
) -> TaskData:
    def make(name: str) -> Split:
        inputs, labels = cut_into_rows(map(vocabulary.encode, texts[name]), setting.max_tokens)
        return Split(inputs, labels, source)

    makers = {name: partial(make, name) for name in SPLITS}
    return TaskData(
        makers,
        classes=setting.vocabulary_size,
        sha256=sha256,
        is_sample=setting.corpus == "grammar",
        vocabulary=vocabulary,
        skipped=skipped,
    )
