"""Sentences of the agreement grammar for language models: text, and pairs with an exact number of attractors."""

from collections.abc import Callable, Sequence

from inductive_bias.tasks.grammar.sentences import Sentence
from inductive_bias.tasks.grammar.task import SOURCE, GeneratedAgreement
from inductive_bias.tasks.pairs.encoding import WordPair, WordPairs

__all__ = ["SOURCE", "generated_sentences", "grammar_pairs"]


def generated_sentences(data_seed: int, train_sentences: int = 1) -> Callable[[str], Sequence[Sentence]]:
    """``train``, ``validation``, ``test`` or ``attractors`` of the classification task, as whole sentences.

    What is held out depends on ``data_seed`` alone, and no training sentence has the words before its main verb in
    common with a held-out one; so no sentence of a pair is in the training text, right or wrong.
    """
    return GeneratedAgreement(data_seed=data_seed, train_size=train_sentences).sentences


def grammar_pairs(data_seed: int) -> WordPairs:
    """The sentences with 0 to 4 attractors, as many of each; slices ``attractors`` and ``distance``."""
    return WordPairs(
        [
            WordPair(
                row,
                list(sentence.words),
                list(sentence.wrong_words),
                {"attractors": sentence.attractors, "distance": sentence.distance},
            )
            for row, sentence in enumerate(generated_sentences(data_seed)("attractors"), start=1)
        ]
    )
