"""What a model from tokens to logits must keep to before anything is trained: the checks of a layer that concern it."""

import copy
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from inductive_bias.profile.contract import (
    LENGTH,
    NARROW,
    NO_FUTURE,
    ROWS,
    Check,
    changed_by_a_gap,
    changed_by_an_empty_row,
    changed_by_padding,
    faults_of_gradients,
    foresight,
    made,
    unlike,
    unlike_by_steps,
    unlike_in_a_copy,
    unlike_in_a_stack,
)
from inductive_bias.profile.subject import OUTPUTS, VOCABULARY, TokenSubject


def check_token_model(subject: TokenSubject) -> list[Check]:
    """Every check of :data:`TOKEN_CHECKS` in its order, each on a model of its own.

    Raises:
        SettingError: if the model cannot be built.
    """
    subject.build()
    return [made(name, check, subject) for name, check in TOKEN_CHECKS.items()]


def answers_every_token(subject: TokenSubject) -> Iterator[str]:
    """Tokens of any length give one row of logits each, finite, and all weights have finite gradients."""
    model = subject.build()
    for length in (LENGTH, 2, 17):
        found, wanted = model(tokens_of(length)), (ROWS, length, OUTPUTS)
        if tuple(found.shape) != wanted:
            yield f"tokens {(ROWS, length)} give {tuple(found.shape)}, not {wanted}"
            return
        if not found.isfinite().all():
            yield f"tokens {(ROWS, length)} have logits that are not finite"
            return
    model.train()(tokens_of()).square().sum().backward()
    yield from faults_of_gradients(model)


def foresees_no_token(subject: TokenSubject) -> Iterator[str]:
    """Logits do not change with a later token, nor with the length, in training and in evaluation."""
    yield from foresight(subject.build(), nn.Module.__call__, tokens_of(), vocabulary=VOCABULARY)


def answers_tokens_alike(subject: TokenSubject) -> Iterator[str]:
    """Two calls in evaluation give one answer, and a row has one answer alone and in a batch."""
    model, tokens = subject.build(), tokens_of()
    first, second = model(tokens), model(tokens)
    yield from unlike(first, second, "a second call")
    yield from unlike(first[:1], model(tokens[:1]), "the first row alone")


def ignores_padding_on_the_right(subject: TokenSubject) -> Iterator[str]:
    """Tokens before padding have the logits that they have without it."""
    yield from changed_by_padding(subject.build(), tokens_of(), "right")


def ignores_padding_on_the_left(subject: TokenSubject) -> Iterator[str]:
    """Tokens after padding have the logits that they have without it."""
    yield from changed_by_padding(subject.build(), tokens_of(), "left")


def ignores_tokens_of_a_gap(subject: TokenSubject) -> Iterator[str]:
    """A masked gap is skipped, or only time passes in it: which tokens are masked never matters."""
    tokens = tokens_of()
    yield from changed_by_a_gap(subject.build(), tokens, (tokens + 1) % VOCABULARY)


def ignores_empty_rows(subject: TokenSubject) -> Iterator[str]:
    """A row without any token gives no NaN to others, nor to any gradient."""
    yield from changed_by_an_empty_row(subject.build(), tokens_of())


def answers_by_steps(subject: TokenSubject) -> Iterator[str]:
    """``prefill`` and ``step`` give what ``forward`` gives, also after a padded prompt."""
    yield from unlike_by_steps(subject.build(), tokens_of())


def takes_none_and_single_tokens(subject: TokenSubject) -> Iterator[str]:
    """An empty batch gives an empty answer, and one token gives one."""
    model = subject.build()
    for shape in ((0, LENGTH), (1, 1)):
        found = tuple(model(torch.zeros(shape, dtype=torch.long)).shape)
        if found != (*shape, OUTPUTS):
            yield f"tokens {shape} give {found}"


def keeps_to_bfloat16(subject: TokenSubject) -> Iterator[str]:
    """A model with weights of bfloat16 gives the answer of float32 up to rounding, in bfloat16."""
    model, tokens = subject.build(), tokens_of()
    found = copy.deepcopy(model).bfloat16()(tokens)
    if found.dtype != torch.bfloat16:
        yield f"bfloat16 gives {str(found.dtype).removeprefix('torch.')}"
    yield from unlike(model(tokens), found.float(), "bfloat16", tolerance=NARROW)


def is_stacked_whole(subject: TokenSubject) -> Iterator[str]:
    """Models of several seeds run as one through ``torch.vmap``."""
    yield from unlike_in_a_stack(subject.build, tokens_of())


def is_copied_with_its_weights(subject: TokenSubject) -> Iterator[str]:
    """A deep copy, and a fresh model with its saved weights, give the same answer."""
    yield from unlike_in_a_copy(subject.build, tokens_of())


def is_compiled_as_it_is(subject: TokenSubject) -> Iterator[str]:
    """``torch.compile`` gives the same answer (backend ``aot_eager``: nothing is generated)."""
    model, tokens = subject.build(), tokens_of()
    torch._dynamo.reset()
    compiled = torch.compile(lambda given: model(given), backend="aot_eager")
    with torch.no_grad():
        yield from unlike(model(tokens), compiled(tokens), "the compiled model")


TOKEN_CHECKS: dict[str, Callable[[TokenSubject], Iterator[str]]] = {
    "answers every token": answers_every_token,
    NO_FUTURE: foresees_no_token,
    "answers alike": answers_tokens_alike,
    "padding on the right": ignores_padding_on_the_right,
    "padding on the left": ignores_padding_on_the_left,
    "a masked gap": ignores_tokens_of_a_gap,
    "rows of padding": ignores_empty_rows,
    "step by step": answers_by_steps,
    "batches of none, single tokens": takes_none_and_single_tokens,
    "bfloat16": keeps_to_bfloat16,
    "vmap": is_stacked_whole,
    "copies and checkpoints": is_copied_with_its_weights,
    "torch.compile": is_compiled_as_it_is,
}


def tokens_of(length: int = LENGTH) -> Tensor:
    """Random tokens ``[rows, length]``."""
    return torch.randint(VOCABULARY, (ROWS, length))
