"""What a token-mixing layer must keep to before anything is trained: ten seconds of checks, each with what it saw.

Every check has a name, and says *passes*, *fails* or *does not apply*, with at most three lines that show why.
"""

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.own_layers import MASKS, AskedLayer, asked, mask_argument
from inductive_bias.plugins import plain_answer
from inductive_bias.profile.subject import LayerSubject
from inductive_bias.protocols.causality import SAID_CAUSAL, refuse_foresight
from inductive_bias.seeding import seeded

#: The check that a profile makes itself, see :attr:`inductive_bias.profile.report.Report.warning`.
NO_FUTURE = "sees no future"
PASSES, FAILS, NOT_APPLICABLE = STATES = "passes", "fails", "does not apply"
#: Sequences of a check, their length, and how many tokens of them are padding.
ROWS, LENGTH, PADDED = 3, 9, 3
#: Rounding that a float32 layer may have, as a share of its largest output; of bfloat16, eight bits of a number.
TOLERANCE, NARROW = 1e-4, 0.1
MOST_LINES = 3


@dataclass(frozen=True)
class Check:
    """What a check found."""

    name: str
    state: Literal["passes", "fails", "does not apply"]
    lines: tuple[str, ...] = ()


class NotApplicableError(Exception):
    """A layer or a model does not have what a check is about."""


Subject = TypeVar("Subject")


def check_layer(subject: LayerSubject) -> list[Check]:
    """Every check of :data:`CHECKS` in its order, each on a layer of its own.

    Raises:
        SettingError: if the layer cannot be built.
    """
    subject.build()
    return [made(name, check, subject) for name, check in CHECKS.items()]


def made(name: str, check: Callable[[Subject], Iterator[str]], subject: Subject) -> Check:
    """What one check finds; whatever it raises is what was found."""
    try:
        with seeded(1, torch.device("cpu")):
            found = tuple(check(subject))
    except NotApplicableError as reason:
        return Check(name, NOT_APPLICABLE, (str(reason),))
    except Exception as error:  # of something from outside
        found = (f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'without a word'}",)
    return Check(name, FAILS if found else PASSES, found[:MOST_LINES])


def faults_of_gradients(module: nn.Module) -> Iterator[str]:
    """Weights without a gradient, or with one that is not finite, after a step backwards."""
    for name, weight in module.named_parameters():
        if weight.grad is None:
            yield f"{name} has no gradient"
        elif not weight.grad.isfinite().all():
            yield f"the gradient of {name} is not finite"


def foresight(module: nn.Module, answer: Callable[..., Tensor], inputs: Tensor, **options: int) -> Iterator[str]:
    """What ``answer(module, inputs)`` sees of the future, see :func:`~inductive_bias.protocols.refuse_foresight`."""
    try:
        refuse_foresight(module, lambda module, inputs: {"outputs": answer(module, inputs)}, inputs, **options)
    except ValueError as error:
        if not str(error).startswith(SAID_CAUSAL):
            raise  # of the module itself, such as one that refuses this length
        yield str(error).removeprefix(SAID_CAUSAL)


def unlike_in_a_stack(build: Callable[[int], nn.Module], inputs: Tensor) -> Iterator[str]:
    """Whether whole models of two seeds, from inputs to an answer, differ when ``torch.vmap`` runs them as one."""
    models = [build(seed) for seed in (0, 1)]
    weights, buffers = torch.func.stack_module_state(models)
    base = copy.deepcopy(models[0]).to("meta")

    def one(weights: dict, buffers: dict) -> Tensor:
        return plain_answer(torch.func.functional_call(base, {**weights, **buffers}, (inputs,)))

    for model, each in zip(models, torch.vmap(one)(weights, buffers), strict=True):
        yield from unlike(model(inputs), each, "a stack of two")


def unlike_in_a_copy(build: Callable[[int], nn.Module], inputs: Tensor) -> Iterator[str]:
    """Whether a deep copy of a whole model, or its weights in a fresh one, answer otherwise."""
    model = build(0)
    wanted = model(inputs)
    yield from unlike(wanted, copy.deepcopy(model)(inputs), "a deep copy")
    other = build(1)
    other.load_state_dict(model.state_dict())
    yield from unlike(wanted, other(inputs), "its weights in a fresh model")


#: Positions of padding, by the side on which it is.
SIDES = {"right": range(LENGTH - PADDED, LENGTH), "left": range(PADDED)}


def mask_without(padded: Iterable[int]) -> Bool[Tensor, "b t"]:
    """A mask ``[ROWS, LENGTH]``: True for real tokens, False at the positions ``padded`` of every row."""
    mask = torch.ones(ROWS, LENGTH, dtype=torch.bool)
    mask[:, [*padded]] = False
    return mask


def refuse_without_mask(module: nn.Module) -> None:
    """Refuse a layer or a model that takes no mask of padding.

    Raises:
        NotApplicableError: if it takes none.
    """
    if mask_argument(module) is None:
        raise NotApplicableError("it takes no mask of padding")


def changed_by_padding(module: nn.Module, inputs: Tensor, side: str) -> Iterator[str]:
    """Whether real tokens of ``inputs [ROWS, LENGTH, …]`` have another answer where padding stands on a side of them.

    Raises:
        NotApplicableError: if the module takes no mask.
    """
    refuse_without_mask(module)
    mask = mask_without(SIDES[side])
    real = mask[0]
    wanted = asked(module, inputs[:, real])
    yield from (found := list(unlike(wanted, asked(module, inputs, mask)[:, real], "padding")))
    if found and not list(unlike(wanted, asked(module, inputs, ~mask)[:, real], "padding")):
        name = mask_argument(module)
        meant, taken = ("real tokens", "padding") if MASKS[name] else ("padding", "real tokens")
        own = type(module).__name__
        yield f"with the mask turned round it holds: {name} must be True for {meant}; {own} has it for {taken}"


def changed_by_a_gap(module: nn.Module, inputs: Tensor, others: Tensor) -> Iterator[str]:
    """Whether it matters which tokens, of ``inputs`` or of ``others [ROWS, LENGTH, …]``, stand in a masked gap.

    Raises:
        NotApplicableError: if the module takes no mask.
    """
    refuse_without_mask(module)
    mask = mask_without(range(PADDED, 2 * PADDED))
    changed = inputs.clone()
    changed[~mask] = others[~mask]
    wanted, found = asked(module, inputs, mask), asked(module, changed, mask)
    yield from unlike(wanted[mask], found[mask], "other tokens in the gap")


def changed_by_an_empty_row(module: nn.Module, inputs: Tensor) -> Iterator[str]:
    """Whether a first row that is padding alone changes other rows of ``inputs [ROWS, LENGTH, …]``, or a gradient.

    Raises:
        NotApplicableError: if the module takes no mask.
    """
    refuse_without_mask(module)
    mask = mask_without(())
    mask[0] = False
    found = asked(module, inputs, mask)
    if not found[1:].isfinite().all():
        yield "another row has NaN"
    found[1:].sum().backward()
    if any(weight.grad is not None and not weight.grad.isfinite().all() for weight in module.parameters()):
        yield "a gradient of the weights is NaN"
    yield from unlike(found[1:], asked(module, inputs[1:], mask[1:]), "the other rows alone")


def unlike_by_steps(module: nn.Module, inputs: Tensor) -> Iterator[str]:
    """Whether ``prefill`` and ``step`` answer ``inputs [ROWS, LENGTH, …]`` otherwise than ``forward`` does.

    Raises:
        NotApplicableError: if the module has no steps.
    """
    if not (hasattr(module, "prefill") and hasattr(module, "step")):
        raise NotApplicableError("it has no prefill and step")
    wanted, prompt = asked(module, inputs), LENGTH - PADDED
    yield from unlike(wanted[:, prompt:], _stepped(module, inputs, prompt, None), "steps after a prompt")
    padded = torch.cat((inputs[:, :prompt], torch.zeros_like(inputs[:, :2]), inputs[:, prompt:]), 1)
    mask = torch.arange(prompt + 2).expand(ROWS, -1) < prompt
    yield from unlike(wanted[:, prompt:], _stepped(module, padded, prompt + 2, mask), "steps after a padded prompt")


def _stepped(module: nn.Module, inputs: Tensor, prompt: int, mask: Tensor | None) -> Tensor:
    """The answers of the steps after a prompt."""
    _, cache = module.prefill(inputs[:, :prompt], mask)
    answers = []
    for place in range(prompt, inputs.shape[1]):
        answer, cache = module.step(inputs[:, place], cache)
        answers.append(answer)
    return torch.stack(answers, 1)


def keeps_the_shape(subject: LayerSubject) -> Iterator[str]:
    """Tokens ``[b, t, width]`` give as many, of any length, and all weights have finite gradients."""
    layer = subject.build()
    for length in (LENGTH, 2, 17):
        x = _tokens(subject, length)
        if (found := tuple(asked(layer, x).shape)) != tuple(x.shape):
            yield f"tokens {tuple(x.shape)} give {found}"
            return
    layer.train()
    asked(layer, _tokens(subject)).square().sum().backward()
    yield from faults_of_gradients(layer)


def sees_no_future(subject: LayerSubject) -> Iterator[str]:
    """An output does not change with a later token, nor with the length, in training and in evaluation."""
    yield from foresight(subject.build(), asked, _tokens(subject))


def leaves_its_input(subject: LayerSubject) -> Iterator[str]:
    """Nothing is written into the tokens."""
    layer, x = subject.build(), _tokens(subject)
    for training in (True, False):
        before = x.clone()
        asked(layer.train(training), x)
        if not torch.equal(before, x):
            yield f"its input is changed in {'training' if training else 'evaluation'} mode"
            return


def answers_alike(subject: LayerSubject) -> Iterator[str]:
    """Two calls give one answer in evaluation, and a row has one answer alone and in a batch."""
    layer, x = subject.build(), _tokens(subject)
    first, second = asked(layer, x), asked(layer, x)
    yield from unlike(first, second, "a second call")
    yield from unlike(first[:1], asked(layer, x[:1]), "the first row alone")


def takes_padding_on_the_right(subject: LayerSubject) -> Iterator[str]:
    """Tokens before padding have the answer that they have without it."""
    yield from changed_by_padding(subject.build(), _tokens(subject), "right")


def takes_padding_on_the_left(subject: LayerSubject) -> Iterator[str]:
    """Tokens after padding have the answer that they have without it."""
    yield from changed_by_padding(subject.build(), _tokens(subject), "left")


def takes_a_gap(subject: LayerSubject) -> Iterator[str]:
    """A masked gap is skipped, or only time passes in it: what is masked never matters."""
    x = _tokens(subject)
    yield from changed_by_a_gap(subject.build(), x, x + 1)


def survives_rows_of_padding(subject: LayerSubject) -> Iterator[str]:
    """A row without any token gives no NaN to others, nor to any gradient."""
    yield from changed_by_an_empty_row(subject.build(), _tokens(subject).requires_grad_())


def ignores_nan_at_padding(subject: LayerSubject) -> Iterator[str]:
    """NaN at padded tokens does not reach the others."""
    for side, padded in SIDES.items():
        layer, x, mask = subject.build(), _tokens(subject), mask_without(padded)
        refuse_without_mask(layer)
        usual, other = asked(layer, x, mask), x.clone()
        other[~mask] = torch.nan
        yield from unlike(usual[mask], asked(layer, other, mask)[mask], f"NaN at padding on the {side}")


def goes_step_by_step(subject: LayerSubject) -> Iterator[str]:
    """``prefill`` and ``step`` give what ``forward`` gives, also after a padded prompt.

    Raises:
        NotApplicableError: if the layer has no steps.
    """
    yield from unlike_by_steps(subject.build(), _tokens(subject))


def takes_batches_of_none_and_single_tokens(subject: LayerSubject) -> Iterator[str]:
    """An empty batch gives an empty answer, and one token gives one."""
    layer = subject.build()
    for shape in ((0, LENGTH), (1, 1)):
        x = torch.randn(*shape, subject.width, requires_grad=True)
        found = asked(layer, x)
        if found.shape != x.shape:
            yield f"tokens {tuple(x.shape)} give {tuple(found.shape)}"
        found.sum().backward()


def takes_bfloat16(subject: LayerSubject) -> Iterator[str]:
    """Bfloat16 gives the answer of float32 up to rounding, and stays bfloat16."""
    layer, x = subject.build(), _tokens(subject)
    wanted = asked(layer, x)
    found = asked(copy.deepcopy(layer).bfloat16(), x.bfloat16())
    if found.dtype != torch.bfloat16:
        yield f"bfloat16 gives {str(found.dtype).removeprefix('torch.')}"
    yield from unlike(wanted, found.float(), "bfloat16", tolerance=NARROW)


def is_stacked_by_vmap(subject: LayerSubject) -> Iterator[str]:
    """Layers of several seeds run as one through ``torch.vmap``, so that seeds can be trained side by side."""
    layers, x = [subject.build(seed) for seed in (0, 1)], _tokens(subject)
    weights, buffers = torch.func.stack_module_state(layers)
    base = copy.deepcopy(layers[0]).to("meta")

    def one(weights: dict, buffers: dict) -> Tensor:
        return torch.func.functional_call(AskedLayer(base), _named(weights, buffers), (x,))

    found = torch.vmap(one)(weights, buffers)
    for layer, each in zip(layers, found, strict=True):
        yield from unlike(asked(layer, x), each, "a stack of two")


def is_copied(subject: LayerSubject) -> Iterator[str]:
    """A deep copy, and a fresh layer with its saved weights, give the same answer."""
    layer, x = subject.build(), _tokens(subject)
    wanted = asked(layer, x)
    yield from unlike(wanted, asked(copy.deepcopy(layer), x), "a deep copy")
    other = subject.build(seed=1)
    other.load_state_dict(layer.state_dict())
    yield from unlike(wanted, asked(other, x), "its weights in a fresh layer")


def is_compiled(subject: LayerSubject) -> Iterator[str]:
    """``torch.compile`` gives the same answer (backend ``aot_eager``: nothing is generated)."""
    layer, x = subject.build(), _tokens(subject)
    torch._dynamo.reset()
    compiled = torch.compile(lambda tokens: asked(layer, tokens), backend="aot_eager")
    yield from unlike(asked(layer, x), compiled(x), "the compiled layer")


CHECKS: dict[str, Callable[[LayerSubject], Iterator[str]]] = {
    "keeps the shape": keeps_the_shape,
    NO_FUTURE: sees_no_future,
    "leaves its input": leaves_its_input,
    "answers alike": answers_alike,
    "padding on the right": takes_padding_on_the_right,
    "padding on the left": takes_padding_on_the_left,
    "a masked gap": takes_a_gap,
    "rows of padding": survives_rows_of_padding,
    "NaN at padding": ignores_nan_at_padding,
    "step by step": goes_step_by_step,
    "batches of none, single tokens": takes_batches_of_none_and_single_tokens,
    "bfloat16": takes_bfloat16,
    "vmap": is_stacked_by_vmap,
    "copies and checkpoints": is_copied,
    "torch.compile": is_compiled,
}


def _named(*groups: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"layer.{name}": value for group in groups for name, value in group.items()}


def _tokens(subject: LayerSubject, length: int = LENGTH) -> Float[Tensor, "b t width"]:
    return torch.randn(ROWS, length, subject.width)


def unlike(wanted: Tensor, found: Tensor, what: str, *, tolerance: float = TOLERANCE) -> Iterator[str]:
    """A line where two answers differ by more than rounding."""
    if wanted.shape != found.shape:
        yield f"with {what} the shape is {tuple(found.shape)}, not {tuple(wanted.shape)}"
    elif not found.isfinite().all():
        yield f"with {what} the answer is not finite"
    elif wanted.numel():
        wanted, found = wanted.detach(), found.detach()
        gap = float((wanted - found).abs().max() / wanted.abs().max().clamp(min=1e-6))
        if gap > tolerance:
            yield f"with {what} the answer differs by {gap:.2g} of its size"
