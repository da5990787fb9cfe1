"""Models that read a stream in units: what each may see, how streams may be cut, gradients, equal beginnings."""

import pytest
import torch

from inductive_bias.layers import AttentionSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import BlockRecurrentSpec, LanguageXLSpec, LatentBottleneckSpec
from inductive_bias.models.segments import Past

SMALL = {"width": 8, "inner": 12, "layers": 2}
RSA = RSASpec(heads=4, counts=(0, 0, 0, 0, 1, 1), dilation=(2, 3), plain=2, gate_logit=1.0, shared=True)
UNDILATED = RSASpec(heads=4, counts=(1, 1, 0, 0, 0, 0), plain=2, gate_logit=1.0)
FREE = ToeplitzSpec(heads=4, length=16, plain=2, gate_logit=1.0)
MIXERS = {"attention": AttentionSpec(heads=4), "rsa": RSA, "toeplitz": FREE}
SPECS = {
    "xl": LanguageXLSpec(segment=4, memory=5, **SMALL),
    "no memory": LanguageXLSpec(segment=4, memory=0, **SMALL),
    "block recurrent": BlockRecurrentSpec(window=4, states=3, recurrent=2, **SMALL),
    "lstm gate": BlockRecurrentSpec(window=3, states=2, recurrent=1, gate="lstm", **SMALL),
    "latent bottleneck": LatentBottleneckSpec(chunk=4, slow=3, every=2, **SMALL),
}
every_model = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
every_mixer = pytest.mark.parametrize("mixer", MIXERS.values(), ids=MIXERS)


def model_of(spec, mixer=None, seed=0, **more):
    torch.manual_seed(seed)
    spec = spec.model_copy(update=({} if mixer is None else {"mixer": mixer}) | more)
    model = spec.build(vocabulary=11, outputs=7).double().eval()
    for block in model.blocks:
        if hasattr(block.mixer, "lags"):  # they begin at 0, without effect
            torch.nn.init.normal_(block.mixer.lags)
    return model


def tokens(t, b=2, seed=0):
    return torch.randint(11, (b, t), generator=torch.Generator().manual_seed(seed))


def embedded(model, t):
    return model.embedding(tokens(t)).detach().requires_grad_()


@every_model
@every_mixer
def test_no_logit_sees_a_later_input(spec, mixer):
    """Through memory, states, the slow stream, and over the ends of units; gradients are let through everywhere."""
    model, t = model_of(spec, mixer), 10
    x = embedded(model, t)
    logits = model.readout(model.norm(model.read(x, cut=False)[0]))
    weights = torch.randn(logits.shape[-1], generator=torch.Generator().manual_seed(1)).double()
    for i in range(t):
        (gradient,) = torch.autograd.grad((logits[:, i] @ weights).sum(), x, retain_graph=True)
        assert (gradient[:, i + 1 :] == 0).all()
        assert (gradient[:, i] != 0).any()


@every_model
@every_mixer
def test_token_by_token_and_in_pieces_it_is_what_it_is_at_once(spec, mixer):
    model, inputs = model_of(spec, mixer), tokens(11)
    with torch.no_grad():
        want = model(inputs)
        for cuts in ([5, 1, 5], [4, 4, 3]):
            state, found = None, []
            for piece in inputs.split(cuts, 1):
                states, state = model.carried(piece, state)
                found.append(model.readout(states))
            torch.testing.assert_close(torch.cat(found, 1), want)
        state = None
        for place in range(11):
            logits, state = model.step(inputs[:, place], state)
            torch.testing.assert_close(logits, want[:, place])


def one_by_one(model, x, past, cut):
    """The twin of reading several units in one call: a call for every unit."""
    found = []
    for unit in x.split(model.unit, 1):
        out, past = model.read(unit, past, cut=cut)
        found.append(out)
    return torch.cat(found, 1), past


@every_model
@every_mixer
@pytest.mark.parametrize("cut", [True, False], ids=["cut", "whole"])
def test_units_that_are_read_at_once_are_those_read_one_by_one_in_value_and_gradient(spec, mixer, cut):
    """After whole units, in the middle of one, and with a rest that is no whole one."""
    model = model_of(spec, mixer)
    for before, t in ((2 * model.unit, 3 * model.unit), (1, 3 * model.unit + 1), (model.unit, 2 * model.unit)):
        _, past = model.carried(tokens(before, seed=1))
        x = embedded(model, t)
        ours, want = model.read(x, past, cut=cut), one_by_one(model, x, past, cut)
        leaves, found = [x, *model.parameters()], []
        for out, left in (ours, want):
            parts = [out, *left.memory, *left.begun, *([] if left.states is None else [left.states])]
            seen = torch.cat([part.flatten() for part in parts])
            weights = torch.linspace(-1, 1, len(seen), dtype=torch.float64)
            found.append((seen, torch.autograd.grad(seen @ weights, leaves, allow_unused=True)))
        torch.testing.assert_close(found[0][0], found[1][0])
        for name, one, other in zip(["x", *dict(model.named_parameters())], found[0][1], found[1][1], strict=True):
            assert (one is None) == (other is None), name
            torch.testing.assert_close(one, other)


@every_model
def test_a_state_can_be_continued_twice_and_streams_do_not_see_each_other(spec):
    model, inputs = model_of(spec, RSA), tokens(12, b=3)
    with torch.no_grad():
        _, state = model.carried(inputs[:, :6])
        first, _ = model.carried(inputs[:, 6:], state)
        again, _ = model.carried(inputs[:, 6:], state)
        assert torch.equal(first, again)
        torch.testing.assert_close(model(inputs)[1:2], model(inputs[1:2]))


@every_model
def test_what_is_carried_has_no_gradient_and_changes_what_follows(spec):
    model, inputs = model_of(spec, RSA), tokens(8)
    _, state = model.carried(inputs)
    assert isinstance(state, Past)
    parts = [*state.memory, *state.begun, *([] if state.states is None else [state.states])]
    assert not any(part.requires_grad for part in parts)
    with torch.no_grad():
        other = model.carried((inputs + 1) % 11)[1]
        same = torch.allclose(model.carried(inputs, state)[0], model.carried(inputs, other)[0])
    # without memory a segment that begins knows of nothing before it
    assert same == (spec.kept == 0 and state.states is None)


def reach(model, t, i, cut=True):
    x = embedded(model, t)
    out = model.norm(model.read(x, cut=cut)[0])[:, i]
    weights = torch.randn(out.shape[-1], generator=torch.Generator().manual_seed(1)).double()
    (gradient,) = torch.autograd.grad((out @ weights).sum(), x)
    return (gradient != 0).any(2).any(0)


def test_the_memory_of_xl_carries_no_gradient_and_reaches_a_segment_a_layer():
    model = model_of(SPECS["xl"], memory=4, layers=2)
    assert reach(model, 12, 10).tolist() == [False] * 8 + [True] * 3 + [False]
    # token 10 sees 4 to 10, and in the layer below token 4 saw 0 to 4
    assert reach(model, 12, 10, cut=False).tolist() == [True] * 11 + [False]
    one = model_of(SPECS["xl"], memory=4, layers=1)
    assert reach(one, 12, 10, cut=False).tolist() == [False] * 4 + [True] * 7 + [False]
    alone = model_of(SPECS["no memory"])
    assert reach(alone, 12, 10, cut=False).tolist() == [False] * 8 + [True] * 3 + [False]


def test_a_window_slides_and_states_reach_further():
    one = model_of(SPECS["block recurrent"], layers=1, recurrent=1, window=4)
    assert reach(one, 12, 9).all(0) == torch.tensor(False)
    assert reach(one, 12, 9).tolist() == [True] * 10 + [False] * 2  # by the states, within a call
    _, state = one.carried(tokens(8))
    shut = one.blocks[0].mixer
    shut.kept.data[:] = torch.inf  # states that never change
    assert reach(one, 12, 9).tolist() == [False] * 6 + [True] * 4 + [False] * 2
    assert reach(one, 12, 8).tolist() == [False] * 5 + [True] * 4 + [False] * 3
    assert state.memory[0].shape[1] == 4


def test_the_slow_stream_is_the_only_way_from_chunk_to_chunk():
    model = model_of(SPECS["latent bottleneck"])
    assert reach(model, 12, 9).tolist() == [True] * 10 + [False] * 2
    for read in model.reads:
        read.output.weight.data[:] = 0
    assert reach(model, 12, 9).tolist() == [False] * 8 + [True] * 2 + [False] * 2


def test_slow_vectors_are_updated_once_a_chunk():
    model, inputs = model_of(SPECS["latent bottleneck"]), tokens(8)
    states = [model.carried(inputs[:, :t])[1].states for t in range(1, 9)]
    for place in (0, 1, 2, 4, 5, 6):
        before = states[place - 1] if place else model.first.expand(2, -1, -1)
        assert torch.equal(states[place], before) == (place not in (3, 7))
    assert not torch.equal(states[2], states[3])
    assert not torch.equal(states[6], states[7])


@every_mixer
def test_with_a_memory_of_all_the_past_segments_are_one_long_segment(mixer):
    long, inputs = model_of(SPECS["xl"], mixer, segment=13, memory=0), tokens(13)
    short = model_of(SPECS["xl"], mixer, segment=3, memory=13)
    torch.testing.assert_close(short(inputs), long(inputs))
    forgetful = model_of(SPECS["xl"], mixer, segment=3, memory=2)
    assert not torch.allclose(forgetful(inputs), long(inputs))


def test_the_last_segment_teaches_states_to_be_updated_and_a_single_unit_does_not():
    for name in ("block recurrent", "latent bottleneck", "lstm gate"):
        model, unit = model_of(SPECS[name]), SPECS[name].unit
        update = model.writes.output if name == "latent bottleneck" else model.blocks[model.recurrent].mixer.update
        for units, taught in ((1, False), (2, True)):
            model.zero_grad()
            model(tokens(units * unit)).square().sum().backward()
            assert (update.weight.grad is not None and bool((update.weight.grad != 0).any())) == taught


@every_model
@pytest.mark.parametrize("mixer", [RSA, UNDILATED, FREE], ids=["rsa", "undilated", "toeplitz"])
def test_models_that_differ_in_their_mixer_begin_with_the_same_weights(spec, mixer):
    torch.manual_seed(0)
    plain = spec.build(vocabulary=11, outputs=7).state_dict()
    torch.manual_seed(0)
    other = spec.model_copy(update={"mixer": mixer}).build(vocabulary=11, outputs=7).state_dict()
    assert set(plain) <= set(other)
    assert all(torch.equal(other[name], value) for name, value in plain.items())


def test_rsa_has_five_numbers_more_a_layer_and_none_in_the_recurrent_one():
    def size(spec):
        return sum(each.numel() for each in spec.build(vocabulary=11, outputs=7).parameters())

    for name, layers in (("xl", 2), ("block recurrent", 1), ("latent bottleneck", 2)):
        assert size(SPECS[name].model_copy(update={"mixer": RSA})) - size(SPECS[name]) == 5 * layers


@every_model
def test_one_token_is_enough_and_none_is_refused(spec):
    model = model_of(spec, RSA)
    assert model(tokens(1)).shape == (2, 1, 7)
    with pytest.raises(ValueError, match="at least one token"):
        model(tokens(0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LanguageXLSpec(width=10), "heads=4 must divide width=10"),
        (lambda: LanguageXLSpec(segment=8, memory=9, mixer=FREE), "length=17, not 16"),
        (lambda: LanguageXLSpec(mixer={"kind": "rem"}), "rem"),
        (lambda: BlockRecurrentSpec(layers=2), "recurrent=3 must be one of the layers 1 to 2"),
        (lambda: BlockRecurrentSpec(gate="gru"), "gate"),
        (lambda: BlockRecurrentSpec(window=9, mixer=FREE), "length=18, not 16"),
        (lambda: LatentBottleneckSpec(chunk=0), "chunk"),
        (lambda: LatentBottleneckSpec(every=5), "every=5 must be at most layers=4"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
