"""Whether a model from outside sees what it should predict: inputs are changed at every place, and outputs compared.

A model only says that it is causal. One that is not learns the answers from the inputs, and its perplexity is near 1.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from inductive_bias.seeding import seeded

#: What a model answers, by name, such as its logits and its states: each ``[b, t, …]``.
Answers = Callable[[nn.Module, Tensor], Mapping[str, Tensor]]
#: So many examples are read at a time, each changed at a place of its own.
ROWS = 8
#: Of a longer sequence the first and last places are tried, and others between them, so many in all.
MOST_PLACES = 128
#: Weights are moved by normal noise of this size too: a path that starts at zero would hide what it will learn to see.
NOISE = 0.1
#: The padding of every task with sentences of different lengths.
PAD = 0
#: What every message about foresight begins with.
SAID_CAUSAL = "the model says that it is causal, but "
_SEED = 0


def refuse_foresight(
    model: nn.Module, answers: Answers, inputs: Shaped[Tensor, "b t *channels"], *, vocabulary: int | None = None
) -> None:
    """Refuse a model whose answer at some position changes with a later input, with padding, or with the length.

    It is asked in training and in evaluation mode, with its own weights and with weights that are moved a little.
    Random numbers are equal in every pass, so that dropout is too. Weights, buffers and mode stay as they were.

    Args:
        model: which says that it is causal.
        answers: everything that training and measuring read of it.
        inputs: examples; rows are repeated up to :data:`ROWS`.
        vocabulary: how many tokens there are; None if inputs are numbers.

    Raises:
        ValueError: naming the answer, the two positions and the mode.
    """
    inputs = inputs.repeat(-(-ROWS // len(inputs)), *[1] * (inputs.ndim - 1))[:ROWS]
    for moved in (False, True):
        for training in (True, False):
            with _as_it_was(model):
                model.train(training)
                if moved:
                    _move(model)
                how = f"in {'training' if training else 'evaluation'} mode{', with other weights,' if moved else ''}"
                _refuse(model, answers, inputs, vocabulary, shift=1 + moved, how=how)


def _refuse(
    model: nn.Module, answers: Answers, inputs: Tensor, vocabulary: int | None, *, shift: int, how: str
) -> None:
    rows, length = inputs.shape[:2]
    usual = _asked(model, answers, inputs)
    for name, answer in usual.items():
        if answer.shape[:2] != inputs.shape[:2]:
            wanted, found = tuple(inputs.shape[:2]), tuple(answer.shape)
            raise ValueError(f"its {name} must have a shape that begins with {wanted}, not {found}")
    said = f"{SAID_CAUSAL}{how} its"
    places = _places(length)
    for first in range(0, len(places), rows):
        # one place a row; a row that is left over is changed where the first is
        chosen = torch.tensor((places[first : first + rows] + places[:1] * rows)[:rows])
        other = _changed(inputs, chosen, vocabulary, shift)
        for name, answer in _asked(model, answers, other).items():
            for row, place in enumerate(chosen.tolist()):
                if (at := _first_difference(usual[name][row, :place], answer[row, :place])) is not None:
                    raise ValueError(f"{said} {name} at position {at} change with the input at position {place}")
    for kept in _cuts(length):
        rest = "inputs" if vocabulary is None else "padding"
        other = inputs.clone()
        other[:, kept:] = inputs[:, kept:] + shift if vocabulary is None else PAD
        if (found := _changed_before(kept, usual, _asked(model, answers, other))) is not None:
            raise ValueError(f"{said} {found} change with {rest} from position {kept} on")
    # in training, dropout of another shape would draw other numbers
    for kept in [] if model.training else _shorter(length):
        try:
            shorter = _asked(model, answers, inputs[:, :kept])
        except Exception:
            continue
        if (found := _changed_before(kept, usual, shorter)) is not None:
            raise ValueError(f"{said} {found} are others where only {kept} of {length} are read")


@torch.no_grad()
def _asked(model: nn.Module, answers: Answers, inputs: Tensor) -> dict[str, Tensor]:
    with seeded(_SEED, inputs.device):
        return {name: answer.float() for name, answer in answers(model, inputs).items()}


def _places(length: int) -> list[int]:
    """Positions that are changed: all but the first, which has nothing before it; of long sequences a part."""
    if length <= MOST_PLACES:
        return list(range(1, length))
    ends = MOST_PLACES // 4
    between = torch.linspace(ends, length - ends - 1, MOST_PLACES - 2 * ends).round().long().tolist()
    return sorted({*range(1, ends + 1), *between, *range(length - ends, length)})


def _cuts(length: int) -> list[int]:
    """Positions from which everything is changed at once: what is seen of a place that is not tried shows there."""
    powers = {2**k for k in range(length.bit_length())}
    even = {round(share * length / 16) for share in range(1, 16)}
    return sorted(n for n in powers | even if 1 <= n < length)


def _shorter(length: int) -> list[int]:
    """Lengths to which a sequence is cut: odd and even ones."""
    return sorted({n for n in (length // 2, length // 2 + 1, length - 2, length - 1) if 1 <= n < length})


def _changed(inputs: Tensor, places: Tensor, vocabulary: int | None, shift: int) -> Tensor:
    """Row i with another input at ``places[i]``; a token becomes another one that is no padding, where there is one."""
    other, rows = inputs.clone(), torch.arange(len(inputs))
    now = inputs[rows, places]
    if vocabulary is None:
        other[rows, places] = now + shift
    elif vocabulary > shift + 2:
        other[rows, places] = (now + shift - 1) % (vocabulary - 1) + 1
    else:
        other[rows, places] = (now + 1) % vocabulary
    return other


def _changed_before(kept: int, usual: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> str | None:
    """Which answer differs before position ``kept`` and where, in words; None if none does."""
    for name, answer in other.items():
        before = (each[:, :kept].transpose(0, 1) for each in (usual[name], answer))
        if (at := _first_difference(*before)) is not None:
            return f"{name} at position {at}"
    return None


def _first_difference(usual: Tensor, other: Tensor) -> int | None:
    """The first position where two answers ``[t, …]`` differ by more than rounding; None if there is none."""
    if not len(usual):
        return None
    scale = usual.abs().nan_to_num().amax().clamp(min=1e-3)
    same = torch.isclose(usual, other, rtol=1e-4, atol=1e-5 * float(scale), equal_nan=True)
    differs = ~same.flatten(1).all(1) if same.ndim > 1 else ~same
    return int(differs.nonzero()[0]) if differs.any() else None


@contextmanager
def _as_it_was(model: nn.Module) -> Iterator[None]:
    """Give the model its mode, weights and buffers back afterwards."""
    modes = {module: module.training for module in model.modules()}
    kept = [(value, value.detach().clone()) for value in (*model.parameters(), *model.buffers())]
    try:
        yield
    finally:
        with torch.no_grad():
            for value, before in kept:
                value.copy_(before)
        for module, training in modes.items():
            module.training = training


@torch.no_grad()
def _move(model: nn.Module) -> None:
    """Add noise to every weight; the random numbers of the caller stay as they are."""
    generator = torch.Generator().manual_seed(_SEED)
    for weight in model.parameters():
        if weight.is_floating_point():
            weight += NOISE * torch.randn(weight.shape, generator=generator).to(weight)
