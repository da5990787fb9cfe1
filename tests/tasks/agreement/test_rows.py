from collections import Counter

import numpy as np
import pytest

from inductive_bias.tasks.agreement.rows import Row, preambles, split_by_preamble, without


@pytest.fixture
def rows():
    """500 rows of about 200 distinct preambles, some with both labels."""
    rng = np.random.default_rng(0)
    return [Row(f"word{rng.integers(200)}", int(rng.random() < 0.3), int(rng.integers(1, 6))) for _ in range(500)]


@pytest.mark.parametrize("shares", [[0.2], [0.18, 0.065], [0.5, 0.25]])
def test_parts_share_no_preamble_hold_all_rows_and_meet_their_shares(rows, shares):
    parts = split_by_preamble(rows, shares, by=lambda row: row.label, seed=3)
    assert Counter(row for part in parts for row in part) == Counter(rows)
    assert sum(len(preambles(part)) for part in parts) == len(preambles(rows))
    most = max(Counter(row.preamble for row in rows).values())
    for part, share in zip(parts, shares, strict=False):
        assert abs(len(part) - share * len(rows)) <= most


def test_the_same_seed_gives_the_same_parts_and_another_does_not(rows):
    first, again, other = (split_by_preamble(rows, [0.3], by=lambda row: row.label, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_parts_have_the_strata_in_proportion():
    rows = [Row(f"word{i}", 0, 1 + i % 5) for i in range(100)]
    quarter, _ = split_by_preamble(rows, [0.25], by=lambda row: row.attractors, seed=0)
    assert Counter(row.attractors for row in quarter) == dict.fromkeys(range(1, 6), 5)


@pytest.mark.parametrize("n", [0, 1])
def test_no_row_and_one_row_can_be_split(n):
    parts = split_by_preamble([Row("the cat", 0)] * n, [0.5], by=lambda row: row.label, seed=0)
    assert sum(map(len, parts)) == n


def test_without_drops_every_row_of_a_seen_preamble():
    rows = [Row("a", 0), Row("b", 0), Row("a", 1)]
    assert without(rows, {"a"}) == [Row("b", 0)]
