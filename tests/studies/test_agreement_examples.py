"""Sentences that separate two models, from logits that are written by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.store import Store
from inductive_bias.studies.agreement import examples
from inductive_bias.studies.agreement.design import cells
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks import GeneratedAgreement
from inductive_bias.trials import Trial

NOWHERE = Store(Path("nowhere"))


class ByHand(Runs):
    """LSTMs that are always right with a margin of two, Transformers that always say plural."""

    def logits(self, trial: Trial, split: str) -> torch.Tensor:
        labels = self.data(trial)[split].labels
        if trial.model.name == "LSTM":
            return torch.nn.functional.one_hot(labels, 2) * 2.0
        return torch.tensor([0.0, 2.0]).expand(len(labels), 2)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return examples.sentences(ByHand(cells("smoke"), NOWHERE))


def test_the_largest_generated_set_of_natural_mix_is_asked():
    assert examples.largest_grammar(Runs(cells("smoke"), NOWHERE)) == "grammar 128"
    assert examples.largest_grammar(Runs(cells("laptop"), NOWHERE)) == "grammar 10,000"


def test_a_scale_without_generated_training_sets_has_an_empty_table_of_the_same_columns(table):
    empty = examples.sentences(Runs(cells("paper"), NOWHERE))
    assert empty.columns.tolist() == table.columns.tolist()
    assert empty.dtypes.map(str).tolist() == table.dtypes.map(str).tolist()
    assert examples.who_is_right(empty).empty
    assert examples.separating(empty).empty


def test_probabilities_are_those_of_the_right_number(table):
    task = cells("smoke")["LSTM, grammar 128"][0].task
    assert isinstance(task, GeneratedAgreement)
    plural = np.array([sentence.number for sentence in task.sentences("attractors")])
    sure = 1 / (1 + np.exp(-2))
    np.testing.assert_allclose(table["lstm"], sure)
    np.testing.assert_allclose(table["transformer"], np.where(plural, sure, 1 - sure))
    assert (table["lstm_right"] == 2).all()
    assert (table["transformer_right"] == 2 * plural).all()
    assert (table["seeds"] == 2).all()
    assert [len(task.sentences("attractors"))] == [len(table)]


def test_shares_tell_which_model_is_right(table):
    shares = examples.who_is_right(table)
    assert shares["attractors"].tolist() == [0, 1, 2, 3, 4]
    assert (shares["sentences"] == 16).all()
    np.testing.assert_allclose(shares[["both", "only the LSTM", "only the Transformer", "neither"]].to_numpy(),
                               [[0.5, 0.5, 0, 0]] * 5)  # fmt: skip


def test_examples_are_those_that_differ_most_first_for_the_lstm_then_for_the_transformer(table):
    found = examples.separating(table, counts=(1, 2), each=2)
    assert found["attractors"].tolist() == [1, 1, 2, 2] * 2
    ahead = found["LSTM"] - found["Transformer"]
    assert (ahead[:4] > 0.7).all()
    np.testing.assert_allclose(ahead[4:], 0, atol=1e-12)  # the Transformer is never ahead here
    assert found["sentence"].str.endswith(" …").all()
    lengths = found["sentence"].str.len().tolist()
    assert lengths[0] <= lengths[1]  # of equal differences the shorter comes first
