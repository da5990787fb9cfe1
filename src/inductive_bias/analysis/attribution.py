"""How much each position of a word counts for a model's answer at the last one: several methods, and a test of them.

Explained is the margin, the logit of one answer minus the mean of the others (:func:`margin`). All methods give a
number for every position ``[n, t]``. Gradient × input and integrated gradients are those of
:mod:`~inductive_bias.analysis.signal_attribution`, of the embeddings, and have signs; so has occlusion. Attention and
rollout have none, and need a model of softmax attention alone.

:func:`deletion_curve` asks whether an order of positions is one of importance: what is important changes the answer
when it is replaced.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from inductive_bias import checks
from inductive_bias.analysis import signal_attribution
from inductive_bias.analysis.attention_maps import attention_maps
from inductive_bias.analysis.signal_attribution import STEPS
from inductive_bias.models import MixingModel

Attribution = Float[Tensor, "n t"]
Tokens = Int64[Tensor, "n t"]
#: The share of the positions that is deleted first.
FIRST_SHARE = 0.1


def first_tenth(length: int) -> int:
    """How many positions of a sequence are :data:`FIRST_SHARE` of them: at least one."""
    return max(1, int(FIRST_SHARE * length))


def margin(logits: Float[Tensor, "n k"], target: Int64[Tensor, " n"]) -> Float[Tensor, " n"]:
    """The logit of ``target`` minus the mean of the others.

    Not the logit itself: a number that is added to all logits changes no answer, so it must change no explanation. Not
    the probability: where a model is sure, it is flat.

    Raises:
        ValueError: if there is no other answer, or a target is none of them.
    """
    k = logits.shape[1]
    if k < 2:
        raise ValueError("there must be at least two answers, not 1: a margin is over the others")
    _in_range("target", target, 0, k - 1)
    own = logits.gather(1, target[:, None])[:, 0]
    return own - (logits.sum(1) - own) / (k - 1)


def margin_at_last(model: nn.Module, tokens: Tensor, target: Tensor) -> Float[Tensor, " n"]:
    """The margin of ``target [n]`` at the last position, of ``model(tokens) [n, t, k]``.

    Raises:
        ValueError: if ``tokens`` are not ``[n, t]`` with at least one position, or the target does not fit them.
    """
    if tokens.ndim != 2 or tokens.shape[1] < 1 or target.shape != tokens.shape[:1]:
        shapes = f"{tuple(tokens.shape)} and {tuple(target.shape)}"
        raise ValueError(f"tokens must be [n, t] with t of at least 1, and target [n], not {shapes}")
    return margin(model(tokens)[:, -1], target)


def gradient_times_input(model: nn.Module, tokens: Tokens, target: Int64[Tensor, " n"]) -> Attribution:
    """Σ_d x_d ∂S/∂x_d over the embedding x of every position, S the margin (Shrikumar et al. 2016).

    What S would lose, were it linear, if the embedding were zero.

    Args:
        model: whose ``embedding`` turns tokens into vectors.
        tokens: without padding.
        target: the answer at the last position that is explained.
    """
    x = _embedded(model, tokens)
    return signal_attribution.gradient_times_difference(_score(model, tokens, target), x, torch.zeros_like(x[0]))


def mean_embedding(model: nn.Module, actions: int) -> Float[Tensor, " d"]:
    """The mean vector of tokens 1 … ``actions``: a baseline that is no action, and as far from each as can be."""
    checks.whole("actions", actions, least=1)
    return _embedded(model, torch.arange(1, actions + 1)).mean(0)


def integrated_gradients(
    model: nn.Module, tokens: Tokens, target: Int64[Tensor, " n"], baseline: Float[Tensor, " d"], *, steps: int = STEPS
) -> Attribution:
    """(x − b) · ∫ ∂S(b + α(x − b))/∂x dα over α from 0 to 1, by the midpoint rule (Sundararajan et al. 2017, eq. 1).

    All positions leave the baseline b together. *Completeness*: the sum over positions is S(x) − S(b), up to the error
    of the rule (:func:`baseline_margin`).
    """
    x = _embedded(model, tokens)
    everywhere = baseline.expand(tokens.shape[1], -1)
    return signal_attribution.integrated_gradients(_score(model, tokens, target), x, everywhere, steps=steps)


@torch.no_grad()
def baseline_margin(
    model: nn.Module, tokens: Tokens, target: Int64[Tensor, " n"], baseline: Float[Tensor, " d"]
) -> Float[Tensor, " n"]:
    """S(b): the margin where every position has the baseline for its embedding."""
    return _score(model, tokens, target)(baseline.expand(*tokens.shape, -1))


@torch.no_grad()
def occlusion(model: nn.Module, tokens: Tokens, target: Int64[Tensor, " n"], actions: int) -> Attribution:
    """What the margin loses if the action of a position is replaced by another one, on average over all others.

    Zeiler and Fergus (2014) put grey over a part of a picture. A vector that is no action would show the model what it
    has never seen; of a small alphabet all other actions can be tried, and the average is exact.

    Args:
        model: tokens ``[n, t]`` to logits ``[n, t, k]``.
        tokens: all of 1 … ``actions``.
        target: the answer at the last position.
        actions: how many there are, at least two.

    Raises:
        ValueError: if there is no other action, or a token is none.
    """
    return margin_at_last(model, tokens, target)[:, None] - over_other_actions(
        lambda words: margin_at_last(model, words, target), tokens, actions
    )


def over_other_actions(value: Callable[[Tokens], Float[Tensor, " n"]], tokens: Tokens, actions: int) -> Attribution:
    """Mean of ``value`` at every position over all words that have another action there, and only there.

    Raises:
        ValueError: as of :func:`occlusion`.
    """
    _check_actions(tokens, actions)
    found = []
    for place in range(tokens.shape[1]):
        words = tokens.repeat(actions - 1, 1, 1)
        words[:, :, place] = (tokens[:, place] - 1 + torch.arange(1, actions)[:, None]) % actions + 1
        found.append(torch.stack([value(each) for each in words]).mean(0))
    return torch.stack(found, 1)


def attention_of_last(model: MixingModel, tokens: Tokens) -> Attribution:
    """What the last token takes of every token in the last layer: the mean over its heads, as it is often shown.

    Raises:
        ValueError: if a mixer is not plain softmax attention; of a REM or a state no weights sum to 1.
    """
    return attention_maps(model, tokens)[-1].mean(1)[:, -1]


def attention_rollout(model: MixingModel, tokens: Tokens) -> Attribution:
    """The last row of A_L ⋯ A₁, A_l half of the mean over heads and half of the identity (Abnar & Zuidema 2020).

    The identity stands for the residual connection; feed-forward layers and values are left out.

    Raises:
        ValueError: as of :func:`attention_of_last`.
    """
    maps = attention_maps(model, tokens).mean(2)
    t = tokens.shape[1]
    itself = torch.eye(t, dtype=maps.dtype)
    found = itself.expand(len(tokens), t, t)
    for layer in (maps + itself) / 2:
        found = layer @ found
    return found[:, -1]


def other_actions(tokens: Tokens, actions: int, generator: torch.Generator) -> Tokens:
    """Random words in which every action is replaced by one of the others in 1 … ``actions``, each as likely.

    Raises:
        ValueError: as of :func:`occlusion`.
    """
    _check_actions(tokens, actions)
    moved = torch.randint(1, actions, tokens.shape, generator=generator)
    return (tokens - 1 + moved) % actions + 1


@torch.no_grad()
def deletion_curve(
    model: nn.Module, tokens: Tokens, target: Int64[Tensor, " n"], order: Tensor, replacements: Tensor
) -> Float[Tensor, "n t+1"]:
    """The probability of ``target`` at the last position, after 0, 1 … t positions have been replaced.

    Args:
        model: tokens to logits.
        tokens: the words.
        target: the answer at the last position.
        order: of every word all positions ``[n, t]``, the first to be replaced first.
        replacements: ``[n, t]``, what stands at a position once it is replaced.

    Raises:
        ValueError: if a row of ``order`` is no order of the positions, or shapes differ.
    """
    n, t = tokens.shape
    if order.shape != (n, t) or replacements.shape != (n, t):
        shapes = f"{tuple(order.shape)} and {tuple(replacements.shape)}"
        raise ValueError(f"order and replacements must be [{n}, {t}], not {shapes}")
    if not torch.equal(order.sort(1).values, torch.arange(t).expand(n, t)):
        raise ValueError(f"every row of order must hold each of 0 … {t - 1} once")
    place = order.argsort(1)  # when a position is replaced
    gone = place[:, None] < torch.arange(t + 1)[None, :, None]
    words = torch.where(gone, replacements[:, None], tokens[:, None]).flatten(0, 1)
    logits = model(words)[:, -1]
    _in_range("target", target, 0, logits.shape[1] - 1)
    sure = logits.softmax(1).gather(1, target.repeat_interleave(t + 1)[:, None])
    return sure.reshape(n, t + 1)


def _embedded(model: nn.Module, tokens: Tensor) -> Tensor:
    if not isinstance(getattr(model, "embedding", None), nn.Embedding):
        raise ValueError(f"{type(model).__name__} has no embedding of tokens, by whose vectors positions are explained")
    return model.embedding(tokens).detach()


def _score(model: nn.Module, tokens: Tensor, target: Tensor) -> signal_attribution.Score:
    """The margin as a function of the embeddings ``[n, t, d]``, which take the place of those of ``tokens``."""

    def score(x: Tensor) -> Tensor:
        hook = model.embedding.register_forward_hook(lambda module, given, made: x)
        try:
            return margin_at_last(model, tokens, target)
        finally:
            hook.remove()

    return score


def _check_actions(tokens: Tensor, actions: int) -> None:
    checks.whole("actions", actions, least=1)
    if actions < 2:
        raise ValueError(f"actions must be at least 2, not {actions}: there is no other action")
    _in_range("tokens", tokens, 1, actions)


def _in_range(name: str, values: Tensor, low: int, high: int) -> None:
    if values.numel() and (values.min() < low or values.max() > high):
        found = f"{int(values.min())} … {int(values.max())}"
        raise ValueError(f"{name} must lie in {low} … {high}, not in {found}")
