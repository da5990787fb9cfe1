"""Encoders of functions: padding changes nothing, the BiLSTM is PyTorch's, RSA is not masked, pairs have no order."""

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from inductive_bias.layers import AttentionSpec, RSASpec
from inductive_bias.models import BidirectionalSpec, BiLSTMSpec, TextCNNSpec
from inductive_bias.models.bilstm import turned_round
from inductive_bias.models.code_classifier import compared

RSA = RSASpec(heads=4, counts=(1, 1, 0, 1, 1, 0), gate_logit=0.0)
SPECS = {
    "attention": BidirectionalSpec(width=8, mixer=AttentionSpec(heads=2)),
    "rsa": BidirectionalSpec(width=8, mixer=RSA),
    "bilstm": BiLSTMSpec(width=6, states=3),
    "text_cnn": TextCNNSpec(width=6, filters=9, kernels=(1, 2, 5)),
}
every_spec = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)


def model_of(spec, sides=1):
    torch.manual_seed(0)
    return spec.build(vocabulary=11, classes=2, sides=sides).double().eval()


def tokens(*lengths, longest=7):
    found = torch.randint(1, 11, (len(lengths), longest), generator=torch.Generator().manual_seed(1))
    return found * (torch.arange(longest) < torch.tensor(lengths)[:, None])


@every_spec
@pytest.mark.parametrize("length", [1, 2, 5])
def test_padding_and_neighbours_in_the_batch_change_no_answer_and_no_gradient(spec, length):
    model = model_of(spec)
    padded = tokens(length, 7, 3)
    alone = padded[:1, :length]
    torch.testing.assert_close(model(padded)[:1], model(alone))
    grads = [
        torch.autograd.grad(model(each)[0].sum(), list(model.parameters()), allow_unused=True)
        for each in (padded, alone)
    ]
    for one, two in zip(*grads, strict=True):
        if one is not None:
            torch.testing.assert_close(one, two)


@every_spec
def test_an_empty_function_has_an_answer_that_is_a_number(spec):
    model = model_of(spec)
    assert model(tokens(0, 3)).isfinite().all()


@every_spec
def test_every_answer_depends_on_every_token_before_and_behind(spec):
    model, inputs = model_of(spec), tokens(7)
    embedded = model.embedding(inputs).detach().requires_grad_()
    states = model.encoder(embedded, inputs != 0)
    (slope,) = torch.autograd.grad(states[0, 3] @ torch.arange(states.shape[-1]).double(), embedded)
    reach = slope[0].abs().sum(-1) > 1e-9
    assert reach.tolist() == ([False, True, True, True, True, True, False] if spec.kind == "text_cnn" else [True] * 7)


@every_spec
def test_two_functions_have_one_encoder_and_no_order(spec):
    model = model_of(spec, sides=2)
    one, two = tokens(5, 2), tokens(7, 4)
    both = torch.stack((one, two), -1)
    vectors = [model.vectors(each) for each in (one, two)]
    torch.testing.assert_close(model.features(both), compared(*vectors))
    torch.testing.assert_close(model(both), model.readout(compared(*vectors)))
    torch.testing.assert_close(model(both), model(both.flip(-1)))
    with pytest.raises(ValueError, match="sides=2 takes 3 axes"):
        model(one)


@every_spec
def test_similarities_of_all_pairs_are_the_answers_about_each(spec):
    model = model_of(spec, sides=2)
    one, two = tokens(5, 2, 1), tokens(7, 4)
    found = model.similarity(model.vectors(one), model.vectors(two))
    assert found.shape == (3, 2)
    for i in range(3):
        for j in range(2):
            outputs = model(torch.stack((one[i], two[j]), -1)[None])[0]
            torch.testing.assert_close(found[i, j], outputs[1] - outputs[0])


def test_a_function_is_the_mean_and_the_maximum_of_its_real_states():
    model, inputs = model_of(SPECS["bilstm"]), tokens(4, 7)
    states = model.encoder(model.embedding(inputs), inputs != 0)
    wanted = torch.cat((states[0, :4].mean(0), states[0, :4].amax(0)))
    torch.testing.assert_close(model.vectors(inputs)[0], wanted)


@pytest.mark.parametrize("layers", [1, 2])
def test_the_bilstm_is_that_of_pytorch_on_packed_sequences(layers):
    torch.manual_seed(0)
    ours = BiLSTMSpec(width=5, states=4, layers=layers).encoder().double()
    theirs = nn.LSTM(5, 4, layers, batch_first=True, bidirectional=True).double()
    with torch.no_grad():
        for layer in range(layers):
            for side, suffix in ((ours.onward, ""), (ours.reverse, "_reverse")):
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    getattr(side[layer], f"{name}_l0").copy_(getattr(theirs, f"{name}_l{layer}{suffix}"))
    lengths = torch.tensor([6, 1, 3])
    real = torch.arange(6) < lengths[:, None]
    x = torch.randn(3, 6, 5, dtype=torch.float64, requires_grad=True)
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    wanted = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)[0]
    found = ours(x, real)
    torch.testing.assert_close(found[real], wanted[real])
    grads = [torch.autograd.grad(states[real].square().sum(), x)[0] for states in (found, wanted)]
    torch.testing.assert_close(*grads)


def test_sequences_are_turned_round_within_their_own_length():
    real = torch.tensor([[True, True, True, False], [True, False, False, False]])
    assert turned_round(real).tolist() == [[2, 1, 0, 3], [0, 1, 2, 3]]


@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
def test_a_kernel_sees_zeros_before_the_first_token_and_behind_the_last(kernel):
    torch.manual_seed(0)
    encoder = TextCNNSpec(width=3, filters=2, kernels=(kernel,)).encoder().double()
    x = torch.randn(1, 5, 3).double()
    real = torch.tensor([[True, True, True, True, False]])
    weight, bias = encoder.convolutions[0].weight, encoder.convolutions[0].bias
    found = encoder(x, real)
    for place in range(4):
        total = bias.clone()
        for step in range(kernel):
            at = place + step - (kernel - 1) // 2
            if 0 <= at < 4:
                total = total + weight[:, :, step] @ x[0, at]
        torch.testing.assert_close(found[0, place], total.relu())


def test_rsa_adds_an_unmasked_matrix_of_the_real_tokens_to_attention():
    model, twin = model_of(SPECS["rsa"]), model_of(SPECS["rsa"].model_copy(update={"mixer": AttentionSpec(heads=4)}))
    assert set(model.state_dict()) - set(twin.state_dict()) == {
        f"encoder.blocks.{block}.mixer.{name}" for block in (0, 1) for name in ("mu", "rem.eta", "rem.nu", "rem.theta")
    }
    twin.load_state_dict({name: value for name, value in model.state_dict().items() if name in twin.state_dict()})
    mixer, plain = (each.blocks[0].mixer for each in (model, twin))
    x, real = torch.randn(2, 6, 8).double(), torch.arange(6) < torch.tensor([[6], [4]])
    _, _, v = mixer._split(x, 0)
    matrix = mixer.rem.matrix(6)
    assert torch.equal(matrix, matrix.mT)
    recurrent = mixer._join(matrix @ (v * real[:, None, :, None])) - mixer.output.bias
    wanted = 0.5 * (plain(x, real) - mixer.output.bias) + 0.5 * recurrent + mixer.output.bias
    torch.testing.assert_close(mixer(x, real)[real], wanted[real])


@every_spec
def test_a_tiny_task_is_learnt(spec):
    torch.manual_seed(0)
    model = spec.model_copy(update={"dropout": 0.0}).build(vocabulary=11, classes=2)
    inputs = tokens(*[7] * 32)
    labels = ((inputs[:, :-1] == 3) & (inputs[:, 1:] != 3)).any(1).long()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(60):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: BidirectionalSpec(width=6, mixer=AttentionSpec(heads=4)),
        lambda: BiLSTMSpec(states=0),
        lambda: TextCNNSpec(kernels=()),
        lambda: TextCNNSpec(kernels=(0,)),
        lambda: BiLSTMSpec(dropout=1.0),
        lambda: SPECS["bilstm"].build(vocabulary=5, classes=2, sides=3),
    ],
)
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises((ValidationError, ValueError)):
        wrong()


def test_names_are_those_of_the_pages():
    assert [spec.name for spec in SPECS.values()] == ["Transformer", "RSA", "BiLSTM", "TextCNN"]
