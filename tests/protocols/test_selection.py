import math

import torch
from torch import nn

from inductive_bias.protocols.selection import Best


def test_the_weights_of_the_lowest_error_come_back_and_later_steps_do_not_change_them():
    model, best = nn.Linear(2, 1), Best()
    found = {}
    for epoch, error in enumerate((3.0, 1.0, math.nan, 2.0, 1.0), 1):
        with torch.no_grad():
            model.weight.fill_(epoch)
        best.update(model, error, epoch)
        found[epoch] = model.weight.detach().clone()
    assert (best.error, best.epoch) == (1.0, 2)
    assert best.restore(model)
    assert torch.equal(model.weight, found[2])


def test_without_a_look_nothing_is_restored():
    model, best = nn.Linear(2, 1), Best()
    before = model.weight.detach().clone()
    assert not best.restore(model)
    assert torch.equal(model.weight, before)
    best.update(model, math.nan, 1)
    assert not best.restore(model)
