"""What an untrained model listens to, against loops and models whose answers are known."""

import pytest
import torch
from torch import nn

from inductive_bias.layers import AttentionSpec, LSTMLayerSpec
from inductive_bias.models import MixingSpec
from inductive_bias.protocols.measures.untrained import (
    ORDER,
    RECENCY,
    influence,
    order_sensitivity,
    recency_of_influence,
    untrained_rows,
)
from inductive_bias.running import run_trial
from inductive_bias.tasks import ProbeTask
from inductive_bias.training import ScheduleSpec
from inductive_bias.trials import Trial


class Weighs(nn.Module):
    """One logit: the sum of the tokens so far, each times a weight by how far back it is."""

    def __init__(self, weights):
        super().__init__()
        self.weights = nn.Parameter(torch.as_tensor(weights, dtype=torch.float32))

    def forward(self, tokens):
        length = tokens.shape[1]
        back = torch.arange(length)[:, None] - torch.arange(length)
        matrix = torch.where(back >= 0, self.weights[back.clamp(min=0)], 0.0)
        return (matrix @ tokens.float()[..., None]).float()


@pytest.fixture
def tokens():
    return torch.randint(1, 17, (50, 13), generator=torch.Generator().manual_seed(0))


def model_of(mixer, **options):
    torch.manual_seed(0)
    return MixingSpec(mixer=mixer, layers=1, width=8, **options).build(vocabulary=17, outputs=8).eval()


def test_influence_is_that_of_a_loop_over_sequences_and_places(tokens):
    model, others = model_of(LSTMLayerSpec()), tokens.roll(1, 0)
    found = influence(model, tokens, others)
    for back in range(tokens.shape[1]):
        moved = []
        for own, other in zip(tokens, others, strict=True):
            changed = own.clone()
            changed[-1 - back] = other[-1 - back]
            with torch.no_grad():
                one, two = (model(each[None])[0, -1] for each in (own, changed))
            moved.append(float((one - two).norm()))
        assert float(found[back]) == pytest.approx(sum(moved) / len(moved), abs=1e-6)


@pytest.mark.parametrize(
    ("weights", "share"),
    [
        ([1.0] * 13, 3 / 12),
        ([1.0, 5.0, *[0.0] * 11], 1.0),
        ([1.0, *[0.0] * 3, *[1.0] * 9], 0.0),
        ([9.0, 1.0, 1.0, 1.0, 3.0, *[0.0] * 8], 0.5),
    ],
)
def test_recency_counts_the_latest_quarter_of_the_earlier_places(weights, share):
    # one sequence, so that every place is changed by as much
    tokens, others = torch.full((1, 13), 2), torch.full((1, 13), 7)
    assert recency_of_influence(influence(Weighs(weights), tokens, others)) == pytest.approx(share, abs=1e-6)


def test_a_model_without_memory_has_no_recency(tokens):
    found = recency_of_influence(influence(Weighs([1.0, *[0.0] * 12]), tokens, tokens.roll(1, 0)))
    assert found != found


def test_a_bag_of_symbols_knows_no_order(tokens):
    assert order_sensitivity(Weighs([1.0] * 13), tokens, tokens.roll(1, 0)) == pytest.approx(0.0, abs=1e-5)
    # causal attention in one layer without positions is a bag too, but for its last symbol
    assert order_sensitivity(model_of(AttentionSpec()), tokens, tokens.roll(1, 0)) == pytest.approx(0.0, abs=1e-5)
    assert order_sensitivity(model_of(LSTMLayerSpec()), tokens, tokens.roll(1, 0)) > 0.3


def test_order_in_closed_form():
    # the answer is the symbol before the last
    model = Weighs([0.0, 1.0, *[0.0] * 11])
    tokens, others = torch.full((1, 13), 2), torch.full((1, 13), 7)
    tokens[0, 0] = 4
    assert order_sensitivity(model, tokens, others) == pytest.approx((4 - 2) / (7 - 2))
    # at most 1, and 0 where even other symbols move nothing
    assert order_sensitivity(model, tokens, torch.full((1, 13), 3)) == 1.0
    assert order_sensitivity(Weighs([1.0, *[0.0] * 12]), tokens, others) == 0.0


def test_a_trial_has_both_numbers_and_no_other():
    trial = Trial(
        task=ProbeTask(probe="untrained", test_size=20),
        model=MixingSpec(mixer=LSTMLayerSpec(), layers=1, width=8),
        schedule=ScheduleSpec(epochs=0, batch_size=4),
        seed=3,
    )
    rows = run_trial(trial, device="cpu").rows
    found = {row["metric"]: row["value"] for row in rows if row["split"] == "test"}
    assert set(found) == {RECENCY, ORDER}
    split = trial.task.load()["test"]
    torch.manual_seed(0)
    again = run_trial(trial, device="cpu").rows
    assert {row["metric"]: row["value"] for row in again if row["split"] == "test"} == found
    model = model_of(LSTMLayerSpec())
    assert {row["metric"] for row in untrained_rows(model, split, "test")} == set(found)
