"""Languages until they are mastered: what is trained, what the claims make of made-up results, and the figures."""

import math
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies.design import Design
from inductive_bias.studies.formal_models import TITLES
from inductive_bias.studies.formal_scores import ROUNDING, gain, gain_within, masters, mean_gain, positions_right
from inductive_bias.studies.mastery import STUDY, figures
from inductive_bias.studies.mastery.design import (
    FIRST,
    FUTILE,
    HOPE,
    MASTERED_BY_BOTH,
    MASTERY_MODELS,
    PAIRS,
    PERIODS_AND_PARITY,
    PLANS,
    TUNED,
    TUNING,
    cell,
    cells,
)
from inductive_bias.studies.preconditions import MASTERED
from inductive_bias.studies.regular_languages import STUDY as BRIEF
from inductive_bias.tasks.formal import LANGUAGES
from tests.fakes import fake_results, judged

REGULAR = [name for name in TITLES if LANGUAGES[name].family != "counter"]
#: Small differences between the runs of a cell, which cancel in no pair.
NOISE = {"RSA": (1, -1, 2, -2, 1, -1, 2, -2), "Attention": (2, 1, -1, -2, -2, -1, 1, 2)}


#: More runs of the cells of RH than any scale has: so many rule out a rare run that finds Parity.
MOST = 60
MANY_RUNS = replace(
    PLANS["paper"],
    runs=FUTILE,
    other_runs={(name, *told): MOST for name in PERIODS_AND_PARITY for told in PAIRS["none"]},
)
MANY = replace(
    STUDY,
    design=Design(partial(cells, plans=PLANS | {"paper": MANY_RUNS}), STUDY.design.factors, label=STUDY.design.label),
)


class TestDesign:
    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_training_ends_when_all_validation_strings_are_mastered_or_after_eight_times_as_long(self, scale):
        for at, trials in STUDY.design.cells(scale).items():
            if at["positions"] != "none" and at["model"] == "RSA":
                continue
            brief = BRIEF.design.cells(scale)[at][0]
            new = trials[0]
            assert new.task.mastered == MASTERED
            assert new.task.watched == new.task.validation_size == brief.task.validation_size
            assert new.task.bins == brief.task.bins
            assert new.schedule.epochs == 8 * brief.schedule.epochs
            assert new.model == brief.model

    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_twins_differ_in_the_recurrence_and_in_their_rate_alone(self, scale):
        cells = STUDY.design.cells(scale)
        for own, twin in PAIRS.values():
            a, b = (cells[cell("parity", told)][0] for told in (own, twin))
            assert a.model.model_copy(update={"mixer": b.model.mixer}) == b.model
            for trial, (model, positions) in ((a, own), (b, twin)):
                chosen = TUNED.get(scale, "learning_rate", PLANS[scale].rate, model=model, positions=positions)
                assert trial.optimiser.learning_rate == chosen
            same = {"model": b.model, "optimiser": b.optimiser}
            assert a.model_copy(update=same) == b

    def test_runs_that_choose_share_no_seed_with_runs_that_are_judged(self):
        judged, searched = ({t.seed for t in design.trials("laptop")} for design in (STUDY.design, TUNING.design))
        assert judged == set(range(MASTERED_BY_BOTH))
        assert not judged & searched


@pytest.fixture(scope="module")
def published():
    return STUDY.results("laptop")


class TestWhatIsPublished:
    def test_rates_are_those_that_the_search_found_and_none_stands_at_the_end_of_its_grid(self, published):
        found = TUNING.scores(published.search)
        best = found[found["chosen"]].set_index(["model", "positions"])["learning_rate"]
        assert set(best.index) == set(MASTERY_MODELS)
        assert all(
            TUNED.chosen("laptop", model=at[0], positions=at[1])["learning_rate"] == best[at] for at in best.index
        )
        assert TUNING.edges(found) == []

    def test_a_language_has_eight_runs_where_both_master_it_and_two_where_four_cannot(self, published):
        known = figures.scores(published, "validation").groupby(["language", "model", "positions"], observed=True)
        first = {at: rows.set_index("number")["value"].sort_index() for at, rows in known}
        for pair in PAIRS.values():
            for name in TITLES:
                both = min(first[name, *told][:FIRST].mean() for told in pair) >= MASTERED - ROUNDING
                for told in pair:
                    futile = first[name, *told][:FUTILE].mean() < HOPE and name not in PERIODS_AND_PARITY
                    expected = MASTERED_BY_BOTH if both else FUTILE if futile else FIRST
                    assert len(published.cells[cell(name, told)]) == expected, (name, told)

    def test_no_runs_could_lift_the_mean_of_four_where_hope_is_lost(self):
        others = [1.0] * (FIRST - FUTILE)
        assert (FUTILE * HOPE + sum(others)) / FIRST == pytest.approx(MASTERED)


def made_up(
    *, training=None, longer=None, positions=None, within=None, lost=(), noise=0.001, scale="paper", study=STUDY
):
    """Scores by model and language: .5 within the training lengths, on longer strings and on positions beyond these.

    ``training``, ``longer`` and ``positions`` give others, ``{("RSA", "aa"): .9}``; ``within`` those of the positions
    of longer strings within the training lengths; ``lost`` are runs that diverged. Models that are told positions have
    the same.
    """
    given = training or {}, longer or {}, positions or {}, within or {}

    def values(number, language, model, positions):
        places = ("validation", "string_accuracy"), ("longer", "string_accuracy"), ("longer", "position_accuracy")
        if (model, language, number) in lost:
            return dict.fromkeys(places, math.nan)
        shift = noise * NOISE.get(model, (0,) * 8)[number % 8]
        known, strings, beyond, inside = (table.get((model, language), 0.5) + shift for table in given)
        ends = study.design.cells(scale)[cell(language, (model, positions))][0].task.bins["train"].longest
        # a step that has the training length inside counts as within
        steps = {5.5: inside, ends - 0.5: inside, ends + 5.5: beyond, ends + 15.5: beyond}
        along = {("longer", "position_accuracy", ("position", at)): value for at, value in steps.items()}
        counts = {("longer", "n", ("position", at)): 30.0 if at < ends + 10 else 10.0 for at in steps}
        whole = 0.5 * inside + 0.5 * beyond
        return dict(zip(places, (known, strings, whole), strict=True)) | along | counts

    return fake_results(study, values, scale=scale)


def mastering(languages, *, rsa=0.8, twin=0.5, **more):
    """Both master the training lengths of these languages; of longer strings they have so many right."""
    rsa = dict.fromkeys(languages, rsa) if isinstance(rsa, float) else dict(zip(languages, rsa, strict=True))
    pair = ("RSA", "Attention")
    longer = {("RSA", name): score for name, score in rsa.items()} | {("Attention", name): twin for name in languages}
    training = {(model, name): 0.995 for model in pair for name in languages}
    return made_up(training=training, longer=longer | more.pop("longer", {}), **more)


@pytest.mark.parametrize("claim", ["R9", "R9-told"])
class TestRecurrenceGoesOn:
    """R9: languages that both master are what counts, and each must be able to speak against it."""

    SOME = REGULAR[:5]

    def verdict(self, claim, results):
        return judged(STUDY, claim, results).judgement.verdict

    def test_more_longer_strings_where_both_master_the_training_lengths(self, claim):
        found = judged(STUDY, claim, mastering(self.SOME))
        assert found.judgement.verdict == "reproduced"
        assert found.shown.estimate == pytest.approx(0.3)
        assert "5 regular languages that both master" in found.shown.name

    def test_no_gain_or_less_than_is_worth_the_name_fails(self, claim):
        for rsa in (0.3, 0.5, 0.52):
            assert self.verdict(claim, mastering(self.SOME, rsa=rsa)) == "not reproduced"

    def test_a_gain_in_some_languages_alone_leaves_it_open_whatever_the_seeds(self, claim):
        found = judged(STUDY, claim, mastering(self.SOME, rsa=(0.9, 0.9, 0.5, 0.5, 0.5)))
        assert found.judgement.verdict == "beyond these data"
        assert math.isinf(found.judgement.seeds)
        assert "as many languages would" in found.judgement.reason

    def test_what_is_not_mastered_does_not_count(self, claim):
        elsewhere = {("RSA", name): 1.0 for name in REGULAR[5:]}
        assert self.verdict(claim, mastering(self.SOME, rsa=0.5, longer=elsewhere)) == "not reproduced"
        assert "0 of 14" in judged(STUDY, claim, made_up(longer=elsewhere)).judgement.untestable
        assert self.verdict(claim, mastering(REGULAR[:1])) == "not testable here"

    def test_a_twin_without_a_fault_leaves_nothing_to_gain(self, claim):
        judgement = judged(STUDY, claim, mastering(self.SOME, rsa=0.99, twin=0.99)).judgement
        assert judgement.verdict == "not testable here"
        assert "5 of 14 regular languages (Tomita 1, Tomita 2" in judgement.untestable

    def test_languages_that_are_not_regular_stand_in_the_note_alone(self, claim):
        counters = {("RSA", name): 0.1 for name in ("dyck_1", "anbncn")}
        found = judged(STUDY, claim, mastering(self.SOME, longer=counters))
        assert found.judgement.verdict == "reproduced"
        assert "2 languages that are not regular −0.400" in found.note

    def test_a_run_that_diverged_in_training_masters_nothing(self, claim):
        lost = [("Attention", self.SOME[0], 0)]
        assert "4 of 14" in judged(STUDY, claim, mastering(self.SOME, twin=0.99, lost=lost)).judgement.untestable


def test_a_mean_of_exactly_the_bound_is_mastery_in_single_precision_too():
    runs = np.array([1, 1, 1, 0.96], dtype=np.float32)
    assert runs.astype(float).mean() < MASTERED
    assert masters(runs.astype(float).mean())
    assert not masters(0.9899)


class TestDifferences:
    def test_a_diverged_run_has_no_string_right(self):
        lost = [("RSA", REGULAR[0], 2)]
        results = made_up(longer={("RSA", name): 0.8 for name in REGULAR}, lost=lost, noise=0)
        found = mean_gain(results, REGULAR[:5], "languages")
        assert found.estimate == pytest.approx(0.3 - 0.8 / 40)
        assert len(found.failed) == 1

    def test_of_languages_with_more_runs_those_count_that_all_have(self):
        some = REGULAR[:2]

        def values(number, language, model, positions):
            if language == some[0] and number >= FIRST:
                return {}
            return {("longer", "string_accuracy"): (0.75 if model == "RSA" else 0.5) + 0.1 * (number >= FIRST)}

        found = mean_gain(fake_results(STUDY, values, scale="paper"), some, "languages")
        assert found.n == FIRST
        assert found.estimate == pytest.approx(0.25)

    def test_on_one_language_twins_are_paired_whatever_they_are_told(self):
        results = made_up(positions={("RSA", "aa"): 0.9}, noise=0)
        for told, pair in PAIRS.items():
            found = gain(results, "aa", pair=pair)
            assert found.estimate == pytest.approx(0.4)
            assert ("sinusoidal" in found.name) == (told != "none")


class TestPositions:
    """What is right within the training lengths is no going on."""

    PAIR = PAIRS["none"]

    def test_positions_beyond_count_by_their_number_and_those_within_do_not(self):
        results = made_up(positions={("RSA", "aa"): 0.9}, within={("RSA", "aa"): 0.7}, noise=0)
        at = {"split": "longer", "language": "aa", "told": self.PAIR[0]}
        beyond, within = (positions_right(results, beyond=which, **at) for which in (True, False))
        assert beyond.tolist() == pytest.approx([0.9] * MASTERED_BY_BOTH)
        assert within.tolist() == pytest.approx([0.7] * MASTERED_BY_BOTH)

    def test_a_step_with_more_positions_weighs_more_and_a_run_that_diverged_has_none(self):
        def values(number, **at):
            if number == 0:
                return {("longer", "position_accuracy"): math.nan}
            right = {("longer", "position_accuracy", ("position", 25.5)): 1.0, ("longer", "position_accuracy"): 0.2}
            right |= {("longer", "position_accuracy", ("position", place)): 0.0 for place in (5.5, 15.5, 35.5)}
            return right | {
                ("longer", "n", ("position", place)): n for place, n in {5.5: 9, 15.5: 9, 25.5: 6, 35.5: 2}.items()
            }

        # strings of up to 12 symbols are trained on: the step from 11 to 20 is not wholly beyond
        results = fake_results(STUDY, values, scale="smoke")
        found = positions_right(results, "longer", "aa", self.PAIR[0])
        assert math.isnan(found[0])
        assert found[1] == pytest.approx(6 / 8)

    def test_a_gain_within_the_training_lengths_is_shown_apart(self):
        results = made_up(within={("RSA", "parity"): 0.7}, noise=0.001)
        assert gain(results, "parity").estimate == pytest.approx(0)
        assert gain_within(results, "parity").estimate == pytest.approx(0.2)

    def test_the_figure_has_every_run_at_both_places_and_a_diverged_one_has_nothing_right(self):
        lost = [("RSA", "parity", 3)]
        table = figures.answers(made_up(within={("RSA", "parity"): 0.7}, lost=lost, noise=0))
        rows = table[(table["language"] == "parity") & (table["mixer"] == "RSA")]
        runs = rows.groupby("place")["value"].apply(list)
        assert runs[figures.WITHIN] == pytest.approx([0.7, 0.7, 0.7, 0.0, 0.7, 0.7, 0.7, 0.7])
        assert runs[figures.BEYOND] == pytest.approx([0.5, 0.5, 0.5, 0.0, 0.5, 0.5, 0.5, 0.5])
        assert set(table["language"]) == set(PERIODS_AND_PARITY)
        assert "LSTM" not in set(table["mixer"])


class TestPeriodsAndParity:
    """RH: gains on both periods, none on Parity, in positions beyond the training lengths."""

    PERIODS: ClassVar = {("RSA", "aa"): 0.8, ("RSA", "abab"): 0.7}

    def word(self, **numbers):
        claim = next(each for each in STUDY.claims if each.id == "RH")
        return claim.word(claim.judge(made_up(**numbers)))

    def test_periods_must_gain_and_parity_must_not(self):
        assert self.word(positions=self.PERIODS, study=MANY) == "confirmed"
        assert self.word(positions=self.PERIODS | {("RSA", "parity"): 0.8}) == "refuted"
        assert self.word(positions=self.PERIODS | {("RSA", "abab"): 0.5}, study=MANY) == "refuted"

    def test_few_runs_do_not_rule_out_one_that_finds_parity(self):
        assert self.word(positions=self.PERIODS) == "undecided"

    def test_what_parity_gains_within_the_training_lengths_does_not_refute_it(self):
        within = {("RSA", "parity"): 0.9}
        assert self.word(positions=self.PERIODS, within=within, study=MANY) == "confirmed"

    def test_noise_leaves_it_open_and_a_diverged_run_counts(self):
        assert self.word(positions=self.PERIODS, noise=0.1, study=MANY) == "undecided"
        lost = [("RSA", "aa", number) for number in range(MOST // 3)]
        assert self.word(positions=self.PERIODS, lost=lost, study=MANY) == "undecided"


class TestTables:
    def results(self, score=lambda **at: 1.0, last=lambda **at: 3):
        """Smoke results with looks after every epoch up to the last."""

        def values(**at):
            return {("validation", "string_accuracy"): score(**at), ("longer", "string_accuracy"): score(**at) / 2}

        results = fake_results(STUDY, values, scale="smoke")
        final = results.rows
        members = STUDY.design.members("smoke")
        looks = final[final["split"] == "validation"]
        parts = [final]
        for epoch in (1, 2, 3, 4):
            there = [epoch <= last(**members[name][0]) for name in looks["trial"]]
            parts.append(looks[there].assign(epoch=float(epoch)))
        return replace(results, rows=pd.concat(parts, ignore_index=True))

    def test_steps_are_the_epochs_of_a_run_times_its_batches(self):
        table = figures.until(self.results(score=lambda model, **at: 0.995 if model == "RSA" else 0.25))
        row = table.set_index("language").loc["Parity"]
        assert row["RSA"] == "6 6"  # two batches of 32 of 64 strings, three epochs
        assert row["Attention, sinusoidal"] == "(0.25) (0.25)"

    def test_the_best_rate_is_the_highest_score_and_of_equal_ones_the_shortest_training(self):
        def search(model, learning_rate, **at):
            score = 1.0 if model == "RSA" else {0.005: 0.1, 0.01: 0.3, 0.02: 0.9}[learning_rate]
            last = 2 if model == "RSA" and learning_rate == 0.005 else 4
            return {("validation", "string_accuracy", ("epoch", float(epoch))): score for epoch in range(1, last + 1)}

        results = fake_results(STUDY, lambda **at: {("test", "loss"): 0.0}, scale="smoke", search=search)
        found = TUNING.scores(results.search).query("chosen").set_index(["model", "positions"])["learning_rate"]
        assert found["RSA", "none"] == found["RSA", "sinusoidal"] == 0.005
        assert found["Attention", "none"] == 0.02
        assert set(found.index) == set(MASTERY_MODELS)
        table = figures.grid(results).set_index("mixer")
        assert table.loc["RSA", ["rate 0.005", "rate 0.01", "chosen"]].tolist() == ["1.000 (2)", "1.000 (4)", "0.005"]

    def test_longer_strings_count_where_training_lengths_are_mastered(self):
        table = figures.reached(self.results(score=lambda model, **at: 1.0 if model == "RSA" else 0.9), "longer")
        assert table["RSA"].tolist() == [0.5] * len(table)
        assert table["Attention"].isna().all()

    def test_gains_say_who_masters(self):
        table = figures.gains(self.results(score=lambda model, **at: 1.0 if model == "RSA" else 0.9), "sinusoidal")
        assert set(table["mastered by"]) == {"RSA, sinusoidal"}
        assert table["longer"].str.startswith("+0.050").all()
        assert len(figures.beyond(self.results(score=lambda model, **at: 0.9))) == 0
        both = figures.beyond(self.results())
        assert set(both["model"].unique()) == {"RSA", "Attention"}
