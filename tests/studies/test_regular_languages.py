"""Design, claims and published numbers of the study of regular languages."""

import math

import pandas as pd
import pytest

from inductive_bias.running import build
from inductive_bias.studies.regular_languages import STUDY
from inductive_bias.studies.regular_languages.claims import CLAIMS, mean_scores
from inductive_bias.studies.regular_languages.design import (
    LANGUAGE_ORDER,
    MODELS,
    RSA,
    TITLES,
    TOEPLITZ,
    TRANSFORMER,
    cell_of,
    cells,
    languages_of,
)
from inductive_bias.studies.regular_languages.paper import paper_table, reported
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.study import Results
from inductive_bias.tasks.formal import LANGUAGE_NAMES


class TestDesign:
    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells_and_every_model_meets_every_language(self, scale):
        found = cells(scale)
        trials = [trial for members in found.values() for trial in members]
        assert len({trial.id for trial in trials}) == len(trials)
        assert set(found) == {cell_of(model, name) for model in MODELS for name in languages_of(scale)}

    def test_every_language_is_in_the_large_scales_and_one_of_each_kind_in_the_small_one(self):
        assert set(languages_of("laptop")) == set(languages_of("paper")) == set(LANGUAGE_NAMES)
        assert {"parity", "aa", "abab"} <= set(languages_of("smoke"))
        assert len(set(TITLES.values())) == len(LANGUAGE_ORDER) == 16

    def test_large_scales_have_four_seeds(self):
        for scale in ("laptop", "paper"):
            assert all(len({t.seed for t in trials}) >= STUDY.min_seeds for trials in cells(scale).values())

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_parameters_are_matched_but_for_the_free_matrices(self, scale):
        found = cells(scale)
        for language in ("parity", "flip_flop"):
            sizes = {
                model: sum(weight.numel() for weight in build(found[cell_of(model, language)][0]).parameters())
                for model in MODELS
            }
            matched = [size for model, size in sizes.items() if model != TOEPLITZ]
            assert max(matched) / min(matched) < 1.03
            assert sizes[TOEPLITZ] > sizes[TRANSFORMER]
            assert sizes[RSA] - sizes[TRANSFORMER] < 20  # a gate, four λ or (γ, θ), twice

    def test_a_free_matrix_is_as_long_as_the_longest_string(self):
        for trials in cells("paper").values():
            if trials[0].model.mixer.kind == "toeplitz":
                assert trials[0].model.mixer.length == max(each.longest for each in trials[0].task.bins.values())

    def test_scale_paper_has_the_published_lengths_and_sizes(self):
        trial = cells("paper")[cell_of(TRANSFORMER, "aa")][0]
        assert trial.task.bins["train"].strings == 250
        assert trial.task.bins["longer"].longest == 594
        assert (trial.schedule.epochs, trial.schedule.batch_size) == (25, 32)
        assert trial.task.loss == "mse"


def made_up(strings=None, positions=None, *, spread=0.001, scale="laptop") -> Results:
    """Results with the given scores by cell (.5 elsewhere) on all bins."""
    rows = []
    for cell, trials in cells(scale).items():
        for number, trial in enumerate(trials):
            noise = spread * (number - (len(trials) - 1) / 2)
            for metric, known in (("string_accuracy", strings), ("position_accuracy", positions)):
                value = (known or {}).get(cell, 0.5) + noise
                rows += [
                    {"cell": cell, "trial": trial.id, "seed": trial.seed, "split": split, "metric": metric,
                     "epoch": math.nan, "x": math.nan, "value": value}
                    for split in ("validation", "longer", "longest")
                ]  # fmt: skip
    return Results(STUDY, scale, pd.DataFrame(rows), complete_publication=True)


def finding(name, results):
    return next(claim for claim in CLAIMS if claim.id == name).check(results)


class TestClaims:
    """Made-up results with a known truth: a claim must be able to fail."""

    def test_recurrence_must_raise_the_mean_over_languages(self):
        better = {cell_of(RSA, language): 0.6 for language in LANGUAGE_ORDER}
        found = finding("R9", made_up(better))
        assert found.verdict == "reproduced"
        assert found.effect == pytest.approx(0.1)
        worse = {cell_of(RSA, language): 0.4 for language in LANGUAGE_ORDER}
        assert finding("R9", made_up(worse)).verdict == "not reproduced"
        assert finding("R9", made_up(better, spread=0.4)).verdict == "inconclusive"

    def test_the_note_names_the_languages_that_gain_and_lose(self):
        scores = {cell_of(RSA, "aa"): 0.9, cell_of(RSA, "parity"): 0.2}
        note = finding("R9", made_up(scores)).note
        assert "better in (aa)*;" in note
        assert "worse in Parity;" in note
        assert "minus Transformer, ALiBi" in note

    def test_periods_must_gain_and_parity_must_not(self):
        periods = {cell_of(RSA, "aa"): 0.8, cell_of(RSA, "abab"): 0.7}
        found = finding("RH", made_up(positions=periods))
        assert found.verdict == "reproduced"
        assert found.effect == pytest.approx(0.2)  # the smaller of both gains
        assert "(abab)*" in found.unit

    def test_a_gain_on_parity_speaks_against_the_hypothesis(self):
        all_three = {cell_of(RSA, language): 0.8 for language in ("aa", "abab", "parity")}
        found = finding("RH", made_up(positions=all_three))
        assert found.verdict == "not reproduced"
        assert found.unit.endswith("Parity")

    def test_no_gain_at_all_is_a_verdict_even_without_any_spread(self):
        assert finding("RH", made_up(spread=0.0)).verdict == "not reproduced"
        one = {cell_of(RSA, "aa"): 0.8, cell_of(RSA, "abab"): 0.52}
        assert finding("RH", made_up(positions=one)).verdict == "not reproduced"

    def test_noise_leaves_it_open(self):
        periods = {cell_of(RSA, "aa"): 0.8, cell_of(RSA, "abab"): 0.7}
        assert finding("RH", made_up(positions=periods, spread=0.3)).verdict == "inconclusive"

    def test_a_seed_of_which_a_trial_diverged_has_no_mean(self):
        results = made_up()
        lost = (results.rows["cell"] == cell_of(RSA, "aa")) & (results.rows["seed"] == 2)
        results.rows.loc[lost, "value"] = math.nan
        assert len(mean_scores(results, RSA)) == 3

    def test_claims_can_be_judged_at_scale_smoke(self):
        assert finding("R9", made_up(scale="smoke")).verdict in ("reproduced", "not reproduced", "inconclusive")
        assert finding("RH", made_up(scale="smoke")).verdict in ("reproduced", "not reproduced", "inconclusive")


class TestPaper:
    def test_published_scores_are_shares_of_languages_of_the_study(self):
        table = paper_table()
        assert set(table["language"]) == set(LANGUAGE_NAMES) - {"flip_flop"}
        assert table["value"].between(0, 1).all()
        assert not table.duplicated(["language", "split"]).any()

    def test_what_is_not_reported_is_not_there(self):
        assert reported("d_2", "longer") == pytest.approx(0.031)
        assert reported("d_2", "longest") is None
        assert reported("flip_flop", "longer") is None
