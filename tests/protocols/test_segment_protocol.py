"""Streams in segments: what is learnt from, bits of all characters, by position and by past."""

import math

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.errors import SettingError
from inductive_bias.layers import RSASpec
from inductive_bias.models import BlockRecurrentSpec, LanguageXLSpec, LatentBottleneckSpec, RecurrentSpec
from inductive_bias.protocols.measures.segments import in_segments, past_bits, stream_bits
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.tasks import CharacterModelling, SegmentStream, Split
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

SETTING = {"text": "grammar", "window": 8, "vocabulary_size": 40, "sentences": 60}
TASK = SegmentStream(**SETTING)
RSA = RSASpec(heads=4, counts=(0, 0, 0, 0, 1, 1), dilation=(2, 3), plain=2, gate_logit=1.0)
SMALL = {"width": 8, "inner": 8, "layers": 2, "mixer": RSA}
MODELS = {
    "xl": LanguageXLSpec(segment=8, memory=8, **SMALL),
    "brt": BlockRecurrentSpec(window=4, states=2, recurrent=1, **SMALL),
    "tlb": LatentBottleneckSpec(chunk=4, slow=2, **SMALL),
}


def trial(model=MODELS["xl"], **changes):
    schedule = ScheduleSpec(epochs=1, batch_size=32)
    return Trial(task=TASK, model=model, optimiser=OptimiserSpec(learning_rate=1e-2), schedule=schedule).model_copy(
        update=changes
    )


@pytest.fixture(scope="module")
def outcome():
    return run_trial(trial())


@pytest.fixture(scope="module")
def trained(outcome):
    return build(trial(), outcome.weights)


def values(outcome, metric="bpc", split="test"):
    """By position and context, of final rows."""
    return {
        (each.get("position"), each.get("context")): each["value"]
        for each in outcome.rows
        if each["metric"] == metric and each["split"] == split and each["epoch"] is None
    }


def test_the_text_is_that_of_the_other_character_models():
    for name in ("train", "validation", "test"):
        running, windows = TASK.load()[name], CharacterModelling(**SETTING).load()[name]
        assert torch.equal(running.inputs[: windows.inputs.numel()], windows.inputs.flatten())


def test_the_state_goes_on_from_segment_to_segment_without_a_gradient_and_begins_anew_with_the_streams():
    one = trial()
    protocol = protocol_of(one, TASK.load())
    torch.manual_seed(0)
    model = build(one).train()
    batches = list(protocol.batching.epoch(torch.Generator(), torch.device("cpu")))
    losses = [protocol.objective.loss(model, batch) for batch in batches[:2]]
    both = model.carried(torch.cat([batch.inputs for batch in batches[:2]], 1))[0]
    want = F.cross_entropy(model.readout(both[:, 8:]).flatten(0, 1), batches[1].labels.flatten(), ignore_index=-1)
    torch.testing.assert_close(losses[1], want)
    torch.testing.assert_close(protocol.objective.loss(model, batches[0]), losses[0])
    # the first embedding is met in the first segment alone: the loss of the second does not move it
    model.zero_grad()
    lost = model.embedding.weight.detach().clone()
    losses[1].backward()
    seen = set(batches[1].inputs.flatten().tolist())
    unseen = [token for token in range(len(lost)) if token not in seen]
    assert (model.embedding.weight.grad[unseen] == 0).all()


def test_bits_are_those_of_every_stream_read_at_once_over_all_characters(outcome, trained):
    split = TASK.load()["test"]
    length = len(split) // 10
    rows, labels = (part[: 10 * length].view(10, length) for part in (split.inputs, split.labels))
    with torch.no_grad():
        nll = F.cross_entropy(trained(rows).flatten(0, 1), labels.flatten(), ignore_index=-1).item()
    found = values(outcome)
    assert found[None, None] == pytest.approx(nll / math.log(2), rel=1e-5)
    assert values(outcome, "characters")[None, None] == int((labels >= 0).sum())
    bits = stream_bits(trained, split, 8)
    assert bits.shape == (10, length)
    torch.testing.assert_close(stream_bits(trained, split, 5), stream_bits(trained, split, length), equal_nan=True)


def test_positions_count_within_whole_segments(outcome, trained):
    bits = stream_bits(trained, TASK.load()["test"], 8)
    whole = bits[:, : bits.shape[1] // 8 * 8].reshape(-1, 8)
    found = values(outcome)
    for last, first in ((1, 1), (2, 2), (4, 3), (8, 5)):
        assert found[last, None] == pytest.approx(float(whole[:, first - 1 : last].nanmean()), rel=1e-5)
    assert torch.equal(in_segments(torch.arange(10.0).view(2, 5), 2), torch.tensor([[0.0, 1], [2, 3], [5, 6], [7, 8]]))
    assert in_segments(torch.zeros(2, 3), 4).shape == (2, 3)


def test_a_cut_past_is_what_the_model_has_read_before_a_segment(outcome, trained):
    found = {context: value for (position, context), value in values(outcome).items() if context is not None}
    assert list(found) == [0, 2, 4, 8, 16, 32, 64]
    # two layers reach two segments back
    assert found[16] == pytest.approx(found[64], rel=1e-5)
    text = torch.arange(30) % 7 + 1
    short = Split(text[:-1], text[1:], "made up")
    pasts = past_bits(trained, short, 8)
    assert list(pasts) == [0, 2, 4, 8, 16]
    want = []
    for start in range(16, 22):
        with torch.no_grad():
            logits = trained(text[start - 4 : start + 8][None])[0, 4:]
        want.append(F.cross_entropy(logits, text[start - 3 : start + 9][4:]))
    assert pasts[4] == pytest.approx(float(torch.stack(want).mean()) / math.log(2), rel=1e-4)


def test_gates_decays_and_sizes_are_rows(outcome):
    gates = [each for each in outcome.rows if each["metric"] == "gate"]
    assert {each["layer"] for each in gates} == {1.0, 2.0}
    metrics = {each["metric"] for each in outcome.rows}
    assert metrics >= {"decay", "angle", "parameters", "skipped", "selected_epoch"}


@pytest.mark.parametrize("name", ["brt", "tlb"])
def test_models_with_states_run_in_half_precision_too(name):
    schedule = ScheduleSpec(epochs=1, batch_size=64, precision="bfloat16")
    found = run_trial(trial(MODELS[name], schedule=schedule))
    assert math.isfinite(values(found)[None, None])


def test_segments_that_hold_no_whole_units_or_one_alone_are_refused():
    with pytest.raises(SettingError, match="whole units of 3"):
        run_trial(trial(LanguageXLSpec(segment=3, memory=3, **SMALL)))
    with pytest.raises(SettingError, match="must hold several units"):
        run_trial(trial(LatentBottleneckSpec(chunk=8, **SMALL)))
    with pytest.raises(SettingError, match="are shorter than a window"):
        run_trial(trial(schedule=ScheduleSpec(epochs=1, batch_size=6000)))


def test_other_models_that_carry_a_state_are_read_in_segments_too():
    found = run_trial(
        trial(RecurrentSpec(cell="lstm", states=4, embedding=4), schedule=ScheduleSpec(epochs=1, batch_size=64))
    )
    assert math.isfinite(values(found)[None, None])
