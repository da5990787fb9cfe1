"""A layer and a model of one's own, profiled with tiny budgets: from the file to the page, and through the command."""

import json
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias import cli, paths
from inductive_bias.errors import MissingExtraError, SettingError
from inductive_bias.models import MixingSpec
from inductive_bias.own_layers import OwnLayer
from inductive_bias.profile import model_spec, profile, read_report
from inductive_bias.profile.first_look import future_seen
from inductive_bias.profile.groups import GROUPS
from inductive_bias.profile.page import page
from inductive_bias.profile.population import add_to_population, digest, published_population, read_population
from inductive_bias.profile.report import without_diverged, words_that_hold
from inductive_bias.profile.training import _affordable
from inductive_bias.store import Store
from inductive_bias.studies.known_models import BY_NAME, DIMENSIONS
from inductive_bias.studies.parameter_matching import parameters
from inductive_bias.studies.profile_axes import by_axis, scores
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.trials import Trial
from tests.made_profiles import made_population, working_in

LAYER = """
import torch
from torch import nn

class Cumulative(nn.Module):
    def __init__(self, dim, scale=1.0):
        super().__init__()
        self.mix, self.scale = nn.Linear(dim, dim), scale

    def forward(self, x, attention_mask=None):
        x = self.mix(x)
        count = torch.arange(1, x.shape[1] + 1).view(-1, 1)
        return self.scale * x.cumsum(1) / count, "a state"

class Wide(nn.MultiheadAttention):
    def __init__(self, embed_dim):
        if embed_dim % 16:
            raise ValueError(f"sixteen heads do not divide {embed_dim}")
        super().__init__(embed_dim, 16, batch_first=True)

    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)

class Narrow(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(dim, dim - 1)

    def forward(self, x):
        return self.mix(x)

def build(vocabulary, outputs, width=8):
    return nn.Sequential(nn.Embedding(vocabulary, width), nn.Linear(width, outputs))

def lacking(vocabulary):
    return nn.Embedding(vocabulary, 4)
"""
BUDGET = Budget(rates=(3e-3, 1e-2), hundreds=1, batch_size=4, warmup=10, test_size=8)
PROBES = ("recency or majority", "parity")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The working folder of all tests: a run that one of them made is there for the next."""
    with working_in(tmp_path_factory.mktemp("profile"), {"my_layer.py": LAYER}) as folder:
        yield folder


@pytest.fixture
def known():
    """A population of made scores."""
    axes = {"recency": "recency or majority", **dict.fromkeys(("state tracking", "length", "calibration"), "parity")}
    return made_population(axes, [f"model {n}" for n in range(6)])


def made(model, known, **options):
    options = {"probes": PROBES, "runs": 2, "budget": BUDGET, "jobs": 1, "progress": False} | options
    return profile(model, population=known, **options)


def test_a_layer_is_put_into_a_model_of_the_usual_size(folder):
    spec = model_spec("my_layer.py:Cumulative")
    assert isinstance(spec, OwnLayer)
    assert parameters(spec, DIMENSIONS) == pytest.approx(20_000, rel=0.15)
    model = spec.build(vocabulary=7, outputs=3)
    assert len(model.blocks) == 2
    tokens = torch.randint(1, 7, (2, 9))
    assert model(tokens).shape == (2, 9, 3)
    small = model_spec("my_layer.py:Cumulative", weights=3_000, layers=1, positions="sinusoidal")
    assert parameters(small, DIMENSIONS) == pytest.approx(3_000, rel=0.3)
    assert len(small.build(vocabulary=7, outputs=3).blocks) == 1


def test_only_the_mixer_differs_from_a_model_of_the_package(folder):
    spec = model_spec("my_layer.py:Cumulative")
    ours = {name: w.shape for name, w in spec.build(**DIMENSIONS).state_dict().items() if ".mixer." not in name}
    known = MixingSpec(width=spec.width, feedforward=2).build(**DIMENSIONS).state_dict()
    assert ours == {name: w.shape for name, w in known.items() if ".mixer." not in name}


def test_a_layer_that_asks_for_certain_widths_has_one_of_these(folder):
    assert model_spec("my_layer.py:Wide").width % 16 == 0


def test_arguments_reach_the_layer(folder):
    one, two = (
        model_spec("my_layer.py:Cumulative", arguments={"scale": scale}).build(**DIMENSIONS) for scale in (1.0, 2.0)
    )
    two.load_state_dict(one.state_dict())
    x = torch.randn(1, 4, one.norm.normalized_shape[0])
    assert torch.allclose(2 * one.blocks[0].mixer(x), two.blocks[0].mixer(x))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("my_layer.py:lacking", "takes no outputs"),
        ("my_layer.py:nothing", "no function or class"),
        ("nowhere.py:build", "cannot be read"),
    ],
)
def test_what_cannot_be_profiled_is_refused(folder, source, message):
    with pytest.raises(SettingError, match=message):
        model_spec(source)


def test_a_layer_that_changes_its_shape_is_refused_by_name(folder, known):
    with pytest.raises(SettingError, match=r"my_layer.py:Narrow.*keep the shape"):
        made(model_spec("my_layer.py:Narrow"), known)


def test_a_layer_has_a_profile(folder, known):
    report = made(model_spec("my_layer.py:Cumulative"), known)
    assert set(report.scores["probe"]) == set(PROBES)
    assert set(report.scores["number"]) == {0, 1}
    assert report.scores["value"].dropna().between(0, 1).all()
    assert [each.axis for each in report.axes] == ["recency", "state tracking", "length", "calibration"]
    assert report.runs == 2
    assert set(report.rates) == set(PROBES)
    assert set(report.rates.values()) <= set(BUDGET.rates)
    assert "Cumulative" in report.headline
    assert len(report.lines()) == 4 + 3  # axes, and relatives
    assert str(report).count("\n") == len(report.lines())  # the headline stands before them


def test_rates_are_chosen_on_a_seed_that_is_not_judged(folder, known):
    spec = model_spec("my_layer.py:build")
    report = made(spec, known)
    store = Store(folder / "runs" / "profile")
    for probe in PROBES:
        losses = {}
        for trial in BUDGET.pilots(spec, probe):
            rows = store.rows(trial)
            final = rows[(rows["split"] == "validation") & (rows["metric"] == "nll") & rows["epoch"].isna()]
            losses[trial.optimiser.learning_rate] = final["value"].item()
        assert report.rates[probe] == min(losses, key=losses.get)
    assert {trial.seed for trial in BUDGET.pilots(spec, "parity")}.isdisjoint(range(100))


def test_a_second_call_trains_nothing_and_says_the_same(folder, known, monkeypatch):
    spec = model_spec("my_layer.py:build")
    first = made(spec, known)
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    second = made(spec, known)
    pd.testing.assert_frame_equal(first.scores, second.scores)
    assert str(first) == str(second)


def test_more_runs_begin_with_the_same_ones(folder, known):
    spec = model_spec("my_layer.py:build")
    few, more = (made(spec, known, runs=runs).scores for runs in (2, 3))
    key = ["axis", "probe", "number"]
    both = few.merge(more, on=key, suffixes=("", "_more"))
    assert len(both) == len(few)
    pd.testing.assert_series_equal(both["value"], both["value_more"], check_names=False)


def test_few_minutes_mean_fewer_runs_and_no_fewer_probes(folder, known):
    report = made(model_spec("my_layer.py:build", name="in a hurry"), known, runs=4, minutes=1e-6)
    assert report.runs == 2
    assert set(report.scores["probe"]) == set(PROBES)


def test_what_is_there_costs_no_minutes(folder, known):
    spec = model_spec("my_layer.py:build", name="trained before")
    made(spec, known, probes=("parity",), runs=3)
    assert made(spec, known, probes=("parity",), runs=4, minutes=1e-6).runs == 3


@pytest.mark.parametrize(("minutes", "side_by_side", "runs"), [(6.0, 1, 3), (6.0, 2, 6), (6.0, 16, 6), (-1.0, 2, 2)])
def test_minutes_are_those_of_the_clock(tmp_path, minutes, side_by_side, runs):
    """Two probes with pilots of one minute each: a run of both takes two minutes of one core, one of two."""

    class Kept(Store):
        def record(self, trial):
            return {"minutes": 1.0}

        def has(self, trial):
            return False

    spec, budget = BY_NAME["LSTM, small"].spec(), replace(BUDGET, runs=9)
    pilots = {probe: budget.pilots(spec, probe) for probe in PROBES}
    judged = {probe: budget.judged(spec, probe, 1e-2) for probe in PROBES}
    assert _affordable(budget, pilots, judged, Kept(tmp_path), minutes, side_by_side) == runs


def test_scores_are_made_of_the_rows(folder, known):
    """One run by hand: above chance, at four times the length, and the share of conflicts."""
    spec = model_spec("my_layer.py:build")
    report = made(spec, known)
    trial = BUDGET.judged(spec, "parity", report.rates["parity"])[1]
    rows = Store(folder / "runs" / "profile").rows(trial)
    rows = rows[(rows["split"] == "test") & rows["epoch"].isna()].set_index(["metric", "length"])["value"]
    above = (rows["accuracy", 24] - rows["constant_accuracy", 24]) / (1 - rows["constant_accuracy", 24])
    found = report.scores.set_index(["axis", "probe", "number"])["value"]
    assert found["state tracking", "parity", 1] == pytest.approx(max(0, above))
    assert np.isnan(found["length", "parity", 1])  # it has not learnt parity
    assert found["calibration", "parity", 1] == pytest.approx(1 - rows["ece_20"].mean())


def frame(accuracy, preference=0.25):
    rows = [
        {"probe": "parity", "split": "test", "metric": metric, "length": length, "value": value}
        for length, right in zip((24.0, 48.0, 96.0), accuracy, strict=True)
        for metric, value in (("accuracy", right), ("constant_accuracy", 0.5), ("ece_20", 0.1), ("nll", 1.0))
    ]
    rows += [
        {"probe": "recency or majority", "split": "test", "metric": "accuracy", "length": 16.0, "value": accuracy[0]},
        {"probe": "recency or majority", "split": "test", "metric": "constant_accuracy", "length": 16.0, "value": 0.5},
        {
            "probe": "recency or majority",
            "split": "conflict",
            "metric": "preference",
            "length": None,
            "value": preference,
        },
    ]
    return pd.DataFrame(rows).assign(model="m", number=0)


def test_axes_count_what_was_learnt():
    found = scores(frame((0.96, 0.9, 0.8))).set_index("axis")["value"]
    assert found["state tracking"] == pytest.approx(0.92)
    assert found["length"] == pytest.approx(0.6)
    assert found["recency"] == 0.25
    assert found["calibration"] == pytest.approx(0.9)


def test_what_was_not_learnt_says_nothing_of_length_or_preference():
    found = scores(frame((0.94, 0.9, 0.8))).set_index("axis")["value"]
    assert found["state tracking"] == pytest.approx(0.88)
    assert np.isnan(found["length"])
    assert np.isnan(found["recency"])


@pytest.mark.parametrize("probe", ["recency or majority", "parity"])
def test_one_kind_of_probe_has_scores_without_the_others(probe):
    rows = frame((0.96, 0.9, 0.8))
    alone = scores(rows[rows["probe"] == probe])
    together = scores(rows)
    together = together[together["probe"] == probe].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.astype({"value": float}), together, check_dtype=False)


def test_an_untrained_model_has_scores_alone():
    rows = [
        {"split": "test", "metric": metric, "length": np.nan, "value": value}
        for metric, value in (("recency_of_influence", 0.4), ("order_sensitivity", 0.7))
    ]
    found = scores(pd.DataFrame(rows).assign(model="m", number=0, probe="untrained")).set_index("axis")["value"]
    assert found.to_dict() == {"recency at the start": 0.4, "order at the start": 0.7}


def white_noise(fit, decided=(0.4, -0.01, 0.1)):
    rows = [{"split": "train", "metric": "fit", "value": fit}]
    rows += [
        {"split": "test", "metric": f"decided_by_{state}", "value": value}
        for state, value in zip(("end", "start", "count"), decided, strict=True)
    ]
    return pd.DataFrame(rows).assign(model="m", number=0, probe="white noise", length=np.nan)


def test_white_noise_says_what_decides_the_answers():
    found = scores(white_noise(0.96)).set_index("axis")["value"]
    # the end tells known models apart, start and count do not
    assert found.to_dict() == {"alike by the end": 0.4}
    assert scores(white_noise(0.96, (-0.01, 0, 0))).set_index("axis")["value"].to_dict() == {"alike by the end": 0.0}
    together = scores(pd.concat([frame((0.96, 0.9, 0.8)), white_noise(0.96)], ignore_index=True)).set_index("axis")
    assert together["value"]["alike by the end"] == 0.4
    assert together["value"]["state tracking"] == pytest.approx(0.92)


@pytest.mark.parametrize("fit", [0.94, 0.5, np.nan])
def test_white_noise_that_was_not_learnt_says_nothing(fit):
    """Chance is a half: .95 is nine tenths above it."""
    assert scores(white_noise(fit))["value"].isna().all()
    assert scores(white_noise(0.951))["value"].notna().all()


def test_a_run_that_diverged_has_learnt_nothing():
    found = scores(frame((np.nan, np.nan, np.nan), np.nan)).set_index("axis")["value"]
    assert found["state tracking"] == 0
    assert np.isnan(found["recency"])


def test_an_axis_has_no_value_in_a_run_that_diverged_on_one_of_its_probes():
    places = [("a", "x", 0), ("a", "y", 0), ("a", "x", 1), ("a", "y", 1), ("b", "y", 0), ("b", "y", 1), ("c", "x", 1)]
    table = pd.DataFrame(places, columns=["axis", "probe", "number"]).assign(model="m", value=0.5)
    losses = pd.DataFrame(
        [("x", 0, np.nan), ("x", 1, 0.3), ("y", 0, 0.2), ("y", 1, 0.4)], columns=["probe", "number", "value"]
    ).assign(split="validation", metric="nll")
    found = without_diverged(table, losses)
    assert found["value"].isna().tolist() == [True, True, False, False, False, False, False]
    whole = losses.assign(value=losses["value"].fillna(1.0))
    pd.testing.assert_frame_equal(without_diverged(table, whole), table)


def test_an_axis_is_the_mean_of_its_probes():
    rows = pd.DataFrame(
        {"model": "m", "axis": ["a", "a", "b"], "number": 0, "value": [0.2, 0.6, np.nan], "probe": ["x", "y", "z"]}
    )
    found = by_axis(rows).set_index("axis")["value"]
    assert found["a"] == pytest.approx(0.4)
    assert np.isnan(found["b"])


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "circle", "line", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("circle", "line", "path"):
            assert self.open.pop() == tag


def test_files_say_what_the_report_says(folder, known):
    report = made(model_spec("my_layer.py:build", name="<script>&"), known)
    report.save(folder / "out" / "mine")
    read = read_report(folder / "out" / "mine.json", known)
    assert str(read) == str(report)
    pd.testing.assert_frame_equal(read.scores, report.scores.reset_index(drop=True), check_dtype=False)
    tidy = pd.read_csv(folder / "out" / "mine.csv")
    assert len(tidy) == len(report.scores)
    page = (folder / "out" / "mine.html").read_text()
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    reader = Tags()
    reader.feed(page)
    assert not reader.open
    assert sum(tag == "section" for tag, _ in reader.tags) == len(report.axes)
    assert all("aria-label" in attrs or "aria-hidden" in attrs for tag, attrs in reader.tags if tag == "svg")
    medians = [attrs["x1"] for tag, attrs in reader.tags if attrs.get("class") == "median"]
    assert medians[1:] == [f"{10 + 300 * each.others:.1f}" for each in report.axes if each.of]  # the first is the key's
    texts = [text for text in page.split('<p class="small">')[1:] if " known models, whose median is " in text]
    assert texts
    assert all(text[0].isupper() for text in texts)


def test_a_page_does_not_speak_of_differences_above_one(folder, known):
    report = made(model_spec("my_layer.py:build"), known)
    seen = zip(report.axes, (2.45, 0.31), strict=False)
    vars(report)["axes"] = [replace(each, visible=visible) for each, visible in seen]
    report.save(folder / "wild")
    page = (folder / "wild.html").read_text()
    assert "Its runs differ so much that no difference can be seen." in page
    assert "Differences below 0.31 are not seen." in page
    assert "2.45" not in page


def test_lines_fit_a_terminal_of_80_columns(folder, known):
    long = known.assign(model=known["model"].map("Attention, a long name of {}".format))
    report = made(model_spec("my_layer.py:Cumulative"), long)
    lines = report.lines()
    assert max(map(len, lines)) <= 80
    assert [line.split("  ")[-1].strip().rpartition(" (")[0] for line in lines[-3:]] == list(report.nearest().index)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": 99}', '{"schema": 1, "schema": 1}', '{"schema": 1}', '{"schema": 1, "scores": 3}']
)
def test_what_is_no_profile_is_refused(tmp_path, known, text):
    (tmp_path / "old.json").write_text(text)
    with pytest.raises(SettingError, match=r"old\.json"):
        read_report(tmp_path / "old.json", known)


def test_the_figure_has_a_row_an_axis(folder, known):
    figure = made(model_spec("my_layer.py:build"), known).plot()
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "recency",
        "state tracking",
        "length",
        "calibration",
    ]


def test_a_figure_has_no_mark_where_nothing_was_learnt(folder, known):
    report = made(model_spec("my_layer.py:build"), known)
    learnt = next(each.axis for each in report.axes if each.word != "not learnt")
    blind = replace(report, scores=report.scores.assign(value=lambda rows: rows["value"].mask(rows["axis"] == learnt)))
    for each in (report, blind):
        (axes,) = each.plot().axes
        words = [row.word for row in each.axes]
        places = [place + 0.28 for place, word in enumerate(words) if word != "not learnt"]
        assert [line.get_ydata()[0] for line in axes.lines] == pytest.approx(places)
        assert [text.get_text() for text in axes.texts] == [f"{report.name}: not learnt"] * words.count("not learnt")
        assert axes.get_legend_handles_labels()[1].count(report.name) == min(1, len(places))


def test_without_seaborn_a_figure_says_what_brings_it(folder, known, monkeypatch):
    report = made(model_spec("my_layer.py:build"), known)
    monkeypatch.delitem(sys.modules, "inductive_bias.profile.figure", raising=False)
    monkeypatch.setitem(sys.modules, "seaborn", None)
    with pytest.raises(MissingExtraError, match=r"seaborn is not installed; it comes with: pip install .*\[book\]"):
        report.plot()


def test_words_can_fail_a_build(folder, known):
    report = made(model_spec("my_layer.py:build"), known)
    words = dict(zip(report.table["axis"], report.table["word"], strict=True))
    assert words["recency"] == "not learnt"
    assert words_that_hold(report, ["recency: not learnt"]) == ["recency: not learnt"]
    assert words_that_hold(report, ["recency: more"]) == []
    assert words_that_hold(report, ["recency: alike"]) == []
    for wrong in ("recency", "taste: less", "recency: the same", "", "recall: less"):
        with pytest.raises(SettingError, match="--fail-on"):
            words_that_hold(report, [wrong])


def test_a_model_is_like_itself(folder, known):
    report = made(model_spec("my_layer.py:build"), known)
    table = report.compare(report)
    assert set(table["word"]) <= {"alike", "cannot tell", "not learnt"}
    assert (table["difference"].dropna() == 0).all()


def test_a_population_can_be_ones_own(folder, known):
    file = folder / "population.parquet"
    add_to_population(file, known)
    report = made(model_spec("my_layer.py:build"), read_population(file))
    add_to_population(file, report.scores)
    add_to_population(file, report.scores)
    again = read_population(file)
    assert again["model"].nunique() == 7
    assert (again["model"] == "build").sum() == len(report.scores)
    assert digest(again) != digest(known)
    assert digest(known.sample(frac=1, random_state=0)) == digest(known)
    (folder / "other.parquet").write_text("no")
    with pytest.raises(SettingError, match=r"other\.parquet"):
        read_population(folder / "other.parquet")


def test_a_teacher_of_the_population_teaches(folder, known, monkeypatch):
    monkeypatch.setitem(BY_NAME, "LSTM", BY_NAME["LSTM, small"])
    spec = model_spec("my_layer.py:build")
    report = made(spec, known, probes=("parity",), taught_by="LSTM")
    assert report.teacher == "LSTM"
    assert "taught by LSTM" in report.headline
    taught = [
        trial
        for record in (folder / "runs" / "profile").glob("*/trial.json")
        if (trial := Trial.model_validate(json.loads(record.read_text())["trial"])).teacher
    ]
    assert {trial.teacher.seed for trial in taught} == {0, 1, 1000}
    assert all(trial.teacher.task == trial.task for trial in taught)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"probes": ("telepathy",)}, "telepathy"),
        ({"probes": ()}, "at least one probe"),
        ({"runs": 1}, "at least 2"),
        ({"runs": 0}, "at least 2"),
        ({"minutes": 0.0}, "more than 0"),
        ({"minutes": float("nan")}, "more than 0"),
        ({"taught_by": "nobody"}, "nobody"),
    ],
)
def test_wrong_options_are_refused_before_training(folder, known, options, message):
    with pytest.raises(SettingError, match=message):
        made(model_spec("my_layer.py:build"), known, **options)


def asked(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["inductive-bias", "profile", *words])
    cli.main()


def test_the_command(folder, known, monkeypatch, capsys):
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=BUDGET))
    add_to_population("known.parquet", known)
    usual = ["my_layer.py:build", "--probes", "recency or majority,parity", "--runs", "2", "--jobs", "1", "--quiet"]
    usual += ["--population", "known.parquet"]
    asked(monkeypatch, *usual, "--out", "before")
    said = capsys.readouterr().out
    assert said.startswith("build: ")
    assert "before.html" in said
    with pytest.raises(SystemExit) as ended:
        asked(
            monkeypatch,
            *usual,
            "--fail-on",
            "recency: not learnt",
            "--baseline",
            "before.json",
            "--add",
            "mine.parquet",
        )
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "fails: recency: not learnt" in said
    beside = said.partition("\nBeside before.json:\n")[2]
    assert beside.startswith("recency")
    assert "  the other " in beside
    assert "median" not in beside
    assert read_population("mine.parquet")["model"].unique().tolist() == ["build"]


def test_wrong_words_and_files_are_refused_before_training(folder, known, monkeypatch, capsys):
    add_to_population("known.parquet", known)
    add_to_population("alone.parquet", known.assign(model="build"))
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    (folder / "file").write_text("no folder")
    (folder / "page.html").mkdir()
    usual = ["my_layer.py:build", "--population", "known.parquet", "--out", "never"]
    for options, message in (
        (["--fail-on", "taste: less"], "--fail-on"),
        (["--probes", "parity", "--fail-on", "recency: less"], "none of the chosen probes is about it; add recency or"),
        (["--baseline", "my_layer.py"], "my_layer.py is no profile: it is no JSON ("),
        (["--baseline", "nowhere.json"], "nowhere.json cannot be read: No such file or directory\n"),
        (["--population", "nowhere.parquet"], "nowhere.parquet cannot be read as a population: there is no such file"),
        (["--runs", "0"], "at least 2"),
        (["--taught-by", "nobody"], "no known model 'nobody' to teach"),
        (["--population", "alone.parquet"], "no other model than build"),
        (["--out", "file/mine"], "file/mine.json cannot be written"),
        (["--out", "page"], "page.html cannot be written"),
        (["--add", "my_layer.py"], "my_layer.py cannot be read as a population"),
        (["--add", "nowhere/ours.parquet"], "there is no folder nowhere"),
    ):
        with pytest.raises(SystemExit) as ended:
            asked(monkeypatch, *usual, *options)
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    assert not list(folder.glob("never*")) + list(folder.glob("page.[jc]*"))  # nothing empty is left


def test_a_model_does_not_stand_beside_itself(folder, known, monkeypatch, capsys):
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=BUDGET))
    add_to_population("ours.parquet", known[known["model"] == known["model"].iloc[0]])
    usual = ["my_layer.py:build", "--probes", "recency or majority,parity", "--runs", "2", "--jobs", "1", "--quiet"]
    usual += ["--population", "ours.parquet", "--add", "ours.parquet"]
    for _ in range(2):
        asked(monkeypatch, *usual)
        said = capsys.readouterr().out
        assert "beside 1 known model\n" in said
        assert said.endswith("ours.parquet (now 2 models)\n")
    assert read_population("ours.parquet")["model"].nunique() == 2


def test_in_a_folder_of_one_s_own_the_known_models_are_those_of_the_checkout(folder):
    """Runs go there, and the tables of the book need not be there."""
    assert paths.home() == folder
    known = published_population()
    assert known["model"].nunique() > 10
    assert paths.home() == folder
    with paths.at(paths.checkout()):
        assert digest(known) == digest(published_population())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["my_layer.py:build", "--quick", "--full"], "not both"),
        (["my_layer.py:build", "--arguments", "[1]"], "JSON object"),
        (["my_layer.py:build", "--arguments", '{"heads": 2, "heads": 4}'], "the key 'heads' is there twice"),
        (["my_layer.py:build"], "no population is published here"),
    ],
)
def test_the_command_refuses(folder, monkeypatch, capsys, words, message):
    monkeypatch.setattr(paths, "checkout", lambda: None)
    with pytest.raises(SystemExit) as ended:
        asked(monkeypatch, *words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_command_checks_a_layer(folder, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        asked(monkeypatch, "my_layer.py:Narrow", "--check")
    assert "keeps the shape" in capsys.readouterr().out


LEAKING = """
from torch import nn

class BothWays(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.read = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.read(x)[0]
"""


def test_a_model_that_sees_the_future_is_warned_of_wherever_its_profile_is_read(tmp_path):
    """It reads the answers, and looked better than 28 of 30 known models."""
    file = tmp_path / "leaking.py"
    file.write_text(LEAKING, encoding="utf-8")
    options = {"probes": ("recall",), "runs": 2, "budget": BUDGET, "device": "cpu", "jobs": 1, "progress": False}
    with pytest.warns(UserWarning, match="It sees the future"):
        leaking = profile(model_spec(f"{file}:BothWays", weights=2_000), store=tmp_path / "runs", **options)
    causal = profile(BY_NAME["LSTM"].spec(), store=tmp_path / "runs", **options)
    assert causal.checks == {"sees no future": "passes"}
    assert not causal.warning
    assert "WARNING" not in str(causal)
    assert leaking.warning.startswith("It sees the future (in training mode its outputs at position 0")
    assert str(leaking).splitlines()[1] == f"WARNING: {leaking.warning}"
    written, _, page = leaking.save(tmp_path / "leaking")
    assert json.loads(written.read_text("utf8"))["warning"] == leaking.warning
    assert 'role="alert">It sees the future' in page.read_text("utf8")
    assert read_report(written, leaking.population).warning == leaking.warning
    assert 'role="alert"' not in causal.save(tmp_path / "causal")[2].read_text("utf8")


def test_who_sees_the_future_is_told_before_training(tmp_path, monkeypatch):
    file = tmp_path / "leaking.py"
    file.write_text(LEAKING, encoding="utf-8")

    def never(*args, **options):
        raise RuntimeError("training begins")

    monkeypatch.setattr("inductive_bias.profile.training.run_missing", never)
    spec = model_spec(f"{file}:BothWays", weights=2_000)
    options = {"probes": ("recall",), "runs": 2, "budget": BUDGET, "device": "cpu", "store": tmp_path / "runs"}
    with pytest.warns(UserWarning, match="It sees the future"), pytest.raises(RuntimeError, match="training begins"):
        profile(spec, **options)


FAULTY = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix = nn.Linear(dim, dim)

class Raises(Layer):
    def forward(self, x):
        raise KeyError("cache")

class Short(Layer):
    def forward(self, x):
        if x.shape[1] > 40:
            raise RuntimeError("at most 40 steps")
        return self.mix(x)

class NotANumber(Layer):
    def forward(self, x):
        return self.mix(x).log()

class Even(Layer):
    def forward(self, x):
        if x.shape[1] % 2:
            raise ValueError("an even length")
        return self.mix(x)

class Diverges(Layer):
    def __init__(self, dim):
        super().__init__(dim)
        self.gain = nn.Parameter(torch.full((dim,), 1e-4))

    def forward(self, x):
        return self.mix(x) + self.gain.sqrt()

class Wide(Layer):
    def forward(self, x):
        return x.repeat(1, 1, 2)
"""


@pytest.fixture
def faulty(folder, known, monkeypatch):
    (folder / "faulty.py").write_text(FAULTY, encoding="utf-8")
    add_to_population("known.parquet", known)
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=BUDGET))
    return lambda name, *more: asked(
        monkeypatch,
        *(f"faulty.py:{name}", "--probes", "parity", "--runs", "2", "--jobs", "1", "--quiet"),
        *("--population", "known.parquet", *more),
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raises", "inductive-bias: faulty.py:Raises: KeyError: 'cache' (faulty.py, line 12)\n"),
        (
            "Short",
            "inductive-bias: faulty.py:Short: RuntimeError: at most 40 steps (faulty.py, line 17). This happens with "
            "inputs of 96 tokens, which the probe parity has: ",
        ),
        (
            "NotANumber",
            "inductive-bias: faulty.py:NotANumber: some outputs are NaN or infinite before any training (inputs of 24 "
            "tokens, probe parity): ",
        ),
        ("Wide", "inductive-bias: faulty.py:Wide: ValueError: the layer must keep the shape of its tokens, ("),
    ],
)
def test_what_cannot_be_trained_is_said_once_and_before_training(faulty, monkeypatch, capsys, name, said):
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    with pytest.raises(SystemExit) as ended:
        faulty(name)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(said)


def test_a_model_that_cannot_be_trained_is_called_that(folder, known):
    """A score of zero and the word "less" would be read as a bias."""
    (folder / "faulty.py").write_text(FAULTY, encoding="utf-8")
    report = made(model_spec("faulty.py:Diverges", weights=2_000), known, probes=("parity",))
    assert report.checks["ends its training"] == "fails: parity: 2 of 2 runs"
    assert report.warning.startswith("Its training diverged (parity: 2 of 2 runs). ")
    assert report.warning in str(report)
    assert report.warning in page(report)
    assert set(report.table["word"]) == {"not learnt"}
    assert report.no_relatives in str(report)
    assert not made(model_spec("faulty.py:Even", weights=2_000), known, probes=("parity",)).warning


def test_a_run_that_fails_is_no_word_that_holds(folder, faulty, monkeypatch, capsys):
    """Exit status 1 says that of --fail-on, and a build server could not tell them apart."""

    def fails(*args, **options):
        raise RuntimeError("out of memory")

    monkeypatch.setattr("inductive_bias.engine.run_trial", fails)
    with pytest.raises(SystemExit) as ended:
        faulty("Even", "--fail-on", "state tracking: less")
    assert ended.value.code == 2
    assert "RuntimeError: out of memory" in capsys.readouterr().err


def test_a_layer_of_even_lengths_does_not_see_the_future_for_that(folder, known):
    (folder / "faulty.py").write_text(FAULTY, encoding="utf-8")
    cpu = torch.device("cpu")
    assert future_seen(model_spec("faulty.py:Even", weights=2_000), cpu) == "passes"
    assert future_seen(model_spec("faulty.py:Raises", weights=2_000), cpu) == "does not apply: KeyError: 'cache'"


def test_what_a_layer_needs_besides_its_width_is_named_with_the_option_that_gives_it(folder):
    (folder / "needs.py").write_text(
        "from torch import nn\n"
        "def mixer(dim, heads):\n    return nn.Linear(dim, dim)\n"
        "def build(vocabulary, outputs, width):\n    return nn.Embedding(vocabulary, outputs)\n"
        "def of_images(image, classes, width):\n    return nn.Flatten()\n",
        encoding="utf-8",
    )
    for name in ("build", "of_images"):
        with pytest.raises(SettingError, match=rf"needs\.py:{name} has no value for width: "):
            model_spec(f"needs.py:{name}")
        assert model_spec(f"needs.py:{name}", arguments={"width": 4}).arguments == {"width": 4}
    with pytest.raises(SettingError, match=r"needs\.py:mixer has no value for heads: .*--arguments '\{\"heads\": …\}'"):
        model_spec("needs.py:mixer")
    assert model_spec("needs.py:mixer", arguments={"heads": 2}).arguments == {"heads": 2}
