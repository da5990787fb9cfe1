"""How much each sample of a signal counts for a score of it: three methods, and what is left without the first samples.

A signal is ``inputs [n, t, c]``, real numbers in c channels. Explained is any ``score(inputs) -> [n]`` that looks at
every signal by itself, such as the margin of one answer (:func:`~inductive_bias.analysis.attribution.margin`). Where a
sample is taken away the baseline's stands in its place, ``baseline [t, c]``: the mean course of many signals, say, for
a flat line can be as unusual as a peak. All methods give a number with a sign for every sample ``[n, t]``, all channels
together; where the score is linear with the weights w they all give (x − b) · w.

Words have embeddings in place of samples, and other words in the place of a word that is taken away:
:mod:`~inductive_bias.analysis.attribution`.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias import checks

Attribution = Float[Tensor, "n t"]
#: Steps of integrated gradients; the gap to completeness is measured where they are used.
STEPS = 50
#: ``[n, t, c]`` to ``[n]``.
Score = Callable[[Tensor], Tensor]


def gradient_times_difference(score: Score, inputs: Tensor, baseline: Tensor) -> Attribution:
    """Σ_c (x_c − b_c) ∂S/∂x_c at every sample (Shrikumar et al. 2016, whose baseline is 0).

    What S would lose, were it linear, if the sample were the baseline's.

    Raises:
        ValueError: if ``inputs`` are no real numbers ``[n, t, c]`` with t of at least 1, the baseline does not fit
            them, or the score is not one number a signal.
    """
    _check(inputs, baseline)
    return ((inputs - baseline) * _slopes(score, inputs)).sum(-1)


def integrated_gradients(score: Score, inputs: Tensor, baseline: Tensor, *, steps: int = STEPS) -> Attribution:
    """(x − b) · ∫ ∂S(b + α(x − b))/∂x dα over α from 0 to 1, by the midpoint rule (Sundararajan et al. 2017, eq. 1).

    All samples leave the baseline together. *Completeness*: the sum over samples is S(x) − S(b), up to the error of the
    rule.

    Raises:
        ValueError: as of :func:`gradient_times_difference`, or if ``steps`` is not at least 1.
    """
    _check(inputs, baseline)
    checks.whole("steps", steps, least=1)
    way = inputs - baseline
    slopes = sum(_slopes(score, baseline + (step + 0.5) / steps * way) for step in range(steps))
    return (way * slopes / steps).sum(-1)


@torch.no_grad()
def occlusion(score: Score, inputs: Tensor, baseline: Tensor, *, width: int = 1, every: int = 1) -> Attribution:
    """What the score loses if the samples around each one are replaced by the baseline's (Zeiler & Fergus 2014).

    They put grey over a part of a picture; one sample alone would hardly be missed where neighbours are alike.

    Args:
        score: what is explained.
        inputs: the signals.
        baseline: what stands in the place of a window.
        width: samples of a window: ``(width − 1) // 2`` before its middle, ``width // 2`` after it, fewer at the ends.
        every: 1 puts a window around every sample. A larger number cuts the signal into blocks of so many samples, puts
            one window around sample ``every // 2`` of each, and gives what it finds to the whole block.

    Raises:
        ValueError: as of :func:`gradient_times_difference`, or if ``width`` or ``every`` is not at least 1.
    """
    _check(inputs, baseline)
    checks.whole("width", width, least=1)
    checks.whole("every", every, least=1)
    t = inputs.shape[1]
    whole, found = _scored(score, inputs), []
    for start in range(0, t, every):
        middle = min(start + every // 2, t - 1)
        window = slice(max(middle - (width - 1) // 2, 0), middle + width // 2 + 1)
        without = inputs.clone()
        without[:, window] = baseline[window]
        found.append(whole - _scored(score, without))
    return torch.stack(found, 1).repeat_interleave(every, 1)[:, :t]


@torch.no_grad()
def replaced_first(score: Score, inputs: Tensor, baseline: Tensor, order: Tensor, count: int) -> Float[Tensor, " n"]:
    """The score after the first ``count`` samples of an order have been replaced by the baseline's.

    Args:
        score: what is asked again.
        inputs: the signals.
        baseline: what stands in the place of a sample.
        order: of every signal all samples ``[n, t]``, the first to be replaced first.
        count: of 0 … t samples.

    Raises:
        ValueError: as of :func:`gradient_times_difference`, if a row of ``order`` is no order of the samples, or there
            are not so many.
    """
    _check(inputs, baseline)
    n, t, _ = inputs.shape
    checks.whole("count", count, least=0)
    if count > t:
        raise ValueError(f"count must be at most {t}, the number of samples, not {count}")
    if order.shape != (n, t) or not torch.equal(order.sort(1).values, torch.arange(t).expand(n, t)):
        raise ValueError(f"order must be [{n}, {t}], and every row of it hold each of 0 … {t - 1} once")
    gone = torch.zeros(n, t, dtype=torch.bool).scatter_(1, order[:, :count], True)
    return _scored(score, torch.where(gone[..., None], baseline, inputs))


def _slopes(score: Score, x: Tensor) -> Tensor:
    """∂S/∂x of every signal; the signals of a batch know nothing of one another."""
    x = x.detach().requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(_scored(score, x).sum(), x)[0]


def _scored(score: Score, inputs: Tensor) -> Tensor:
    found = score(inputs)
    if found.shape != inputs.shape[:1]:
        raise ValueError(f"score must give one number a signal, [{len(inputs)}], not {tuple(found.shape)}")
    return found


def _check(inputs: Tensor, baseline: Tensor) -> None:
    checks.floats("inputs", inputs, "n t c")
    checks.floats("baseline", baseline, "t c")
    if inputs.shape[1] < 1 or baseline.shape != inputs.shape[1:]:
        shapes = f"{tuple(inputs.shape)} and {tuple(baseline.shape)}"
        raise ValueError(f"inputs must be [n, t, c] with t of at least 1, and baseline [t, c], not {shapes}")
