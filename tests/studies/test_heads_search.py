"""Places of the search for heads, and what heads gain in it: by hand, with tables in which the answer is known."""

import math

import pandas as pd
import pytest

from inductive_bias.studies import heads_search
from inductive_bias.studies.heads_search import ATTENTION, DILATIONS, KINDS, RSA, TOEPLITZ, TRIED

SETTINGS = ("learning_rate", "dropout", "heads", "kinds", "dilation", "gate_logit")


def place(model, bits, **settings):
    """A row of the search, missing where a setting is not varied."""
    return {"model": model, **dict.fromkeys(SETTINGS), **settings, "bits": bits, "chosen": False}


def tried():
    """Attention at two rates, with dropout and with more heads; RSA with heads that need .1 to .3 bits fewer."""
    plain = {"dropout": 0.0, "heads": 4}
    attention = [
        place(ATTENTION, 2.5, learning_rate=0.01, **plain),
        place(ATTENTION, 2.9, learning_rate=0.02, **plain),
        place(ATTENTION, 2.0, learning_rate=0.01, dropout=0.1, heads=4),
        place(ATTENTION, 2.0, learning_rate=0.01, dropout=0.0, heads=8),
    ]
    one = {"learning_rate": 0.01, "gate_logit": 1.0}
    rsa = [
        place(RSA, 2.4, kinds="real", dilation="none", **one),
        place(RSA, 2.2, kinds="real", dilation="2 characters", **one),
        place(RSA, 2.3, kinds="cos, sin", dilation="none", **one),
        place(RSA, 2.6, kinds="cos, sin", dilation="2 characters", **one),
        place(RSA, 2.1, kinds="real", dilation="none", **one | {"gate_logit": 3.0}),
        place(RSA, 2.1, kinds="real", dilation="none", **one | {"learning_rate": 0.02}),
    ]
    return pd.DataFrame([*attention, *rsa])


def test_every_mixer_has_as_many_places_and_no_place_twice():
    assert {mixer: len(places) for mixer, places in TRIED.items()} == {ATTENTION: 18, RSA: 18, TOEPLITZ: 18}
    for places in TRIED.values():
        assert len({tuple(sorted(each.items())) for each in places}) == 18


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize("dilation", DILATIONS)
@pytest.mark.parametrize(("heads", "plain"), [(4, 2), (8, 4), (6, 3), (4, 0)])
def test_heads_of_rsa_are_of_the_kinds_and_at_the_dilation_that_were_asked(kinds, dilation, heads, plain):
    spec = heads_search.with_heads(kinds, dilation, heads=heads, plain=plain, gate_logit=0.5)
    near, far = spec.counts[:3], spec.counts[3:]
    used = near if dilation == "none" else far
    assert sum(spec.counts) == sum(used) == heads - plain
    assert [count > 0 for count in used] == [part > 0 for part in KINDS[kinds]]
    assert max(used) - min(count for count in used if count) <= 1
    assert (spec.heads, spec.plain, spec.gate_logit) == (heads, plain, 0.5)
    if dilation == "6 and 12 characters":
        assert spec.dilation == (6,) * math.ceil((heads - plain) / 2) + (12,) * math.floor((heads - plain) / 2)
    elif dilation != "none":
        assert spec.dilation == DILATIONS[dilation]


def test_a_gain_is_over_attention_with_the_same_rate_as_many_heads_and_no_dropout():
    found = heads_search.heads_tried(tried(), "model")
    assert list(found.columns) == ["kinds", "dilation", "gate_logit", "gain"]
    assert found["gain"].tolist() == pytest.approx([0.1, 0.3, 0.2, -0.1, 0.4, 0.8])


def test_a_gain_is_over_attention_in_the_same_model():
    both = pd.concat([tried().assign(base="a"), tried().assign(base="b", bits=lambda table: 2 * table["bits"])])
    found = heads_search.heads_tried(both, "model").set_index("base")["gain"]
    assert found["b"].tolist() == pytest.approx([2 * gain for gain in found["a"]])


def test_the_map_of_gains_has_the_usual_start_of_the_gate_alone_in_the_order_of_the_search():
    heads = heads_search.heads_tried(tried()[:-1], "model")
    gains = heads_search.gains_by_head(heads)
    assert gains.index.tolist() == ["real", "cos, sin"]
    assert gains.columns.tolist() == ["none", "2 characters"]
    assert gains.to_numpy().tolist() == [pytest.approx([0.1, 0.3]), pytest.approx([0.2, -0.1])]


def test_the_second_search_has_every_number_of_heads_at_every_factor_of_the_rate():
    found = heads_search.rates_and_heads({"kinds": "real", "learning_rate": 99.0, "heads": 2}, 0.004, heads=(4, 8))
    assert [(place["heads"], place["learning_rate"]) for place in found] == [
        *((4, rate) for rate in (0.004, 0.0028, 0.0057)),
        *((8, rate) for rate in (0.004, 0.0028, 0.0057)),
    ]
    assert {place["kinds"] for place in found} == {"real"}


def test_a_place_is_whole_and_gives_what_is_searched_back():
    place = {"learning_rate": 2**0.5, "gate_logit": 3.0}
    (found,) = heads_search.whole([heads_search.rated(place, 0.01)])
    assert list(found) == list(heads_search.VARIED)
    assert heads_search.searched(found) == {"learning_rate": 0.014, "gate_logit": 3.0}
    assert place["learning_rate"] == 2**0.5
