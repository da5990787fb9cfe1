"""What the benchmark of rivals does, never how fast it is."""

import pandas as pd
import pytest
import torch

from inductive_bias.benchmarks import rivals
from inductive_bias.benchmarks.base import problems_of
from inductive_bias.benchmarks.rivals import Sizes, inputs_of, models_of, writer
from inductive_bias.models import CNNSpec
from inductive_bias.studies.feed_forward.design import CHARACTERS, JSB, LSTM, WITHOUT_WAIT, part_of

SMALL = Sizes(scale="smoke", lengths={JSB: 6, CHARACTERS: 6}, steps=1, contexts=(5, 30), symbols=2)


def test_every_model_is_measured_on_every_task_and_the_lstm_against_itself():
    before = torch.get_rng_state()
    table = rivals.measure(2, sizes=SMALL)
    assert torch.equal(torch.get_rng_state(), before)
    assert not problems_of(table)
    assert set(table["measure"]) == {"training", "generation"}
    assert set(table["variant"]) == {JSB, CHARACTERS} | {
        f"{task}, after {n}" for task in (JSB, CHARACTERS) for n in (5, 30)
    }
    assert set(table["model"]) == set(WITHOUT_WAIT)
    assert (table.loc[table["model"] == LSTM, "ratio"] == 1).all()


@pytest.mark.parametrize("task", [JSB, CHARACTERS])
@pytest.mark.parametrize("length", [2, 31])
def test_the_cheapest_way_to_write_a_symbol_says_what_the_whole_model_says(task, length):
    part = part_of("smoke", task)
    inputs = inputs_of(part, 1, length)
    for model in models_of(part).values():
        with torch.no_grad():
            torch.testing.assert_close(writer(model.eval(), inputs)(), model(inputs)[:, -1], rtol=1e-4, atol=1e-5)


def test_a_model_whose_way_is_not_known_is_refused():
    with pytest.raises(TypeError, match="it is not known how CNN writes one symbol after the other"):
        writer(CNNSpec().build(image=(1, 28, 28), classes=10), torch.zeros(1, 2, 1))


def test_a_page_shows_what_is_published_or_else_measures(monkeypatch):
    monkeypatch.setattr(rivals, "read_table", lambda name: pd.DataFrame({"name": [name]}))
    assert rivals.times("laptop")["name"].tolist() == ["rivals"]
    assert set(rivals.times("smoke")["model"]) == set(WITHOUT_WAIT)
