"""The ids of published tables can be told of today's trials."""

import pytest

from inductive_bias.layers import AttentionSpec, LSTMLayerSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import MixingSpec
from inductive_bias.studies import STUDIES
from inductive_bias.tasks import CharacterModelling
from inductive_bias.trials import Trial
from tests.legacy_ids import legacy_id

#: Studies whose models have a mixer: their trials have had other ids.
MIXING = (
    "signal_vs_samples",
    "regular_languages",
    "rem_vs_toeplitz",
    "feed_forward",
    "automata",
    "supervision",
    "real_world",
    "forecasting",
    "memory_models",
    "code",
    "chomsky",
    "shift",
    "mastery",
    "elsewhere",
)


@pytest.mark.parametrize("name", STUDIES)
def test_only_trials_with_mixers_have_other_ids_and_no_two_trials_had_one(name):
    trials = STUDIES[name].trials("laptop")
    old = {trial.id: legacy_id(trial) for trial in trials}
    assert len(set(old.values())) == len(trials)
    # attention alone with the usual four heads had the settings that it has now
    assert all(then == now for now, then in old.items()) == (name not in MIXING)


@pytest.mark.parametrize(
    ("mixer", "more", "id_"),
    [
        (AttentionSpec(), {}, "2ff81f0e07f5dd05"),
        (AttentionSpec(heads=2), {"positions": "sinusoidal"}, "70de8018f4299b17"),
        (
            RSASpec(counts=(0, 0, 0, 0, 1, 1), dilation=(6, 12), plain=2, gate_logit=1.0, shared=True),
            {},
            "eb6d3de5fcf58690",
        ),
        (ToeplitzSpec(heads=8, length=16, gate="head"), {}, "4268aa665d55e67c"),
        (LSTMLayerSpec(states=3), {"width": 8}, "fef070cd507cdc72"),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_ids_are_those_that_the_old_code_gave(mixer, more, id_):
    assert legacy_id(Trial(task=CharacterModelling(), model=MixingSpec(mixer=mixer, **more))) == id_


def test_recurrent_mixers_had_heads_that_did_nothing():
    trial = Trial(task=CharacterModelling(), model=MixingSpec(mixer=LSTMLayerSpec(states=3), width=8))
    assert legacy_id(trial, heads=2) == "e4908a3cdff5b0ef"
