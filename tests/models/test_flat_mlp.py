"""The MLP on a whole sequence: against plain linear layers, for tokens and numbers, and where its length ends."""

import pytest
import torch
from pydantic import ValidationError

from inductive_bias.models import FlattenedSpec


def naive(model, inputs):
    """The same with explicit products, one example at a time."""
    rows = []
    for example in inputs:
        x = example if model.embedding is None else torch.stack([model.embedding.weight[token] for token in example])
        room = torch.zeros(model.length, x.shape[1], dtype=x.dtype)
        room[: min(len(x), model.length)] = x[: model.length]
        x = room.reshape(-1)
        for layer in model.hidden:
            x = (layer.weight @ x + layer.bias).clamp(min=0)
        rows.append(model.readout.weight @ x + model.readout.bias)
    return torch.stack(rows)


@pytest.mark.parametrize("steps", [1, 5, 7])
@pytest.mark.parametrize("tokens", [False, True], ids=["numbers", "tokens"])
def test_values_and_gradients_are_those_of_plain_layers(tokens, steps):
    torch.manual_seed(0)
    room = {"vocabulary": 6} if tokens else {"channels": 2}
    model = FlattenedSpec(length=5, width=4, layers=2, embedding=3).build(outputs=3, **room).double()
    inputs = torch.randint(0, 6, (3, steps)) if tokens else torch.randn(3, steps, 2).double()
    ours, wanted = model(inputs), naive(model, inputs)
    assert ours.shape == (3, steps, 3)
    for position in range(steps):  # the answer is the same wherever it is read
        torch.testing.assert_close(ours[:, position], wanted)
    grads = [torch.autograd.grad(out.square().sum(), list(model.parameters())) for out in (ours[:, -1], wanted)]
    # the naive twin gives the row of padding a gradient, which torch's embedding does not
    for (name, _), one, two in zip(model.named_parameters(), *grads, strict=True):
        start = 1 if name == "embedding.weight" else 0
        torch.testing.assert_close(one[start:], two[start:])


def test_padding_of_tokens_changes_nothing_and_what_lies_beyond_the_length_is_not_read():
    model = FlattenedSpec(length=4, width=3).build(outputs=2, vocabulary=5)
    short = torch.tensor([[1, 2, 3]])
    torch.testing.assert_close(model(torch.tensor([[1, 2, 3, 0]]))[:, 0], model(short)[:, 0])
    one, two = torch.tensor([[1, 2, 3, 4, 1]]), torch.tensor([[1, 2, 3, 4, 2]])
    torch.testing.assert_close(model(one), model(two))


def test_what_cannot_be_is_refused():
    with pytest.raises(ValidationError):
        FlattenedSpec(length=0)
    with pytest.raises(ValueError, match="either vocabulary or channels"):
        FlattenedSpec(length=3).build(outputs=2)
    assert FlattenedSpec(length=3).name == "MLP"
    assert not FlattenedSpec.causal
