import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols.next_character import EPOCH_STEPS, answers
from inductive_bias.running import build, run_trial
from inductive_bias.tasks import NextCharacter
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TASK = NextCharacter(text="grammar", window=10, vocabulary_size=40, sentences=60)


def trial(context=None, **choices):
    return Trial(
        task=TASK,
        model=RecurrentSpec(states=4, embedding=3, context=context),
        optimiser=OptimiserSpec(learning_rate=0.5, method="sgd", clip_norm=None),
        schedule=ScheduleSpec(epochs=2, batch_size=4, decay="inverse", precision="float64"),
        **{"checkpoints": (0, 2), **choices},
    )


def test_weights_are_kept_at_checkpoints_in_float64_and_twins_start_alike():
    whole, cut = (run_trial(trial(context)) for context in (None, 2))
    for outcome in (whole, cut):
        assert {name for name in outcome.arrays if name.startswith("weights")} == {"weights/0", "weights/2"}
        assert all(value.dtype == torch.float64 for value in outcome.weights.values())
    assert torch.equal(whole.arrays["weights/0"], cut.arrays["weights/0"])
    assert not torch.equal(whole.arrays["weights/2"], cut.arrays["weights/2"])
    flat = torch.cat([value.flatten() for value in whole.weights.values()])
    assert torch.equal(flat, whole.arrays["weights/2"])


def test_a_context_as_long_as_the_window_is_no_cut():
    whole, cut = (run_trial(trial(context)) for context in (None, 10))
    torch.testing.assert_close(whole.arrays["weights/2"], cut.arrays["weights/2"], rtol=0, atol=1e-12)


def test_training_is_plain_descent_on_the_last_character():
    one = trial()
    data = one.task.load()
    torch.manual_seed(one.seed)
    model = build(one).train()
    order = torch.Generator().manual_seed(one.seed)
    text, labels = data["train"].inputs, data["train"].labels
    for step in range(2 * EPOCH_STEPS):
        if step % EPOCH_STEPS == 0:
            starts = torch.randint(len(text) - 9, (EPOCH_STEPS, 4), generator=order)
        rows = starts[step % EPOCH_STEPS][:, None] + torch.arange(10)
        loss = F.cross_entropy(model(text[rows])[:, -1], labels[rows[:, -1]])
        model.zero_grad()
        loss.backward()
        with torch.no_grad():
            for weight in model.parameters():
                weight -= 0.5 / (step + 1) * weight.grad
    flat = torch.cat([value.flatten() for value in model.state_dict().values()])
    torch.testing.assert_close(flat, run_trial(one).arrays["weights/2"], rtol=0, atol=1e-10)


def test_bits_are_of_the_last_position_alone():
    outcome = run_trial(trial())
    model, split = build(trial(), outcome.weights), TASK.load()["test"]
    with torch.no_grad():
        expected = F.cross_entropy(model(split.inputs)[:, -1], split.labels[:, -1]).item() / math.log(2)
    found = [each["value"] for each in outcome.rows if each["split"] == "test" and each["metric"] == "bpc"]
    assert found == [pytest.approx(expected)]


def test_models_that_know_no_last_position_answer_everywhere():
    model = MixingSpec(width=8, layers=1).build(vocabulary=40, outputs=40).eval()
    tokens = torch.randint(0, 40, (3, 10))
    with torch.no_grad():
        torch.testing.assert_close(answers(model, tokens), model(tokens)[:, -1])
