"""Informer, LogSparse and Transformer-XL: what each may see, odd lengths, memory, and equal beginnings."""

import pytest
import torch
import torch.nn.functional as F
from pydantic import ValidationError

from inductive_bias.layers import AttentionSpec, REMSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import InformerSpec, LogSparseSpec, TransformerXLSpec
from inductive_bias.models.forecasting import CYCLES, SeriesEmbedding, following
from inductive_bias.models.informer import Halving

RSA = RSASpec(counts=(1, 1, 0, 1, 1, 0), dilation=4, gate_logit=0.0)
MIXERS = {"attention": AttentionSpec(), "rsa": RSA, "toeplitz": ToeplitzSpec(length=64), "rem": REMSpec(dilation=4)}
SMALL = {"width": 8, "feedforward": 2}
SPECS = {
    "informer": lambda **options: InformerSpec(prompt=3, factor=1, **SMALL | options),
    "log_sparse": lambda **options: LogSparseSpec(prompt=3, **SMALL | options),
    "xl": lambda **options: TransformerXLSpec(**SMALL | options),
}
every_backbone = pytest.mark.parametrize("backbone", SPECS)


def rows_of(t, b=2, series=3, seed=0, first=1000):
    values = torch.randn(b, t, series, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return torch.cat((values, (first + 4.0 * torch.arange(t)).expand(b, t)[..., None]), 2)


def model_of(spec, horizon=5, seed=0):
    torch.manual_seed(seed)
    return spec.build(series=3, horizon=horizon).double().eval()


def changes(model, rows, place):
    """Whether values of a row change what is said."""
    other = rows.clone()
    other[:, place, :-1] += 1
    return not torch.allclose(model(rows), model(other))


@every_backbone
@pytest.mark.parametrize("mixer", MIXERS)
@pytest.mark.parametrize(("t", "horizon"), [(3, 1), (4, 2), (13, 5)])
def test_any_length_gives_a_row_for_every_step(backbone, mixer, t, horizon):
    if (backbone, mixer) == ("xl", "rem"):
        pytest.skip("refused")
    model = model_of(SPECS[backbone](mixer=MIXERS[mixer]), horizon)
    out = model(rows_of(t))
    assert out.shape == (2, horizon, 3)
    model.train()(rows_of(t)).square().sum().backward()
    unused = {name for name, each in model.named_parameters() if each.grad is None}
    assert unused == set()


@every_backbone
def test_models_that_differ_in_their_mixer_begin_with_the_same_weights(backbone):
    plain, rsa, free = (
        model_of(SPECS[backbone](mixer=MIXERS[mixer])).state_dict() for mixer in ("attention", "rsa", "toeplitz")
    )
    for other in (rsa, free):
        added = {name.rsplit(".", 1)[-1] for name in set(other) - set(plain)}
        assert added in ({"mu", "eta", "nu", "theta"}, {"mu", "lags"})
        assert all(torch.equal(other[name], value) for name, value in plain.items())
    again = model_of(SPECS[backbone](mixer=RSA)).state_dict()
    assert all(torch.equal(again[name], value) for name, value in rsa.items())


def test_a_seed_draws_the_same_after_every_mixer():
    after = []
    for mixer in MIXERS.values():
        model_of(SPECS["informer"](mixer=mixer))
        after.append(torch.rand(1).item())
    assert len(set(after)) == 1


@every_backbone
def test_the_last_row_and_the_first_are_read(backbone):
    model, rows = model_of(SPECS[backbone](mixer=RSA)), rows_of(9)
    assert all(changes(model, rows, place) for place in (0, 4, 8))


def test_rows_of_a_transformer_xl_see_no_later_one():
    model = model_of(TransformerXLSpec(mixer=RSA, memory=3, **SMALL))
    rows = rows_of(10).requires_grad_()
    states = model.states(rows)
    assert states.shape[1] == 7
    for place in range(7):  # one channel: the sum of all is the same for every row, since they are normalised
        found = torch.autograd.grad(states[:, place, 0].sum(), rows, retain_graph=True)[0]
        assert (found[:, 3 + place + 1 :] == 0).all()
        assert (found[:, 3 + place, :-1] != 0).any()
        assert (found[:, :3] == 0).all()  # the memory carries no gradient


@pytest.mark.parametrize("mixer", [AttentionSpec(), RSA, MIXERS["toeplitz"]], ids=["attention", "rsa", "toeplitz"])
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize(("memory", "t"), [(0, 2), (0, 9), (1, 2), (4, 9)])
def test_a_transformer_xl_reads_the_last_of_its_states(mixer, layers, memory, t):
    model = model_of(TransformerXLSpec(mixer=mixer, memory=memory, layers=layers, **SMALL))
    slopes = []
    for tell in (model, lambda rows: model.readout(model.states(rows)[:, -1]).unflatten(1, (5, -1))):
        rows = rows_of(t).requires_grad_()
        said = tell(rows)
        slopes.append((said, *torch.autograd.grad(said.square().sum(), [rows, *model.parameters()])))
    for found, want in zip(*slopes, strict=True):
        torch.testing.assert_close(found, want)


@pytest.mark.parametrize("mixer", [AttentionSpec(), RSA], ids=["attention", "rsa"])
@pytest.mark.parametrize(("memory", "t"), [(1, 2), (4, 9), (8, 9)])
def test_a_memory_is_the_states_of_the_rows_before(mixer, memory, t):
    short, whole = (model_of(TransformerXLSpec(mixer=mixer, memory=m, **SMALL)) for m in (memory, 0))
    rows = rows_of(t)
    torch.testing.assert_close(short.states(rows), whole.states(rows)[:, memory:])
    torch.testing.assert_close(short(rows), whole(rows))
    assert changes(short, rows, 0)
    with pytest.raises(ValueError, match=f"more than those of the memory={memory}"):
        short(rows[:, :memory])


@pytest.mark.parametrize("mixer", [AttentionSpec(), RSA], ids=["attention", "rsa"])
def test_rows_of_a_log_sparse_encoder_see_no_later_one(mixer):
    model, rows = model_of(LogSparseSpec(mixer=mixer, prompt=3, **SMALL)), rows_of(11).requires_grad_()
    told = model.encoded(rows)
    assert told.shape[1] == 11
    for place in range(11):
        found = torch.autograd.grad(told[:, place, 0].sum(), rows, retain_graph=True)[0]
        assert (found[:, place + 1 :] == 0).all()
        assert (found[:, place, :-1] != 0).any()


def test_an_informer_halves_its_rows_and_the_dilation_with_them():
    model = model_of(InformerSpec(mixer=RSA, encoder=3, prompt=3, **SMALL))
    assert [model.encoded(rows_of(t)).shape[1] for t in (3, 7, 8, 9)] == [1, 2, 2, 3]
    assert [block.mixer.rem.dilations[-1] for block in model.blocks] == [4, 2, 1, 4]
    assert [block.mixer.causal for block in model.blocks] == [False, False, False, True]
    whole = model_of(InformerSpec(mixer=RSA, encoder=3, distilling=False, prompt=3, **SMALL))
    assert whole.encoded(rows_of(7)).shape[1] == 7
    assert [block.mixer.rem.dilations[-1] for block in whole.blocks] == [4, 4, 4, 4]
    each = model_of(InformerSpec(mixer=RSA.model_copy(update={"dilation": (8, 1)}), prompt=3, **SMALL))
    assert [block.mixer.rem.dilations[2:] for block in each.blocks] == [(8, 1), (4, 1), (8, 1)]


@pytest.mark.parametrize("t", [1, 2, 3, 7, 8])
def test_distilling_is_convolution_normalisation_elu_and_a_maximum(t):
    torch.manual_seed(0)
    layer = Halving(4).double().eval()
    layer.norm.running_mean.normal_()
    x = torch.randn(2, t, 4, dtype=torch.float64)
    kernel, bias, norm = layer.convolution.weight, layer.convolution.bias, layer.norm
    rows = []
    for i in range(t):
        value = sum(x[:, (i + shift) % t] @ kernel[:, :, shift + 1].T for shift in (-1, 0, 1)) + bias
        value = (value - norm.running_mean) / (norm.running_var + norm.eps).sqrt() * norm.weight + norm.bias
        rows.append(F.elu(value))
    want = [torch.stack(rows[max(0, i - 1) : i + 2]).amax(0) for i in range(0, t, 2)]
    torch.testing.assert_close(layer(x), torch.stack(want, 1))
    assert len(want) == -(-t // 2)


def test_the_rows_that_are_asked_for_are_zeros_at_times_that_go_on():
    found = following(rows_of(4, first=100), 3)
    assert (found[..., :-1] == 0).all()
    assert found[0, :, -1].tolist() == [116, 120, 124]


def test_time_is_told_by_the_day_the_week_and_the_year():
    torch.manual_seed(0)
    layer = SeriesEmbedding(3, 6, positions=False, dropout=0.0).double()
    at = [layer(rows_of(1, first=first))[0, 0] for first in (0, 96, 672, 35_064 * 4)]
    year = torch.tensor([0.0, 0, 0, 1, 1, 1]).double() @ layer.time.weight.T
    bare = layer.value(rows_of(1)[0, 0, :-1])
    torch.testing.assert_close(at[0] - bare, year)
    assert [bool(((each - at[0]).abs() > 1e-3).any()) for each in at] == [False, True, True, True]
    assert CYCLES[2] == pytest.approx(365.2425 * 96)


def test_models_refuse_what_cannot_be():
    with pytest.raises(ValidationError, match="takes no memory"):
        TransformerXLSpec(mixer=REMSpec())
    with pytest.raises(ValidationError, match="must divide width=6"):
        InformerSpec(width=6)
    for options in ({}, {"mixer": RSA, "factor": None}):
        with pytest.raises(ValidationError, match="rows='selected' needs"):
            InformerSpec(rows="selected", **options)
    model_of(InformerSpec(mixer=RSA, rows="selected", prompt=3, **SMALL))(rows_of(9))
    with pytest.raises(ValueError, match="at least the prompt=3 in number, not 2"):
        model_of(SPECS["informer"]())(rows_of(2))
