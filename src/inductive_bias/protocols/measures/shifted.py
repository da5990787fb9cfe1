"""Rows of a model that simulates an automaton on longer words, and on words with another share of ones."""

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Int64
from torch import Tensor, nn

from inductive_bias.protocols.measures.memory import answers_of
from inductive_bias.protocols.measures.rows import Row, row
from inductive_bias.tasks import ShiftedStates, Split
from inductive_bias.tasks.automata.shifted import SHARES

#: The coordinate ``part`` of scores over positions: as far as in training, up to twice, from there on, and both.
PARTS = WITHIN, TWICE, BEYOND, LONGER = ("within", "twice", "beyond", "longer")
#: Steps of the number of ones in a word.
STEPS = 10
#: Words that are read at a time.
CHUNK = 250


def part(task: ShiftedStates, name: str) -> slice:
    """The positions, from 0, of one of :data:`PARTS`."""
    ends = {WITHIN: (0, 1), TWICE: (1, 2), BEYOND: (2, None), LONGER: (1, None)}
    first, last = ends[name]
    return slice(first * task.length, task.longest if last is None else last * task.length)


def right_states(model: nn.Module, task: ShiftedStates, split: Split) -> Bool[Tensor, "n t"]:
    """Whether the model says the state after every action, of words of one length.

    With a scratchpad it reads what it has said itself, and never the right states.
    """
    if not task.scratchpad:
        return answers_of(model, split).right[:, task.begun :] == 1
    actions, states = split.inputs[:, ::2], split.labels[:, ::2]
    chunks = zip(actions.split(CHUNK), states.split(CHUNK), strict=True)
    return torch.cat([said_alone(model, some, task.written) == right for some, right in chunks])


@torch.no_grad()
def said_alone(model: nn.Module, actions: Int64[Tensor, "n t"], written: int) -> Int64[Tensor, "n t"]:
    """The likeliest state after every action, each read again as token ``written`` + state, on the CPU.

    Token by token, in the model's present mode: ``prefill`` reads the first action, ``step`` all that follows.
    """
    actions = actions.to(next(model.parameters()).device)
    given, caches = model.prefill(actions[:, :1])
    said = [given[:, -1].argmax(-1)]
    for action in actions.T[1:]:
        _, caches = model.step(written + said[-1], caches)
        given, caches = model.step(action, caches)
        said.append(given.argmax(-1))
    return torch.stack(said, 1).cpu()


def length_rows(right: Bool[Tensor, "n t"], task: ShiftedStates, source: str) -> Iterator[Row]:
    """``accuracy`` on ``test``, by ``part`` and by ``position`` from 1; ``string_accuracy`` of whole words."""
    yield row("test", "string_accuracy", right.all(1).double().mean().item(), source)
    yield from _placed("accuracy", right.double().mean(0), task, source)


def constant_length_rows(task: ShiftedStates, source: str) -> Iterator[Row]:
    """``constant_accuracy`` in the same places: the best answer that knows the position alone, exactly."""
    yield from _placed("constant_accuracy", torch.from_numpy(task.best_constant(task.longest)), task, source)


def _placed(metric: str, by_position: Tensor, task: ShiftedStates, source: str) -> Iterator[Row]:
    for name in PARTS:
        yield row("test", metric, by_position[part(task, name)].mean().item(), source, part=name)
    for place, value in enumerate(by_position.tolist(), start=1):
        yield row("test", metric, value, source, position=place)


def share_rows(right: Bool[Tensor, "n t"], task: ShiftedStates, split: Split) -> Iterator[Row]:
    """``accuracy`` over all positions by ``share`` of ones, and by ``ones`` in a word, whatever the share.

    The number of ones is told in steps of a tenth of the length, each by its least one; ``n`` counts the words.
    """
    each, places = right.double().mean(1), split.slices["share"]
    for place, share in enumerate(task.shares):
        yield row(SHARES, "accuracy", each[places == place].mean().item(), split.source, share=share)
    wide = max(1, task.length // STEPS)
    steps = split.slices["ones"] // wide
    for step in steps.unique().tolist():
        yield row(SHARES, "accuracy", each[steps == step].mean().item(), split.source, ones=step * wide)
        yield row(SHARES, "n", float((steps == step).sum()), split.source, ones=step * wide)


def constant_share_rows(task: ShiftedStates, source: str) -> Iterator[Row]:
    """``constant_accuracy`` by ``share``: of who knows the position and the share, exactly."""
    for share in task.shares:
        yield row(SHARES, "constant_accuracy", task.best_constant(task.length, share).mean(), source, share=share)


def diverged_shift_rows(task: ShiftedStates, source: str) -> Iterator[Row]:
    """Scores of a diverged run as NaN, without those by position and by number of ones."""
    yield row("test", "string_accuracy", float("nan"), source)
    for name in PARTS:
        yield row("test", "accuracy", float("nan"), source, part=name)
    for share in task.shares:
        yield row(SHARES, "accuracy", float("nan"), source, share=share)
