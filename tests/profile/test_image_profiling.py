"""A model of images of one's own, profiled with tiny budgets: from the file to the page, and through the command."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from inductive_bias import cli
from inductive_bias.errors import SettingError
from inductive_bias.models import CNNSpec, MLPSpec, PatchSpec
from inductive_bias.plugins import GivenModel, OwnModel
from inductive_bias.profile import model_spec, profile, read_report
from inductive_bias.profile.groups import EVERY_PROBE, GROUPS, RUNS, group_of
from inductive_bias.profile.population import add_to_population, published_population
from inductive_bias.store import Store
from inductive_bias.studies.image_axes import IMAGE_AXES
from inductive_bias.studies.known_models import BY_NAME
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.trials import Trial
from tests.made_profiles import made_population, working_in

MODEL = """
from torch import nn

def build(image, classes, width=6):
    return nn.Sequential(nn.Flatten(), nn.Linear(image[0] * image[1] * image[2], width), nn.Linear(width, classes))

def lacking(image):
    return nn.Linear(2, 2)
"""
PROBES = ("shape or place", "digits", "untrained images")
BUDGET = Budget(hundreds=1, batch_size=8, runs=2, rates=(1e-2, 1e-3), warmup=10, test_size=24)
AXES = [
    "shape over place",
    "digits",
    "shift",
    "scale",
    "rotation",
    "invariance",
    "calibration, images",
    "invariance at the start",
    "arrangement at the start",
]


@pytest.fixture
def folder(tmp_path):
    with working_in(tmp_path, {"my_model.py": MODEL}) as folder:
        yield folder


@pytest.fixture(scope="module")
def known():
    axes = dict.fromkeys(AXES, "digits") | {"shape over place": "shape or place"}
    axes |= dict.fromkeys(("invariance at the start", "arrangement at the start"), "untrained images")
    return made_population(axes, ("CNN", "MLP", "Attention, patches", "other", "another"))


def made(model, known, **options):
    options = {"probes": PROBES, "runs": 2, "budget": BUDGET, "jobs": 1, "progress": False} | options
    return profile(model, population=known, **options)


def test_what_is_built_from_an_image_is_asked_with_images(folder):
    spec = model_spec("my_model.py:build")
    assert isinstance(spec, OwnModel)
    assert group_of(spec).name == "images"
    assert group_of(GivenModel(lambda image, classes: None)).name == "images"
    for known in (CNNSpec(), MLPSpec(), PatchSpec()):
        assert group_of(known).name == "images"
    for member in BY_NAME.values():
        assert group_of(member.spec()).name == "sequences"


def test_a_model_that_lacks_an_argument_is_refused(folder):
    with pytest.raises(SettingError, match="takes no classes"):
        model_spec("my_model.py:lacking")


def test_a_model_of_images_has_a_profile(folder, known):
    report = made(model_spec("my_model.py:build"), known)
    assert [each.axis for each in report.axes] == AXES
    assert set(report.scores["probe"]) == set(PROBES)
    assert report.scores["value"].dropna().between(0, 1).all()
    assert set(report.scores["number"]) == {0, 1}
    assert "3 probes, 2 runs each, beside 5 known models" in report.headline
    assert len(report.nearest()) == 3


def test_files_say_what_the_report_says(folder, known):
    report = made(model_spec("my_model.py:build"), known)
    report.save(folder / "mine")
    read = read_report(folder / "mine.json", known)
    assert str(read) == str(report)
    page = (folder / "mine.html").read_text()
    assert page.count('<section class="axis">') == len(AXES)
    assert 'class="cnn"' in page
    assert 'class="mlp"' in page
    assert 'title="Is an image told by its shape, or by the quarter in which the shape stands?"' in page
    (axes,) = report.plot().axes
    assert [label.get_text() for label in axes.get_yticklabels()] == AXES
    assert {"CNN", "MLP"} <= {text.get_text() for text in axes.get_legend().get_texts()}


def test_scores_are_made_of_the_rows(folder, known):
    spec = model_spec("my_model.py:build")
    report = made(spec, known)
    rows = Store(folder / "runs" / "profile").rows(BUDGET.judged(spec, "digits", report.rates["digits"])[1])
    rows = rows[rows["epoch"].isna()].set_index(["split", "metric"])["value"]
    above = {
        split: (rows[split, "accuracy"] - rows[split, "constant_accuracy"]) / (1 - rows[split, "constant_accuracy"])
        for split in ("test", "moved", "scaled", "turned")
    }
    found = report.scores[report.scores["number"] == 1].set_index(["axis", "probe"])["value"]
    assert found["digits", "digits"] == pytest.approx(max(0.0, above["test"]))
    if above["test"] >= 0.5:
        assert found["shift", "digits"] == pytest.approx(np.clip(above["moved"] / above["test"], 0, 1))
    else:
        assert np.isnan(found["shift", "digits"])
    assert found["invariance", "digits"] == pytest.approx(max(0.0, 1 - rows["test", "invariance_error"]))


def test_probes_of_sequences_are_none_of_images(folder, known):
    assert len(EVERY_PROBE) == sum(len(group.probes) for group in GROUPS.values())
    with pytest.raises(SettingError, match="no probe 'parity' of images"):
        made(model_spec("my_model.py:build"), known, probes=("parity",))
    with pytest.raises(SettingError, match="no known model 'LSTM' to teach"):
        made(model_spec("my_model.py:build"), known, taught_by="LSTM")


def test_a_known_model_of_images_teaches(folder, known):
    report = made(model_spec("my_model.py:build"), known, probes=("digits",), taught_by="MLP, small")
    assert "taught by MLP, small" in report.headline
    taught = [
        trial
        for record in (folder / "runs" / "profile").glob("*/trial.json")
        if (trial := Trial.model_validate(json.loads(record.read_text())["trial"])).teacher
    ]
    assert {trial.teacher.model.kind for trial in taught} == {"mlp"}


def test_the_command(folder, known, monkeypatch, capsys):
    monkeypatch.setitem(GROUPS, "images", replace(GROUPS["images"], budget=BUDGET))
    add_to_population("known.parquet", known)
    words = ["my_model.py:build", "--quick", "--probes", "digits,untrained images", "--population", "known.parquet"]
    monkeypatch.setattr(sys, "argv", ["inductive-bias", "profile", *words, "--jobs", "1", "--quiet"])
    cli.main()
    said = capsys.readouterr().out
    assert said.startswith("build: ")
    assert "2 probes, 2 runs each" in said
    assert (folder / "profile.html").is_file()


def test_known_models_of_images_are_published_apart_from_those_of_sequences(folder):
    images, sequences = (published_population(GROUPS[name]) for name in ("images", "sequences"))
    # a member that came later has no published runs at first
    assert {"MLP", "CNN", "Attention, patches"} <= set(images["model"]) <= set(GROUPS["images"].members)
    assert set(images["axis"]) == set(IMAGE_AXES)
    assert set(images["probe"]) == set(GROUPS["images"].lengths["default"])
    assert not set(images["model"]) & set(sequences["model"])
    # runs of a profile have the numbers of the population's: they saw the same images
    assert set(images["number"]) >= set(range(RUNS["default"]))
