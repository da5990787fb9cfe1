"""Models that see what they should predict are refused, however they hide it; honest ones pass, unchanged."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.layers.registry import MIXERS
from inductive_bias.protocols.causality import MOST_PLACES, refuse_foresight

WORDS = 11
TOKENS = torch.randint(1, WORDS, (3, 9), generator=torch.Generator().manual_seed(0))


class Speaker(nn.Module):
    """An LSTM that speaks; a subclass makes something of its states."""

    def __init__(self, width=6):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.readout = nn.Linear(width, WORDS)

    def heard(self, tokens, states):
        return states

    def states(self, tokens):
        return self.heard(tokens, self.lstm(self.embedding(tokens))[0])

    def forward(self, tokens):
        return self.readout(self.states(tokens))


class PeeksInItsStates(Speaker):
    def forward(self, tokens):
        return self.readout(self.lstm(self.embedding(tokens))[0])

    def heard(self, tokens, states):
        return states + F.pad(self.embedding(tokens)[:, 1:], (0, 0, 0, 1))


class PoolsPairs(Speaker):
    """An input and the next one give one mean, without a shift; an odd length ends with a mean of one."""

    def heard(self, tokens, states):
        padded = F.pad(states, (0, 0, 0, states.shape[1] % 2))
        means = padded.unflatten(1, (-1, 2)).mean(2)
        return means.repeat_interleave(2, 1)[:, : states.shape[1]]


class WillLearnToPeek(Speaker):
    """The weight of what it sees begins at zero."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(1))

    def heard(self, tokens, states):
        return states + self.gain * states.flip(1)


class PeeksInTraining(Speaker):
    def heard(self, tokens, states):
        return states + states.mean(1, keepdim=True) if self.training else states


class PeeksInEvaluation(Speaker):
    def heard(self, tokens, states):
        return states if self.training else states + states.mean(1, keepdim=True)


class NormalisesOverTime(Speaker):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)

    def heard(self, tokens, states):
        return self.norm(states.mT).mT


class CountsFromTheEnd(Speaker):
    def heard(self, tokens, states):
        return states + torch.arange(states.shape[1]).flip(0)[:, None] / 10


class SeesPadding(Speaker):
    def heard(self, tokens, states):
        return states + (tokens != 0).sum(1)[:, None, None] / 10


class SeesOtherExamples(Speaker):
    def heard(self, tokens, states):
        return states + states[:, -1].mean(0)


class SeesOneWord(Speaker):
    """What comes next shows only where it is the last word of the vocabulary."""

    def heard(self, tokens, states):
        return states + F.pad((tokens[:, 1:] == WORDS - 1).float(), (0, 1))[..., None]


def answers(model, tokens):
    return {"outputs": model(tokens), "states": model.states(tokens)}


LEAKING = {
    PeeksInItsStates: "training mode its states at position 0 change with the input at position 1",
    PoolsPairs: "its outputs at position",
    WillLearnToPeek: "with other weights, its",
    PeeksInTraining: "in training mode its",
    PeeksInEvaluation: "in evaluation mode its",
    NormalisesOverTime: "in training mode its",
    CountsFromTheEnd: r"in evaluation mode its outputs at position 0 are others where only 4 of 9 are read",
    SeesPadding: "change with",
    SeesOtherExamples: "in training mode its",
    SeesOneWord: "its outputs at position",
}


@pytest.mark.parametrize("make", LEAKING, ids=lambda make: make.__name__)
@pytest.mark.parametrize("length", [2, 8, 9])
def test_a_model_that_leaks_is_refused(make, length):
    torch.manual_seed(0)
    if (make, length) == (CountsFromTheEnd, 2):
        reason = "where only 1 of 2 are read"
    else:
        reason = LEAKING[make].replace("4 of 9", f"{length // 2 if length < 9 else 4} of {length}")
    with pytest.raises(ValueError, match=reason):
        refuse_foresight(make(), answers, TOKENS[:, :length], vocabulary=WORDS)


class Mixed(nn.Module):
    def __init__(self, mixer):
        super().__init__()
        self.embedding, self.mixer = nn.Embedding(WORDS, 24), mixer

    def forward(self, tokens):
        return F.dropout(self.mixer(self.embedding(tokens)), 0.3, self.training)


@pytest.mark.parametrize("spec", MIXERS, ids=lambda each: each.__name__)
def test_layers_of_the_package_pass(spec):
    refuse_foresight(
        Mixed(spec(**({"length": 16} if "length" in spec.model_fields else {})).layer(24)),
        lambda model, tokens: {"outputs": model(tokens)},
        TOKENS,
        vocabulary=WORDS,
    )


def test_an_honest_model_passes_and_is_left_as_it_was():
    model = nn.Sequential(Speaker(), nn.Dropout(0.5)).eval()
    model[1].train()
    model.register_buffer("count", torch.zeros(1), persistent=False)
    torch.manual_seed(3)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    drawn = torch.rand(2, generator=torch.Generator().manual_seed(3))
    refuse_foresight(model, lambda model, tokens: {"outputs": model(tokens)}, TOKENS, vocabulary=WORDS)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert [module.training for module in model] == [False, True]
    assert torch.equal(torch.rand(2), drawn)


def test_numbers_are_changed_as_tokens_are():
    series = torch.randn(2, 7, 3)
    honest, leaking = nn.RNN(3, 4, batch_first=True), nn.RNN(3, 4, batch_first=True, bidirectional=True)
    refuse_foresight(honest, lambda model, x: {"outputs": model(x)[0]}, series)
    with pytest.raises(ValueError, match="outputs at position 0 change with the input at position 1"):
        refuse_foresight(leaking, lambda model, x: {"outputs": model(x)[0]}, series)


def test_a_model_of_one_length_and_one_of_a_single_position_pass():
    square = nn.Linear(7, 7, bias=False)
    nn.init.ones_(square.weight)

    class Triangle(nn.Module):
        def __init__(self):
            super().__init__()
            self.square = square

        def forward(self, x):
            return x.mT.matmul(self.square.weight.tril().mT).mT

    refuse_foresight(Triangle(), lambda model, x: {"outputs": model(x)}, torch.randn(2, 7, 3))
    refuse_foresight(Speaker(), answers, TOKENS[:, :1], vocabulary=WORDS)


@pytest.mark.parametrize("place", [1, 20, 200, 399])
def test_of_a_long_sequence_both_ends_and_much_between_are_tried(place):
    """One place of 400 alone is seen: where it is not among those that are tried, all from some place on are."""

    class Sees(nn.Module):
        def __init__(self, place):
            super().__init__()
            self.scale, self.place = nn.Parameter(torch.ones(1)), place

        def forward(self, x):
            return x + self.scale * x[:, self.place : self.place + 1]

    assert MOST_PLACES < 400
    reason = "inputs from position 1 on" if place == 200 else f"the input at position {place}"
    with pytest.raises(ValueError, match=f"change with {reason}"):
        refuse_foresight(Sees(place), lambda model, x: {"outputs": model(x)}, torch.randn(2, 400, 1))


def test_answers_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"its outputs must have a shape that begins with \(8, 9\), not \(9, 8, 11\)"):
        refuse_foresight(Speaker(), lambda model, x: {"outputs": model(x).transpose(0, 1)}, TOKENS, vocabulary=WORDS)
