"""What the paper says of language models, and the rule by which each sentence is judged; written before the results.

A-acc is the unweighted mean over 0 to 4 attractors of the accuracy with which the right form of the verb gets the
higher probability, on Gulordava's subset of Linzen's test sentences. The smallest effect worth the name is half of the
paper's; of perplexity it is taken as a ratio, as the texts differ.

All four claims are about agreement. A model that is wrong more often than not behind a single attractor follows the
nearest noun: its A-acc falls the better it does so. Such a model has no agreement that could be harmed, ranked or lent.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import log

from inductive_bias.studies.claims import Claim, Finding
from inductive_bias.studies.design import NO_TEACHER, Cell
from inductive_bias.studies.language_models.design import LSTM, MODELS, SMALL_LSTM, SMALL_TRANSFORMER, TRANSFORMER
from inductive_bias.studies.language_models.measures import (
    CHANCE,
    LOG_PERPLEXITY,
    agreement,
    behind_one,
    change,
    of_paper,
    rank_of_perplexity,
)
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, Judgement, all_of, any_of, exceeds, given, half_of, opposed

SHEETS = "Abnar, Dehghani & Zuidema 2020, spreadsheets in the history of the code"
FIGURE = "Abnar, Dehghani & Zuidema 2020, figures of language models on the author's blog"


def weak_teacher_harms(results: Results) -> Finding:
    """An LSTM taught by a Transformer against one taught by an LSTM: same first weights, batches and steps."""
    taught, twin = (Cell(model=LSTM, teacher=teacher) for teacher in (TRANSFORMER, LSTM))
    harm = change(results, agreement(results)[0], twin, taught)
    least = half_of(_paper_a_acc(results, twin) - _paper_a_acc(results, taught))
    alone = change(results, agreement(results)[0], Cell(model=LSTM, teacher=NO_TEACHER), taught)
    return Finding(_if_known(results, [LSTM], lambda: exceeds(harm, least)), note=_words(harm, alone))


def self_distillation_lowers(results: Results) -> Finding:
    """Every model against its students of its own kind, student by student."""
    parts, losses = [], []
    for model in MODELS:
        alone, taught = (Cell(model=model, teacher=teacher) for teacher in (NO_TEACHER, model))
        # a student first: pairing is by its teacher
        losses.append(change(results, agreement(results)[0], taught, alone).reversed(results.design.name(taught)))
        least = half_of(_paper_a_acc(results, alone) - _paper_a_acc(results, taught))
        parts.append(_if_known(results, [model], lambda loss=losses[-1], least=least: exceeds(loss, least)))
    return Finding(all_of(parts), note=f"lost: {_words(*losses)}")


def perplexity_does_not_rank(results: Results) -> Finding:
    """Two models of which one has the better perplexity and the other the better A-acc, corrected for the six pairs."""
    first, second = SMALL_TRANSFORMER, SMALL_LSTM
    least = (
        half_of(log(of_paper(results, "perplexity", first) / of_paper(results, "perplexity", second))),
        half_of(of_paper(results, "a_accuracy", first) - of_paper(results, "a_accuracy", second)),
    )

    def swapped(*models: str) -> Judgement:
        cells = [Cell(model=model, teacher=NO_TEACHER) for model in models]
        worse, agrees = (change(results, name, *cells) for name in (LOG_PERPLEXITY, agreement(results)[0]))
        return opposed(worse.reversed(), agrees, least)

    judgement = any_of(
        _if_known(results, pair, lambda pair=pair: swapped(*pair), shown=MODELS) for pair in combinations(MODELS, 2)
    )
    order = rank_of_perplexity(results, agreement(results)[0])
    return Finding(judgement, note=f"{_words(order)} (−1 if perplexity ranked them)")


def decoupled_by_a_teacher(results: Results) -> Finding:
    """A Transformer taught by a small LSTM against one taught by its own kind: same first weights, batches and steps.

    Of the paper's self-distilled Transformer no perplexity is known: half of the rise against no teacher is asked.
    """
    taught, twin = (Cell(model=TRANSFORMER, teacher=teacher) for teacher in (SMALL_LSTM, TRANSFORMER))
    a_acc = agreement(results)[0]
    better, worse = (change(results, name, taught, twin) for name in (a_acc, LOG_PERPLEXITY))
    lent = change(results, a_acc, *(Cell(model=model, teacher=NO_TEACHER) for model in (SMALL_LSTM, TRANSFORMER)))
    least = half_of(_paper_a_acc(results, taught) - _paper_a_acc(results, twin))
    most = half_of(
        log(of_paper(results, "perplexity", **taught) / of_paper(results, "perplexity", TRANSFORMER)),
    )
    judgement = given(
        lent.estimate > 0,
        f"the teacher has no A-acc to lend: {_words(lent)}",
        _if_known(results, [SMALL_LSTM], lambda: all_of([exceeds(better, least), exceeds(worse, most)])),
    )
    return Finding(judgement, note=_words(better, worse))


def _if_known(
    results: Results, models: Sequence[str], judge: Callable[[], Judgement], *, shown: Sequence[str] = ()
) -> Judgement:
    """The judgement, if one of the models (without a teacher) is right more often than not behind one attractor."""
    found = {model: behind_one(results, model) for model in shown or models}
    listed = ", ".join(f"{model} {value:.3f}" for model, value in found.items())
    return given(
        max(found[model] for model in models) > CHANCE,
        f"behind one attractor the nearest noun is followed, right are {listed}",
        judge,
    )


def _paper_a_acc(results: Results, cell: Cell) -> float:
    return of_paper(results, "a_accuracy", **cell)


def _words(*contrasts: Contrast) -> str:
    return "; ".join(f"{each.name} {each} {each.unit}" for each in contrasts)


CLAIMS = (
    Claim("L8", SHEETS, "A Transformer as a teacher harms an LSTM's A-acc more than teaching by its own kind does.",
          ".935 alone, .908 taught by a Transformer, .927 by its own kind", weak_teacher_harms),
    Claim("L9", SHEETS, "Self-distillation lowers A-acc in all four models.",
          "Transformer .913 → .893, small .925 → .913, LSTM .935 → .927, small .934 → .928", self_distillation_lowers),
    Claim("L10", FIGURE, "Perplexity does not rank agreement: one model has the better perplexity and another "
          "the better A-acc.",
          "small Transformer against small LSTM: perplexity 55.7 against 58.7, A-acc .927 against .934",
          perplexity_does_not_rank),
    Claim("L11", FIGURE, "A small LSTM as teacher raises a Transformer's A-acc and its perplexity as well.",
          "≈ +.02 A-acc, ≈ +1.6 perplexity, against no teacher", decoupled_by_a_teacher),
)  # fmt: skip
