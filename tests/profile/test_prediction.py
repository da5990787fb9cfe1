"""Foretelling a left-out model's outcome from its relatives: by hand, at chance, and with the published studies."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from inductive_bias.profile import prediction as room
from inductive_bias.profile.prediction import OUTCOMES, answer, distances_apart, foretold, scores
from inductive_bias.studies import study_named
from inductive_bias.studies.known_models import BY_NAME


@pytest.fixture
def line():
    """Seven models on a line, an axis that places them and one that only some have."""
    names = list("abcdefg")
    return pd.DataFrame({"recency": np.arange(7) / 6, "length": [0.5, np.nan, 0.5, 0.5, np.nan, 0.5, 0.5]}, index=names)


def test_an_outcome_is_the_mean_of_the_three_nearest(line):
    outcomes = pd.Series({name: place**2 for place, name in enumerate("abcdefg")}, dtype=float)
    profiles = line[["recency"]]
    found = foretold(distances_apart(profiles), outcomes)
    assert found["a"] == pytest.approx((1 + 4 + 9) / 3)
    assert found["g"] == pytest.approx((25 + 16 + 9) / 3)
    for model in "abcdefg":
        own = profiles.loc[model, "recency"]
        order = sorted((abs(value - own), name) for name, value in profiles["recency"].items() if name != model)
        nearest = [name for _, name in order[:3]]
        # equally near ones are taken in the order of the table
        assert found[model] == pytest.approx(outcomes[nearest].mean()) or len({d for d, _ in order[2:4]}) == 1


def test_profiles_that_order_the_models_foretell_their_order(line):
    table = pd.DataFrame({"task": "t", "model": list("abcdefg"), "value": np.arange(7.0)})
    profiles = 6 * line[["recency"]]  # whole numbers: equally near is equally near
    told = foretold(distances_apart(profiles), table.set_index("model")["value"])
    assert told.tolist() == pytest.approx([2, 5 / 3, 4 / 3, 7 / 3, 10 / 3, 13 / 3, 4])
    found = scores(distances_apart(profiles), table)["t"]
    assert found == pytest.approx(spearmanr(told, np.arange(7)).statistic) == pytest.approx(1 - 60 / 336)


def test_chance_is_not_above_nothing():
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        profiles = pd.DataFrame(rng.uniform(size=(8, 5)), index=list("abcdefgh"))
        table = pd.DataFrame({"task": "t", "model": list("abcdefgh"), "value": rng.uniform(size=8)})
        found.append(scores(distances_apart(profiles), table)["t"])
    assert -0.5 < np.mean(found) < 0.0


def test_a_task_of_few_models_or_of_one_outcome_does_not_count(line):
    few = pd.DataFrame({"task": "few", "model": list("abcde"), "value": np.arange(5.0)})
    one = pd.DataFrame({"task": "one", "model": list("abcdefg"), "value": 1.0})
    strangers = pd.DataFrame({"task": "strangers", "model": list("uvwxyz"), "value": np.arange(6.0)})
    assert scores(distances_apart(line), pd.concat([few, one, strangers])).empty


def test_relatives_that_all_do_alike_foretell_nothing(line):
    # one model alone is ahead, and it is nobody's relative
    profiles = line.assign(recency=[0, 0.01, 0.02, 0.03, 0.04, 0.05, 1.0])
    table = pd.DataFrame({"task": "t", "model": list("abcdefg"), "value": [0.0] * 6 + [1.0]})
    assert scores(distances_apart(profiles), table)["t"] == 0.0


def test_the_answer_is_a_mean_over_studies():
    table = pd.DataFrame(
        {"study": ["a", "a", "b", "c", "d", "e"], "task": list("uvwxyz"), "score": [0.9, 0.5, 0.6, 0.7, 0.8, 0.75]}
    )
    judgement, contrast = answer(table)
    assert contrast.estimate == pytest.approx(np.mean([0.7, 0.6, 0.7, 0.8, 0.75]))
    assert contrast.n == 5
    assert judgement.verdict == "reproduced"
    assert answer(table.assign(score=-table["score"]))[0].verdict == "not reproduced"


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda each: each.study)
def test_published_studies_have_models_of_the_population(outcome):
    table = outcome.table(study_named(outcome.study).results("laptop"))
    assert set(table["model"]) <= set(BY_NAME)
    assert not table.duplicated(["task", "model"]).any()
    sizes = table.groupby("task")["model"].nunique()
    assert (sizes >= room.FEWEST).any()
    # twice by hand: the mean over runs of one model on one task
    results = study_named(outcome.study).results("laptop")
    if outcome.study == "chomsky":
        runs = results.values("accuracy", split="test", task="parity", model="LSTM", positions="none")
        assert table.set_index(["task", "model"])["value"]["parity", "plain LSTM"] == pytest.approx(runs.mean())
    if outcome.study == "signal_vs_samples":
        cell = {"model": "LSTM", "positions": "none", "decays": "none", "rho": 0.5, "samples": 128}
        runs = results.values("excess_error", split="test", **cell)
        assert table.set_index(["task", "model"])["value"]["0.5, 128", "LSTM"] == pytest.approx(-runs.mean())


def test_with_few_models_no_other_study_is_opened(line, monkeypatch):
    monkeypatch.setattr(room, "study_named", None)
    found = room.prediction(line.iloc[:4], scale="smoke")
    assert found.empty
    assert list(found.columns) == ["study", "task", "models", "score", "chance"]


def test_numbers_of_the_chapter_are_those_of_the_answer():
    table = pd.DataFrame(
        {"study": list("abcde"), "task": list("vwxyz"), "score": [0.7, 0.6, 0.7, 0.8, 0.75], "chance": [-0.1] * 5}
    )
    words = {name: make() for name, make in room.numbers(table).items()}
    _, contrast = answer(table)
    low, high = contrast.interval()
    assert words["foretold"] == f".71 [{low:.2f}, {high:.2f}]".replace("0.", ".").replace(" ", "\u00a0")
    assert words["foretold-chance"] == "−.10"
    assert words["foretold-verdict"] == "they do, by 5 studies"
