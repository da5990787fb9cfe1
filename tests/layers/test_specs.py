"""Settings of mixers: each has its own fields alone, refuses early, and makes the layer beside it."""

import pytest
import torch
from pydantic import TypeAdapter, ValidationError

from inductive_bias.layers import (
    LSTM,
    MIXERS,
    ALiBiAttention,
    ALiBiSpec,
    AttentionSpec,
    LinearRNN,
    LinearRNNSpec,
    LSTMLayerSpec,
    Mixer,
    PlainAttention,
    RelativeAttention,
    RelativeSpec,
    REMOnly,
    REMSpec,
    RoPESpec,
    RSASpec,
    RSAttention,
    ToeplitzAttention,
    ToeplitzSpec,
    WindowAttention,
    WindowSpec,
)

LAYERS = {
    AttentionSpec(heads=3): PlainAttention,
    ALiBiSpec(heads=3): ALiBiAttention,
    RoPESpec(heads=3): PlainAttention,
    RelativeSpec(heads=3): RelativeAttention,
    WindowSpec(heads=3, window=2): WindowAttention,
    RSASpec(heads=3, counts=(0, 1, 1, 0, 0, 0), plain=1): RSAttention,
    REMSpec(heads=3): REMOnly,
    ToeplitzSpec(heads=3, length=9): ToeplitzAttention,
    LinearRNNSpec(states=5): LinearRNN,
    LSTMLayerSpec(): LSTM,
}
REM_FIELDS = {"counts", "dilation", "diagonal", "shared", "decay_start", "frozen"}
QUERY_FIELDS = {"heads", "kv_heads"}
GATE_FIELDS = {"gate", "gate_logit", "plain"}


def test_every_mixer_is_tested_here_and_has_a_kind_and_a_name_of_its_own():
    assert {type(spec) for spec in LAYERS} == set(MIXERS), "add it to LAYERS here"
    assert len({spec.kind for spec in LAYERS}) == len({spec.name for spec in LAYERS}) == len(MIXERS)


@pytest.mark.parametrize("spec", LAYERS, ids=lambda spec: spec.kind)
def test_settings_make_their_layer_and_are_found_by_their_kind(spec):
    layer = spec.layer(12)
    assert type(layer) is LAYERS[spec]
    assert layer(torch.zeros(2, 7, 12)).shape == (2, 7, 12)
    assert TypeAdapter(Mixer).validate_json(spec.model_dump_json()) == spec


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (AttentionSpec, QUERY_FIELDS),
        (ALiBiSpec, QUERY_FIELDS),
        (RoPESpec, QUERY_FIELDS),
        (RelativeSpec, QUERY_FIELDS),
        (WindowSpec, QUERY_FIELDS | {"window", "rotary"}),
        (RSASpec, QUERY_FIELDS | REM_FIELDS | GATE_FIELDS),
        (REMSpec, {"heads"} | REM_FIELDS),
        (ToeplitzSpec, QUERY_FIELDS | {"length"} | GATE_FIELDS),
        (LinearRNNSpec, {"states"}),
        (LSTMLayerSpec, {"states"}),
    ],
)
def test_a_mixer_has_the_fields_that_mean_something_for_it(kind, fields):
    assert set(kind.model_fields) == fields | {"kind"}


def test_choices_reach_the_layer():
    layer = RSASpec(
        heads=4,
        counts=(0, 1, 0, 0, 0, 2),
        dilation=(3, 5),
        plain=1,
        gate="head",
        gate_logit=2.0,
        shared=True,
        diagonal="printed",
        frozen=True,
    ).layer(8)
    assert (layer.rem.counts, layer.rem.dilations) == ((0, 1, 0, 0, 0, 2), (1, 3, 5))
    assert (layer.mu.tolist(), layer.rem.diagonal) == ([2.0] * 3, "printed")
    assert [len(layer.rem.nu), layer.rem.nu.requires_grad, layer.mu.requires_grad] == [2, False, True]
    assert ToeplitzSpec(heads=2, length=9, plain=1).layer(4).lags.shape == (1, 8)
    assert LinearRNNSpec(states=3).layer(4).recurrent.shape == (3, 3)
    assert LinearRNNSpec().layer(4).recurrent.shape == (4, 4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RSASpec(counts=(1, 0, 0, 0, 0, 0)), "must add up to heads=4, not"),
        (lambda: RSASpec(counts=(2, 1, 1, 0, 0, 0), plain=2), "must add up to heads=2, not"),
        (lambda: RSASpec(counts=(0, 0, 0, 0, 2, 2), dilation=(1, 2)), "one for each of the 4 dilated heads, not 2"),
        (lambda: REMSpec(dilation=0), "dilation must be an integer of at least 1, not 0"),
        (lambda: ToeplitzSpec(length=9, plain=4), "plain must leave one of heads=4 to the matrices, not 4"),
        (lambda: ToeplitzSpec(), "Field required"),
        (lambda: ToeplitzSpec(length=1), "greater than or equal to 2"),
        (lambda: REMSpec(decay_start="large"), "Input should be"),
        (lambda: LinearRNNSpec(states=0), "greater than or equal to 1"),
        (lambda: ALiBiSpec(plain=1), "not permitted"),
        (lambda: AttentionSpec(kv_heads=3), "kv_heads must divide heads=4, not 3"),
        (lambda: RSASpec(heads=2, kv_heads=4), "kv_heads must divide heads=2, not 4"),
        (lambda: AttentionSpec(kv_heads=0), "greater than or equal to 1"),
        (lambda: REMSpec(kv_heads=1), "not permitted"),
        (lambda: RoPESpec(window=2), "not permitted"),
        (lambda: WindowSpec(window=0), "greater than or equal to 1"),
        (lambda: AttentionSpec(frozen=True), "not permitted"),
        (lambda: RSASpec(length=5), "not permitted"),
        (lambda: LSTMLayerSpec(heads=2), "not permitted"),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(ValidationError, match=message):
        make()


@pytest.mark.parametrize("kind", [RSASpec, REMSpec])
@pytest.mark.parametrize("diagonal", ["zero", "printed"])
def test_a_dilation_of_a_billion_is_one_that_reaches_no_token(kind, diagonal):
    torch.manual_seed(0)
    layers = [kind(dilation=dilation, diagonal=diagonal).layer(12) for dilation in (10**9, 6)]
    layers[0].load_state_dict(layers[1].state_dict())
    x, answers = torch.randn(2, 6, 12), []
    for layer in layers:
        answer = layer(x[:, :5])
        answer.square().sum().backward()
        _, cache = layer.prefill(x[:, :3])
        steps = []
        for t in range(3, 6):
            step, cache = layer.step(x[:, t], cache)
            steps.append(step)
        answers.append((answer, torch.stack(steps), [parameter.grad for parameter in layer.parameters()]))
    torch.testing.assert_close(*answers)


@pytest.mark.parametrize("spec", LAYERS, ids=lambda spec: spec.kind)
def test_heads_divide_the_width_and_recurrent_layers_take_any(spec):
    spec.check_width(12)
    if not hasattr(spec, "heads"):
        spec.check_width(13)
        return
    with pytest.raises(ValueError, match="heads=3 must divide width=13"):
        spec.check_width(13)


def test_rotary_heads_have_two_channels_at_least():
    with pytest.raises(ValueError, match="head with rotary positions must be an integer of at least 2, not 1"):
        RoPESpec(heads=4).check_width(4)
