"""Probes of one's own in a profile: from a file and from an installed package, each fault, and what is said of them."""

import json
import re
import sys
from dataclasses import replace
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from inductive_bias import cli, paths, plugins
from inductive_bias.errors import SettingError
from inductive_bias.own_probes import GROUP, OwnProbeTask
from inductive_bias.profile import model_spec, profile, read_report
from inductive_bias.profile.groups import GROUPS
from inductive_bias.profile.population import add_to_population
from inductive_bias.profile.report import words_that_hold
from inductive_bias.store import Store, read_run
from inductive_bias.studies.known_models import BY_NAME
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.studies.profile_comparison import alone, compare
from inductive_bias.tasks import ProbeTask
from inductive_bias.tasks.probes import CONFLICT
from inductive_bias.trials import Trial, canonical, id_of
from tests.made_profiles import made_population, working_in

PAGE = paths.home() / "book" / "profile.md"
MODEL = """
from torch import nn

def build(vocabulary, outputs, width=8):
    return nn.Sequential(nn.Embedding(vocabulary, width), nn.Linear(width, outputs))

def of_images(image, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(image[0] * image[1] * image[2], classes))
"""
LAYER = """
from torch import nn

class MyMixer(nn.Linear):
    def __init__(self, dim):
        super().__init__(dim, dim)
"""
#: Every model learns it: the answer is the symbol itself.
PROBES = """
import numpy as np
from inductive_bias.tasks.probes import Preference, Skill, Words

class Echo(Skill):
    name, axis = "echo", "echoing"
    asks = "Which symbol is this?"
    claim = "A model with a high value <knows> symbols"
    source = "nobody 2024"
    tokens, outputs, length = 2, 2, 6

    def draw(self, rng, count, length):
        symbols = rng.integers(2, size=(count, length))
        return Words(symbols + 1, symbols)

class Here(Preference):
    name, axis = "this or first", "nearness"
    asks = "Does the answer follow this symbol, or the first one?"
    rules = "this symbol", "the first symbol"
    tokens, outputs, length = 2, 2, 6

    def draw(self, rng, count, length):
        symbols = np.repeat(rng.integers(2, size=(count, 1)), length, 1)
        return Words(symbols + 1, symbols)

    def conflict(self, rng, count, length):
        symbols = np.repeat(rng.integers(2, size=(count, 1)), length, 1)
        symbols[:, -1] = 1 - symbols[:, -1]
        labels = np.full((count, length), -1)
        labels[:, -1] = symbols[:, -1]
        return Words(symbols + 1, labels), symbols[:, 0]

class State(Echo):
    name, axis = "one state", "state tracking"

class Recall(Echo):
    name = "recall"
"""
BUDGET = Budget(rates=(3e-2, 1e-1), hundreds=1, batch_size=8, warmup=10, test_size=64)
ECHO, HERE, STATE = (f"my_probe.py:{name}" for name in ("Echo", "Here", "State"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The working folder of all tests: a run that one of them made is there for the next."""
    files = {"my_model.py": MODEL, "my_probe.py": PROBES}
    with working_in(tmp_path_factory.mktemp("own_probes"), files) as folder:
        yield folder


@pytest.fixture
def known():
    """A population of made scores on a probe of the package."""
    axes = dict.fromkeys(("state tracking", "length", "calibration"), "parity")
    return made_population(axes, [f"model {n}" for n in range(6)])


@pytest.fixture
def spec(folder):
    return model_spec("my_model.py:build")


def made(spec, known, *probes, **options):
    options = {"runs": 2, "budget": BUDGET, "jobs": 1, "progress": False} | options
    return profile(spec, population=known, probes=probes, **options)


def test_a_skill_and_a_preference_of_one_s_own_have_values(spec, known):
    report = made(spec, known, ECHO, HERE)
    table = report.table.set_index("axis")
    assert list(table.index) == ["echoing", "length (echo)", "calibration (echo)", "nearness"]
    assert table.loc["echoing", "value"] == 1
    # it has nothing but the symbol itself to go by
    assert table.loc["nearness", "value"] == 1
    assert (table["of"] == 0).all()
    assert (table["word"] == "cannot tell").all()
    assert (table["low"] <= table["value"]).all()
    assert (table["high"] >= table["value"]).all()
    assert set(report.rates) == set(report.weights) == {"echo", "this or first"}
    assert set(report.scores["probe"]) == {"echo", "this or first"}


def test_the_interval_of_a_row_that_stands_alone_is_that_of_its_runs():
    values, runs = [0.5, 0.6, 0.7, 0.9, np.nan, 1.0, 1.0], [0, 1, 2, 0, 1, 0, 1]
    table = pd.DataFrame({"axis": [*"aaa", *"bb", *"cc"], "number": runs, "value": values})
    first, second, third = alone(table)
    half = 4.302653 * 0.1 / np.sqrt(3)  # of t with two degrees of freedom
    assert (first.axis, first.value, first.word, first.of) == ("a", pytest.approx(0.6), "cannot tell", 0)
    assert (first.low, first.high) == (pytest.approx(0.6 - half), pytest.approx(0.6 + half))
    assert (second.axis, second.word) == ("b", "not learnt")
    assert np.isnan(second.low)
    # two equal runs are not a certainty: below rounding no variance is known
    assert third.low == pytest.approx(1 - 12.7062 * np.sqrt(1e-5 / 2), abs=1e-5)
    assert third.high == 1


def test_without_a_usual_spread_a_difference_has_the_interval_of_its_runs():
    own = pd.DataFrame({"axis": "a", "number": range(3), "value": [0.8, 0.85, 0.9]})
    other = pd.DataFrame({"axis": "a", "number": range(3), "value": [0.2, 0.2, 0.2], "model": "other"})
    (found,) = compare(own, other, unknown=True)
    half = 4.302653 * 0.05 / np.sqrt(3)
    assert (found.difference, found.visible) == (pytest.approx(0.65), pytest.approx(half))
    assert found.word == "more"
    (corrected,) = compare(own, other, unknown=True, further=4)
    assert corrected.visible == pytest.approx(9.924843 * 0.05 / np.sqrt(3))  # at .01


def test_terminal_page_and_files_say_that_nobody_else_was_asked(spec, known, folder):
    report = made(spec, known, "parity", ECHO, HERE)
    lines = report.lines()
    own = [line for line in lines if "no known model was asked it" in line]
    assert [line.split("  ")[0] for line in own] == ["echoing", "length (echo)", "calibration (echo)", "nearness"]
    assert re.match(r"echoing +cannot tell +1\.00 \[0\.\d\d, 1\.00\]  no known", own[0])
    report.save("told")
    page = (folder / "told.html").read_text("utf8")
    assert page.count("no known model was asked it") == 2 * len(own)  # in words and for a screen reader
    assert "Which symbol is this?" in page
    assert "Stands for: A model with a high value &lt;knows&gt; symbols." in page
    assert "After nobody 2024." in page
    assert "by one of two rules: this symbol, not the first symbol." in page
    assert "my_probe.py:Echo, SHA-256" in page
    found = json.loads((folder / "told.json").read_text("utf8"))["own_probes"]
    labels = OwnProbeTask(ECHO, test_size=BUDGET.test_size).load()["test"]
    asked = labels.labels[:, :6][labels.slices["length"] == 6]
    assert found["echo"]["chance"] == pytest.approx(max(asked.float().mean(), 1 - asked.float().mean()))
    assert found["echo"]["ceiling"] == 1
    assert found["echo"]["sha256"] == OwnProbeTask(ECHO).sha256
    assert found["this or first"]["rules"] == ["this symbol", "the first symbol"]
    read = read_report("told.json", known)
    assert str(read) == str(report)
    assert read.own_probes == report.own_probes
    assert [label.get_text() for label in report.plot().axes[0].get_yticklabels()] == list(report.table["axis"])


def test_a_report_of_before_has_no_probes_of_one_s_own(spec, known, folder):
    made(spec, known, "parity").save("before")
    found = json.loads((folder / "before.json").read_text("utf8"))
    assert found.pop("own_probes") == {}
    (folder / "before.json").write_text(json.dumps(found))
    assert read_report("before.json", known).own_probes == {}


def test_own_probes_change_no_other_row(spec, known):
    """The population was not asked them: a mean with them would stand beside a mean without them."""
    usual, more = made(spec, known, "parity"), made(spec, known, "parity", STATE, ECHO)
    pd.testing.assert_frame_equal(usual.table, more.table.iloc[: len(usual.table)])
    assert "state tracking (one state)" in list(more.table["axis"])
    assert more.meaning("state tracking (one state)") == "Which symbol is this?"
    assert more.meaning("state tracking") == usual.meaning("state tracking")
    pd.testing.assert_series_equal(usual.nearest(), more.nearest())


def test_a_profile_of_own_probes_alone_has_no_relatives(spec, known, folder):
    report = made(spec, known, ECHO)
    assert report.nearest().empty
    assert report.lines()[-1].endswith("none: no known model was asked these probes")
    report.save("alone")
    assert "None: no known model was asked these probes." in (folder / "alone.html").read_text("utf8")
    assert report.plot().axes[0].get_xlim() == (-0.03, 1.03)


def test_a_population_that_was_asked_is_compared_with(spec, known, folder):
    others = made(BY_NAME["LSTM, small"].spec(), known, "parity", ECHO, name="another")
    add_to_population("asked.parquet", pd.concat([known, others.scores]))
    report = made(spec, pd.read_parquet("asked.parquet"), "parity", ECHO)
    row = report.table.set_index("axis").loc["echoing"]
    assert row["of"] == 1
    assert not report.rows_apart
    assert "no known model was asked it" not in str(report)


def test_words_of_a_new_axis_can_fail_a_build_and_compare_with_a_baseline(spec, known):
    report, other = made(spec, known, ECHO, runs=3), made(spec, known, "parity", ECHO, HERE, runs=3)
    assert words_that_hold(report, ["echoing: cannot tell"]) == ["echoing: cannot tell"]
    assert words_that_hold(report, ["echoing: cannot tell"], other) == []  # alike
    beside = other.compare(report).set_index("axis")
    assert beside.loc["echoing", "difference"] == 0
    assert beside.loc["echoing", "word"] == "alike"
    assert beside.loc["nearness", "of"] == 0
    assert any("the other model was not asked it" in line for line in other.lines(beside=report))
    with pytest.raises(SettingError, match="--fail-on"):
        words_that_hold(report, ["nearness: less"])


def test_a_second_call_trains_nothing_and_a_changed_file_trains_again(spec, known, folder, monkeypatch):
    (folder / "changing.py").write_text(PROBES)
    first = made(spec, known, "changing.py:Echo")
    store = Store(folder / "runs" / "profile")
    before = set(store.root.glob("*/trial.json"))
    with monkeypatch.context() as patch:
        patch.setattr("inductive_bias.engine.run_trial", None)
        assert str(made(spec, known, "changing.py:Echo")) == str(first)
        assert str(made(spec, known, ECHO)) == str(first)  # the same content in another place
    (folder / "changing.py").write_text(PROBES + "\n# a word more\n")
    again = made(spec, known, "changing.py:Echo")
    assert len(set(store.root.glob("*/trial.json")) - before) == 2 + 2
    assert again.own_probes["echo"].sha256 != first.own_probes["echo"].sha256


def test_trials_of_an_own_probe_are_told_apart_and_read_back(spec, folder):
    made_of = [
        BUDGET.trial(spec, source, seed=0, learning_rate=0.01)
        for source in (ECHO, STATE, "parity", str(folder / "my_probe.py") + ":Echo")
    ]
    assert len({trial.id for trial in made_of}) == 3
    assert made_of[0].id == made_of[3].id
    settings = json.loads(json.dumps(canonical(made_of[0])))
    assert id_of(settings) == made_of[0].id
    assert Trial.model_validate(settings) == made_of[0]
    assert "sha256" not in canonical(ProbeTask(probe="parity"))


def test_sequences_are_split_as_those_of_the_package(folder):
    data = OwnProbeTask(HERE, validation_size=4, test_size=3).load()
    assert {name: len(data[name]) for name in ("train", "validation", "test", CONFLICT)}["test"] == 3
    assert data[CONFLICT].slices["second"].tolist() == (1 - data[CONFLICT].labels[:, -1]).tolist()
    skill = OwnProbeTask(ECHO, test_size=3).load()["test"]
    assert skill.slices["length"].tolist() == [6] * 3 + [12] * 3 + [24] * 3
    assert skill.source == "generated:echo"
    assert hash(OwnProbeTask(ECHO)) == hash(OwnProbeTask(ECHO))


PACKAGE = """
from made_up_probes.parts import WIDE
import numpy as np
from inductive_bias.tasks.probes import Skill, Words

class Offered(Skill):
    name, axis, asks = "offered", "offering", "Is it there?"
    tokens, outputs, length = WIDE, WIDE, 4

    def draw(self, rng, count, length):
        symbols = rng.integers(WIDE, size=(count, length))
        return Words(symbols + 1, symbols)
"""


@pytest.fixture
def offered(folder, monkeypatch):
    """An installed package that offers a probe, as far as Python can see."""
    package = folder / "site" / "made_up_probes"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("WIDE = 3\n")
    (package / "probes.py").write_text(PACKAGE)
    (package / "compiled.so").write_text("")
    monkeypatch.syspath_prepend(folder / "site")
    points = [metadata.EntryPoint("there", "made_up_probes.probes:Offered", GROUP)]
    monkeypatch.setattr("inductive_bias.own_probes.entry_points", lambda group: points if group == GROUP else [])
    monkeypatch.setattr(plugins, "_imports", {})
    yield SimpleNamespace(folder=package, points=points)
    for name in [each for each in sys.modules if each.startswith("made_up_probes")]:
        del sys.modules[name]


def test_an_installed_package_offers_a_probe_by_name(spec, known, offered, monkeypatch):
    report = made(spec, known, "parity", "there")
    (probe,) = report.own_probes.values()
    assert probe.file == "module:made_up_probes.probes:Offered"
    assert report.table["axis"].tolist()[-3:] == ["offering", "length (offered)", "calibration (offered)"]
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    assert str(made(spec, known, "parity", "there")) == str(report)


def test_an_installed_file_is_known_by_its_content_and_not_run_to_be_hashed(offered):
    task = OwnProbeTask("module:made_up_probes.probes:Offered")
    assert task.sha256 == plugins.hashlib.sha256(PACKAGE.encode()).hexdigest()
    for name in [each for each in sys.modules if each.startswith("made_up_probes")]:
        del sys.modules[name]
    plugins.refuse_changed(task.source, task.sha256)
    assert not [each for each in sys.modules if each.startswith("made_up_probes")]
    (offered.folder / "probes.py").write_text(PACKAGE + "# changed\n")
    with pytest.raises(SettingError, match="has changed"):
        plugins.refuse_changed(task.source, task.sha256)
    with pytest.raises(SettingError, match="start a new one"):
        OwnProbeTask("module:made_up_probes.probes:Offered")


def test_a_stored_run_of_an_own_probe_runs_no_file_unasked(spec, known, folder):
    made(spec, known, ECHO)
    trial = BUDGET.pilots(spec, ECHO)[0]
    run = folder / "runs" / "profile" / trial.id
    with pytest.raises(SettingError, match=r"my_probe\.py:Echo"):
        read_run(run)
    assert read_run(run, allow_own_code=True)[0].task == trial.task


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("made_up_probes.nowhere:Offered", "there is no module made_up_probes.nowhere"),
        ("nobody_has_this.probes:Offered", "there is no module nobody_has_this"),
        ("made_up_probes.probes:Other", "no function or class 'Other'"),
        ("made_up_probes.probes:WIDE", "no function or class 'WIDE'"),
        ("made_up_probes.broken:Offered", "cannot be imported: ZeroDivisionError"),
        ("sys:exit", "no source file"),
    ],
)
def test_what_a_package_offers_in_vain_is_refused(spec, known, offered, value, message):
    (offered.folder / "broken.py").write_text("1 / 0\n")
    offered.points[:] = [metadata.EntryPoint("there", value, GROUP)]
    with pytest.raises(SettingError, match=message):
        made(spec, known, "there")


def test_two_packages_with_one_name_are_refused_and_the_package_s_own_name_wins(spec, known, offered):
    offered.points.append(metadata.EntryPoint("there", "other:Offered", GROUP))
    with pytest.raises(SettingError, match="two installed packages offer a probe 'there'"):
        made(spec, known, "there")
    offered.points[:] = [metadata.EntryPoint("parity", "made_up_probes.probes:Offered", GROUP)]
    assert made(spec, known, "parity").own_probes == {}
    with pytest.raises(SettingError, match=r"no probe 'telepathy'.*my_probe\.py:MyProbe"):
        made(spec, known, "telepathy")


def test_the_class_of_a_probe_must_have_a_name_of_its_own(spec, known):
    with pytest.raises(SettingError, match="another probe with the name 'recall'"):
        made(spec, known, "my_probe.py:Recall")
    with pytest.raises(SettingError, match="another probe with the name 'echo'"):
        made(spec, known, ECHO, ECHO)


def test_a_model_of_images_is_not_asked(folder, known):
    with pytest.raises(SettingError, match="ask about sequences"):
        made(model_spec("my_model.py:of_images"), known, ECHO)


SKILL = {
    "name": '"wrong"',
    "axis": '"an axis"',
    "asks": '"What?"',
    "tokens": "2",
    "outputs": "2",
    "length": "6",
    "draw": "Words(symbols + 1, symbols)",
}
FAULTS = {
    "no name": ({"name": '" "'}, "name must be a text"),
    "a colon": ({"name": '"a:b"'}, "no colon and no comma"),
    "an axis that is no text": ({"axis": "3"}, "axis must be a text"),
    "a derived axis": ({"axis": '"length"'}, "made of all skills"),
    "no question": ({"asks": "None"}, "asks must be a text"),
    "a claim that is no text": ({"claim": "7"}, "claim must be a text"),
    "no tokens": ({"tokens": "0"}, "tokens must be a whole number of at least 1"),
    "tokens that are no number": ({"tokens": '"2"'}, "tokens must be a whole number"),
    "one answer": ({"outputs": "1"}, "outputs must be a whole number of at least 2"),
    "no length": ({"length": "True"}, "length must be a whole number"),
    "no words": ({"draw": "symbols"}, "must be Words"),
    "an error": ({"draw": "symbols[9 ** 9]"}, "draw of length 6 fails: IndexError"),
    "another shape": ({"draw": "Words(symbols[:, :4] + 1, symbols[:, :4])"}, r"tokens must have the shape \(64, 6\)"),
    "labels of another shape": ({"draw": "Words(symbols + 1, symbols[:, 0])"}, "labels must have the shape"),
    "one length": (
        {"draw": "Words(symbols[:, :6] + 1, symbols[:, :6])"},
        r"draw of length 12: tokens must have the shape \(64, 12\)",
    ),
    "an error at four times the length": (
        {"draw": "Words(symbols + 1, symbols) if length < 20 else 1 / 0"},
        "24 fails",
    ),
    "token 0": ({"draw": "Words(symbols, symbols)"}, r"tokens must lie in 1 … 2, and one is 0"),
    "a token too many": ({"draw": "Words(symbols + 2, symbols)"}, "tokens must lie in 1 … 2, and one is 3"),
    "a label too many": ({"draw": "Words(symbols + 1, symbols + 1)"}, "labels must lie in -1 … 1, and one is 2"),
    "a label below": ({"draw": "Words(symbols + 1, symbols - 2)"}, "labels must lie in -1 … 1, and one is -2"),
    "fractions": ({"draw": "Words(symbols + 1, symbols * 1.0)"}, "labels must be an array of int64, not float64"),
    "silence": ({"draw": "Words(symbols + 1, np.where(symbols[:, :1], symbols, -1))"}, "must have a label, and"),
    "chance of its own": (
        {"draw": "Words(np.random.default_rng().integers(1, 3, size=(count, length)), symbols)"},
        "one seed must give the same",
    ),
    "no chance": ({"draw": "Words(symbols * 0 + 1, symbols * 0)"}, "two seeds give the same"),
}
CONFLICTS = {
    "one rule": ({"rules": '("a", "a")'}, "rules must be two different texts"),
    "rules that are a text": ({"rules": '"ab"'}, "rules must be two different texts"),
    "an error": ({"conflict": "1 / 0"}, "conflict of length 6 fails: ZeroDivisionError"),
    "no second answers": ({"conflict": "Words(symbols + 1, last)"}, "conflict of length 6: "),
    "one rule in truth": ({"conflict": "Words(symbols + 1, last), symbols[:, -1]"}, "one answer to 64 of 64"),
    "two questions": ({"conflict": "Words(symbols + 1, symbols), 1 - symbols[:, -1]"}, "one label, and there are 6"),
    "second answers of another shape": ({"conflict": "Words(symbols + 1, last), 1 - symbols"}, "the shape"),
    "a second answer too many": ({"conflict": "Words(symbols + 1, last), symbols[:, -1] + 2"}, "lie in 0 … 1"),
    "no conflict": ({"conflict": ""}, "it must define conflict"),
}


def written(folder, parts, kind):
    parts = SKILL | ({"rules": '("a", "b")', "conflict": "Words(symbols + 1, last), 1 - symbols[:, -1]"} | parts)
    lines = ["import numpy as np", "from inductive_bias.tasks.probes import Preference, Skill, Words"]
    lines += [f"class Wrong({kind}):"]
    lines += [f"    {name} = {text}" for name, text in parts.items() if name not in ("draw", "conflict")]
    for name in ("draw", "conflict"):
        if parts[name]:
            lines += [
                f"    def {name}(self, rng, count, length):",
                "        symbols = rng.integers(2, size=(count, length))",
                "        last = np.where(np.arange(length) < length - 1, -1, symbols)",
                f"        return {parts[name]}",
            ]
    (folder / "wrong.py").write_text("\n".join(lines))
    return "wrong.py:Wrong"


@pytest.mark.parametrize(("parts", "message"), FAULTS.values(), ids=FAULTS)
def test_each_fault_of_a_skill_is_named_before_training(spec, known, folder, monkeypatch, parts, message):
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    with pytest.raises(SettingError, match=f"wrong.py:Wrong: .*{message}"):
        made(spec, known, written(folder, parts, "Skill"))


@pytest.mark.parametrize(("parts", "message"), CONFLICTS.values(), ids=CONFLICTS)
def test_each_fault_of_a_preference_is_named_before_training(spec, known, folder, monkeypatch, parts, message):
    monkeypatch.setattr("inductive_bias.engine.run_trial", None)
    with pytest.raises(SettingError, match=f"wrong.py:Wrong: .*{message}"):
        made(spec, known, written(folder, parts, "Preference"))


@pytest.mark.parametrize("kind", ["Skill", "Preference"])
def test_the_faultless_version_of_these_is_taken(folder, kind):
    assert OwnProbeTask(written(folder, {}, kind)).probe == "wrong"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("my_model.py:build", "must be a subclass of Skill or Preference"),
        ("my_probe.py:Nothing", "no function or class 'Nothing'"),
        ("nowhere.py:Echo", "cannot be read"),
    ],
)
def test_what_is_no_probe_is_refused(spec, known, source, message):
    with pytest.raises(SettingError, match=message):
        made(spec, known, source)


def test_a_teacher_learns_an_own_probe_by_the_rule_of_all(spec, known, folder, monkeypatch):
    """Nobody has searched its rate there: two pilot runs of its own choose it."""
    monkeypatch.setitem(BY_NAME, "LSTM", BY_NAME["LSTM, small"])
    store = folder / "taught"
    report = made(spec, known, ECHO, taught_by="LSTM", store=store)
    assert report.teacher == "LSTM"
    trials = [Trial.model_validate(json.loads(file.read_text())["trial"]) for file in store.glob("*/trial.json")]
    pilots = BUDGET.pilots(BY_NAME["LSTM"].spec(), ECHO)
    losses = {}
    for trial in pilots:
        rows = Store(store).rows(trial)
        final = rows[(rows["split"] == "validation") & (rows["metric"] == "nll") & rows["epoch"].isna()]
        losses[trial.optimiser.learning_rate] = final["value"].item()
    chosen = {trial.teacher.optimiser.learning_rate for trial in trials if trial.teacher}
    assert chosen == {min(losses, key=losses.get)}


def asked(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["inductive-bias", "profile", *words])
    cli.main()


def example():
    """The example of the page: the file's name and its text."""
    text = PAGE.read_text("utf8")
    (found,) = re.findall(r"```\{code-block\} python\n:caption: (my_probe\S*)\n\n?(.*?)```", text, re.DOTALL)
    return found


def test_the_example_of_the_page_runs_by_the_command_of_the_page(spec, known, folder, monkeypatch, capsys):
    file, text = example()
    assert len(text.splitlines()) <= 25
    (folder / "page").mkdir()
    monkeypatch.chdir(folder / "page")
    (folder / "page" / file).write_text(text)
    (folder / "page" / "my_layer.py").write_text(LAYER)
    add_to_population("known.parquet", known)
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=replace(BUDGET, batch_size=2)))
    (line,) = re.findall(
        rf"^\$ inductive-bias profile (\S+) --probes \"([^\"]*{file}:\w+)\"$", PAGE.read_text("utf8"), re.M
    )
    usual = ["--runs", "2", "--jobs", "1", "--quiet", "--population", "known.parquet"]
    probes = line[1].replace("recall", "parity")  # the made population knows parity
    axis = re.search(r'name, axis = "[^"]*", "([^"]*)"', text)[1]
    asked(monkeypatch, line[0], "--probes", probes, *usual, "--fail-on", f"{axis}: more")
    said = capsys.readouterr().out
    assert re.search(rf"^{axis} .*no known model was asked it$", said, re.M)
    claim = re.search(r'claim = "([^"]*)"', text)[1]
    assert claim in (folder / "page" / "profile.html").read_text("utf8")
    for wrong in ("taste: less", f"{axis}: the same"):
        with pytest.raises(SystemExit) as ended:
            asked(monkeypatch, line[0], "--probes", probes, *usual, "--fail-on", wrong)
        assert ended.value.code == 2
        assert "--fail-on" in capsys.readouterr().err


def test_the_page_names_the_group_of_entry_points():
    assert f'[project.entry-points."{GROUP}"]' in PAGE.read_text("utf8")
