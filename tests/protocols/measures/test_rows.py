"""Outputs come back in the order of the inputs, whatever the order in which they were made."""

import math

import pytest
import torch
from torch import nn

from inductive_bias.protocols.measures import SCALAR_METRICS, diverged_rows, logits_of, outputs_of, row, split_rows
from inductive_bias.tasks import Split
from inductive_bias.tasks.vocabulary import pad_sentences
from tests.tiny import CAUSAL, LSTM, TRANSFORMER

LENGTHS = torch.randint(9, (230,), generator=torch.Generator().manual_seed(0)).tolist()
SENTENCES = [[4 + (number + place) % 20 for place in range(length)] for number, length in enumerate(LENGTHS)]
SIZES = {"vocabulary": 24, "positions": 12, "classes": 3}


@pytest.mark.parametrize("spec", [LSTM, TRANSFORMER, CAUSAL], ids=lambda spec: spec.name)
def test_logits_of_sentences_are_those_of_each_sentence_alone(spec):
    torch.manual_seed(0)
    model = spec.build(**SIZES).eval()
    found = logits_of(model, pad_sentences(SENTENCES))
    with torch.no_grad():
        alone = torch.cat([model(pad_sentences([sentence])) for sentence in SENTENCES])
    assert found.dtype == torch.float32
    # sums of at most 32 float32 products in another order; the logits are below 1
    torch.testing.assert_close(found, alone, rtol=0, atol=1e-6)


def test_every_sentence_meets_the_function_once_and_gets_its_own_answer_back():
    tokens, seen = pad_sentences(SENTENCES), []

    def function(chunk):
        seen.append(chunk.shape)
        return chunk.double() @ torch.ones(chunk.shape[1], 1, dtype=torch.float64)

    found = outputs_of(function, tokens)
    assert found.dtype == torch.float32
    assert torch.equal(found[:, 0], tokens.sum(1).float())
    assert sum(n for n, _ in seen) == len(tokens)
    assert len({width for _, width in seen}) > 1  # trimmed to the longest of each chunk


@pytest.mark.parametrize("n", [1, 7, 201, 450])
def test_images_keep_their_order(n):
    images = torch.arange(float(n))[:, None]
    assert torch.equal(outputs_of(lambda chunk: chunk * 2, images), images * 2)


def test_nothing_learns_from_being_measured_and_the_mode_stays():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)).train()
    assert not logits_of(model, torch.ones(3, 2)).requires_grad
    assert model.training


def test_a_row_has_no_coordinate_and_no_epoch_unless_told():
    assert row("test", "accuracy", 0.5, "real:x") == {
        "split": "test",
        "metric": "accuracy",
        "epoch": None,
        "value": 0.5,
        "data_source": "real:x",
    }


def test_coordinates_are_numbers_or_words_and_of_known_names():
    found = row("model", "decay", 0.5, "real:x", epoch=3, kind="real", head=0, layer=1)
    assert (found["layer"], found["head"], found["kind"], found["epoch"]) == (1.0, 0.0, "real", 3)
    assert isinstance(found["head"], float)
    with pytest.raises(ValueError, match=r"no coordinate x; there are: attractors, .* pairs"):
        row("test", "accuracy", 0.5, "real:x", x=1.0)


def test_a_diverged_trial_has_every_scalar_metric_as_nan():
    split = Split(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]), "sample:x")
    there = [found["metric"] for found in split_rows(torch.randn(4, 2), split, "test") if "bin" not in found]
    nan = list(diverged_rows(split, "test"))
    assert [found["metric"] for found in nan] == there == list(SCALAR_METRICS)
    assert all(math.isnan(found["value"]) for found in nan)
