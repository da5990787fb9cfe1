import json
import sys

import pandas as pd
import pytest

from inductive_bias import benchmarks, cli, paths
from inductive_bias.benchmarks import BENCHMARKS, Benchmark, figures, publishing
from inductive_bias.benchmarks.base import COLUMNS, ratio_row
from inductive_bias.errors import DataError, SettingError, StoreError
from inductive_bias.studies.published import measured_path
from tests.benchmarks.test_base import table

PUBLISHED = [name for name in BENCHMARKS if measured_path(name).is_file()]


@pytest.fixture
def asked(home, monkeypatch) -> list[bool]:
    """A toy benchmark ``toy`` in an empty project folder; holds whether real data were asked for."""
    calls = []

    def measure(repeats, *, real):
        calls.append(real)
        return table(repeats=repeats)

    monkeypatch.setitem(BENCHMARKS, "toy", Benchmark("toy", "?", measure))
    return calls


@pytest.fixture
def call(asked, monkeypatch, capsys):
    """Run ``inductive-bias bench …`` in this process; returns exit code, stdout, stderr."""

    def run(*arguments: str):
        monkeypatch.setattr(sys, "argv", ["inductive-bias", "bench", *arguments])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        answer = capsys.readouterr()
        return code, answer.out, answer.err

    return run


def test_the_command_prints_medians_and_writes_nothing(call, asked, home):
    code, out, err = call("toy", "--repeats", "3")
    assert (code, err) == (0, "")
    assert "1.500" in out
    assert "data: generated: nothing" in out
    assert asked == [False]
    assert not (home / "data").exists()


def test_publish_asks_for_real_data_and_writes_a_table_and_a_manifest_that_agree(call, asked, home):
    code, out, _ = call("toy", "--repeats", "3", "--publish")
    assert code == 0
    assert asked == [True]
    assert [line.split("/")[-1] for line in out.splitlines()[-2:]] == ["toy.parquet", "manifest.json"]
    assert {path.name for path in (home / "data/results/benchmarks").iterdir()} == {"manifest.json", "toy.parquet"}
    pd.testing.assert_frame_equal(benchmarks.read_table("toy"), table())
    assert publishing.problems_of_published("toy") == []
    entry = json.loads((paths.published("benchmarks") / "manifest.json").read_text())["toy"]
    assert set(entry) == {"commit", "published", "versions", "machine", "repeats", "data_sources", "files"}
    assert set(entry["machine"]) == {"cpu", "cores", "threads", "instructions", "load"}
    assert str(home) not in json.dumps(entry)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trianing",), "unknown benchmark 'trianing'; choose one of training"),
        (("toy", "--repeats", "0"), "repeats=0 must be at least 1"),
        (("toy", "--repeats", "2", "--publish"), "repeats=2 is too few to publish a benchmark; at least 3"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_name_or_number_is_one_paragraph_before_anything_is_measured(call, asked, home, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("inductive-bias: ")
    assert message in err
    assert asked == []
    assert not (home / "data").exists()


def test_a_second_benchmark_leaves_the_first_ones_entry(asked, home):
    publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    publishing.measure_and_publish(Benchmark("other", "?", lambda repeats, *, real: table(repeats=repeats)), 4)
    assert publishing.problems_of_published("toy") == publishing.problems_of_published("other") == []


@pytest.mark.parametrize("error", [DataError("no data"), KeyboardInterrupt()], ids=["no data", "stopped"])
def test_a_failed_measurement_leaves_what_was_published(asked, home, error):
    publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    files = {path: path.read_bytes() for path in paths.published("benchmarks").iterdir()}

    def fail(repeats, *, real):
        raise error

    with pytest.raises(type(error)):
        publishing.measure_and_publish(Benchmark("toy", "?", fail), 3)
    assert {path: path.read_bytes() for path in paths.published("benchmarks").iterdir()} == files


def test_a_full_disk_leaves_the_old_table_and_no_draft(asked, home, monkeypatch):
    publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    before = measured_path("toy").read_bytes()

    def full(self, path, **_):
        path.write_bytes(b"half a table")
        raise OSError("No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(StoreError, match="No space left"):
        publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    assert measured_path("toy").read_bytes() == before
    assert not list(paths.published("benchmarks").glob(".*"))


def test_a_changed_table_is_found(asked, home):
    publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    table(repeats=4).to_parquet(measured_path("toy"), index=False)
    assert publishing.problems_of_published("toy") == ["toy.parquet is not the file the manifest describes"]


def test_a_table_that_is_not_there_is_an_error_that_says_what_to_do(home):
    with pytest.raises(StoreError, match=r"'training' has not been published; run `inductive-bias bench training"):
        benchmarks.read_table("training")
    with pytest.raises(StoreError, match="no entry 'training'"):
        benchmarks.provenance_line("training")


def test_the_page_is_told_which_machine_and_data(asked, home):
    publishing.measure_and_publish(BENCHMARKS["toy"], 3)
    line = benchmarks.provenance_line("toy")
    assert line.startswith("Benchmark toy: 3 repeats in one run, data generated: nothing; published 20")
    facts = benchmarks.machine_table("toy")
    assert list(facts.columns) == ["fact", "value"]
    assert {"processor", "threads", "load average before"} <= set(facts["fact"])
    assert facts["value"].map(type).eq(str).all()


def test_the_figure_shows_every_repeat_the_medians_and_the_promise():
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    figures.ratio_plot(table(), "speed", ax=ax)
    points, promise = ax.lines
    assert list(points.get_ydata()) == [1.0, 1.5, 2.0]
    assert list(promise.get_ydata()) == [1.5, 1.5]
    assert [text.get_text() for text in ax.texts] == ["1.5"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["LSTM"]
    _, ax = plt.subplots()
    assert len(figures.ratio_plot(table(), "share", ax=ax).lines) == 1
    with pytest.raises(SettingError, match="no measure 'sped'"):
        figures.ratio_plot(table(), "sped", ax=ax)
    plt.close("all")


def sized() -> pd.DataFrame:
    """Two models at two sizes, three repeats; the first promises."""
    rows = [
        ratio_row(
            "time",
            model,
            f"{size:,} tokens",
            size=size,
            value=float(size + repeat),
            reference=512.0,
            repeat=repeat,
            unit="seconds",
            data_source="generated: nothing",
            **promise,
        )
        for model, promise in (("a", {"target": 4.0, "bound": "at most"}), ("b", {}))
        for size in (512, 2048)
        for repeat in range(3)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_a_figure_against_size_has_every_repeat_the_medians_and_sizes_in_words():
    from matplotlib import pyplot as plt

    _, ax = plt.subplots()
    figures.against_size(sized(), "time", ax=ax, models={"a": "ours", "b": "theirs"}, column="value")
    points, medians = ax.lines[:2]
    assert sorted(points.get_ydata()) == [512, 513, 514, 2048, 2049, 2050]
    assert list(medians.get_ydata()) == [513, 2049]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["512", "2,048"]
    assert ax.get_legend_handles_labels()[1] == ["ours", "theirs"]
    figures.promise_line(sized(), "time", ax=ax)
    assert list(ax.lines[-1].get_ydata()) == [4.0, 4.0]
    figures.range_band(sized(), "time", ax=ax, models=["a", "b"], words="others")
    medians = sized().groupby(["variant", "model"])["ratio"].median().groupby("variant")
    corners = {tuple(place) for place in ax.collections[-1].get_paths()[0].vertices}
    for size, words in ((512, "512 tokens"), (2048, "2,048 tokens")):
        assert {(size, medians.min()[words]), (size, medians.max()[words])} <= corners
    with pytest.raises(SettingError, match="no measure 'tim'"):
        figures.against_size(sized(), "tim", ax=ax, models={"a": "ours"})
    _, both = plt.subplots()
    figures.against_size(sized(), "time", ax=both, models={"b": "theirs"}, among=["a", "b"])
    assert both.lines[-1].get_color() == ax.lines[3].get_color() != ax.lines[1].get_color()
    with pytest.raises(ValueError, match="'a' is not among the models 'b', 'c'"):
        figures.against_size(sized(), "time", ax=both, models={"a": "ours"}, among=["b", "c"])
    plt.close("all")


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_this_project_has_published_is_unchanged_and_measured_on_real_data(name):
    assert publishing.problems_of_published(name) == []
