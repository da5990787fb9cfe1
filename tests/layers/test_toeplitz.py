"""What free position matrices refuse."""

import math

import pytest
import torch

from inductive_bias.layers import RSAttention, ToeplitzAttention
from tests.hostile import refused


@pytest.fixture
def layer():
    return ToeplitzAttention(8, 2, length=6)


@pytest.mark.parametrize("length", [0, -1, 2.0, True, None])
def test_a_matrix_has_a_token_or_more(layer, length):
    refused(layer.matrix, f"length must be an integer of at least 1, not {length}", length)


def test_a_matrix_has_no_more_tokens_than_the_longest_sequence(layer):
    refused(layer.matrix, "at most length=6 tokens, not 7", 7)
    assert layer.matrix(6).shape == (2, 6, 6)
    assert torch.equal(layer.matrix(1), torch.zeros(2, 1, 1))


@pytest.mark.parametrize("start", [math.inf, -math.inf, math.nan])
def test_a_gate_starts_at_a_number(start):
    refused(ToeplitzAttention, f"gate_logit must be finite or None, not {start}", 8, 2, length=6, gate_logit=start)
    refused(RSAttention, f"gate_logit must be finite or None, not {start}", 8, 2, gate_logit=start)
