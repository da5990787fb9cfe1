"""What the paper says of language models, and the rule by which each sentence is judged.

A-acc is the unweighted mean over 0 to 4 attractors of the accuracy with which the right form of the verb gets the
higher probability, on Gulordava's subset of Linzen's test sentences. The smallest effect worth the name is half of the
paper's; of perplexity it is taken as a ratio, as the texts differ.

All four claims are about agreement in a real language, and are judged on real text alone (:func:`.measures.real_text`).
Two things must hold before one of them can be tested:

- *Models know agreement.* A model knows it if it is right more often than not behind a single attractor, and its A-acc
  is below ``CEILING``. A model that is wrong more often than not follows the nearest noun, and its A-acc falls the
  better it does so. Above the ceiling next to nothing is left that could be lost, gained or ranked.
- *They have learnt the text*: their perplexity is at most ``MOST_BEHIND_BEST`` times that of the best model on it.

Three more must hold for a sentence about teachers. A teacher that harms must agree less, and one that helps must agree
more. And a student of its own kind must have learnt what its teacher says, or its optimiser has caused the loss: its
perplexity is at most ``MOST_BEHIND_TEACHER`` above its teacher's.

The rules were written anew when all runs on the first three texts had been seen: L9 and L10 were judged before on
sentences of a generated grammar, of which three of four models get .98 or more right. ``corrections.csv`` has the rules
before. The text of 2,000 words came later, and no rule was changed for it. Its searches, six runs of each model and
four of each student were declared on 29 November 2026, before any of them. Pilots with a seed of their own had shown
that a Transformer knows agreement after it, and that an LSTM with embeddings of σ = .05 does not. The students ran on
30 November 2026. Until then L8, L9 and L11 were judged on WikiText-2.

On that text two conditions fail by little: the small Transformer has 1.102 times the perplexity of the best model, and
the small LSTM is right behind one attractor in .46. Declared on 30 November 2026, before any of these runs: the models
are trained once more on that text and with its schedule, half as wide again (96, 48, 192 and 96). They get a search of
their own with the grid of that text, six runs of each model and four of each student. L8 to L11 are then judged on
these runs, once, by the rules as they are. Pilots with one seed (100) had shown for the small LSTM a perplexity of 53.6
and .65 behind one attractor, for the LSTM 51.4 and .71, for the small Transformer 55.0 and .71 at a rate of .004 (57.8
and .55 at .008). Twice the sentences at the old widths had been tried before: there the small LSTM had .50.

The wider models alone ran on 30 November 2026, and L10 was judged by them. Their students were started after that, by
the plan above: at rates and dropouts that a search of their own chose on validation, and with nothing else changed.
"""

from collections.abc import Iterable
from functools import partial
from itertools import combinations
from math import exp, log

from inductive_bias.errors import NoRunsError
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.design import NO_TEACHER, Cell, Level
from inductive_bias.studies.language_models import measures
from inductive_bias.studies.language_models.design import (
    FREQUENT,
    LSTM,
    MODELS,
    PAIRS,
    SMALL_LSTM,
    SMALL_TRANSFORMER,
    TRANSFORMER,
    WIDER,
    cell,
)
from inductive_bias.studies.language_models.measures import CHANCE, LOG_PERPLEXITY
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast, HalfOf, Judgement, all_of, any_of, exceeds, given_all, opposed, untestable

SHEETS = "Abnar, Dehghani & Zuidema 2020, spreadsheets in the history of the code"
FIGURE = "Abnar, Dehghani & Zuidema 2020, figures of language models on the author's blog"

#: From this A-acc on a model has next to nothing left to lose or to gain: it makes about half of the errors of the
#: paper's best run (.943), or fewer.
CEILING = 0.97
#: The largest perplexity of a model that has learnt a text, by that of the best model on it: about twice the distance
#: of the paper's worst from its best (55.7 and 58.7, 5 per cent).
MOST_BEHIND_BEST = 1.1
#: The largest mean log ratio of a student's perplexity to that of its teacher of its own kind: 5 per cent.
MOST_BEHIND_TEACHER = log(1.05)
#: By so much a teacher must raise perplexity above teaching by the student's own kind (L11): 1 per cent, a number of
#: our own, for the paper has none.
PERPLEXITY_RAISED = log(1.01)
#: Models alone whose text judges L10.
RANKED = [(LSTM, NO_TEACHER), (TRANSFORMER, NO_TEACHER)]


def weak_teacher_harms(results: Results) -> Finding:
    """L8: an LSTM taught by a Transformer against one taught by an LSTM: same first weights, batches and steps."""
    wanted = [(LSTM, NO_TEACHER), (TRANSFORMER, NO_TEACHER), (LSTM, LSTM), (LSTM, TRANSFORMER)]
    text = measures.real_text(results, wanted)
    alone, teacher, own, taught = (cell(*each, text=text) for each in wanted)
    harm, least = _in_a_acc(results, own, taught)
    weaker, _ = _in_a_acc(results, alone, teacher)
    conditions = [
        _one_knows(results, text, [LSTM]),
        _all_have_read(results, text, [LSTM, TRANSFORMER]),
        (weaker.estimate > 0, f"the Transformer has no less A-acc to teach ({in_words(weaker, units=True)})"),
        _all_learn_from_own_kind(results, text, [LSTM]),
    ]
    judgement = given_all(conditions, exceeds(harm, least))
    return Finding(judgement, note=in_words(harm, _in_a_acc(results, alone, taught)[0], units=True))


def self_distillation_lowers(results: Results) -> Finding:
    """L9: every model against its students of its own kind, each student against its own teacher."""
    wanted = [(model, teacher) for model in MODELS for teacher in (NO_TEACHER, model)]
    text = measures.real_text(results, wanted)
    losses = {model: _in_a_acc(results, cell(model, text=text), cell(model, model, text=text)) for model in MODELS}

    def judged(model: Level) -> Judgement:
        conditions = [each(results, text, [model]) for each in (_one_knows, _all_have_read, _all_learn_from_own_kind)]
        return given_all(conditions, exceeds(*losses[model]))

    parts = [judged(model) for model in MODELS]
    return Finding(all_of(parts), note=in_words(*(loss for loss, _ in losses.values()), units=True))


def perplexity_does_not_rank(results: Results) -> Finding:
    """L10: two models of which one has the better perplexity and the other the better A-acc, corrected for six pairs.

    Margins are half of the paper's effects for the paper's own pair, the small Transformer and the small LSTM. Of every
    other pair the same sizes are asked as absolute margins: there they are no effect of the paper. One of the two must
    know agreement, and both must have learnt the text; a pair of which a model has no run tests nothing.
    """
    text = measures.real_text(results, RANKED)
    names = LOG_PERPLEXITY, measures.a_acc_of(results, text)
    theirs = SMALL_TRANSFORMER, SMALL_LSTM
    least = tuple(
        measures.half_of_paper(results, name, *(cell(model, text=text) for model in theirs)) for name in names
    )

    def swapped(pair: tuple[Level, Level]) -> Judgement:
        worse, agrees = (measures.change(results, name, *(cell(each, text=text) for each in pair)) for name in names)
        return opposed(worse.reversed(), agrees, least if pair == theirs else tuple(map(float, least)))

    def of(pair: tuple[Level, Level]) -> Judgement:
        try:
            results.need(*(cell(model, text=text) for model in pair))
        except NoRunsError as error:  # another pair may break the ranking
            return untestable(str(error))
        conditions = [each(results, text, pair) for each in (_one_knows, _all_have_read)]
        return given_all(conditions, lambda: swapped(pair))

    order = measures.rank_of_perplexity(results, names[1], text=text)
    note = f"{in_words(order, units=True)} (−1 if perplexity ranked them)"
    return Finding(any_of(of(pair) for pair in combinations(MODELS, 2)), note=note)


def decoupled_by_a_teacher(results: Results) -> Finding:
    """L11: a Transformer taught by a small LSTM, against the same alone, and against one taught by its own kind.

    Against no teacher both rises are those of the paper, and half of each is asked. That it is *this* teacher is the
    control, against the student of its own kind, which has the same first weights, batches and steps: in A-acc the
    paper has that difference, too; of perplexity it has none, and ``PERPLEXITY_RAISED`` is asked.
    """
    wanted = [(TRANSFORMER, NO_TEACHER), (SMALL_LSTM, NO_TEACHER)]
    wanted += [(TRANSFORMER, TRANSFORMER), (TRANSFORMER, SMALL_LSTM)]
    text = measures.real_text(results, wanted)
    alone, teacher, own, taught = (cell(*each, text=text) for each in wanted)
    agrees, agrees_more = _in_a_acc(results, taught, alone), _in_a_acc(results, taught, own)
    worse, worse_than_own = (measures.change(results, LOG_PERPLEXITY, taught, each) for each in (alone, own))
    most = measures.half_of_paper(results, LOG_PERPLEXITY, taught, alone)
    teacher_lead, _ = _in_a_acc(results, teacher, alone)

    conditions = [
        _one_knows(results, text, [SMALL_LSTM]),
        _all_have_read(results, text, [SMALL_LSTM, TRANSFORMER]),
        (teacher_lead.estimate > 0, f"the teacher has no A-acc to pass on ({in_words(teacher_lead, units=True)})"),
        _all_learn_from_own_kind(results, text, [TRANSFORMER]),
    ]
    rises = exceeds(*agrees), exceeds(worse, most)
    rises_more = exceeds(*agrees_more), exceeds(worse_than_own, PERPLEXITY_RAISED)
    judgement = given_all(conditions, all_of([*rises, *rises_more]))
    return Finding(judgement, note=in_words(agrees[0], worse, agrees_more[0], worse_than_own, units=True))


def _in_a_acc(results: Results, one: Cell, other: Cell) -> tuple[Contrast, HalfOf]:
    """``one`` − ``other`` in A-acc, and half of what the paper has of the same two."""
    a_acc = measures.a_acc_of(results, one["text"])
    return measures.change(results, a_acc, one, other), measures.half_of_paper(results, a_acc, one, other)


def _one_knows(results: Results, text: Level, models: Iterable[Level]) -> tuple[bool, str]:
    """Whether one of the models, without a teacher, knows agreement and is not at the ceiling, and why not."""
    at = measures.place(measures.a_acc_of(results, text))
    behind = at | {"metric": "accuracy", "attractors": 1}
    found = {
        model: (_mean(results, behind, model, text), _mean(results, at, model, text)) for model in _there(results, text)
    }
    known = any(found[model][0] > CHANCE and found[model][1] < CEILING for model in models)
    listed = ", ".join(f"{model} {one:.3f} and {whole:.3f}" for model, (one, whole) in found.items())
    reason = (
        f"too few verbs are right behind one attractor on {text}, where above {CHANCE:g} is asked, or A-acc is at its "
        f"ceiling, where below {CEILING:g} is asked ({listed})"
    )
    return known, reason


def _all_have_read(results: Results, text: Level, models: Iterable[Level]) -> tuple[bool, str]:
    """Whether all of these models, without a teacher, have learnt the text about as well as the best, and why not."""
    at = measures.place(LOG_PERPLEXITY)
    found = {model: _mean(results, at, model, text) for model in _there(results, text)}
    ratios = {model: exp(found[model] - min(found.values())) for model in models}
    late = ", ".join(f"{model} {ratio:.3f}" for model, ratio in ratios.items() if ratio > MOST_BEHIND_BEST)
    asked = f"perplexity by that of the best model there, at most {MOST_BEHIND_BEST:g} asked"
    return not late, f"{text} has not been learnt: {asked}, {late}"


def _there(results: Results, text: Level) -> list[Level]:
    return [model for model in MODELS if cell(model, text=text) in results.cells]


def _mean(results: Results, at: dict[str, object], model: Level, text: Level) -> float:
    """Mean over the runs of a model alone; a run that diverged has learnt nothing, and is not left out."""
    own = cell(model, text=text)
    lost = measures.guess(results, LOG_PERPLEXITY if at["metric"] == "nll" else "", own)
    return float(results.values(**at, **own).fillna(lost).mean())


def _all_learn_from_own_kind(results: Results, text: Level, models: Iterable[Level]) -> tuple[bool, str]:
    """Whether students of their own kind predict words about as well as their teachers, and why not."""
    behind = [
        measures.change(results, LOG_PERPLEXITY, cell(model, model, text=text), cell(model, text=text))
        for model in models
    ]
    learnt = all(each.estimate <= MOST_BEHIND_TEACHER for each in behind)
    return learnt, f"a student has not learnt what its teacher says ({in_words(*behind, units=True)})"


def regime(results: Results, wanted: Iterable[tuple[Level, Level]]) -> str:
    """The text that judges a claim about these models and teachers, its passes, widths and runs, in words."""
    text = measures.real_text(results, wanted)
    trials = results.trials[results.trials["text"] == text]
    epochs, widths = trials["schedule.epochs"].max(), trials["model.width"]
    passes = "once" if epochs == 1 else f"{epochs} times"
    runs = min(results.runs(**cell(*each, text=text))[0] for each in wanted)
    sizes = f"widths {widths.min()} to {widths.max()} (256 to 1,024)"
    read = FREQUENT if text == WIDER else text
    return f"{read} read {passes} (paper: 60), {sizes}, {runs} runs"


REGIME = partial(regime, wanted=PAIRS)
CLAIMS = (
    Claim(
        "L8",
        "recurrence/opinions",
        SHEETS,
        "A Transformer as teacher lowers an LSTM's A-acc more than an LSTM as teacher does.",
        ".935 alone, .908 taught by a Transformer, .927 by its own kind",
        weak_teacher_harms,
        regime=REGIME,
    ),
    Claim(
        "L9",
        "recurrence/opinions",
        SHEETS,
        "Self-distillation lowers A-acc in all four language models.",
        "Transformer .913 → .893, small .925 → .913, LSTM .935 → .927, small .934 → .928",
        self_distillation_lowers,
        regime=REGIME,
    ),
    Claim(
        "L10",
        "recurrence/perplexity",
        FIGURE,
        "Perplexity does not rank agreement: one model has the better perplexity and another the better A-acc.",
        "small Transformer against small LSTM: perplexity 55.7 against 58.7, A-acc .927 against .934",
        perplexity_does_not_rank,
        regime=partial(regime, wanted=RANKED),
    ),
    Claim(
        "L11",
        "recurrence/opinions",
        FIGURE,
        "A small LSTM as teacher raises a Transformer's A-acc and its perplexity, both more than a teacher "
        "of the Transformer's own kind does.",
        "≈ +.02 A-acc, ≈ +1.6 perplexity, against no teacher",
        decoupled_by_a_teacher,
        regime=REGIME,
    ),
)
