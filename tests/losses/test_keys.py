"""Cross-entropy of the keys of a step against loops and against a second library, in value and gradient."""

import math

import pytest
import torch
from sklearn.metrics import log_loss

from inductive_bias.losses import key_cross_entropy, mean_key_cross_entropy
from tests.hostile import refused


def batch(lengths, keys, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shape = (len(lengths), max(lengths), keys)
    logits = (3 * torch.randn(shape, generator=generator)).double().requires_grad_()
    labels = torch.randint(2, shape, generator=generator).to(torch.int8)
    for row, length in enumerate(lengths):
        labels[row, length:] = -1
    return logits, labels


def naive(logits, labels):
    """One key at a time: −log p if it sounds, −log(1 − p) if not."""
    total, steps = 0.0, 0
    for row in range(labels.shape[0]):
        for step in range(labels.shape[1]):
            if labels[row, step, 0] < 0:
                continue
            steps += 1
            for key in range(labels.shape[2]):
                p = 1 / (1 + torch.exp(-logits[row, step, key]))
                total = total - (p if labels[row, step, key] else 1 - p).log()
    return total / steps


@pytest.mark.parametrize("lengths", [(1,), (3,), (3, 1), (2, 5, 5)], ids=str)
@pytest.mark.parametrize("keys", [1, 7])
def test_it_is_the_sum_over_keys_and_the_mean_over_real_steps(lengths, keys):
    logits, labels = batch(lengths, keys)
    ours, want = mean_key_cross_entropy(logits, labels), naive(logits, labels)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(*(torch.autograd.grad(loss, logits)[0] for loss in (ours, want)))


def test_a_step_by_itself_is_a_second_library_s_log_loss_times_the_keys():
    logits, labels = batch((4, 2), 9)
    each = key_cross_entropy(logits, labels)
    for row, length in ((0, 4), (1, 2)):
        for step in range(length):
            p = logits[row, step].detach().sigmoid()
            want = 9 * log_loss(labels[row, step].numpy(), p.numpy(), labels=[0, 1])
            assert each[row, step].item() == pytest.approx(want, rel=1e-9)
    assert (each[1, 2:] == 0).all()


def test_half_padded_steps_and_no_steps_are_refused():
    logits, labels = batch((2, 3), 4)
    labels[1, 2, 3] = -1
    with pytest.raises(ValueError, match="in all keys of a step or in none"):
        key_cross_entropy(logits, labels)
    with pytest.raises(ValueError, match="there must be a step"):
        mean_key_cross_entropy(logits[:0], labels[:0])


def test_what_a_model_says_of_padding_changes_neither_loss_nor_gradient():
    logits, labels = batch((2, 4), 3)
    with torch.no_grad():
        logits[0, 2:] = math.nan
    loss = mean_key_cross_entropy(logits, labels)
    assert loss.isfinite()
    (gradient,) = torch.autograd.grad(loss, logits)
    assert (gradient[1] != 0).all()
    assert (gradient[0, :2] != 0).all()


def test_a_model_that_knows_nothing_pays_one_bit_a_key():
    _, labels = batch((5, 3), 88)
    assert float(mean_key_cross_entropy(torch.zeros(labels.shape), labels)) == pytest.approx(88 * math.log(2))


LOGITS, LABELS = torch.zeros(2, 3, 4), torch.zeros(2, 3, 4, dtype=torch.int8)


@pytest.mark.parametrize("function", [key_cross_entropy, mean_key_cross_entropy])
@pytest.mark.parametrize(
    ("logits", "labels", "message"),
    [
        (LOGITS[0], LABELS[0], r"logits must be \[b, t, k\], not \(3, 4\)"),
        (LOGITS.long(), LABELS, "logits must hold real floating-point numbers"),
        (LOGITS, LABELS[:, :2], r"labels must have the shape \(2, 3, 4\)"),
        (LOGITS, LABELS.float(), "labels must hold integers, not torch.float32"),
        (LOGITS, LABELS + 2, r"labels must lie in \[0, 1\] or be ignore_index=-1, not \[2, 2\]"),
        (LOGITS, LABELS - 1, "labels must not all be ignore_index=-1"),
    ],
)
def test_what_does_not_fit_is_refused(function, logits, labels, message):
    refused(function, message, logits, labels)
