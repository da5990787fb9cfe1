import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.errors import SettingError
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols.running_text import in_streams, mean_nll
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import CharacterModelling, CharacterStream, WordModelling
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

TASK = WordModelling(text="grammar", window=6, vocabulary_size=240, sentences=60)


def trial(**choices):
    model = RecurrentSpec(cell="lstm", states=8, embedding=6, **{"cutoffs": (100,)} | choices)
    return Trial(
        task=TASK,
        model=model,
        optimiser=OptimiserSpec(learning_rate=1e-2),
        schedule=ScheduleSpec(epochs=2, batch_size=4),
    )


@pytest.mark.parametrize(("n", "streams", "window"), [(20, 2, 4), (23, 3, 7), (5, 1, 9)])
def test_streams_are_the_text_in_its_order(n, streams, window):
    text = torch.arange(n)
    found = list(in_streams(text, text + 1, streams=streams, window=window))
    rows = torch.cat([batch.inputs for batch in found], 1)
    assert rows.flatten().tolist() == list(range(n // streams * streams))
    assert all(torch.equal(batch.labels, batch.inputs + 1) for batch in found)
    assert [int(batch.index[0]) for batch in found] == list(range(len(found)))


@pytest.mark.parametrize("cutoffs", [(), (100,)])
def test_perplexity_is_that_of_each_stream_read_at_once(cutoffs):
    one = trial(cutoffs=cutoffs)
    outcome = run_trial(one)
    model, split = build(one, outcome.weights), TASK.load()["test"]
    length = len(split.inputs) // 10
    rows, labels = (part[: 10 * length].view(10, length) for part in (split.inputs, split.labels))
    with torch.no_grad():
        expected = F.cross_entropy(model(rows).flatten(0, 1), labels.flatten(), ignore_index=-1).item()
    assert mean_nll(model, split) == pytest.approx(expected, rel=1e-5)
    found = {(each["split"], each["metric"]): each["value"] for each in outcome.rows if each["epoch"] is None}
    assert found["test", "perplexity"] == pytest.approx(math.exp(expected), rel=1e-5)


def test_states_go_on_and_gradients_do_not():
    one = trial()
    data = TASK.load()
    protocol = protocol_of(one, data)
    torch.manual_seed(0)
    model = build(one).train()
    batches = list(protocol.batching.epoch(torch.Generator(), torch.device("cpu")))
    first = protocol.objective.loss(model, batches[0])
    second = protocol.objective.loss(model, batches[1])
    both = model(torch.cat((batches[0].inputs, batches[1].inputs), 1))[:, 6:]
    labels = batches[1].labels
    expected = F.nll_loss(both.flatten(0, 1), labels.flatten(), ignore_index=-1)
    torch.testing.assert_close(second, expected)
    assert not torch.isclose(first, second)
    # a stream that begins again has forgotten
    again = protocol.objective.loss(model, batches[0])
    torch.testing.assert_close(again, first)


def test_models_without_a_state_and_texts_shorter_than_their_streams_are_refused():
    with pytest.raises(SettingError, match="no method carried"):
        run_trial(trial().model_copy(update={"model": MixingSpec(width=8, layers=1)}))
    with pytest.raises(SettingError, match="are shorter than a window"):
        run_trial(trial().model_copy(update={"schedule": ScheduleSpec(epochs=1, batch_size=400)}))


def test_characters_in_a_stream_are_the_same_text_and_scored_in_bits():
    setting = {"text": "grammar", "window": 8, "vocabulary_size": 40, "sentences": 60}
    task, cut = CharacterStream(**setting), CharacterModelling(**setting)
    for name in ("train", "validation", "test"):
        running, windows = task.load()[name], cut.load()[name]
        assert running.inputs.dim() == 1
        assert torch.equal(running.inputs[: windows.inputs.numel()], windows.inputs.flatten())
        known = running.labels[:-1] >= 0
        assert torch.equal(running.inputs[1:][known], running.labels[:-1][known])
    model = RecurrentSpec(cell="tanh", states=8, embedding=4)
    outcome = run_trial(trial().model_copy(update={"task": task, "model": model}))
    split = task.load()["test"]
    found = {(each["split"], each["metric"]): each["value"] for each in outcome.rows if each["epoch"] is None}
    nats = mean_nll(build(trial().model_copy(update={"task": task, "model": model}), outcome.weights), split)
    assert found["test", "bpc"] == pytest.approx(nats / math.log(2))
