"""What recurrence adds to attention: time and memory against the length, and the cost of a token when decoding.

Four measures, each a ratio within one run (float32, forward and backward, 8 heads of 32 unless ``Sizes`` says more):

- *layer*: a whole ``RSAttention`` over a whole ``PlainAttention``, 4,096 tokens a call, with the kernel and in chunks;
- *time*: attention and a REM, mixed by their gate, over attention alone (``scaled_dot_product_attention``);
- *memory*: peak bytes a token of the REM's branch, over those at the shortest length: 1 everywhere if it is linear;
- *decoding*: seconds of one more token after n others, over those after the fewest.

All but *layer* are of the form in chunks, which runs everywhere. A dense REM, the formula as printed, stands beside it
in *time* and *memory*; in *time* also the gate alone, with the values themselves in place of what a REM makes of them:
what any second branch costs, however cheap.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, in_turns, ratio_row
from inductive_bias.benchmarks.memory import peak_bytes
from inductive_bias.layers import REM, PlainAttention, RSAttention, kernel, native
from inductive_bias.studies.study import Page

SOURCE = "generated: random values"
#: Counts k₁ … k₆ of 8 heads, and the dilation of those of k₄ to k₆, by name. The last is the paper's for text8.
KINDS: dict[str, tuple[tuple[int, ...], tuple[int, ...] | int]] = {
    "real": ((8, 0, 0, 0, 0, 0), 1),
    "cos": ((0, 8, 0, 0, 0, 0), 1),
    "sin": ((0, 0, 8, 0, 0, 0), 1),
    "cos, every 3rd": ((0, 0, 0, 0, 8, 0), 3),
    "all six": ((2, 2, 1, 1, 1, 1), 2),
    "cos and sin, every 6th or 12th": ((0, 0, 0, 0, 4, 4), (6, 6, 12, 12, 6, 6, 12, 12)),
}
#: The control of *time*.
GATE = "gate alone"
#: What the layer may cost: attention and REM together over attention alone, by tokens.
MOST = {256: 1.15, 1024: 1.10, 4096: 1.04}
#: What a whole layer may cost with the kernel, over one of attention alone, at every length.
MOST_LAYER = 1.05
#: The forms of *layer*, and whether the kernel is asked for.
FORMS = {"kernel": True, "chunks": False}
#: A token's memory may not grow with the length, nor a decoded token's time (which is noisier).
MOST_MEMORY, MOST_STEP = 1.05, 1.15


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    Attributes:
        batches: sequences by tokens, for *time*.
        layers: sequences by tokens, for *layer*.
        dense: up to this length a dense REM is measured as well.
        lengths: tokens, for *memory*.
        contexts: tokens read before, for *decoding*.
        steps: tokens decoded a repeat.
        width: of a head.
    """

    batches: Mapping[int, int] = field(default_factory=lambda: {256: 8, 1024: 8, 4096: 2})
    layers: Mapping[int, int] = field(default_factory=lambda: {2**k: 2 ** (12 - k) for k in range(7, 13)})
    dense: int = 4096
    lengths: tuple[int, ...] = (2048, 4096, 8192, 16_384)
    contexts: tuple[int, ...] = (1024, 4096, 16_384)
    steps: int = 200
    width: int = 32


def measure(repeats: int, *, real: bool = False, sizes: Sizes | None = None) -> pd.DataFrame:
    """Measures of attention's cost, ``repeats`` times; columns :data:`~inductive_bias.benchmarks.base.COLUMNS`.

    There are no real data to ask for: what attention costs does not depend on the values.
    """
    sizes = sizes or Sizes()
    with torch.random.fork_rng(devices=[]), kernel(False):
        torch.manual_seed(0)
        rows = [*layer_rows(sizes, repeats), *time_rows(sizes, repeats)]
        rows += [*memory_rows(sizes, repeats), *decoding_rows(sizes, repeats)]
    return pd.DataFrame(rows, columns=COLUMNS)


def rem_named(name: str, *, causal: bool = True) -> REM:
    """Eight heads of the kinds of :data:`KINDS`."""
    counts, dilation = KINDS[name]
    return REM(8, counts, dilation=dilation, causal=causal)


def layer_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*layer* in both forms; in chunks alone where the kernel cannot be built."""
    forms = {name: on for name, on in FORMS.items() if not (on and native.why_not())}
    for length, batch in sizes.layers.items():
        for repeat, took in enumerate(in_turns(_layer_work(length, batch, sizes, forms), repeats)):
            for name, on in forms.items():
                bound = {"target": MOST_LAYER, "bound": "at most"} if on else {}
                yield ratio_row(
                    "layer",
                    name,
                    f"{length:,} tokens",
                    size=length,
                    value=took[name],
                    reference=took["attention"],
                    repeat=repeat,
                    unit="seconds",
                    data_source=SOURCE,
                    **bound,
                )


def _layer_work(length: int, batch: int, sizes: Sizes, forms: Mapping[str, bool]) -> dict[str, Callable[[], None]]:
    """One forward and backward pass of a layer each, by form; ``attention`` is the plain one."""
    width = 8 * sizes.width
    x, upstream = torch.randn(batch, length, width, requires_grad=True), torch.randn(batch, length, width)
    plain, rsa = PlainAttention(width, 8), RSAttention(width, 8, KINDS["all six"][0])

    def passes(layer: PlainAttention | RSAttention, *, on: bool = False) -> None:
        layer.zero_grad(set_to_none=True)
        x.grad = None
        with kernel(on):
            layer(x).backward(upstream)

    return {"attention": partial(passes, plain)} | {name: partial(passes, rsa, on=on) for name, on in forms.items()}


def time_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*time* for every kind, for both directions in time, and for the dense form."""
    for length, batch in sizes.batches.items():
        for causal in (True, False):
            yield from _times(length, _work(length, batch, sizes, causal=causal), repeats)


def _times(length: int, work: dict[str, Callable[[], None]], repeats: int) -> Iterator[dict]:
    for repeat, took in enumerate(in_turns(work, repeats)):
        for name in took:
            if name != "attention":
                promised = name != GATE and not name.startswith("dense")
                bound = {"target": MOST.get(length), "bound": "at most"} if promised else {}
                yield ratio_row(
                    "time",
                    name,
                    f"{length:,} tokens",
                    size=length,
                    value=took[name],
                    reference=took["attention"],
                    repeat=repeat,
                    unit="seconds",
                    data_source=SOURCE,
                    **{k: v for k, v in bound.items() if v is not None},
                )


def _work(length: int, batch: int, sizes: Sizes, *, causal: bool) -> dict[str, Callable[[], None]]:
    """One forward and backward pass each, by name; ``attention`` is what the others are divided by."""
    q, k, v = (_heads(batch, length, sizes) for _ in range(3))
    upstream, mu = torch.randn_like(v), torch.zeros(1, requires_grad=True)

    def passes(mixed: Callable[[Tensor], Tensor]) -> None:
        for leaf in (q, k, v):
            leaf.grad = None
        mixed(F.scaled_dot_product_attention(q, k, v, is_causal=causal)).backward(upstream)

    names = KINDS if causal else ("all six",)
    work = {"attention": partial(passes, lambda attended: attended)}
    for name in names:
        rem = rem_named(name, causal=causal)
        label = name if causal else f"{name}, both directions"
        work[label] = partial(passes, lambda attended, rem=rem: rem.mix(v, attended, mu))
    if causal and length <= sizes.dense:
        work["dense, all six"] = partial(passes, partial(_dense, rem_named("all six"), v, mu))
    if causal:
        work[GATE] = partial(passes, lambda attended: torch.lerp(attended, v, mu.sigmoid()))
    return work


def _dense(rem: REM, values: Tensor, mu: Tensor, attended: Tensor) -> Tensor:
    """The formula as printed, with its matrix of t × t."""
    return (1 - mu.sigmoid()) * attended + mu.sigmoid() * (rem.matrix(values.shape[2]) @ values)


def _heads(batch: int, length: int, sizes: Sizes) -> Tensor:
    """Random ``[b, 8, t, d]`` that wants gradients, laid out as a projection into heads leaves it."""
    made = torch.randn(batch, length, 8, sizes.width).transpose(1, 2)
    return made.detach().requires_grad_()


def memory_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*memory* of the branch alone, forward and backward, in bytes a token (one sequence)."""
    shortest = min(sizes.lengths)
    forms = {"all six": lambda rem, v: rem(v), "dense, all six": lambda rem, v: rem.matrix(v.shape[2]) @ v}
    for name, form in forms.items():
        lengths = [n for n in sizes.lengths if not name.startswith("dense") or n <= sizes.dense]
        found = {n: _branch_bytes(form, n, sizes) / n for n in lengths}
        bound = {} if name.startswith("dense") else {"target": MOST_MEMORY, "bound": "at most"}
        for repeat in range(repeats):
            for n, value in found.items():
                yield ratio_row(
                    "memory",
                    name,
                    f"{n:,} tokens",
                    size=n,
                    value=value,
                    reference=found[shortest],
                    repeat=repeat,
                    unit="bytes a token",
                    data_source=SOURCE,
                    **bound,
                )


def _branch_bytes(form: Callable[[REM, Tensor], Tensor], length: int, sizes: Sizes) -> int:
    rem, values = rem_named("all six"), _heads(1, length, sizes)
    upstream = torch.randn_like(values)
    return peak_bytes(lambda: form(rem, values).backward(upstream), known=(values, upstream, *rem.parameters()))


def decoding_rows(sizes: Sizes, repeats: int) -> Iterator[dict]:
    """*decoding*: a REM's step, and beside it that of attention, which looks back at all keys."""
    fewest = min(sizes.contexts)
    for name, prepare in {"REM": _rem_step, "attention": _attention_step}.items():
        work = {str(n): partial(_decode, prepare(n, sizes), sizes.steps) for n in sizes.contexts}
        bound = {"target": MOST_STEP, "bound": "at most"} if name == "REM" else {}
        for repeat, took in enumerate(in_turns(work, repeats)):
            for n in sizes.contexts:
                yield ratio_row(
                    "decoding",
                    name,
                    f"after {n:,} tokens",
                    size=n,
                    value=took[str(n)] / sizes.steps,
                    reference=took[str(fewest)] / sizes.steps,
                    repeat=repeat,
                    unit="seconds a token",
                    data_source=SOURCE,
                    **bound,
                )


def _decode(step: Callable[[], object], steps: int) -> None:
    with torch.no_grad():
        for _ in range(steps):
            step()


def _rem_step(context: int, sizes: Sizes) -> Callable[[], object]:
    rem = rem_named("all six")
    with torch.no_grad():
        state = rem.state(_heads(1, context, sizes))
    return partial(rem.step, state, torch.randn(1, 8, sizes.width))


def _attention_step(context: int, sizes: Sizes) -> Callable[[], object]:
    layer = PlainAttention(8 * sizes.width, 8)
    with torch.no_grad():
        _, cache = layer.prefill(torch.randn(1, context, 8 * sizes.width))
    return partial(layer.step, torch.randn(1, 8 * sizes.width), cache)


ATTENTION = Benchmark(
    "attention",
    "What does recurrence add to the cost of attention?",
    measure,
    "Recurrence inside attention",
    (
        Page(
            "attention/cost",
            "How do time and memory grow with the length, with and without recurrence?",
            "time, memory and decoding against the length",
        ),
    ),
)
