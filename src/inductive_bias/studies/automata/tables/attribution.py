"""Attributions of trained models: their scores, what deletion in their order does, and a few words that show them."""

from collections.abc import Iterator

import pandas as pd
import torch
from torch import Tensor, nn

from inductive_bias.analysis import attribution
from inductive_bias.studies.automata.design import ATTENTION
from inductive_bias.studies.automata.measures.depth import TRAINED, UNTRAINED
from inductive_bias.studies.automata.measures.explanation import (
    DELETION,
    EXAMPLES,
    GAP,
    GRADIENT,
    INTEGRATED,
    OCCLUSION,
    RANDOM,
    RAW,
    ROLLOUT,
    SCORES,
    TRUTH,
)
from inductive_bias.studies.automata.tables.attribution_scores import by_chance, incompleteness, scores
from inductive_bias.studies.automata.tables.explained_words import Words, compared, effects, explained, groups, together
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.trials import Trial

#: Columns of the tables, written out, for no word may be left.
COLUMNS = {
    SCORES: ["trial", "when", "method", "score", "value", "words"],
    DELETION: ["trial", "method", "replaced", "probability", "beaten"],
    EXAMPLES: ["trial", "word", "position", "action", "method", "value"],
}
#: Words whose positions are deleted, and words that the page shows.
DELETED_WORDS, SHOWN_WORDS = 100, 3
#: Random orders, and drawings of other actions for each order of a method.
ORDERS, DRAWINGS = 100, 20


def attributions(model: nn.Module, name: str, actions: int, words: Words) -> dict[str, Tensor]:
    """Attributions by every method that a model has, by its name: ``[n, t]``, with signs."""
    given = model, words.tokens, words.states
    baseline = attribution.mean_embedding(model, actions)
    found = {
        OCCLUSION: attribution.occlusion(*given, actions),
        INTEGRATED: attribution.integrated_gradients(*given, baseline),
        GRADIENT: attribution.gradient_times_input(*given),
    }
    if name == ATTENTION:
        found[RAW] = attribution.attention_of_last(model, words.tokens)
        found[ROLLOUT] = attribution.attention_rollout(model, words.tokens)
    return found


def attribution_scores(runs: Runs) -> pd.DataFrame:
    """Scores of every model and method, trained and with first weights: ``trial, when, method, score, value, words``.

    Scores are those of :func:`.attribution_scores.scores`, and ``gap`` of integrated gradients
    (:func:`.attribution_scores.incompleteness`). ``words`` are those that were left. The method ``random order``
    has its expectation.
    """
    rows = []
    for trials, words in _explained(runs):
        task = trials[0].task
        truth = effects(task, words)
        for trial, model, when in _models(runs, trials):
            name, actions = _name(runs, trial), len(task.machine.actions)
            found = attributions(model, name, actions, words)
            known = {method: scores(values, words, found[OCCLUSION], truth) for method, values in found.items()}
            known[INTEGRATED][GAP] = incompleteness(model, actions, words, found[INTEGRATED])
            known[RANDOM] = by_chance(words, truth)
            rows += [
                (trial.id, when, method, score, value, len(words.tokens))
                for method, values in known.items()
                for score, value in values.items()
            ]
    return pd.DataFrame(rows, columns=COLUMNS[SCORES])


def deletion(runs: Runs) -> pd.DataFrame:
    """The probability of the right state after so many positions were replaced by other actions, the largest first.

    Columns ``trial, method, replaced, probability, beaten``: means over words, and over drawings of the actions that
    are put in; ``beaten`` is the share of random orders that leave a higher probability. ``random order`` is the mean
    over all of these orders.
    """
    rows = []
    for trials, every in _explained(runs):
        words = every.first(DELETED_WORDS)
        actions = len(trials[0].task.machine.actions)
        for trial in trials:
            model = runs.model(trial)
            generator = torch.Generator().manual_seed(trial.seed)
            orders = torch.rand(ORDERS, *words.tokens.shape, generator=generator).argsort(2)
            shuffled = _curves(model, words, actions, orders, generator)
            curves = {RANDOM: shuffled.mean(0)}
            for method, values in attributions(model, _name(runs, trial), actions, words).items():
                order = values.abs().argsort(dim=1, descending=True, stable=True)
                curves[method] = _curves(model, words, actions, order.expand(DRAWINGS, -1, -1), generator).mean(0)
            rows += [
                {
                    "trial": trial.id,
                    "method": method,
                    "replaced": count,
                    "probability": value,
                    "beaten": (shuffled[:, count] > value).double().mean().item(),
                }
                for method, curve in curves.items()
                for count, value in enumerate(curve.tolist())
            ]
    return pd.DataFrame(rows, columns=COLUMNS[DELETION])


def _curves(model: nn.Module, words: Words, actions: int, orders: Tensor, generator: torch.Generator) -> Tensor:
    """The mean deletion curve over words of every order, with other actions of its own: ``[orders, t + 1]``."""
    found = []
    for order in orders:
        instead = attribution.other_actions(words.tokens, actions, generator)
        found.append(attribution.deletion_curve(model, words.tokens, words.states, order, instead).mean(0))
    return torch.stack(found)


def examples(runs: Runs) -> pd.DataFrame:
    """A few words of the first number: ``trial, word, position, action, method, value``, with signs.

    The method ``the automaton`` is :func:`effects`.
    """
    rows = []
    for trials, every in _explained(runs):
        task, words = trials[0].task, every.first(SHOWN_WORDS)
        truth, actions = effects(task, words), len(task.machine.actions)
        for trial in trials:
            found = {TRUTH: truth} | attributions(runs.model(trial), _name(runs, trial), actions, words)
            rows += [
                {
                    "trial": trial.id,
                    "word": word,
                    "position": place,
                    "action": int(token) - 1,
                    "method": method,
                    "value": values[word, place].item(),
                }
                for method, values in found.items()
                for word, tokens in enumerate(words.tokens)
                for place, token in enumerate(tokens)
            ]
    return pd.DataFrame(rows, columns=COLUMNS[EXAMPLES])


def _explained(runs: Runs) -> Iterator[tuple[list[Trial], Words]]:
    """Models that are compared, and their words, if any is left."""
    for trials in groups(runs):
        words = explained(runs, trials)
        if len(words.tokens):
            yield trials, words


def _models(runs: Runs, trials: list[Trial]) -> Iterator[tuple[Trial, nn.Module, str]]:
    for trial in trials:
        yield trial, runs.model(trial), TRAINED
        yield trial, runs.untrained(trial), UNTRAINED


def _name(runs: Runs, trial: Trial) -> str:
    return runs.design.members(runs.scale)[trial.id][0]["model"]


def _first_number(runs: Runs) -> list[Trial]:
    return [trial for trial in compared(runs) if trial.seed == 0]


TABLES = {
    SCORES: Table(attribution_scores, uses=compared, group=together),
    DELETION: Table(deletion, uses=compared, group=together),
    EXAMPLES: Table(examples, uses=_first_number, group=together),
}
