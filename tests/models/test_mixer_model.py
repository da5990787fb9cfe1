"""The model of exchangeable mixers: causal whatever mixes, equal but for the mixer, and picky about its settings."""

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.layers import MIXERS as SPECS
from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.layers.base import HeadSpec
from inductive_bias.models.mixer_model import MixingSpec

#: Settings of every mixer, by kind.
MIXERS = {each.model_fields["kind"].default: each for each in SPECS}

NAMES = [
    "Attention",
    "Attention, ALiBi",
    "Attention, RoPE",
    "Attention, Transformer-XL",
    "Attention, window",
    "RSA",
    "REM only",
    "Free Toeplitz",
    "Linear RNN",
    "LSTM",
]
#: How positions are added, with the reach that some of them need.
PLACES = {"none": None, "sinusoidal": None, "learned": 12, "shifted": 20, "randomised": 20}


def spec(mixer: str, *, model: dict | None = None, **choices) -> MixingSpec:
    """A model with two heads where there are any; ``choices`` are the mixer's."""
    fixed = {"heads": 2} if "heads" in MIXERS[mixer].model_fields else {}
    more = {"toeplitz": {"length": 12}, "window": {"window": 5}}.get(mixer, {})
    return MixingSpec(mixer={"kind": mixer} | fixed | more | choices, width=12, **model or {})


@pytest.mark.parametrize("mixer", MIXERS)
def test_no_token_sees_a_later_one(mixer):
    torch.manual_seed(0)
    model = spec(mixer).build(outputs=3, channels=2).double()
    x = torch.randn(1, 9, 2, dtype=torch.float64, requires_grad=True)
    (reach,) = torch.autograd.grad(model(x)[0, 4].sum(), x)
    assert reach[0, :5].abs().sum(-1).gt(0).all()
    assert reach[0, 5:].eq(0).all()


@pytest.mark.parametrize("mixer", MIXERS)
def test_padding_on_the_right_changes_nothing_before_it(mixer):
    torch.manual_seed(0)
    model = spec(mixer, model={"positions": "sinusoidal"}).build(outputs=4, vocabulary=5).double()
    tokens = torch.randint(1, 5, (3, 7))
    padded = torch.nn.functional.pad(tokens, (0, 4))
    torch.testing.assert_close(model(padded)[:, :7], model(tokens), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mixer", MIXERS)
def test_models_differ_in_their_mixers_alone(mixer):
    shapes, plain = (
        {
            name: value.shape
            for name, value in spec(each).build(outputs=3, vocabulary=5).state_dict().items()
            if ".mixer." not in name
        }
        for each in (mixer, "attention")
    )
    assert shapes == plain


@pytest.mark.parametrize("mixer", MIXERS)
def test_every_parameter_gets_a_gradient(mixer):
    torch.manual_seed(0)
    model = spec(mixer, **{"gate_logit": 0.0} if mixer in ("rsa", "toeplitz") else {}).build(outputs=3, vocabulary=5)
    if mixer == "toeplitz":  # free lags start at 0, where their gate has no effect yet
        for block in model.blocks:
            torch.nn.init.normal_(block.mixer.lags)
    model(torch.randint(0, 5, (4, 12))).square().sum().backward()
    still = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.abs().sum() > 0]
    assert still == []


def test_without_feedforward_layers_a_block_is_its_mixer_and_a_normalisation():
    model = spec("rem", model={"feedforward": 0}).build(outputs=1, channels=1)
    names = {name.split(".")[2] for name in model.state_dict() if name.startswith("blocks.")}
    assert names == {"mixer_norm", "mixer"}


@pytest.mark.parametrize("mixer", ["rsa", "rem"])
def test_decays_can_start_small(mixer):
    for start, low, high in (("paper", 0.7, 0.97), ("small", 0, 0.05)):
        rem = spec(mixer, decay_start=start, counts=(1, 1, 0, 0, 0, 0)).mixer.layer(12).rem
        assert ((rem.decay.abs() >= low) & (rem.decay.abs() <= high)).all()


def test_the_gate_starts_where_it_is_told():
    assert spec("rsa", gate="head", gate_logit=0.0).mixer.layer(12).gate.tolist() == [0.5, 0.5]


def test_names_say_mixer_and_positions():
    assert spec("rsa").name == "RSA"
    assert spec("attention").name == "Attention"
    assert spec("attention", model={"positions": "sinusoidal"}).name == "Attention, sinusoidal"
    assert [spec(mixer).name for mixer in MIXERS] == NAMES, "add its name to NAMES here, in the order of the registry"


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"width": 10}, "heads=4 must divide width=10"),
        ({"width": 12, "mixer": RSASpec(heads=5)}, "heads=5 must divide width=12"),
        ({"mixer": {"kind": "mamba"}}, "does not match any of the expected tags"),
        ({"heads": 2}, "not permitted"),
        ({"positions": "rotary"}, "Input should be"),
        ({"positions": "learned"}, "reach must be an integer for positions='learned', not None"),
        ({"reach": 9}, "reach must be None for positions='none', not 9"),
        ({"mixer": {"kind": "lstm"}, "causal": False}, "causal must be True for a mixer of kind 'lstm'"),
    ],
)
def test_what_does_not_fit_is_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        MixingSpec(**choices)


@pytest.mark.parametrize("inputs", [{}, {"vocabulary": 3, "channels": 2}])
def test_inputs_are_tokens_or_values(inputs):
    with pytest.raises(ValueError, match="either vocabulary or channels"):
        MixingSpec().build(outputs=1, **inputs)


@pytest.mark.parametrize("mixer", ["rsa", "rem"])
def test_a_frozen_rem_stays_as_drawn_and_all_else_learns(mixer):
    torch.manual_seed(0)
    model = spec(mixer, frozen=True, counts=(0, 1, 1, 0, 0, 0)).build(outputs=3, vocabulary=5)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    stepper = torch.optim.Adam(model.parameters(), lr=0.1, fused=True)
    model(torch.randint(0, 5, (4, 12))).square().sum().backward()
    stepper.step()
    same = {name for name, value in model.named_parameters() if torch.equal(value, before[name])}
    assert same == {f"blocks.{i}.mixer.rem.{name}" for i in range(2) for name in ("nu", "theta")}


def test_freezing_changes_no_weight_that_is_drawn():
    states = []
    for frozen in (False, True):
        torch.manual_seed(0)
        states.append(spec("rsa", frozen=frozen).build(outputs=3, vocabulary=5).state_dict())
    assert all(torch.equal(value, states[1][name]) for name, value in states[0].items())


@pytest.mark.parametrize(("mixer", "more"), [("rsa", {"counts": (1, 0, 0, 0, 0, 0)}), ("toeplitz", {})])
def test_heads_can_be_left_plain(mixer, more):
    model = spec(mixer, plain=1, gate="head", **more).build(outputs=3, vocabulary=5)
    assert all(block.mixer.gate.shape == (1,) for block in model.blocks)


def test_a_model_without_a_choice_is_attention_and_json_knows_which_mixer_it_was():
    assert MixingSpec().mixer == AttentionSpec()
    for mixer in MIXERS:
        assert MixingSpec.model_validate_json(spec(mixer).model_dump_json()) == spec(mixer)


@pytest.mark.parametrize("mixer", MIXERS)
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "shifted"])
@pytest.mark.parametrize("dimensions", [{"vocabulary": 5}, {"channels": 2}], ids=["tokens", "values"])
def test_token_by_token_it_says_what_it_says_of_the_whole(mixer, positions, dimensions):
    torch.manual_seed(0)
    added = {"positions": positions, "reach": PLACES[positions]}
    model = spec(mixer, model=added).build(outputs=3, **dimensions).double().eval()
    x = torch.randint(5, (2, 9)) if "vocabulary" in dimensions else torch.randn(2, 9, 2, dtype=torch.float64)
    whole = model(x)
    found, caches = model.prefill(x[:, :4])
    torch.testing.assert_close(found, whole[:, :4])
    for t in range(4, 9):
        following, caches = model.step(x[:, t], caches)
        torch.testing.assert_close(following, whole[:, t])


def test_randomised_positions_do_not_go_token_by_token():
    model = MixingSpec(positions="randomised", reach=9).build(outputs=2, vocabulary=3).eval()
    _, caches = model.prefill(torch.ones(1, 4, dtype=torch.int64))
    with pytest.raises(ValueError, match="there is no token by token"):
        model.step(torch.ones(1, dtype=torch.int64), caches)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("positions", PLACES)
def test_padding_changes_nothing_whatever_the_positions(positions, causal, training):
    model = spec("attention", model={"positions": positions, "reach": PLACES[positions], "causal": causal})
    model = model.build(outputs=4, vocabulary=5).double().train(training)
    tokens, found = torch.randint(1, 5, (3, 7)), []
    for more in (0, 4):
        torch.manual_seed(1)
        found.append(model(torch.nn.functional.pad(tokens, (0, more)))[:, :7])
    torch.testing.assert_close(*found, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("mixer", [name for name, each in MIXERS.items() if issubclass(each, HeadSpec)])
def test_a_model_that_is_not_causal_sees_all_but_padding(mixer):
    torch.manual_seed(0)
    model = spec(mixer, model={"causal": False}).build(outputs=3, vocabulary=6).double()
    tokens = torch.tensor([[1, 2, 3, 4, 0, 0], [1, 2, 3, 4, 5, 1]])
    weights = torch.randn(6, 12, dtype=torch.float64)
    model.embedding.weight.data.copy_(weights)
    seen = model(tokens)
    assert not torch.allclose(seen[0, 0], seen[1, 0])
    torch.testing.assert_close(model(tokens[:1, :4])[0], seen[0, :4])
    model.embedding.weight.data[0] = 7.0
    torch.testing.assert_close(model(tokens)[:, :4], seen[:, :4])


def test_a_new_choice_leaves_the_settings_of_old_models_as_they_were():
    assert MixingSpec().model_dump(exclude_defaults=True) == {}
    assert MixingSpec().causal


@pytest.mark.parametrize(
    ("causal", "padded", "masked"), [(False, False, False), (False, True, True), (True, True, False)]
)
def test_a_mask_is_given_only_where_there_is_padding_that_could_be_seen(causal, padded, masked):
    model, seen = spec("attention", model={"causal": causal}).build(outputs=3, vocabulary=6), []
    for block in model.blocks:
        block.register_forward_pre_hook(lambda _, given: seen.append(given[1]))
    model(torch.tensor([[1, 2, 3], [1, 2, 0 if padded else 3]]))
    assert [each is not None for each in seen] == [masked] * len(model.blocks)


def padded(sides: tuple[int, ...], tokens: torch.Tensor, length: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    """Each row's tokens behind so many places of padding, and the mask."""
    mask = torch.zeros(len(tokens), length, dtype=torch.bool)
    for row, first in enumerate(sides):
        mask[row, first : first + tokens.shape[1]] = True
    filled = torch.full((len(tokens), length), 4)
    filled[mask] = tokens.flatten()
    return filled, mask


@pytest.mark.parametrize("mixer", MIXERS)
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned", "shifted"])
def test_padded_prompts_are_gone_on_from_as_the_prompts_alone(mixer, positions):
    torch.manual_seed(0)
    given = {"positions": positions, "reach": {"learned": 12}.get(positions, PLACES[positions])}
    more = {"length": 20} if mixer == "toeplitz" else {}
    model = spec(mixer, model=given, **more).build(outputs=3, vocabulary=5).double().eval()
    tokens, following = torch.randint(1, 5, (3, 4)), torch.randint(1, 5, (3, 5))
    x, mask = padded((0, 3, 5), tokens)
    found, caches = model.prefill(x, mask)
    torch.testing.assert_close(found[mask], model(tokens).flatten(0, 1))
    torch.testing.assert_close(model(x, mask)[mask], model(tokens).flatten(0, 1))
    want = model(torch.cat((tokens, following), 1))[:, 4:]
    # the last row reads one token less at first, and is one place behind from there on
    kept = torch.tensor([[True, True], [True, True], [True, False]])
    found, caches = model.step(following[:, :2], caches, kept)
    torch.testing.assert_close(found[kept], want[:, :2][kept])
    found, caches = model.step(following[:, 2], caches, torch.tensor([True, True, False]))
    torch.testing.assert_close(found[:2], want[:2, 2])
    found, caches = model.step(torch.stack((following[0, 3], following[1, 3], following[2, 1])), caches)
    torch.testing.assert_close(found, torch.stack((want[0, 3], want[1, 3], want[2, 1])))


@pytest.mark.parametrize("mixer", ["rsa", "lstm", "rope"])
@pytest.mark.parametrize("dimensions", [{"vocabulary": 5}, {"channels": 2}], ids=["tokens", "values"])
def test_some_tokens_at_a_time_it_says_what_it_says_of_the_whole(mixer, dimensions):
    torch.manual_seed(0)
    model = spec(mixer, model={"positions": "sinusoidal"}).build(outputs=3, **dimensions).double().eval()
    x = torch.randint(5, (2, 9)) if "vocabulary" in dimensions else torch.randn(2, 9, 2, dtype=torch.float64)
    found, caches = model.prefill(x[:, :2])
    after, caches = model.step(x[:, 2:6], caches)
    last, _ = model.step(x[:, 6:], caches)
    torch.testing.assert_close(torch.cat((found, after, last), 1), model(x))


def test_a_row_whose_first_token_comes_late_begins_at_the_first_place():
    torch.manual_seed(0)
    model = spec("attention", model={"positions": "learned", "reach": 12}).build(outputs=3, vocabulary=5).double()
    tokens = torch.randint(1, 5, (2, 6))
    _, caches = model.prefill(tokens[:, :2], torch.tensor([[True, True], [False, False]]))
    mask = torch.tensor([[True, True, True], [False, True, True]])
    found, _ = model.step(tokens[:, 2:5], caches, mask)
    torch.testing.assert_close(found[1:, 1:], model(tokens[1:, 3:5]))
    torch.testing.assert_close(found[:1], model(tokens[:1, :5])[:, 2:])
