"""What is timed is what it claims to be; no test asks how long it takes."""

import pytest
import torch

from inductive_bias.benchmarks import attention
from inductive_bias.benchmarks.attention import GATE, KINDS, MOST, Sizes
from inductive_bias.benchmarks.base import COLUMNS, problems_of
from inductive_bias.layers import PlainAttention, chunked, native
from inductive_bias.layers.kernels import asked

TINY = Sizes(
    batches={24: 2, 40: 1}, layers={16: 2, 32: 1}, dense=24, lengths=(16, 64), contexts=(8, 32), steps=2, width=4
)


@pytest.fixture(scope="module")
def table():
    return attention.measure(2, sizes=TINY)


def test_the_table_is_a_good_one(table):
    assert list(table.columns) == COLUMNS
    assert problems_of(table) == []
    assert set(table["measure"]) == {"layer", "time", "memory", "decoding"}


def test_every_kind_is_measured_at_every_length_and_the_dense_form_at_short_ones(table):
    found = table[table["measure"] == "time"].groupby("variant")["model"].agg(set)
    everywhere = {*KINDS, "all six, both directions", GATE}
    assert found.to_dict() == {"24 tokens": everywhere | {"dense, all six"}, "40 tokens": everywhere}


def test_promises_are_upper_bounds_and_the_dense_form_promises_nothing(table):
    promised = table.dropna(subset="target")
    assert set(promised["bound"]) == {"at most"}
    assert not promised["model"].str.startswith("dense").any()
    # these lengths have no promise of time, and a layer in chunks has none at all
    assert set(promised["measure"]) == {"memory", "decoding"} | ({"layer"} if not native.why_not() else set())
    assert not (promised["model"] == "chunks").any()


def test_the_lengths_of_the_issue_have_its_promises():
    assert MOST == {256: 1.15, 1024: 1.10, 4096: 1.04}
    assert Sizes().batches == {256: 8, 1024: 8, 4096: 2}


def test_whole_layers_are_measured_at_every_length_with_the_kernel_where_there_is_one(table):
    found = table[table["measure"] == "layer"].groupby("variant")["model"].agg(set)
    forms = {"chunks"} if native.why_not() else {"chunks", "kernel"}
    assert found.to_dict() == {"16 tokens": forms, "32 tokens": forms}
    assert Sizes().layers == {128: 32, 256: 16, 512: 8, 1024: 4, 2048: 2, 4096: 1}


def test_a_layer_is_timed_in_the_form_that_its_row_names(monkeypatch):
    used = []
    monkeypatch.setattr(chunked, "form_for", lambda *operands: used.append(asked()) or "chunks")
    work = attention._layer_work(16, 1, TINY, attention.FORMS)
    for name in ("attention", "kernel", "chunks"):
        work[name]()
    assert used == [True, False]


def test_without_a_compiler_chunks_alone_are_measured(monkeypatch):
    monkeypatch.setattr(native, "why_not", lambda: "no compiler")
    assert {row["model"] for row in attention.layer_rows(TINY, 1)} == {"chunks"}


def test_the_control_promises_nothing():
    work = {name: lambda: None for name in ("attention", "real", GATE)}
    promised = {row["model"]: row["target"] == MOST[256] for row in attention._times(256, work, 1)}
    assert promised == {"real": True, GATE: False}


def test_memory_is_that_of_the_shortest_length_at_the_shortest_length(table):
    short = table[(table["measure"] == "memory") & (table["variant"] == "16 tokens")]
    assert (short["ratio"] == 1).all()


def test_the_dense_form_is_the_layer_s_own_mixture():
    torch.manual_seed(0)
    rem, mu = attention.rem_named("all six").double(), torch.tensor([0.3], dtype=torch.float64)
    values, attended = torch.randn(2, 2, 8, 30, 4, dtype=torch.float64)
    torch.testing.assert_close(attention._dense(rem, values, mu, attended), rem.mix(values, attended, mu))


def test_heads_lie_in_memory_as_a_projection_leaves_them():
    found = attention._heads(2, 6, TINY)
    q = PlainAttention(32, 8)._split(torch.randn(2, 6, 32), 0)[0]
    assert found.shape == q.shape == (2, 8, 6, 4)
    assert [s > t for s, t in zip(found.stride(), found.stride()[1:], strict=False)] == [
        s > t for s, t in zip(q.stride(), q.stride()[1:], strict=False)
    ]


def test_the_random_state_is_given_back():
    before = torch.random.get_rng_state()
    attention.measure(1, sizes=TINY)
    assert torch.equal(before, torch.random.get_rng_state())
