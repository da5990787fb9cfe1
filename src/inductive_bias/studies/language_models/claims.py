"""What the paper says of language models, and the rule by which each sentence is judged; written before the results.

A-acc is the unweighted mean over 0 to 4 attractors of the accuracy with which the right form of the verb gets the
higher probability, on Gulordava's subset of Linzen's test sentences. The smallest effect worth the name is half of the
paper's; of perplexity it is taken as a ratio, as the texts differ.

All four claims are about agreement. A model that is wrong more often than not behind a single attractor follows the
nearest noun: its A-acc falls the better it does so. Such a model has no agreement that could be harmed, ranked or lent.

Three more things must hold before a sentence about teachers can be tested. Who harms must have less to give, and who
lends must have more. And a student of its own kind must have learnt what its teacher says, or whatever is lost is lost
to its optimiser: its perplexity is at most ``LEARNT`` above its teacher's.

All of this is judged on the last text on which there is every model and every pair (:func:`.measures.judged`).
"""

from collections.abc import Callable, Iterable
from itertools import combinations
from math import log

from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.language_models import measures
from inductive_bias.studies.language_models.design import LSTM, MODELS, SMALL_LSTM, SMALL_TRANSFORMER, TRANSFORMER
from inductive_bias.studies.language_models.measures import CHANCE, LOG_PERPLEXITY
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, Judgement, all_of, any_of, exceeds, given, opposed

SHEETS = "Abnar, Dehghani & Zuidema 2020, spreadsheets in the history of the code"
FIGURE = "Abnar, Dehghani & Zuidema 2020, figures of language models on the author's blog"


#: The largest mean log ratio of a student's perplexity to that of its teacher of its own kind: 5 per cent.
LEARNT = log(1.05)


def weak_teacher_harms(results: Results) -> Finding:
    """An LSTM taught by a Transformer against one taught by an LSTM: same first weights, batches and steps."""
    alone, own, taught = (measures.cell_of(results, LSTM, teacher) for teacher in (NO_TEACHER, LSTM, TRANSFORMER))
    harm, least = _in_a_acc(results, own, taught)
    weaker, _ = _in_a_acc(results, alone, measures.cell_of(results, TRANSFORMER))
    judgement = given(
        weaker.estimate > 0, f"the Transformer has no less A-acc to teach ({in_words(weaker, units=True)})",
        _if_learnt(results, [LSTM], lambda: exceeds(harm, least)),
    )  # fmt: skip
    judgement = _if_known(results, [LSTM], lambda: judgement)
    return Finding(judgement, note=in_words(harm, _in_a_acc(results, alone, taught)[0], units=True))


def self_distillation_lowers(results: Results) -> Finding:
    """Every model against its students of its own kind, each student against its own teacher."""
    losses = {}
    for model in MODELS:
        losses[model] = _in_a_acc(results, measures.cell_of(results, model), measures.cell_of(results, model, model))

    def judged(model: Level) -> Judgement:
        return _if_learnt(results, [model], lambda: exceeds(*losses[model]))

    parts = [_if_known(results, [model], lambda model=model: judged(model)) for model in MODELS]
    return Finding(all_of(parts), note=in_words(*(loss for loss, _ in losses.values()), units=True))


def perplexity_does_not_rank(results: Results) -> Finding:
    """Two models of which one has the better perplexity and the other the better A-acc, corrected for the six pairs."""
    theirs = [measures.cell_of(results, model) for model in (SMALL_TRANSFORMER, SMALL_LSTM)]
    names = LOG_PERPLEXITY, measures.agreement(results)[0]
    least = tuple(measures.half_of_paper(results, name, *theirs) for name in names)

    def swapped(pair: Iterable[Level]) -> Judgement:
        cells = [measures.cell_of(results, model) for model in pair]
        worse, agrees = (measures.change(results, name, *cells) for name in names)
        return opposed(worse.reversed(), agrees, least)

    pairs = combinations(MODELS, 2)
    judgement = any_of(_if_known(results, pair, lambda pair=pair: swapped(pair)) for pair in pairs)
    order = measures.rank_of_perplexity(results, names[1])
    return Finding(judgement, note=f"{in_words(order, units=True)} (−1 if perplexity ranked them)")


def decoupled_by_a_teacher(results: Results) -> Finding:
    """A Transformer taught by a small LSTM against one taught by its own kind: same first weights, batches and steps.

    Of the paper's self-distilled Transformer no perplexity is known: half of the rise against no teacher is asked.
    """
    teachers = NO_TEACHER, TRANSFORMER, SMALL_LSTM
    alone, own, taught = (measures.cell_of(results, TRANSFORMER, teacher) for teacher in teachers)
    better, worse = _in_a_acc(results, taught, own), measures.change(results, LOG_PERPLEXITY, taught, own)
    most = measures.half_of_paper(results, LOG_PERPLEXITY, taught, alone)
    lent, _ = _in_a_acc(results, measures.cell_of(results, SMALL_LSTM), alone)

    def judged() -> Judgement:
        return _if_learnt(results, [TRANSFORMER], lambda: all_of([exceeds(*better), exceeds(worse, most)]))

    known = _if_known(results, [SMALL_LSTM], judged)
    judgement = given(lent.estimate > 0, f"the teacher has no A-acc to lend ({in_words(lent, units=True)})", known)
    return Finding(judgement, note=in_words(better[0], worse, units=True))


def _in_a_acc(results: Results, cell: Cell, other: Cell) -> tuple[Contrast, float]:
    """``cell`` − ``other`` in A-acc, and half of what the paper has."""
    a_acc = measures.agreement(results)[0]
    return measures.change(results, a_acc, cell, other), measures.half_of_paper(results, a_acc, cell, other)


def _if_known(results: Results, models: Iterable[Level], judge: Callable[[], Judgement]) -> Judgement:
    """The judgement, if one of the models (without a teacher) is right more often than not behind one attractor."""
    at = measures.place(measures.agreement(results)[0]) | {"metric": "accuracy", "attractors": 1}
    found = {model: float(results.values(**at, **measures.cell_of(results, model)).mean(skipna=False))
             for model in MODELS}  # fmt: skip
    listed = ", ".join(f"{model} {value:.3f}" for model, value in found.items())
    known = any(found[model] > CHANCE for model in models)
    return given(known, f"too few verbs are right behind one attractor ({listed}): the nearest noun is followed", judge)


def _if_learnt(results: Results, models: Iterable[Level], judge: Callable[[], Judgement]) -> Judgement:
    """The judgement, if students of their own kind predict words about as well as their teachers."""
    behind = [
        measures.change(
            results, LOG_PERPLEXITY, measures.cell_of(results, model, model), measures.cell_of(results, model)
        )
        for model in models
    ]
    learnt = all(each.estimate <= LEARNT for each in behind)
    return given(learnt, f"a student has not learnt what its teacher says ({in_words(*behind, units=True)})", judge)


CLAIMS = (
    Claim("L8", "recurrence/opinions",
          SHEETS, "A Transformer as a teacher harms an LSTM's A-acc more than teaching by its own kind does.",
          ".935 alone, .908 taught by a Transformer, .927 by its own kind", weak_teacher_harms),
    Claim("L9", "recurrence/opinions",
          SHEETS, "Self-distillation lowers A-acc in all four models.",
          "Transformer .913 → .893, small .925 → .913, LSTM .935 → .927, small .934 → .928", self_distillation_lowers),
    Claim("L10", "recurrence/perplexity",
          FIGURE, "Perplexity does not rank agreement: one model has the better perplexity and another "
          "the better A-acc.",
          "small Transformer against small LSTM: perplexity 55.7 against 58.7, A-acc .927 against .934",
          perplexity_does_not_rank),
    Claim("L11", "recurrence/opinions",
          FIGURE, "A small LSTM as teacher raises a Transformer's A-acc and its perplexity as well.",
          "≈ +.02 A-acc, ≈ +1.6 perplexity, against no teacher", decoupled_by_a_teacher),
)  # fmt: skip
