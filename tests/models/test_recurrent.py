from itertools import pairwise

import pytest
import torch

from inductive_bias.layers import StableLSTM, StableRNN, certified_contraction
from inductive_bias.models import RecurrentSpec
from inductive_bias.running import run_trial
from inductive_bias.tasks import PolyphonicMusic
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Trial

CELLS = ("linear", "tanh", "lstm", "gru")
STEPPING = CELLS[1:]


def built(cell, states=5):
    torch.manual_seed(0)
    return RecurrentSpec(cell=cell, states=states).build(channels=2, outputs=3)


def inputs(t=7, b=2):
    return torch.randn(b, t, 2, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("t", [1, 7])
def test_outputs_are_the_read_out_of_the_states_and_see_the_past_alone(cell, t):
    model, x = built(cell), inputs(t).requires_grad_()
    states = model.states(x)
    assert states.shape == (2, t, 5)
    torch.testing.assert_close(model(x), model.readout(states))
    torch.testing.assert_close(model.features(x), states[:, -1])
    if t > 1:
        (gradient,) = torch.autograd.grad(model(x)[:, 2].sum(), x)
        assert gradient[:, :3].abs().min() > 0
        assert gradient[:, 3:].abs().max() == 0


@pytest.mark.parametrize("cell", CELLS)
def test_memory_begins_with_the_states_and_is_all_that_a_step_needs(cell):
    model, x = built(cell), inputs()
    memory = model.memory(x)
    torch.testing.assert_close(memory[..., :5], model.states(x))
    if cell == "lstm":
        last = tuple(part.contiguous()[None] for part in memory[:, 3].split(5, -1))
        torch.testing.assert_close(model.rnn(x[:, 4:], last)[0], model.states(x)[:, 4:])


def test_the_tanh_rnn_is_its_formula():
    model, x = built("tanh"), inputs()
    rnn, state, found = model.rnn, torch.zeros(2, 5), []
    for step in x.unbind(1):
        drive = step @ rnn.weight_ih_l0.T + rnn.bias_ih_l0 + rnn.bias_hh_l0
        state = torch.tanh(state @ rnn.weight_hh_l0.T + drive)
        found.append(state)
    torch.testing.assert_close(model.states(x), torch.stack(found, 1))


def test_the_gru_is_its_formula():
    """PyTorch's: the reset gate acts on the recurrent product, and z keeps."""
    model, x = built("gru"), inputs()
    rnn, state, found = model.rnn, torch.zeros(2, 5), []
    for step in x.unbind(1):
        reset, keep, new = (step @ rnn.weight_ih_l0.T + rnn.bias_ih_l0).chunk(3, -1)
        reset_h, keep_h, new_h = (state @ rnn.weight_hh_l0.T + rnn.bias_hh_l0).chunk(3, -1)
        keep = torch.sigmoid(keep + keep_h)
        state = keep * state + (1 - keep) * torch.tanh(new + torch.sigmoid(reset + reset_h) * new_h)
        found.append(state)
    torch.testing.assert_close(model.states(x), torch.stack(found, 1))
    torch.testing.assert_close(model.memory(x), model.states(x))


def test_the_linear_rnn_is_linear_and_has_no_second_read_out():
    model, x = built("linear"), inputs()
    torch.testing.assert_close(model.states(3 * x), 3 * model.states(x))
    assert {name for name, _ in model.named_parameters()} == {
        "rnn.recurrent",
        "rnn.input.weight",
        "readout.weight",
        "readout.bias",
    }


def test_names_and_bad_settings():
    assert [RecurrentSpec(cell=cell).name for cell in CELLS] == ["Linear RNN", "tanh RNN", "LSTM", "GRU"]
    with pytest.raises(ValueError, match="cell"):
        RecurrentSpec(cell="relu")
    with pytest.raises(ValueError, match="states"):
        RecurrentSpec(states=0)


@pytest.mark.parametrize("inputs", [{}, {"vocabulary": 3, "channels": 2}])
def test_inputs_are_tokens_or_values(inputs):
    with pytest.raises(ValueError, match="either vocabulary or channels"):
        RecurrentSpec().build(outputs=1, **inputs)


def tokens(t=9, b=2):
    return torch.randint(0, 7, (b, t), generator=torch.Generator().manual_seed(2))


def of_tokens(**choices):
    torch.manual_seed(0)
    return RecurrentSpec(**{"states": 5, "embedding": 4, **choices}).build(outputs=3, vocabulary=7).eval()


@pytest.mark.parametrize("cell", CELLS)
def test_tokens_are_embedded_within_the_bounds_that_a_certificate_needs(cell):
    model = of_tokens(cell=cell)
    with torch.no_grad():
        model.embedding.weight.mul_(100)
    assert model.driven(tokens()).abs().max() <= 1
    assert model(tokens()).shape == (2, 9, 3)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("context", [1, 3, 9, 20])
def test_a_truncated_state_is_that_of_its_window_alone(cell, context):
    model, x = of_tokens(cell=cell, context=context), tokens()
    whole = of_tokens(cell=cell)
    whole.load_state_dict(model.state_dict())
    for t in range(1, 10):
        window = x[:, max(0, t - context) : t]
        torch.testing.assert_close(model.states(x)[:, t - 1], whole.states(window)[:, -1])
    torch.testing.assert_close(model.last(x), model(x)[:, -1])
    torch.testing.assert_close(model.features(x), model.states(x)[:, -1])


def test_gradients_of_a_truncated_model_end_with_its_window():
    model = RecurrentSpec(cell="lstm", states=4, context=3).build(channels=2, outputs=2)
    x = inputs(8).requires_grad_()
    (slope,) = torch.autograd.grad(model(x)[:, 6].sum(), x)
    assert slope[:, 4:7].abs().min() > 0
    assert not slope[:, :4].any()
    assert not slope[:, 7:].any()


def gradients(outputs, model):
    loss = outputs.square().sum() + outputs[:, -1].sum()
    return torch.autograd.grad(loss, list(model.parameters()))


def cut_by_hand(model, x, every):
    """Step by step, the state detached after ``every`` of them."""
    state, found = None, []
    for at, step in enumerate(model.driven(x).split(1, 1)):
        if at and at % every == 0:
            state = tuple(part.detach() for part in state) if isinstance(state, tuple) else state.detach()
        answer, state = model.rnn(step, state)
        found.append(answer)
    return model.readout(torch.cat(found, 1))


@pytest.mark.parametrize("cell", STEPPING)
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("bptt", [1, 3, 8, 9, 20])
def test_truncated_back_propagation_cuts_gradients_and_leaves_values(cell, layers, bptt):
    cutting, whole = of_tokens(cell=cell, layers=layers, bptt=bptt).double(), of_tokens(cell=cell, layers=layers)
    whole.double().load_state_dict(cutting.state_dict())
    x = tokens()
    cutting.train(), whole.train()
    torch.testing.assert_close(cutting(x), whole(x))
    found, want = gradients(cutting(x), cutting), gradients(cut_by_hand(whole, x, bptt), whole)
    torch.testing.assert_close(found, want)
    full = gradients(whole(x), whole)
    same = all(torch.allclose(one, other) for one, other in zip(found, full, strict=True))
    assert same == (bptt >= x.shape[1])
    cutting.eval()  # what is analysed is the model, not the way it was trained
    torch.testing.assert_close(gradients(cutting(x), cutting), full)


@pytest.mark.parametrize("cell", STEPPING)
def test_a_gradient_of_truncated_back_propagation_ends_at_the_last_boundary(cell):
    model = RecurrentSpec(cell=cell, states=4, bptt=3).build(channels=2, outputs=2).train()
    x = inputs(8).requires_grad_()
    for begin, end in pairwise((0, 3, 6, 8)):
        (slope,) = torch.autograd.grad(model(x)[:, end - 1].sum(), x)
        assert slope[:, begin:end].abs().min() > 0
        assert not slope[:, :begin].any()
        assert not slope[:, end:].any()
    torch.testing.assert_close(model.last(x), model(x)[:, -1])


@pytest.mark.parametrize(
    ("cell", "constraint"),
    [("tanh", StableRNN(contraction=0.3)), ("linear", StableRNN(contraction=0.3)), ("lstm", StableLSTM(forget=0.6))],
)
def test_a_constrained_model_begins_inside_and_comes_back(cell, constraint):
    model = of_tokens(cell=cell, constraint=constraint)
    limit = constraint.contraction * (1 + 1e-5)
    assert certified_contraction(model.rnn, 1.0) <= limit
    with torch.no_grad():
        for weight in model.rnn.parameters():
            weight.mul_(20)
    assert certified_contraction(model.rnn, 1.0) > limit
    model.constrain_()
    assert certified_contraction(model.rnn, 1.0) <= limit


def test_a_constrained_lstm_refuses_inputs_that_break_its_guarantee():
    model = RecurrentSpec(cell="lstm", constraint=StableLSTM(forget=0.6)).build(channels=2, outputs=2)
    model(torch.ones(1, 3, 2))
    with pytest.raises(ValueError, match=r"inputs of a constrained LSTM must lie in \[−1, 1\], not up to 1.5"):
        model(torch.full((1, 3, 2), -1.5))


def test_a_spectral_norm_is_that_of_the_first_weights():
    model = of_tokens(cell="tanh", spectral_norm=1.5)
    assert certified_contraction(model.rnn) == pytest.approx(1.5, rel=1e-5)


def test_several_layers_and_dropout_between_them():
    model = of_tokens(cell="lstm", layers=2, dropout=0.5)
    assert model.rnn.num_layers == 2
    torch.testing.assert_close(model(tokens()), model(tokens()))
    model.train()
    assert not torch.equal(model(tokens()), model(tokens()))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"cell": "linear", "layers": 2}, "a linear RNN has one layer"),
        ({"cell": "tanh", "constraint": StableLSTM(forget=0.6)}, "does not fit cell='tanh'"),
        ({"cell": "lstm", "constraint": StableRNN()}, "does not fit cell='lstm'"),
        ({"cell": "lstm", "spectral_norm": 1.0}, "spectral_norm belongs to cell='tanh'"),
        ({"cell": "gru", "constraint": StableRNN()}, "no constraint for cell='gru'"),
        ({"cell": "gru", "constraint": StableLSTM(forget=0.6)}, "no constraint for cell='gru'"),
        ({"cell": "gru", "spectral_norm": 1.0}, "spectral_norm belongs to cell='tanh'"),
        ({"context": 0}, "context"),
        ({"bptt": 0}, "bptt"),
        ({"bptt": 5, "cell": "linear"}, "bptt=5 is of cells that go step by step"),
        ({"bptt": 5, "context": 7}, "either bptt=5, which cuts gradients, or context=7"),
    ],
)
def test_choices_that_do_not_fit_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        RecurrentSpec(**choices)


@pytest.mark.parametrize("layers", [1, 2])
def test_units_of_an_lstm_that_is_to_remember_do_so_for_one_to_as_many_steps(layers):
    torch.manual_seed(0)
    model = RecurrentSpec(cell="lstm", states=400, layers=layers, chrono=50).build(channels=1, outputs=2)
    for layer in range(layers):
        first, second = (getattr(model.rnn, f"bias_{of}_l{layer}").detach() for of in ("ih", "hh"))
        start, forget = (first + second)[:400], (first + second)[400:800]
        torch.testing.assert_close(start, -forget)
        # σ(log x) = 1 − 1/(1 + x): half-lives are spread evenly from 1 to 49
        lasting = forget.exp()
        assert 1 <= lasting.min() < 2
        assert 48 < lasting.max() <= 49
        assert lasting.mean().item() == pytest.approx(25, abs=1.5)
    # nothing else starts otherwise
    torch.manual_seed(0)
    usual = RecurrentSpec(cell="lstm", states=400, layers=layers).build(channels=1, outputs=2)
    for name, weight in usual.state_dict().items():
        other = model.state_dict()[name]
        rest = slice(800, None) if "bias_ih" in name or "bias_hh" in name else slice(None)
        torch.testing.assert_close(other[rest], weight[rest])


def test_it_remembers_what_an_lstm_of_pytorch_forgets():
    def kept(chrono):
        torch.manual_seed(0)
        model = RecurrentSpec(cell="lstm", states=64, chrono=chrono).build(channels=1, outputs=1).double()
        x = torch.zeros(1, 100, 1, dtype=torch.float64, requires_grad=True)
        (gradient,) = torch.autograd.grad(model.memory(x)[0, -1, 64:].abs().sum(), x)
        return (gradient[0, 0] / gradient[0, -1]).abs().item()

    assert kept(None) < 1e-12
    assert kept(100) > 1e-3


@pytest.mark.parametrize(
    "wrong",
    [
        {"cell": "gru", "chrono": 10},
        {"cell": "lstm", "chrono": 10, "constraint": StableLSTM(forget=0.9)},
        {"cell": "lstm", "chrono": 2},
    ],
)
def test_only_a_free_lstm_can_be_told_to_remember(wrong):
    with pytest.raises(ValueError, match="chrono"):
        RecurrentSpec(**wrong)


def test_memory_is_of_one_layer():
    model = RecurrentSpec(cell="lstm", states=5, layers=2).build(channels=2, outputs=3)
    with pytest.raises(ValueError, match="one layer, not 2"):
        model.memory(inputs())


@pytest.mark.parametrize(
    "constraint", [StableRNN(), StableRNN(form="rescaled"), StableLSTM(form="rows"), StableLSTM(forget=0.8)]
)
def test_a_constrained_run_that_explodes_is_recorded_as_diverged(constraint):
    cell = "tanh" if constraint.kind == "stable_rnn" else "lstm"
    trial = Trial(
        task=PolyphonicMusic(data="generated", pieces=8),
        model=RecurrentSpec(cell=cell, states=4, constraint=constraint),
        optimiser=OptimiserSpec(learning_rate=1e38),
        schedule=ScheduleSpec(epochs=2, batch_size=4),
    )
    found = [row["value"] for row in run_trial(trial, device="cpu").rows if row["metric"] == "diverged"]
    assert found == [1.0]
