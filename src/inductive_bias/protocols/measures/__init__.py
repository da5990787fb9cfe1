"""What is measured of a trained model: the rows of a trial's table."""

from inductive_bias.protocols.measures.images import shift_rows
from inductive_bias.protocols.measures.language import (
    SLICE_MEANS,
    corpus_rows,
    log_likelihoods,
    pair_rows,
    pair_scores,
    perplexity,
    verb_preferences,
)
from inductive_bias.protocols.measures.mixers import mixer_rows
from inductive_bias.protocols.measures.rows import (
    COORDINATES,
    COUNT,
    NUMBERS,
    SCALAR_METRICS,
    WORDS,
    Row,
    accuracy_row,
    diverged_rows,
    logits_of,
    outputs_of,
    parameters_row,
    row,
    skipped_rows,
    split_rows,
)
from inductive_bias.protocols.measures.sentences import slice_rows

__all__ = [
    "COORDINATES",
    "COUNT",
    "NUMBERS",
    "SCALAR_METRICS",
    "SLICE_MEANS",
    "WORDS",
    "Row",
    "accuracy_row",
    "corpus_rows",
    "diverged_rows",
    "log_likelihoods",
    "logits_of",
    "mixer_rows",
    "outputs_of",
    "pair_rows",
    "pair_scores",
    "parameters_row",
    "perplexity",
    "row",
    "shift_rows",
    "skipped_rows",
    "slice_rows",
    "split_rows",
    "verb_preferences",
]
