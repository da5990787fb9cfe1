"""What is measured of a trained model: the rows of a trial's table."""

from inductive_bias.evaluation.images import shift_rows
from inductive_bias.evaluation.language import SLICE_MEANS, corpus_rows, log_likelihoods, pair_rows, perplexity
from inductive_bias.evaluation.mixers import layer_rows, mixer_rows
from inductive_bias.evaluation.rows import SCALAR_METRICS, Row, diverged_rows, logits_of, outputs_of, row, split_rows
from inductive_bias.evaluation.sentences import slice_rows

__all__ = [
    "SCALAR_METRICS",
    "SLICE_MEANS",
    "Row",
    "corpus_rows",
    "diverged_rows",
    "layer_rows",
    "log_likelihoods",
    "logits_of",
    "mixer_rows",
    "outputs_of",
    "pair_rows",
    "perplexity",
    "row",
    "shift_rows",
    "slice_rows",
    "split_rows",
]
