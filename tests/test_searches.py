"""Settings that a search chose, beside judged runs with them: which choices did worse than those not taken."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.record import searches
from inductive_bias.record.searches import chosen_settings, luck_in_words, luck_table
from inductive_bias.studies import STUDIES
from inductive_bias.studies.design import Design
from inductive_bias.studies.results import Results
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning
from tests.studies.toy import STUDY
from tests.tiny import tiny_trial

RATES = (0.01, 0.02, 0.04)


def study_of(tmp_path, scores, *, highest=False, tasks=1, rate=0.02, seeds=4):
    """A study whose search gave these scores by rate, and whose judged runs have one rate; and its tuning."""
    tuned = Tuned(tmp_path / "tuned.csv", keys=("model",))
    best = (max if highest else min)(scores, key=scores.get)
    rows = [{"scale": "laptop", "model": "MLP", "learning_rate": each, "runs": 1} for each in scores]
    found = pd.DataFrame(rows).assign(score=list(scores.values()), chosen=[each == best for each in scores])
    tuned.write("laptop", found, [{"model": "MLP", "learning_rate": 0.08}])  # the next round has no score yet

    def searched(scale):
        for each in (*scores, 0.08):
            runs = [tiny_trial(seed=FIRST_TUNING_SEED + n, rate=each, epochs=2 + n) for n in range(tasks)]
            yield {"model": "MLP", "learning_rate": each}, runs

    def judged(scale):
        yield {"model": "MLP", "teacher": "none"}, [tiny_trial(seed=seed, rate=rate) for seed in range(seeds)]

    tuning = Tuning(Design(searched, ("model", "learning_rate")), tuned, highest=highest)
    return replace(STUDY, design=Design(judged, ("model", "teacher")), tuning=tuning)


class Scores(Results):
    """Results of a study whose judged runs have these scores."""

    def __init__(self, study, values):
        rows = pd.DataFrame({"trial": list(study.design.members("laptop")), "value": values})
        super().__init__("toy", "laptop", study.design, rows)

    def frame(self, metric, *, split):
        return self.rows


def settings_of(monkeypatch, study, values):
    monkeypatch.setitem(STUDIES, "toy", study)
    return chosen_settings({"toy": Scores(study, values)})


def test_a_choice_did_worse_if_the_whole_interval_of_its_judged_runs_is_worse_than_the_middle(tmp_path, monkeypatch):
    study = study_of(tmp_path, {0.01: 0.5, 0.02: 0.1, 0.04: 0.7})
    for values, worse in (([0.9, 1.0, 0.8, 0.9], True), ([0.5, 0.9, 0.4, 0.8], False), ([0.1, 0.1, 0.2, 0.1], False)):
        (row,) = settings_of(monkeypatch, study, values).to_dict("records")
        assert (row["study"], row["key"], row["settings"]) == ("toy", "MLP", "0.02")
        assert (row["tries"], row["best"], row["middle"]) == (1, 0.1, pytest.approx(0.6))
        low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
        assert (row["judged"].low, row["judged"].high) == pytest.approx((low, high))
        assert row["worse"] is worse is bool(low > 0.6)


def test_of_a_score_whose_higher_values_are_better_the_lower_ones_are_worse(tmp_path, monkeypatch):
    study = study_of(tmp_path, {0.01: 0.5, 0.02: 0.9, 0.04: 0.7}, highest=True)
    assert settings_of(monkeypatch, study, [0.1, 0.2, 0.1, 0.2])["worse"].tolist() == [True]
    assert settings_of(monkeypatch, study, [0.9, 0.8, 0.9, 0.8])["worse"].tolist() == [False]


def test_a_diverged_run_has_no_score(tmp_path, monkeypatch):
    study = study_of(tmp_path, {0.01: 0.5, 0.02: 0.1})
    (row,) = settings_of(monkeypatch, study, [0.2, np.nan, 0.2, 0.3]).to_dict("records")
    assert row["judged"].n == len(row["trials"]) == 3


@pytest.mark.parametrize(
    "made",
    [
        pytest.param({"rate": 0.01}, id="judged runs have another rate"),
        pytest.param({"tasks": 2}, id="the score is a mean over two tasks"),
        pytest.param({"seeds": 1}, id="one judged run"),
    ],
)
def test_what_cannot_be_compared_is_left_out(tmp_path, monkeypatch, made):
    study = study_of(tmp_path, {0.01: 0.5, 0.02: 0.1, 0.04: 0.7}, **made)
    found = settings_of(monkeypatch, study, np.linspace(0.8, 0.9, made.get("seeds", 4)))
    assert found.empty
    assert list(found) == list(searches.COLUMNS)


def test_a_search_of_one_setting_chose_nothing(tmp_path, monkeypatch):
    assert settings_of(monkeypatch, study_of(tmp_path, {0.02: 0.1}), [0.8, 0.9, 0.8, 0.9]).empty


def test_a_study_without_a_search_has_no_row(monkeypatch):
    monkeypatch.setitem(STUDIES, "toy", STUDY)
    assert chosen_settings({"toy": Scores(STUDY, range(8))}).empty


def test_the_page_counts_them_and_names_the_claims_that_read_their_runs(tmp_path, monkeypatch):
    study = study_of(tmp_path, {0.01: 0.5, 0.02: 0.1, 0.04: 0.7})
    found = settings_of(monkeypatch, study, [0.9, 1.0, 0.8, 0.9])
    claims = pd.DataFrame({"claim": ["T1", "T2"], "read": [found["trials"][0][:1], ["another run"]]})
    assert luck_in_words(found).text.startswith("1 choices can be compared")
    assert "In 1 of them (100.0 %)".replace(" %", "\N{NO-BREAK SPACE}%") in luck_in_words(found).text
    table = luck_table(found, claims)
    assert "T1" in table.text
    assert "T2" not in table.text
    assert luck_table(found.assign(worse=False), claims).text == "There is none."
    assert "No search" in luck_in_words(found.iloc[:0]).text
