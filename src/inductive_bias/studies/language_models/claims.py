"""What the paper says of language models, and the rule by which each sentence is judged; written before the results.

Differences are 95 % Welch intervals over seeds. A-acc is the unweighted mean over 0 to 4 attractors of the accuracy
with which the right form of the verb gets the higher probability, on Gulordava's subset of Linzen's test sentences.
"""

from itertools import permutations

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval
from inductive_bias.studies.claims import Claim, Finding, above, below, both, signed
from inductive_bias.studies.comparisons import finding, finite, gain
from inductive_bias.studies.language_models.design import MODELS
from inductive_bias.studies.study import Results

PAPER = "Abnar, Dehghani & Zuidema 2020"
SHEETS = f"{PAPER}, spreadsheets of the code"
FIGURE = f"{PAPER}, figures of language models"
TRANSFORMER, SMALL_TRANSFORMER, LSTM, SMALL_LSTM = MODELS


def attractor_split(results: Results) -> str:
    """The set of pairs that has attractor counts: Gulordava's, or the grammar's at scale smoke."""
    splits = set(results.rows["split"])
    return "pairs:linzen-lm" if "pairs:linzen-lm" in splits else "pairs:grammar"


def a_acc(results: Results, cell: str, baseline: str) -> Interval:
    """Difference of A-acc."""
    return gain(results, cell, baseline, attractor_split(results), "a_accuracy")


def perplexity_gain(results: Results, cell: str, baseline: str) -> Interval:
    """Difference of test perplexity; negative is better."""
    return gain(results, cell, baseline, "test", "perplexity")


def weak_teacher_harms(results: Results) -> Finding:
    """A-acc of an LSTM taught by a Transformer against the LSTM without a teacher."""
    harm = a_acc(results, f"{TRANSFORMER} → {LSTM}", LSTM)
    own = a_acc(results, f"{LSTM} → {LSTM}", LSTM)
    change = perplexity_gain(results, f"{TRANSFORMER} → {LSTM}", LSTM)
    return finding(
        below(harm), harm, "A-acc, T → LSTM minus LSTM",
        f"self-distillation {signed(own)}; perplexity {signed(change, 1)}",
    )  # fmt: skip


def self_distillation_lowers(results: Results) -> Finding:
    """Self-distillation against no teacher, in A-acc, for all four models."""
    found = {model: a_acc(results, f"{model} → {model}", model) for model in MODELS}
    parts = ", ".join(f"{model} {signed(interval)}" for model, interval in found.items())
    mildest = max(found.values(), key=lambda interval: interval.mean)
    return finding(both(*(below(i) for i in found.values())), mildest, "A-acc, the mildest of four changes", parts)


def perplexity_does_not_rank(results: Results) -> Finding:
    """Whether a model has the better perplexity and the worse A-acc than another, both beyond seed noise."""
    swapped = [
        (a, b, perplexity_gain(results, a, b), a_acc(results, a, b))
        for a, b in permutations(MODELS, 2)
        if perplexity_gain(results, a, b).high < 0 and a_acc(results, a, b).high < 0
    ]
    means = pd.DataFrame(
        [
            {name: np.mean(finite(results.values(model, *place))) for name, place in
             {"perplexity": ("test", "perplexity"), "A-acc": (attractor_split(results), "a_accuracy")}.items()}
            for model in MODELS
        ]
    )  # fmt: skip
    rank = f"{means.corr(method='spearman').iloc[0, 1]:.2f}".replace("-", "−")
    note = f"Spearman of perplexity and A-acc over the four models {rank} (−1 if perplexity ranked them)"
    if not swapped:
        return Finding("not reproduced", 0.0, np.nan, np.nan, "pairs with better perplexity and worse A-acc", note)
    a, b, worse, less = max(swapped, key=lambda item: -item[3].mean)
    note = f"{len(swapped)} such pairs; {a} against {b}: perplexity {signed(worse, 1)}; {note}"
    return finding("reproduced", less, f"A-acc, {a} − {b}", note)


def decoupled_by_a_teacher(results: Results) -> Finding:
    """A-acc and perplexity of a Transformer taught by a small LSTM against one without a teacher."""
    cell = f"{SMALL_LSTM} → {TRANSFORMER}"
    better, worse = a_acc(results, cell, TRANSFORMER), perplexity_gain(results, cell, TRANSFORMER)
    large = a_acc(results, f"{LSTM} → {TRANSFORMER}", TRANSFORMER)
    note = f"perplexity {signed(worse, 1)}; taught by the LSTM A-acc {signed(large)}"
    return finding(both(above(better), above(worse)), better, "A-acc, small LSTM → T minus T", note)


CLAIMS = (
    Claim("L8", SHEETS, "A Transformer as a teacher harms an LSTM's A-acc.", ".935 → .908", weak_teacher_harms),
    Claim("L9", SHEETS, "Self-distillation lowers A-acc in all four models.",
          "T .913 → .893, small T .925 → .913, LSTM .935 → .927, small LSTM .934 → .928", self_distillation_lowers),
    Claim("L10", FIGURE, "Perplexity does not rank agreement: one model has the better perplexity and another "
          "the better A-acc.",
          "small T against small LSTM: 55.7 against 58.7, .927 against .934", perplexity_does_not_rank),
    Claim("L11", FIGURE, "A small LSTM as teacher raises a Transformer's A-acc and its perplexity as well.",
          "≈ +.02 A-acc, ≈ +1.6 perplexity", decoupled_by_a_teacher),
)  # fmt: skip
