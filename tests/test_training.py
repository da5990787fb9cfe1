import math

import pytest
import torch
import torch.nn.functional as F
from pydantic import ValidationError
from torch import nn

from inductive_bias.tasks.batching import (
    Batch,
    batches_per_epoch,
    bucketed_batches,
    length_chunks,
    ordered_chunks,
    shuffled_batches,
)
from inductive_bias.training import DivergedError, OptimiserSpec, ScheduleSpec, fit, predict
from tests.hostile import refused

X = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
Y = (X.sum(1) > 0).long()


def batches(generator):
    return lambda: shuffled_batches(X, Y, batch_size=16, generator=generator)


def cross_entropy(model, batch):
    return F.cross_entropy(model(batch.inputs), batch.labels)


def test_a_plain_loop_with_torch_s_own_schedule_gives_the_same_weights():
    def fresh():
        torch.manual_seed(0)
        return nn.Linear(3, 2)

    ours, want = fresh(), fresh()
    fit(
        ours,
        batches(torch.Generator().manual_seed(1)),
        cross_entropy,
        steps_per_epoch=3,
        optimiser=OptimiserSpec(learning_rate=0.1, clip_norm=0.5),
        schedule=ScheduleSpec(epochs=4),
    )
    optimiser = torch.optim.Adam(want.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=12)
    order = torch.Generator().manual_seed(1)
    for _ in range(4):
        for batch in shuffled_batches(X, Y, batch_size=16, generator=order):
            optimiser.zero_grad()
            cross_entropy(want, batch).backward()
            nn.utils.clip_grad_norm_(want.parameters(), 0.5)
            optimiser.step()
            schedule.step()
    torch.testing.assert_close(ours.state_dict(), want.state_dict())


def test_after_epoch_sees_a_model_in_evaluation_mode_and_the_mean_loss():
    seen = []
    model = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
    fit(
        model,
        batches(torch.Generator()),
        lambda m, b: m(b.inputs).sum() * 0 + 2.0,
        steps_per_epoch=3,
        optimiser=OptimiserSpec(),
        schedule=ScheduleSpec(epochs=2),
        after_epoch=lambda epoch, loss: seen.append((epoch, loss, model.training)),
    )
    assert seen == [(1, 2.0, False), (2, 2.0, False)]


def test_a_loss_that_is_not_finite_stops_with_its_epoch():
    model, calls = nn.Linear(3, 2), []

    def loss(model, batch):
        calls.append(1)
        return cross_entropy(model, batch) * (math.nan if len(calls) > 4 else 1)

    with pytest.raises(DivergedError, match="epoch 2") as caught:
        fit(
            model,
            batches(torch.Generator()),
            loss,
            steps_per_epoch=3,
            optimiser=OptimiserSpec(),
            schedule=ScheduleSpec(epochs=5),
        )
    assert caught.value.epoch == 2


@pytest.mark.parametrize(("step", "rate"), [(0, 1.0), (20, 0.55), (40, 0.1), (41, 0.1)])
def test_the_rate_falls_along_a_cosine_to_its_floor(step, rate):
    assert ScheduleSpec(decay="cosine", floor=0.1).rate(step, 40) == pytest.approx(rate)
    assert ScheduleSpec(decay="constant").rate(step, 40) == 1.0
    assert ScheduleSpec(decay="inverse").rate(step, 40) == pytest.approx(1 / (1 + step))


@pytest.mark.parametrize(("step", "rate"), [(0, 0.1), (4, 0.5), (9, 1.0), (30, 1.0)])
def test_the_rate_rises_to_its_start_in_equal_parts(step, rate):
    assert ScheduleSpec(decay="constant", warmup=10).rate(step, 40) == pytest.approx(rate)
    falling = ScheduleSpec(decay="cosine")
    warm = falling.model_copy(update={"warmup": 10})
    assert warm.rate(step, 40) == pytest.approx(rate * falling.rate(step, 40))


@pytest.mark.parametrize("step", [0, 10, 40])
def test_the_rate_falls_in_a_straight_line(step):
    assert ScheduleSpec(decay="linear", floor=0.2).rate(step, 40) == pytest.approx(1 - 0.8 * step / 40)


def test_adamw_is_adam_whose_weights_shrink_before_each_step():
    spec = OptimiserSpec(method="adamw", learning_rate=0.1, weight_decay=0.3, epsilon=1e-3)
    layer = nn.Linear(3, 1, bias=False, dtype=torch.float64)
    stepper, wanted = spec.build(layer), layer.weight.detach().clone()
    mean, square = torch.zeros_like(wanted), torch.zeros_like(wanted)
    for step, scale in enumerate((1.0, -2.0, 0.5), start=1):
        gradient = scale * torch.tensor([[1.0, 2.0, -3.0]], dtype=torch.float64)
        layer.weight.grad = gradient.clone()
        stepper.step()
        wanted = wanted * (1 - 0.1 * 0.3)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        wanted = wanted - 0.1 * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-3)
        torch.testing.assert_close(layer.weight.detach(), wanted)


def test_a_weight_decay_that_would_do_nothing_is_refused():
    with pytest.raises(ValidationError, match=r"weight_decay=0\.3 belongs to method='adamw', not to 'adam'"):
        OptimiserSpec(weight_decay=0.3)


def test_training_ends_where_it_is_told_to():
    seen = []

    def after_epoch(epoch, mean_loss):
        seen.append(epoch)
        return epoch == 2

    fit(
        nn.Linear(3, 2),
        batches(torch.Generator()),
        cross_entropy,
        steps_per_epoch=3,
        optimiser=OptimiserSpec(),
        schedule=ScheduleSpec(epochs=5),
        after_epoch=after_epoch,
    )
    assert seen == [1, 2]


def trained(loss=None, **options):
    """A line through five points, after two whole passes: its weight and bias."""
    x = torch.linspace(-1, 1, 5, dtype=torch.float64)[:, None]
    batch = Batch(x, 3 * x + 1, torch.arange(5))
    torch.manual_seed(0)
    model = nn.Linear(1, 1).double()
    start = [value.detach().clone() for value in model.parameters()]
    fit(
        model,
        lambda: [batch] * 2,
        loss or (lambda m, b: F.mse_loss(m(b.inputs), b.labels)),
        steps_per_epoch=2,
        schedule=ScheduleSpec(epochs=2, decay="inverse"),
        **options,
    )
    return start, [value.detach() for value in model.parameters()], batch


def test_plain_steps_of_falling_size_are_those_by_hand():
    (weight, bias), found, batch = trained(optimiser=OptimiserSpec(method="sgd", learning_rate=0.4, clip_norm=None))
    for step in range(4):
        wrong = batch.inputs * weight + bias - batch.labels
        slopes = (2 * wrong * batch.inputs).mean(), (2 * wrong).mean()
        weight, bias = (value - 0.4 / (step + 1) * slope for value, slope in zip((weight, bias), slopes, strict=True))
    torch.testing.assert_close(found, [weight, bias])


def test_without_a_norm_nothing_is_clipped():
    sgd = {"method": "sgd", "learning_rate": 1e-4}
    start, free, _ = trained(optimiser=OptimiserSpec(clip_norm=None, **sgd))
    _, clipped, _ = trained(optimiser=OptimiserSpec(clip_norm=1e-3, **sgd))
    moved, less = (sum((a - b).square().sum() for a, b in zip(start, end, strict=True)) for end in (free, clipped))
    assert less < 1e-3 * moved


def test_a_model_is_moved_into_its_constraint_after_every_step():
    class Bound(nn.Linear):
        seen = 0

        def constrain_(self):
            Bound.seen += 1
            with torch.no_grad():
                self.weight.clamp_(max=0.1)

    model = Bound(3, 2)
    fit(
        model,
        batches(torch.Generator()),
        cross_entropy,
        steps_per_epoch=3,
        optimiser=OptimiserSpec(learning_rate=1.0),
        schedule=ScheduleSpec(epochs=2),
    )
    assert Bound.seen == 6
    assert model.weight.max() <= 0.1


def test_bfloat16_changes_the_forward_pass_only():
    seen = []

    def loss(model, batch):
        logits = model(batch.inputs)
        seen.append(logits.dtype)
        return F.cross_entropy(logits.float(), batch.labels)

    model = nn.Linear(3, 2)
    fit(
        model,
        batches(torch.Generator()),
        loss,
        steps_per_epoch=3,
        optimiser=OptimiserSpec(),
        schedule=ScheduleSpec(epochs=1, precision="bfloat16"),
    )
    assert set(seen) == {torch.bfloat16}
    assert model.weight.dtype == torch.float32


@pytest.mark.parametrize(("examples", "size", "count"), [(1, 1, 1), (5, 8, 1), (8, 8, 1), (17, 8, 2)])
def test_an_epoch_shows_whole_batches_of_different_examples(examples, size, count):
    inputs = torch.arange(examples)
    found = list(shuffled_batches(inputs, inputs, batch_size=size, generator=torch.Generator()))
    assert len(found) == count == batches_per_epoch(examples, size)
    index = torch.cat([batch.index for batch in found])
    assert len(index.unique()) == len(index) == min(examples, count * size)
    assert all(isinstance(batch, Batch) and torch.equal(batch.inputs, inputs[batch.index]) for batch in found)


def test_the_order_is_new_each_epoch_and_the_same_for_a_seed():
    def two_epochs():
        generator = torch.Generator().manual_seed(3)
        inputs = torch.arange(32)
        return [
            torch.cat([b.index for b in shuffled_batches(inputs, inputs, batch_size=8, generator=generator)])
            for _ in range(2)
        ]

    first, again = two_epochs(), two_epochs()
    assert torch.equal(first[0], again[0])
    assert not torch.equal(first[0], first[1])


@pytest.mark.parametrize(("examples", "size"), [(0, 4), (4, 0)])
def test_empty_epochs_are_refused(examples, size):
    with pytest.raises(ValueError, match="at least 1"):
        batches_per_epoch(examples, size)


@pytest.mark.parametrize("chunk", [1, 7, 50, 99])
def test_prediction_in_chunks_is_prediction_at_once(chunk):
    model = nn.Linear(3, 2)
    found = predict(model, ordered_chunks(X, chunk=chunk))
    torch.testing.assert_close(found, model(X).detach())
    assert not found.requires_grad


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps_per_epoch": 0}, "steps_per_epoch must be an integer of at least 1, not 0"),
        ({"steps_per_epoch": 2.5}, r"steps_per_epoch must be an integer of at least 1, not 2\.5"),
        ({"epoch_batches": lambda: iter(())}, "at least one batch an epoch, but gave none in epoch 1"),
        ({"model": nn.ReLU()}, "model must have a parameter to train, but ReLU has none"),
        (
            {"loss": lambda model, batch: model(batch.inputs).sum(1)},
            r"loss must be a single number, not of shape \(16,\)",
        ),
    ],
    ids=["no step", "half a step", "no batch", "no parameter", "a loss for each example"],
)
def test_a_training_that_would_do_nothing_or_stumble_is_refused(change, message):
    arguments = {
        "model": nn.Linear(3, 2),
        "epoch_batches": batches(torch.Generator().manual_seed(0)),
        "loss": cross_entropy,
        "steps_per_epoch": 3,
        "optimiser": OptimiserSpec(),
        "schedule": ScheduleSpec(epochs=1),
    }
    refused(fit, message, **arguments | change)


@pytest.mark.parametrize("decay", ["constant", "cosine", "inverse"])
def test_a_step_before_the_first_is_refused(decay):
    refused(ScheduleSpec(decay=decay).rate, "step must be an integer of at least 0, not -1", -1, 10)
    refused(ScheduleSpec(decay=decay).rate, "steps must be an integer of at least 1, not 0", 1, 0)


def test_a_prediction_needs_a_chunk():
    refused(predict, "chunks must hold at least one", lambda chunk: chunk, [])


@pytest.mark.parametrize("bad", [0, -1, 1.5, True])
def test_batches_and_chunks_have_a_size(bad):
    message = f"must be an integer of at least 1, not {bad}"
    generator = torch.Generator().manual_seed(0)
    tokens = torch.ones(4, 3, dtype=torch.int64)
    refused(batches_per_epoch, message, 5, bad)
    refused(batches_per_epoch, message, bad, 5)
    refused(lambda: list(ordered_chunks(X, chunk=bad)), message)
    refused(lambda: list(length_chunks(tokens, chunk=bad)), message)
    refused(lambda: list(shuffled_batches(X, Y, batch_size=bad, generator=generator)), message)
    refused(lambda: list(bucketed_batches(tokens, Y[:4], batch_size=bad, generator=generator)), message)


def test_inputs_without_a_label_each_are_refused():
    generator = torch.Generator().manual_seed(0)
    tokens = torch.ones(4, 3, dtype=torch.int64)
    refused(lambda: list(shuffled_batches(X, Y[:-1], batch_size=5, generator=generator)), "not 49 for 50")
    refused(lambda: list(bucketed_batches(tokens, Y[:3], batch_size=5, generator=generator)), "not 3 for 4")
