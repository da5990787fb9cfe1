"""How far back models of a stream look, against differences and what their structure allows."""

import pytest
import torch
import torch.nn.functional as F

from inductive_bias.analysis.segment_reach import gradient_by_distance
from inductive_bias.layers import RSASpec
from inductive_bias.models import BlockRecurrentSpec, LanguageXLSpec

RSA = RSASpec(heads=4, counts=(1, 1, 0, 0, 0, 0), plain=2)
SMALL = {"width": 8, "inner": 8, "layers": 1, "mixer": RSA}


def model_of(spec):
    torch.manual_seed(0)
    return spec.build(vocabulary=11, outputs=11).double().eval()


def test_it_is_the_norm_of_the_gradient_of_the_loss_and_counts_from_the_end():
    model = model_of(LanguageXLSpec(segment=3, memory=3, **SMALL))
    inputs, labels = torch.randint(11, (2, 6)), torch.tensor([3, 4])
    found = gradient_by_distance(model, inputs, labels)
    wanted = torch.zeros(6, dtype=torch.float64)
    for one in range(2):
        x = model.embedding(inputs[one : one + 1]).detach()

        @torch.no_grad()
        def nll(at, one=one):
            out, _ = model.read(at, cut=False)
            return F.cross_entropy(model.readout(model.norm(out[:, -1])), labels[one : one + 1])

        for place in range(6):
            slope = []
            for channel in range(8):
                step = torch.zeros_like(x)
                step[0, place, channel] = 1e-5
                slope.append(float((nll(x + step) - nll(x - step)) / 2e-5))
            wanted[5 - place] += torch.tensor(slope, dtype=torch.float64).norm() / 2
    torch.testing.assert_close(found, wanted, atol=1e-7, rtol=1e-5)


def test_a_model_without_memory_looks_back_to_the_beginning_of_its_segment_and_states_look_further():
    inputs, labels = torch.randint(11, (2, 12)), torch.tensor([3, 4])
    alone = gradient_by_distance(model_of(LanguageXLSpec(segment=4, memory=0, **SMALL)), inputs, labels)
    assert (alone[:4] > 0).all()
    assert (alone[4:] == 0).all()
    states = BlockRecurrentSpec(window=4, states=2, recurrent=1, **SMALL)
    assert (gradient_by_distance(model_of(states), inputs, labels) > 0).all()


def test_a_model_in_training_is_refused():
    model = model_of(LanguageXLSpec(segment=4, memory=4, **SMALL)).train()
    with pytest.raises(ValueError, match="evaluation mode"):
        gradient_by_distance(model, torch.zeros(1, 4, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
