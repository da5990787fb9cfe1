"""Cross-entropy over a large vocabulary without ever holding all logits.

A language model's cost on a CPU is its output layer: 10,000 logits a token. Here they are made for a few hundred tokens
at a time, and turned into their gradient while they are still in the cache, during the forward pass. Values and
gradients are those of ``cross_entropy(linear(states, weight, bias), targets)``.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor

from inductive_bias import checks
from inductive_bias.losses.distillation import NOTHING, SCALES, Scaling, distillation_loss, without_impossible
from inductive_bias.tracing import transformed

#: Tokens a chunk: 256 × 10,000 logits in float32 are 10 MB; measured fastest among 64 … 1,024 on a 2-core machine.
CHUNK = 256
#: On a GPU, where each chunk is a dozen kernels to be launched: 330 MB of logits.
CHUNK_ON_A_GPU = 8_192


class OutputLayer(NamedTuple):
    """A linear layer onto the vocabulary: ``weight [v, d]``, ``bias [v]``."""

    weight: Tensor
    bias: Tensor


def vocabulary_cross_entropy(
    states: Float[Tensor, "n d"],
    output: OutputLayer,
    targets: Int64[Tensor, " n"],
    *,
    teacher_states: Float[Tensor, "n e"] | None = None,
    teacher_output: OutputLayer | None = None,
    temperature: float = 1.0,
    mixing: float = 1.0,
    scaling: Scaling = "squared",
    precision: torch.dtype = torch.float32,
    chunk: int | None = None,
    ignore_index: int | None = None,
) -> Float[Tensor, ""]:
    """Cross-entropy of the next words, or of a teacher's soft predictions of them: mean over tokens, in nats.

    With a teacher it is :func:`~inductive_bias.losses.distillation_loss` of both models' logits. A word whose bias is
    −∞ in both is left out of the vocabulary.

    Args:
        states: of the model before its output layer; one row a token.
        output: the model's output layer.
        targets: ids of the next words.
        teacher_states: of the teacher for the same tokens; never receives a gradient.
        teacher_output: the teacher's output layer, of the same vocabulary.
        temperature: T of the soft term.
        mixing: α, the weight of the soft term.
        scaling: the factor on the soft term.
        precision: of the matrix products (``bfloat16`` halves their time on CPUs that have it); the softmax is always
            computed in float32 or better.
        chunk: tokens at a time; `CHUNK` or `CHUNK_ON_A_GPU` unless given.
        ignore_index: a target whose tokens count in neither term; without it there is none.

    Within ``torch.func`` (``vmap``, ``grad`` …), and where the gradient's own gradient is asked for, all logits are
    held.

    The range of the targets is checked where they lie on the CPU; on another device the kernels assert it.

    Raises:
        ValueError: if there is no token, a shape, type or device does not fit, a target is no word, a setting is out of
            range, or a teacher's states come without its output layer.
    """
    checks.number("temperature", temperature, low=0, above=True)
    checks.number("mixing", mixing, low=0, high=1)
    checks.choice("scaling", scaling, SCALES)
    chunk = (CHUNK if states.device.type == "cpu" else CHUNK_ON_A_GPU) if chunk is None else chunk
    checks.whole("chunk", chunk, least=1)
    if not isinstance(precision, torch.dtype) or not precision.is_floating_point:
        raise ValueError(f"precision must be a floating-point type, not {precision!r}")
    tokens, words = _sizes("", states, output)
    if ignore_index is not None:
        checks.whole("ignore_index", ignore_index, least=NOTHING)
    checks.labels("targets", targets, (tokens,), words, ignore_index=ignore_index)
    if targets.dtype != torch.int64:
        raise ValueError(f"targets must be int64, not {targets.dtype}")
    checks.one_device(states=states, targets=targets)
    if (teacher_states is None) != (teacher_output is None):
        raise ValueError("a teacher is given by teacher_states and teacher_output, both or neither")
    if teacher_output is not None:
        theirs = _sizes("teacher_", teacher_states, teacher_output)
        if theirs != (tokens, words):
            raise ValueError(
                f"the teacher must have states of the student's {tokens} tokens and a vocabulary of its {words} words, "
                f"not of {theirs[0]} and {theirs[1]}"
            )
        checks.one_device(states=states, teacher_states=teacher_states)
    soft = None
    if teacher_output is not None:
        teacher = (teacher_states.detach(), teacher_output.weight.detach(), teacher_output.bias.detach())
        soft = _Soft(teacher, temperature, mixing, scaling)
    if transformed():
        return _written_out(states, *output, targets, soft, precision, ignore_index)
    if ignore_index is not None and not (kept := targets != ignore_index).all():
        states, targets = states[kept], targets[kept]
        soft = soft and soft._replace(teacher=(soft.teacher[0][kept], *soft.teacher[1:]))
    return _CrossEntropy.apply(states, output.weight, output.bias, targets, soft, precision, chunk)


class _Soft(NamedTuple):
    """What a teacher says: states, weight and bias, and how its predictions are mixed in."""

    teacher: tuple[Tensor, Tensor, Tensor]
    temperature: float
    mixing: float
    scaling: Scaling

    def logits(self, precision: torch.dtype, dtype: torch.dtype) -> Tensor:
        """All of them."""
        return F.linear(*(x.to(precision) for x in self.teacher)).to(dtype)


def _written_out(
    states: Float[Tensor, "n d"],
    weight: Float[Tensor, "v d"],
    bias: Float[Tensor, " v"],
    targets: Int64[Tensor, " n"],
    soft: _Soft | None,
    precision: torch.dtype,
    ignore_index: int | None,
) -> Float[Tensor, ""]:
    """The same by ordinary operations."""
    wide = torch.promote_types(states.dtype, torch.float32)
    logits = F.linear(*(x.to(precision) for x in (states, weight, bias))).to(wide)
    if soft is None:
        return F.cross_entropy(logits, targets, ignore_index=NOTHING if ignore_index is None else ignore_index)
    options = {"temperature": soft.temperature, "mixing": soft.mixing, "scaling": soft.scaling}
    return distillation_loss(logits, soft.logits(precision, wide), targets, ignore_index=ignore_index, **options)


def _sizes(whose: str, states: Tensor, output: OutputLayer) -> tuple[int, int]:
    """Number of tokens and of words, after a check that states and output layer fit each other."""
    checks.floats(f"{whose}states", states, "n d")
    if not isinstance(output, OutputLayer):
        raise ValueError(f"{whose}output must be an OutputLayer, not {type(output).__name__}")
    checks.floats(f"{whose}output.weight", output.weight, "v d")
    checks.floats(f"{whose}output.bias", output.bias, "v")
    if 0 in (*states.shape, len(output.weight)):
        raise ValueError(
            f"{whose}states and {whose}output.weight must have at least one row and column, "
            f"not {tuple(states.shape)} and {tuple(output.weight.shape)}"
        )
    if output.weight.shape[1] != states.shape[1] or len(output.bias) != len(output.weight):
        raise ValueError(
            f"{whose}output must have a weight [v, {states.shape[1]}] and a bias [v] for {whose}states of width "
            f"{states.shape[1]}, not {tuple(output.weight.shape)} and {tuple(output.bias.shape)}"
        )
    checks.one_device(**{f"{whose}states": states, "weight": output.weight, "bias": output.bias})
    return len(states), len(output.weight)


class _CrossEntropy(torch.autograd.Function):
    """Computes the gradients together with the value; ``backward`` only scales them."""

    @staticmethod
    def forward(ctx, states, weight, bias, targets, soft, precision, chunk):
        wide = torch.promote_types(states.dtype, torch.float32)
        total = torch.zeros((), dtype=wide, device=states.device)
        d_states, d_weight = torch.empty_like(states), torch.zeros_like(weight, dtype=wide)
        d_bias = torch.zeros_like(bias, dtype=wide)
        narrow = weight.to(precision)
        if soft:
            teacher_states, teacher_weight, teacher_bias = soft.teacher
            settings = (soft.temperature, soft.mixing, SCALES[soft.scaling](soft.temperature))
            teacher = teacher_states.to(precision), teacher_weight.to(precision), teacher_bias
        for start in range(0, len(states), chunk):
            part = slice(start, start + chunk)
            x = states[part].to(precision)
            logits = F.linear(x, narrow, bias.to(precision)).to(wide)
            if soft:
                theirs = F.linear(teacher[0][part], teacher[1], teacher[2].to(precision)).to(wide)
                value, d_logits = _soft(logits, theirs, targets[part], *settings)
            else:
                value, d_logits = _hard(logits, targets[part])
            total += value
            d_bias += d_logits.sum(0)
            d_logits = d_logits.to(precision)
            d_states[part] = d_logits @ narrow
            d_weight += d_logits.T @ x
        made = d_states / len(states), d_weight.to(weight.dtype) / len(states), d_bias / len(states)
        ctx.save_for_backward(*made, states, weight, bias, targets)
        ctx.soft, ctx.precision = soft, precision
        return total / len(states)

    @staticmethod
    def backward(ctx, upstream):
        d_states, d_weight, d_bias, *operands, targets = ctx.saved_tensors
        if torch.is_grad_enabled():  # the gradient of this gradient will be asked for
            operands = [x.view_as(x) for x in operands]
            value = _written_out(*operands, targets, ctx.soft, ctx.precision, None)
            wanted = [x for x, needed in zip(operands, ctx.needs_input_grad, strict=False) if needed]
            found = iter(torch.autograd.grad(value, wanted, upstream, create_graph=True))
            return *(next(found) if needed else None for needed in ctx.needs_input_grad[:3]), None, None, None, None
        return d_states * upstream, d_weight * upstream, d_bias * upstream, None, None, None, None


def _hard(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Sum of the cross-entropies, and softmax − one-hot, made in place of the logits."""
    rows = targets[:, None]
    chosen = logits.gather(1, rows)
    peak = logits.amax(1, keepdim=True)
    mass = logits.sub_(peak).exp_().sum(1, keepdim=True)
    value = (mass.log() + peak - chosen).sum()
    d_logits = logits.div_(mass)
    return value, d_logits.scatter_add_(1, rows, torch.full_like(chosen, -1.0))


def _soft(
    logits: Tensor, theirs: Tensor, targets: Tensor, temperature: float, mixing: float, scale: float
) -> tuple[Tensor, Tensor]:
    """The mixture of soft and hard term, and its gradient; d/dz CE(p_t, softmax(z / T)) = (p_s − p_t) / T."""
    log_student = torch.log_softmax(without_impossible(logits / temperature, theirs), 1)
    teacher = torch.softmax(theirs / temperature, 1)
    value = -mixing * scale * (teacher * log_student).sum()
    d_logits = log_student.exp_().sub_(teacher).mul_(mixing * scale / temperature)
    if mixing < 1:
        hard, d_hard = _hard(logits, targets)
        value, d_logits = value + (1 - mixing) * hard, d_logits.add_(d_hard, alpha=1 - mixing)
    return value, d_logits
