"""The search for settings: what is tried, what is chosen, and the file between a search and a design."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from inductive_bias.errors import SettingError
from inductive_bias.studies import STUDIES
from inductive_bias.studies.design import Design
from inductive_bias.studies.results import Results
from inductive_bias.studies.tuning import FIRST_TUNING_SEED, Tuned, Tuning, around
from tests.studies.toy import STUDY
from tests.tiny import tiny_trial


@pytest.fixture
def tuned(tmp_path):
    return Tuned(tmp_path / "tuned.csv", keys=("model",))


def search(tuned, *, runs=2):
    """A search for the rate of one small model."""

    def cells(scale):
        for place in tuned.grid(scale, around(1e-2), model="MLP"):
            seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + runs)
            yield {"model": "MLP"} | place, [tiny_trial(seed=each, rate=place["learning_rate"]) for each in seeds]

    return Tuning(Design(cells, ("model", "learning_rate")), tuned, metric="accuracy", split="test", highest=True)


class Scores(Results):
    """Results of a search whose scores are given, by model and rate."""

    def __init__(self, scores):
        rows = [
            {"model": model, "learning_rate": rate, "value": value}
            for (model, rate), values in scores.items()
            for value in values
        ]
        super().__init__("toy", "laptop", STUDY.design, pd.DataFrame(rows))

    def frame(self, metric, *, split):
        return self.rows


def lowest(tuned, scores):
    return replace(search(tuned), highest=False).scores(Scores(scores))


def test_a_grid_begins_around_a_rate_and_goes_on_where_the_file_says(tuned):
    assert around(4e-3) == [{"learning_rate": rate} for rate in (2e-3, 4e-3, 8e-3)]
    first = pd.DataFrame([{"scale": "laptop", "model": "MLP", "learning_rate": 8e-3, "runs": 2, "score": 0.3}])
    tuned.write("laptop", first.assign(chosen=True), [{"model": "MLP", "learning_rate": 0.016}])
    assert [each["learning_rate"] for each in tuned.grid("laptop", around(4e-3), model="MLP")] == [
        2e-3,
        4e-3,
        8e-3,
        0.016,
    ]
    assert [each["learning_rate"] for each in tuned.grid("paper", around(4e-3), model="MLP")] == [2e-3, 4e-3, 8e-3]
    assert tuned.get("laptop", "learning_rate", 1.0, model="MLP") == 8e-3
    assert tuned.get("paper", "learning_rate", 1.0, model="MLP") == 1.0
    assert tuned.get("laptop", "learning_rate", 1.0, model="CNN") == 1.0


def test_a_rate_goes_through_the_file_with_all_its_digits(tuned):
    rates = [0.1 * 3, 1 / 3, 4e-3 * 0.125]
    found = pd.DataFrame(
        [
            {"scale": "laptop", "model": f"{place}", "learning_rate": rate, "runs": 1, "score": 0.1, "chosen": True}
            for place, rate in enumerate(rates)
        ]
    )
    tuned.write("laptop", found)
    again = Tuned(tuned.path, keys=("model",))
    # models of the file are words, whatever they look like
    assert again.table["learning_rate"].tolist() == rates


def test_the_best_mean_is_chosen_and_a_diverged_run_is_worse_than_any(tuned):
    found = lowest(
        tuned,
        {
            ("LSTM", 0.1): [0.5, 0.7],
            ("LSTM", 0.2): [0.1, np.nan],
            ("LSTM", 0.4): [0.4, 0.9],
            ("MLP", 0.1): [0.2, 0.2],
            ("MLP", 0.2): [0.2, 0.2],
        },
    )
    assert found["chosen"].tolist() == [True, False, False, True, False]
    assert found["runs"].tolist() == [2] * 5
    assert found["score"].tolist() == pytest.approx([0.6, np.inf, 0.65, 0.2, 0.2])


def test_where_all_runs_diverged_nothing_is_chosen(tuned):
    assert not lowest(tuned, {("LSTM", 0.1): [np.nan], ("LSTM", 0.2): [np.nan]})["chosen"].any()


def chosen(tuned, scores, **options):
    """The rate that is chosen of every model."""
    found = replace(search(tuned), **options).scores(Scores({place: [score] for place, score in scores.items()}))
    return found[found["chosen"]].set_index("model")["learning_rate"].to_dict()


def test_a_model_that_guesses_at_every_rate_keeps_the_first(tuned):
    scores = {("LSTM", 0.2): 0.6932, ("LSTM", 0.1): 0.6931, ("MLP", 0.2): 0.6932, ("MLP", 0.1): 0.5}
    assert chosen(tuned, scores, highest=False) == {"LSTM": 0.1, "MLP": 0.1}
    assert chosen(tuned, scores, highest=False, alike=0.002) == {"LSTM": 0.2, "MLP": 0.1}


def test_what_was_tried_too_late_is_scored_and_not_chosen(tuned):
    scores = {("LSTM", 0.1): 0.3, ("LSTM", 0.2): 0.2, ("MLP", 0.2): 0.2}
    late = ({"model": "LSTM", "learning_rate": 0.2},)
    assert chosen(tuned, scores, highest=False, too_late=late) == {"LSTM": 0.1, "MLP": 0.2}


def test_what_is_better_may_depend_on_the_key(tuned):
    scores = {("LSTM", 0.1): 0.3, ("LSTM", 0.2): 0.2, ("MLP", 0.1): 0.3, ("MLP", 0.2): 0.2}
    found = chosen(tuned, scores, highest=lambda table: table["model"] == "MLP")
    assert found == {"LSTM": 0.2, "MLP": 0.1}


def test_a_key_may_have_no_level_beside_numbers(tmp_path):
    tuned = Tuned(tmp_path / "tuned.csv", keys=("steps",))
    rows = [{"scale": "laptop", "steps": steps, "learning_rate": 0.1, "runs": 1, "score": 0.5} for steps in (None, 10)]
    tuned.write("laptop", pd.DataFrame(rows).astype({"steps": object}).assign(chosen=True))
    again = Tuned(tuned.path, keys=("steps",))
    assert [again.score("laptop", steps=steps) for steps in (None, 10, 20)] == [0.5, 0.5, None]


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ({0.1: 0.3, 0.2: 0.2, 0.4: 0.3}, []),
        ({0.1: 0.3, 0.2: 0.2, 0.4: 0.1}, [0.8]),
        ({0.1: 0.1, 0.2: 0.2, 0.4: 0.3}, [0.05]),
        ({0.1: 0.1}, []),
    ],
    ids=["inside", "above", "below", "one place"],
)
def test_the_grid_grows_where_the_best_is_its_last(tuned, scores, wanted):
    tuning = replace(search(tuned), highest=False)
    found = tuning.scores(Scores({("MLP", rate): [score] for rate, score in scores.items()}))
    assert tuning.edges(found) == [{"model": "MLP", "learning_rate": rate} for rate in wanted]


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([0.6932, 0.6931, 0.6931], []),
        ([0.6931, 0.6931, np.nan], []),
        ([0.6931, np.nan, np.nan], [0.05]),
        ([0.5, 0.6, 0.7], [0.05]),
        ([np.nan, np.nan, np.nan], []),
    ],
    ids=["alike", "alike where they end", "one ends", "one is better", "none ends"],
)
@pytest.mark.parametrize("highest", [False, True], ids=["lowest", "highest"])
def test_the_grid_does_not_grow_where_no_place_is_better_than_another(tuned, scores, wanted, highest):
    tuning = replace(search(tuned), highest=highest, alike=0.002)
    scores = {
        ("MLP", rate): [-score if highest else score] for rate, score in zip((0.1, 0.2, 0.4), scores, strict=True)
    }
    found = tuning.scores(Scores(scores))
    assert tuning.edges(found) == [{"model": "MLP", "learning_rate": rate} for rate in wanted]


def test_one_model_that_guesses_does_not_stop_the_grid_of_another(tuned):
    scores = {("LSTM", 0.1): 0.7, ("LSTM", 0.2): 0.7, ("MLP", 0.1): 0.7, ("MLP", 0.2): 0.5}
    tuning = replace(search(tuned), highest=False)
    found = tuning.scores(Scores({place: [score] for place, score in scores.items()}))
    assert tuning.edges(found) == [{"model": "MLP", "learning_rate": 0.4}]


@pytest.mark.slow
def test_tuning_trains_the_grid_lets_it_grow_and_writes_what_a_design_reads(home, tuned):
    study = replace(STUDY, tuning=search(tuned))
    found = study.tune("smoke", most_further=1)
    assert tuned.path.is_file()
    (best,) = found[found["chosen"]].to_dict("records")
    assert tuned.get("smoke", "learning_rate", 0.0, model="MLP") == best["learning_rate"]
    assert best["score"] == found["score"].max()
    scored = study.results("smoke").search.frame("accuracy", split="test")
    means = scored.groupby("learning_rate")["value"].mean()
    assert means.idxmax() == best["learning_rate"]
    assert scored["seed"].min() == FIRST_TUNING_SEED
    assert len(scored) == 2 * len(found) == found["runs"].sum()
    # a second call trains nothing and changes nothing
    before = tuned.path.read_bytes()
    runs = {path.name for path in study.store().root.iterdir()}
    study.tune("smoke", most_further=0)
    assert {path.name for path in study.store().root.iterdir()} == runs
    if not study.tuning.edges(found):
        assert tuned.path.read_bytes() == before


def test_a_study_that_searches_for_nothing_says_so(home):
    with pytest.raises(SettingError, match="study 'toy' searches for no settings"):
        STUDY.tune("smoke")
    with pytest.raises(SettingError, match="study 'toy' searched for no settings"):
        STUDY.results("smoke").search  # noqa: B018


def test_a_file_with_other_columns_is_refused(tuned):
    tuned.path.write_text("scale,model,rate\n")
    with pytest.raises(SettingError, match="expected scale, model, learning_rate, runs, score, chosen"):
        tuned.get("laptop", "learning_rate", 0.1, model="MLP")


@pytest.mark.parametrize("words", [("True", ""), ("", ""), ("yes", "no"), ("1", "0")], ids=str)
def test_a_file_that_does_not_say_true_or_false_of_every_place_is_refused(tuned, words):
    head = "scale,model,learning_rate,runs,score,chosen\n"
    tuned.path.write_text(head + "".join(f"laptop,MLP,0.{n},2,0.5,{word}\n" for n, word in enumerate(words, start=1)))
    with pytest.raises(SettingError, match=r"tuned\.csv .*'chosen'"):
        tuned.get("laptop", "learning_rate", 0.1, model="MLP")
    tuned.path.write_text(head)
    assert Tuned(tuned.path, keys=("model",)).get("laptop", "learning_rate", 0.1, model="MLP") == 0.1


@pytest.mark.parametrize("study", [each for each in STUDIES.values() if each.tuning], ids=lambda study: study.name)
def test_what_is_published_of_a_search_chooses_what_the_file_says(study):
    results = study.results("laptop").search
    found = study.tuning.scores(results)
    kept = study.tuning.tuned.table
    kept = kept[kept["scale"] == "laptop"]
    keys = ["scale", *study.tuning.keys, *study.tuning.settings]
    both = found.merge(kept, on=keys, how="outer", suffixes=("", "_file"), indicator=True)
    assert (both["_merge"] == "both").all()
    assert both["runs"].equals(both["runs_file"])
    np.testing.assert_allclose(both["score"], both["score_file"], rtol=1e-9)
    assert both["chosen"].tolist() == both["chosen_file"].tolist()


@pytest.mark.parametrize("study", [each for each in STUDIES.values() if each.tuning], ids=lambda study: study.name)
def test_no_run_that_chooses_is_judged_or_shares_a_seed_with_one_that_is(study):
    judged = study.design.members("laptop")
    searched = study.tuning.design.members("laptop")
    assert not set(judged) & set(searched)
    seeds = {trial.seed for _, _, trial in judged.values()}
    assert not seeds & {trial.seed for _, _, trial in searched.values()}
