from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from inductive_bias.analysis import align_hidden_units, match_hidden_units, permute_hidden_units


class Mlp(nn.Module):
    """Three hidden layers of widths 7, 5 and 6 with BatchNorm, as the project's MLP names them."""

    LAYERS = (
        ("hidden.0.linear", ("hidden.0.norm",)),
        ("hidden.1.linear", ("hidden.1.norm",)),
        ("hidden.2.linear", ()),
        ("head", ()),
    )

    def __init__(self, seed):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.hidden = nn.ModuleList(
            nn.ModuleDict({"linear": nn.Linear(i, o)} | ({"norm": nn.BatchNorm1d(o)} if o != 6 else {}))
            for i, o in ((9, 7), (7, 5), (5, 6))
        )
        self.head = nn.Linear(6, 4)
        with torch.no_grad():
            for entry in self.state_dict().values():
                if entry.is_floating_point():
                    entry.copy_(torch.randn(entry.shape, generator=generator).abs() + 0.1)
            for parameter in self.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        self.double().eval()

    def forward(self, x):
        for layer in self.hidden:
            x = torch.relu(layer["linear"](x))
            x = layer["norm"](x) if "norm" in layer else x
        return self.head(x)


def random_orders(seed):
    rng = np.random.default_rng(seed)
    return [rng.permutation(width) for width in (7, 5, 6)]


def outputs(state):
    model = Mlp(0)
    model.load_state_dict(state)
    return model(torch.randn(11, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64))


def overlap(a, b):
    return sum((a[k] * b[k]).sum().item() for k in a if k.endswith(("weight", "bias")))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_renumbering_hidden_units_keeps_the_function(seed):
    state = Mlp(seed % 100).state_dict()
    permuted = permute_hidden_units(state, Mlp.LAYERS, random_orders(seed))
    torch.testing.assert_close(outputs(permuted), outputs(state))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_a_permuted_copy_is_recovered_exactly(seed):
    state = Mlp(seed % 100).state_dict()
    orders = random_orders(seed)
    permuted = permute_hidden_units(state, Mlp.LAYERS, orders)
    found = match_hidden_units(state, permuted, Mlp.LAYERS)
    assert [f.tolist() for f in found] == [np.argsort(o).tolist() for o in orders]
    aligned = align_hidden_units(state, permuted, Mlp.LAYERS)
    assert all(torch.equal(aligned[k], state[k]) for k in state)


def test_aligning_independent_solutions_keeps_the_function_and_brings_them_closer():
    for seed in range(5):
        a, b = Mlp(seed).state_dict(), Mlp(seed + 50).state_dict()
        aligned = align_hidden_units(a, b, Mlp.LAYERS)
        torch.testing.assert_close(outputs(aligned), outputs(b))
        assert overlap(a, aligned) > overlap(a, b)


def test_one_hidden_layer_is_matched_optimally():
    a, b = (
        {
            k: torch.randn(s, generator=torch.Generator().manual_seed(n))
            for k, s in (("in.weight", (4, 3)), ("in.bias", (4,)), ("out.weight", (2, 4)), ("out.bias", (2,)))
        }
        for n in (0, 1)
    )
    layers = [("in", []), ("out", [])]
    best = max(overlap(a, permute_hidden_units(b, layers, [np.array(order)])) for order in permutations(range(4)))
    assert overlap(a, align_hidden_units(a, b, layers)) == pytest.approx(best)


def test_a_single_unit_can_only_stay():
    state = {"in.weight": torch.ones(1, 2), "out.weight": torch.ones(3, 1)}
    assert [o.tolist() for o in match_hidden_units(state, state, [("in", []), ("out", [])])] == [[0]]


def test_the_given_states_are_left_alone():
    a, b = Mlp(0).state_dict(), Mlp(1).state_dict()
    align_hidden_units(a, b, Mlp.LAYERS)
    assert all(torch.equal(b[k], v) for k, v in Mlp(1).state_dict().items())


def test_bad_descriptions_are_refused():
    state = Mlp(0).state_dict()
    with pytest.raises(ValueError, match=r"holds no 'hidden\.9\.linear\.weight'"):
        match_hidden_units(state, state, [("hidden.9.linear", []), ("head", [])])
    with pytest.raises(ValueError, match="a hidden and an output layer, not 1"):
        match_hidden_units(state, state, [("head", [])])
    with pytest.raises(ValueError, match=r"'head' has weights of shape \(4, 6\) after a layer of 7 units"):
        match_hidden_units(state, state, [("hidden.0.linear", []), ("head", [])])
    with pytest.raises(ValueError, match="do not all have 7 units"):
        match_hidden_units(state, state, [("hidden.0.linear", ["hidden.1.norm"]), *Mlp.LAYERS[1:]])
    with pytest.raises(ValueError, match=r"permutations of \[7, 5, 6\]"):
        permute_hidden_units(state, Mlp.LAYERS, [np.zeros(n, dtype=int) for n in (7, 5, 6)])
    with pytest.raises(ValueError, match="shape"):
        match_hidden_units(state, state | {"head.bias": torch.zeros(9)}, Mlp.LAYERS)
