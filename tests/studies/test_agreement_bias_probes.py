"""The untrained models of the agreement study are those of its settings, and show the sources they are said to have."""

import numpy as np
import pytest
import torch

from inductive_bias.errors import SettingError
from inductive_bias.studies.agreement.design import DESIGN, LADDER, cell
from inductive_bias.studies.agreement.figures import bias_probes
from inductive_bias.tasks.vocabulary import BOS, EOS


def test_a_fresh_model_has_the_study_s_spec_depends_on_its_seed_only_and_moves_no_global_seed():
    torch.manual_seed(7)
    state = torch.get_rng_state()
    models = [bias_probes.fresh_model("LSTM", "smoke", seed=seed) for seed in (0, 0, 1)]
    assert torch.equal(torch.get_rng_state(), state)
    one, same, other = (model.encoder.embedding.weight for model in models)
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    trial = DESIGN.cells("smoke")[cell("LSTM")][0]
    assert one.shape == (trial.task.dimensions["vocabulary"], trial.model.width)
    assert (one.dtype, models[0].training) == (torch.float64, False)
    with pytest.raises(SettingError, match="unknown scale 'huge'"):
        bias_probes.fresh_model("LSTM", "huge")


def test_equal_words_have_equal_ids_between_beginning_and_end():
    assert bias_probes.tokens_of(("the", "keys", "to", "the", "doors")).tolist() == [BOS, 4, 5, 6, 4, 8, EOS]


@pytest.mark.parametrize("scale", ["smoke", "laptop"])
def test_the_three_sources_are_found_where_the_paper_puts_them(scale):
    table = bias_probes.sources_table(scale).set_index("model")
    found = {name: "".join(value[0] for value in row) for name, row in table.iterrows()}
    assert found == {
        "Bidirectional Transformer": "–––",
        "Universal Transformer": "––✓",
        "Sequential Transformer": "✓––",
        "Sequential Universal Transformer": "✓–✓",
        "LSTM": "✓✓✓",
    }
    assert table.loc["LSTM", "recursion"] == f"✓ {len(bias_probes.SENTENCE) + 2}× over time"


def test_maps_are_relative_to_the_state_s_own_word_and_white_where_nothing_arrives():
    maps = bias_probes.reach_maps("smoke")
    assert list(maps) == list(LADDER)
    for name, measures in maps.items():
        for reach in measures.values():
            np.testing.assert_allclose(reach.diagonal(), 1)
            assert np.any(np.triu(reach, 1)) == (name == LADDER[0])
    assert [bias_probes.words_of(name)[0] for name in LADDER] == ["CLS", "BOS", "BOS", "BOS"]


def test_reach_falls_with_distance_for_an_lstm_and_starts_at_one_for_every_seed():
    curves = bias_probes.reach_by_distance("smoke", seeds=2, sentences=1)
    assert set(curves.loc[curves["distance"] == 0, "value"]) == {1.0}
    assert len(curves) == len(LADDER) * 2 * len(bias_probes.STAGES) * bias_probes.LONG
    means = curves[curves["stage"] == bias_probes.STAGES[-1]].groupby(["model", "distance"])["value"].mean()
    assert means["LSTM", 16] < 0.1 * means["LSTM", 4]
    assert means[LADDER[0], 16] > 0.5 * means[LADDER[0], 4]


def test_order_without_positions_is_lost_on_models_that_look_both_ways():
    table = bias_probes.order_table("smoke", seeds=1).set_index("model")
    both_ways = table["read out at"] == "first token"
    assert list(table.index[both_ways]) == ["Bidirectional Transformer", "Universal Transformer"]
    assert (table.loc[both_ways, "effect of order"] < 1e-9).all()
    assert (table.loc[~both_ways, "effect of order"] > 0.01).all()
    assert table["steps"].to_dict()["LSTM"] == len(bias_probes.SENTENCE) + 1


@pytest.mark.parametrize(("scale", "ratio"), [("laptop", 1.1), ("paper", 1.5)])
def test_weights_add_up_and_are_matched(scale, ratio):
    table = bias_probes.weights_table(scale).set_index("model")
    read_out = (table["width"] + 1) * DESIGN.cells(scale)[cell("LSTM")][0].task.dimensions["classes"]
    assert (table["in all"] == table["in layers"] + table["in words"] + read_out).all()
    assert table["in all"].max() / table["in all"].min() <= ratio
    thousands = bias_probes.weights_table(scale, unit=1_000)["in all"]
    assert thousands.tolist() == [round(n / 1000) for n in table["in all"]]


def test_weights_are_those_of_the_formulas():
    table = bias_probes.weights_table("laptop").set_index("model")
    block = 12 * 64**2 + 13 * 64  # attention 4 d² + 4 d, feed-forward 8 d² + 5 d, two normalisations 4 d
    assert table.loc["Bidirectional Transformer", "in layers"] == 4 * block
    assert table.loc["LSTM", "in layers"] == 2 * (8 * 80**2 + 8 * 80)
    assert table.loc["LSTM", "in words"] == 10_000 * 80
    assert list(table["layers"]) == ["4", "1, used 4×", "4", "1, used 4×", "2"]
