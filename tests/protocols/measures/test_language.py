"""Scores of a language model against one forward pass a token."""

import copy
import math

import pandas as pd
import pytest
import torch

from inductive_bias.protocols.measures import corpus_rows, log_likelihoods, pair_rows, perplexity
from inductive_bias.protocols.measures import language as module
from inductive_bias.protocols.measures.language import verb_preferences, verb_states
from inductive_bias.tasks import Split
from inductive_bias.tasks.pairs import MinimalPairs
from inductive_bias.tasks.vocabulary import PAD, UNK, pad_sentences
from tests.tiny import CAUSAL, LSTM

WORDS = 17
SENTENCES = [[5, 4, 7], [], [10], [6, 5, UNK, 9, 8], [4, 4], [16, 15, 14, 13, 12, 11, 10], [5, 4, 8]]
GOOD = [[5, 4, 7], [6, 5, 9, 9, 8], [4, 4], [10]]
BAD = [[5, 4, 8], [6, 5, 9, 10, 8], [4, 5], [11]]
POSITION = [3, 4, 2, 1]
# float32: a sum of some ten values below 5 in size, each of a few dozen products; one unit of rounding is 6e-8
TOLERANCE = {"rtol": 0, "atol": 2e-5}


@pytest.fixture(params=[LSTM, CAUSAL], ids=lambda spec: spec.name)
def model(request):
    """In evaluation mode, with weights large enough that words differ in probability."""
    torch.manual_seed(0)
    model = request.param.build(vocabulary=WORDS, positions=12).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.5 * torch.randn_like(weight)
    return model


@pytest.fixture(params=[(64, 512), (3, 4), (1, 1)], ids=lambda sizes: f"{sizes[0]}x{sizes[1]}")
def _chunks(request, monkeypatch):
    """The sizes of the library, and such that the few sentences here need several passes."""
    monkeypatch.setattr(module, "SENTENCES", request.param[0])
    monkeypatch.setattr(module, "STATES", request.param[1])


def naive(model, row):
    """log p of each token of one row given those before it, in float64, one pass a token."""
    wide = copy.deepcopy(model).double()
    real = row[row != PAD]
    with torch.no_grad():
        return [float(wide(real[None, :i])[0, -1].log_softmax(0)[real[i]]) for i in range(1, len(real))]


def pairs(scoring="verb", **changes):
    tokens = pad_sentences(GOOD + BAD)
    return MinimalPairs(
        **{
            "name": "made",
            "good": tokens[: len(GOOD)],
            "bad": tokens[len(GOOD) :],
            "position": torch.tensor(POSITION if scoring == "verb" else [-1] * len(GOOD)),
            "rows": torch.arange(len(GOOD)),
            "scoring": scoring,
            "source": "sample:made",
            "slices": {"attractors": torch.tensor([0, 0, 1, -1])},
            "left_out": dict.fromkeys((10, 11, 12), "verb out of vocabulary"),
        }
        | changes
    )


@pytest.mark.usefixtures("_chunks")
class TestLogLikelihoods:
    def test_they_are_those_of_one_pass_a_token_and_zero_at_padding(self, model):
        tokens = pad_sentences(SENTENCES)
        found = log_likelihoods(model, tokens)
        assert found.shape == (len(SENTENCES), tokens.shape[1] - 1)
        want = torch.zeros_like(found, dtype=torch.float64)
        for number, row in enumerate(tokens):
            values = naive(model, row)
            want[number, : len(values)] = torch.tensor(values, dtype=torch.float64)
        torch.testing.assert_close(found.double(), want, **TOLERANCE)
        assert (found[tokens[:, 1:] == PAD] == 0).all()

    def test_the_preference_for_a_verb_is_the_difference_of_its_two_log_probabilities(self, model):
        found, made = verb_preferences(model, pairs()), pairs()
        want = []
        for good, bad, position in zip(made.good, made.bad, POSITION, strict=True):
            want.append(naive(model, good)[position - 1] - naive(model, bad)[position - 1])
        torch.testing.assert_close(found.double(), torch.tensor(want, dtype=torch.float64), **TOLERANCE)
        assert len({value > 0 for value in want}) == 2  # a model that prefers all or none would show little

    @pytest.mark.parametrize("most", [1, 2, 3, 4, 1000])
    def test_states_before_verbs_are_those_of_one_pass_a_pair_and_are_thinned_evenly(self, model, most):
        made = pairs()
        found = verb_states(model, made, most)
        every = [model.states(row[None, :position])[0, -1] for row, position in zip(made.good, POSITION, strict=True)]
        wanted = {1: every[:1], 2: every[::2], 3: every[::2]}.get(most, every)
        torch.testing.assert_close(found, torch.stack(wanted), **TOLERANCE)
        assert not found.requires_grad


def test_perplexity_is_the_inverse_geometric_mean_probability_of_a_token(model):
    tokens = pad_sentences(SENTENCES)
    values = [value for row in tokens for value in naive(model, row)]
    assert len(values) == int((tokens[:, 1:] != PAD).sum())
    assert perplexity(model, tokens) == pytest.approx(math.exp(-sum(values) / len(values)), rel=2e-5)


def test_an_untrained_model_of_equal_logits_is_as_perplexed_as_it_has_words(model):
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
    assert perplexity(model, pad_sentences(SENTENCES)) == pytest.approx(WORDS, rel=1e-6)


def test_a_model_worse_than_any_float_is_infinitely_perplexed(model):
    with torch.no_grad():
        model.bias[12] = 1e5
    assert perplexity(model, pad_sentences([[5, 4]])) == math.inf


def test_nothing_learns_from_being_scored_and_the_mode_stays(model):
    model.train()
    assert not log_likelihoods(model, pad_sentences(SENTENCES)).requires_grad
    assert not verb_preferences(model, pairs()).requires_grad
    assert model.training


def test_a_corpus_has_its_loss_its_perplexity_and_its_unknown_words(model):
    tokens = pad_sentences(SENTENCES)
    split = Split(tokens, (tokens[:, 1:] != PAD).sum(1), "sample:made")
    rows = pd.DataFrame(corpus_rows(model, split, "test")).set_index("metric")["value"]
    predicted = sum(len(sentence) + 1 for sentence in SENTENCES)
    assert rows["tokens"] == predicted
    assert rows["unknown_share"] == pytest.approx(1 / predicted)
    assert rows["perplexity"] == pytest.approx(perplexity(model, tokens))
    assert rows["nll"] == pytest.approx(math.log(rows["perplexity"]))


class TestPairs:
    @pytest.mark.parametrize("scoring", ["verb", "sentence"])
    def test_accuracy_is_the_share_of_pairs_whose_right_side_is_the_likelier(self, model, scoring):
        made = pairs(scoring)
        right = []
        for good, bad, position in zip(made.good, made.bad, POSITION, strict=True):
            part = slice(position - 1, position) if scoring == "verb" else slice(None)
            right.append(float(sum(naive(model, good)[part]) > sum(naive(model, bad)[part])))
        rows = pd.DataFrame(pair_rows(model, made))
        assert set(rows["split"]) == {"pairs"}
        assert set(rows["pairs"]) == {"made"}
        whole = rows[rows["attractors"].isna()].set_index("metric")["value"]
        assert whole["accuracy"] == pytest.approx(sum(right) / 4)
        assert whole["n"] == 4
        assert whole["unknown_share"] == pytest.approx(made.unknown_share)
        assert rows.loc[rows["reason"] == "verb out of vocabulary", "metric"].tolist() == ["skipped"]
        assert whole["skipped"] == 3
        sliced = rows[rows["attractors"].notna()].set_index(["metric", "attractors"])["value"].to_dict()
        assert sliced == pytest.approx(
            {("accuracy", 0.0): (right[0] + right[1]) / 2, ("accuracy", 1.0): right[2], ("n", 0.0): 2, ("n", 1.0): 1}
        )
        assert math.isnan(whole["a_accuracy"])  # there are pairs of 0 and 1 attractors only

    @pytest.mark.parametrize(
        ("name", "values", "metric"), [("attractors", range(5), "a_accuracy"), ("distance", range(1, 17), "d_accuracy")]
    )
    def test_the_mean_over_counts_is_unweighted(self, model, name, values, metric):
        codes = torch.tensor([*values, *[values[0]] * 3])  # the first value has four pairs
        made = pairs(slices={})
        number = torch.arange(len(codes)) % len(GOOD)
        many = pairs(
            good=made.good[number],
            bad=made.bad[number],
            position=made.position[number],
            rows=torch.arange(20, 20 + len(codes)),
            slices={name: codes},
        )
        rows = pd.DataFrame(pair_rows(model, many))
        sliced = rows[(rows["metric"] == "accuracy") & rows[name].notna()]
        assert sliced[name].tolist() == list(values)
        assert rows.loc[rows["metric"] == metric, "value"].item() == pytest.approx(sliced["value"].mean())

    def test_a_slice_of_constructions_has_no_mean(self, model):
        rows = pd.DataFrame(pair_rows(model, pairs(slices={"template": torch.tensor([0, 0, 1, 1])})))
        assert rows.loc[rows["metric"] == "accuracy", "template"].dropna().tolist() == [0, 1]
        assert not {"a_accuracy", "d_accuracy"} & set(rows["metric"])

    @pytest.mark.parametrize("scoring", ["verb", "sentence"])
    def test_a_model_without_a_preference_is_right_half_the_time(self, model, scoring):
        with torch.no_grad():
            for weight in model.parameters():
                weight.zero_()
        rows = pd.DataFrame(pair_rows(model, pairs(scoring)))
        assert set(rows.loc[rows["metric"] == "accuracy", "value"]) == {0.5}
