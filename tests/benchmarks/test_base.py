import math

import pandas as pd
import pytest

from inductive_bias.benchmarks.base import COLUMNS, Benchmark, in_turns, problems_of, rates, ratio_row, seconds, summary
from inductive_bias.errors import SettingError


def table(*, repeats=3, **changes) -> pd.DataFrame:
    """Two ratios, the first with a target: 1.0, 1.5, 2.0 … and 0.25."""
    rows = []
    for repeat in range(repeats):
        about = {"repeat": repeat, "unit": "things a second", "data_source": "generated: nothing"}
        rows.append(
            ratio_row("speed", "LSTM", "a", value=2.0 + repeat, reference=2.0, **({"target": 1.5} | about | changes))
        )
        rows.append(ratio_row("share", "any", "b", value=1.0, reference=4.0, **about))
    return pd.DataFrame(rows, columns=COLUMNS)


def benchmark(found=None) -> Benchmark:
    return Benchmark("toy", "?", lambda repeats, *, real: table(repeats=repeats) if found is None else found)


def test_a_benchmark_returns_what_it_measured():
    assert len(benchmark().run(2)) == 4


@pytest.mark.parametrize("repeats", [0, -1])
def test_fewer_than_one_repeat_is_refused(repeats):
    with pytest.raises(SettingError, match=f"repeats={repeats} must be at least 1"):
        benchmark().run(repeats)


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda t: t.drop(columns="unit"), "columns are"),
        (lambda t: t.iloc[:0], "there is no row"),
        (lambda t: t.assign(value=math.nan), "not finite"),
        (lambda t: t.assign(ratio=t["ratio"] + 1), "not value / reference"),
        (lambda t: t.assign(bound="about"), "a bound is not one of"),
        (lambda t: t.iloc[1:], "not every ratio"),
    ],
    ids=["column", "empty", "nan", "ratio", "bound", "missing repeat"],
)
def test_a_bad_table_is_named(spoil, problem):
    assert problem in "; ".join(problems_of(spoil(table())))
    with pytest.raises(ValueError, match=problem):
        benchmark(spoil(table())).run(3)


def test_the_summary_is_median_and_range_with_a_verdict_only_where_there_is_a_target():
    first, second = summary(table()).to_dict("records")
    assert first == {
        "measure": "speed",
        "model": "LSTM",
        "variant": "a",
        "median": 1.5,
        "lowest": 1.0,
        "highest": 2.0,
        "promised": "≥\u00a01.5",
        "reached": "yes",
    }
    assert (second["median"], second["reached"]) == (0.25, "")
    assert second["promised"] == ""
    assert summary(table(target=1.6))["reached"].tolist() == ["no", ""]


def test_a_promise_can_be_an_upper_bound():
    found = [summary(table(target=most, bound="at most")).iloc[0] for most in (1.4, 1.5)]
    assert [(line.promised, line.reached) for line in found] == [("≤\u00a01.4", "no"), ("≤\u00a01.5", "yes")]


def test_the_summary_of_one_measure_leaves_its_name_out():
    (line,) = summary(table(), "share").to_dict("records")
    assert line == {"model": "any", "variant": "b", "median": 0.25, "lowest": 0.25, "highest": 0.25}
    assert summary(table(), "speed").columns.tolist()[-2:] == ["promised", "reached"]
    with pytest.raises(SettingError, match="no measure 'sped'; there are: speed, share"):
        summary(table(), "sped")


def test_the_rates_are_the_two_sides_of_a_ratio():
    (line,) = rates(table(), "speed").to_dict("records")
    assert line == {"model": "LSTM", "variant": "a", "ours": 3.0, "reference": 2.0, "unit": "things a second"}
    with pytest.raises(SettingError, match="no measure 'sped'"):
        rates(table(), "sped")


def test_work_is_timed_in_turns_after_one_untimed_call_each():
    calls = []
    took = in_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 2)
    assert calls == list("ababab")
    assert [list(each) for each in took] == [["a", "b"]] * 2
    assert seconds(lambda: None) >= 0
