"""The population of image models: its design, the axes of made-up runs, and the tables of the page."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from inductive_bias.studies.image_axes import CHANGE_AXES, EVERY_AXIS, IMAGE_AXES, image_scores
from inductive_bias.studies.image_profiles import STUDY, figures, prose
from inductive_bias.studies.image_profiles.design import DEFAULT, PLANS, QUICK, family
from inductive_bias.studies.image_profiles.measures import profile_scores, profiles
from inductive_bias.studies.known_image_models import IMAGE_FAMILIES, IMAGE_MODELS, IMAGE_POPULATION
from inductive_bias.studies.known_models import BY_NAME, IMAGE_DIMENSIONS
from inductive_bias.studies.parameter_matching import parameters
from inductive_bias.studies.profile_axes import AXES, by_axis
from inductive_bias.studies.profile_distances import fitness_of
from inductive_bias.tasks.image_probes import IMAGE_PROBES, ImagePreference
from inductive_bias.tasks.probes import CONFLICT, PROBES
from tests.fakes import fake_results

CHANCE = 0.2


def right(above, ece=0.1):
    """Metrics of a split on which so much is right above chance."""
    accuracy = CHANCE + above * (1 - CHANCE)
    return {"accuracy": accuracy, "constant_accuracy": CHANCE, "nll": 1.0, "ece_20": ece}


def rows_of(probe, above=1.0, *, kept=None, preference=0.5, error=0.25, torn=0.75):
    """The numbers of one run by place."""
    if probe == "untrained images":
        return {("test", "invariance_error"): error, ("test", "arrangement_sensitivity"): torn}
    found = {("test", metric): value for metric, value in right(above).items()}
    if isinstance(IMAGE_PROBES[probe], ImagePreference):
        found[(CONFLICT, "preference")] = preference
    if probe == "digits":
        for split, share in (kept or dict.fromkeys(CHANGE_AXES, 0.5)).items():
            found |= {(split, metric): value for metric, value in right(above * share, ece=0.3).items()}
        found[("test", "invariance_error")] = error
    return found


def made_up(values=None, *, scale="laptop"):
    """All runs alike, but for the options of :func:`rows_of` by model."""
    return fake_results(
        STUDY, lambda *, number, model, probe: rows_of(probe, **((values or {}).get(model, {}))), scale=scale
    )


def value(results, model, axis):
    return profiles(results).loc[model, axis]


class TestDesign:
    def test_members_have_about_the_weights_that_they_are_said_to_have(self):
        for member in IMAGE_POPULATION:
            found = parameters(member.spec(), IMAGE_DIMENSIONS)
            assert found == pytest.approx(member.weights, rel=0.15), member.name
            assert member.images

    def test_families_are_known_and_names_are_those_of_no_other_group(self):
        assert {member.family for member in IMAGE_POPULATION} == set(IMAGE_FAMILIES)
        assert len(IMAGE_MODELS) == len(IMAGE_POPULATION) >= 6
        assert not set(IMAGE_MODELS) & set(BY_NAME)
        assert not set(IMAGE_PROBES) & set(PROBES)
        assert len(EVERY_AXIS) == len(AXES) + len(IMAGE_AXES)

    def test_mixers_of_patches_differ_in_the_mixer_alone(self):
        one, *others = (IMAGE_MODELS[f"{name}, patches"].spec() for name in ("Attention", "RSA", "LSTM"))
        # an LSTM sees the past alone, and so has more weights at one width
        same = {"mixer": one.sequence.mixer, "causal": False, "width": one.sequence.width}
        for other in others:
            assert other.sequence.mixer != one.sequence.mixer
            assert other.sequence.model_copy(update=same) == one.sequence
            assert other.model_copy(update={"sequence": one.sequence}) == one

    def test_probes_of_a_profile_are_probes(self):
        assert set(QUICK) < set(DEFAULT) == set(IMAGE_PROBES)

    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_runs_of_one_number_differ_in_the_model_alone(self, scale):
        plan = PLANS[scale]
        for probe in plan.probes:
            trials = [found for cell, found in STUDY.design.cells(scale).items() if cell["probe"] == probe]
            for number in range(plan.budget.runs):
                assert len({(each[number].task, each[number].seed, each[number].schedule) for each in trials}) == 1

    def test_pilot_runs_are_not_judged(self):
        judged = {trial.seed for trial in STUDY.design.trials("laptop")}
        assert judged.isdisjoint(trial.seed for trial in STUDY.tuning.design.trials("laptop"))


class TestAxes:
    def test_every_axis_has_a_value(self):
        table = profiles(made_up())
        assert set(table.columns) == set(IMAGE_AXES)
        assert list(table.index) == list(PLANS["laptop"].models)
        assert table.notna().all(axis=None)

    def test_what_is_learnt_is_counted_above_chance(self):
        assert value(made_up({"CNN": {"above": 0.7}}), "CNN", "number") == pytest.approx(0.7)
        assert value(made_up({"CNN": {"above": -0.1}}), "CNN", "number") == 0.0

    def test_a_change_keeps_a_share_of_what_was_right(self):
        kept = {"moved": 0.8, "scaled": 0.5, "turned": 0.1}
        results = made_up({"CNN": {"above": 0.75, "kept": kept}})
        for split, axis in CHANGE_AXES.items():
            assert value(results, "CNN", axis) == pytest.approx(kept[split])
        # more than before is all of it
        assert value(made_up({"CNN": {"above": 0.6, "kept": dict.fromkeys(kept, 1.2)}}), "CNN", "shift") == 1.0

    def test_of_what_is_hardly_known_nothing_is_said_to_be_kept(self):
        results = made_up({"CNN": {"above": 0.4}})
        assert np.isnan(value(results, "CNN", "shift"))
        assert value(results, "CNN", "digits") == pytest.approx(0.4)

    @pytest.mark.parametrize(("above", "told"), [(0.95, True), (0.85, False)])
    def test_a_preference_needs_what_both_rules_say(self, above, told):
        found = value(made_up({"CNN": {"above": above, "preference": 0.3}}), "CNN", "shape over place")
        assert found == pytest.approx(0.3) if told else np.isnan(found)

    def test_calibration_is_of_all_splits_of_a_probe(self):
        # digits: .1 on the test, .3 on three changes; the others .1
        skills = 3
        assert value(made_up(), "CNN", "calibration, images") == pytest.approx(1 - (0.25 + (skills - 1) * 0.1) / skills)

    @pytest.mark.parametrize(("error", "wanted"), [(0.25, 0.75), (0.0, 1.0), (1.3, 0.0)])
    def test_an_answer_that_stays_is_invariant(self, error, wanted):
        results = made_up({"CNN": {"error": error}})
        assert value(results, "CNN", "invariance") == pytest.approx(wanted)
        assert value(results, "CNN", "invariance at the start") == pytest.approx(wanted)
        assert value(results, "CNN", "arrangement at the start") == 0.75

    def test_a_run_that_diverged_has_learnt_nothing(self):
        rows = [
            {"probe": "digits", "split": split, "metric": metric, "value": np.nan}
            for split in ("test", *CHANGE_AXES)
            for metric in right(1.0)
        ]
        rows.append({"probe": "digits", "split": "test", "metric": "invariance_error", "value": np.nan})
        found = image_scores(pd.DataFrame(rows).assign(model="m", number=0)).set_index("axis")["value"]
        assert found["digits"] == 0
        assert found[["shift", "scale", "rotation", "invariance"]].isna().all()


class TestFitness:
    @staticmethod
    def table(models, noise, seed=0):
        rng = np.random.default_rng(seed)
        return pd.DataFrame(
            [
                {"axis": "shift", "model": f"m{n}", "number": run, "value": place + noise * rng.standard_normal()}
                for n, place in enumerate(models)
                for run in range(4)
            ]
        )

    def test_it_is_a_rank_correlation_and_a_ratio_of_deviations(self):
        table = self.table(np.linspace(0, 1, 9), 0.3)
        wide = table.pivot_table(index="model", columns="number", values="value")
        found = fitness_of(table)
        assert found.repeats == pytest.approx(spearmanr(wide[[0, 1]].mean(axis=1), wide[[2, 3]].mean(axis=1)).statistic)
        assert found.separates == pytest.approx(wide.mean(axis=1).std() / wide.std(axis=1).mean())

    @pytest.mark.parametrize(("noise", "joins"), [(0.01, True), (3.0, False)])
    def test_models_that_differ_more_than_runs_are_told_apart(self, noise, joins):
        assert fitness_of(self.table(np.linspace(0, 1, 12), noise)).joins == joins


class TestTables:
    def test_columns_are_in_the_order_of_the_axes(self):
        assert list(figures.table_of_profiles(made_up()).columns) == list(IMAGE_AXES)

    def test_preferences_have_a_row_a_run(self):
        rows = figures.preferences(made_up())
        assert set(rows["axis"]) == set(figures.PREFERENCES)
        assert (rows.groupby(["axis", "model"]).size() == PLANS["laptop"].budget.runs).all()
        assert set(rows["family"]) == {family(name) for name in PLANS["laptop"].models}

    def test_the_table_of_probes_names_their_sources(self):
        table = figures.probe_table(made_up()).set_index("probe")
        assert list(table.index) == list(IMAGE_PROBES)
        assert table.loc["digits", "answers"] == 10
        assert (table["source"] != "").all()

    def test_the_table_of_axes_says_which_tell_models_apart(self):
        shares = {name: {"preference": place / 20} for place, name in enumerate(PLANS["laptop"].models)}
        wobble = (0.001, -0.001, 0.002, -0.002)

        def values(*, number, model, probe):
            found = rows_of(probe, **shares[model])
            return {place: each + wobble[number] * (place[1] == "preference") for place, each in found.items()}

        table = figures.fitness_table(fake_results(STUDY, values)).set_index("axis")
        assert list(table.index) == list(IMAGE_AXES)
        assert table.loc["shape over place", "tells models apart"] == "yes"
        assert table.loc["sameness", "tells models apart"] == "no"  # all alike

    def test_relatives_are_the_nearest(self):
        shares = {name: {"preference": place / 20} for place, name in enumerate(PLANS["laptop"].models)}
        shares |= {"CNN": {"preference": 1.0}, "MLP": {"preference": 0.99}}
        table = figures.relatives(made_up(shares)).set_index("model")
        assert table.loc["CNN", "nearest"] == "MLP"
        assert table.loc["CNN", "family"] == family("CNN")

    def test_at_the_small_scale_there_are_the_axes_of_its_probes(self):
        table = figures.table_of_profiles(made_up(scale="smoke"))
        assert list(table.index) == list(PLANS["smoke"].models)
        assert "sameness" not in table

    def test_scores_are_means_of_nothing_else(self):
        found = by_axis(profile_scores(made_up()))
        assert found.groupby(["axis", "model"]).size().unique().tolist() == [PLANS["laptop"].budget.runs]


class TestSentences:
    def test_spans_are_of_the_models_that_are_named(self):
        results = made_up(
            {"CNN": {"preference": 0.4}, "CNN, small": {"preference": 0.3}, "CNN, flat": {"preference": 0.05}}
        )
        told = prose.images(results, ("place-averaged", "place-flat", "place-convolutions", "place-unaveraged"))
        assert told["place-averaged"]() == ".30 to .40"
        assert told["place-flat"]() == ".05"
        assert told["place-convolutions"]() == ".05 to .40"
        assert told["place-unaveraged"]() == ".05 to .50"
        assert told["models"]() == str(len(PLANS["laptop"].models))

    def test_a_model_that_has_not_learnt_it_is_not_counted(self):
        results = made_up({"CNN": {"above": 0.5, "preference": 0.9}, "CNN, small": {"preference": 0.3}})
        assert prose.images(results, ("texture-averaged",))["texture-averaged"]() == ".30"

    def test_every_short_name_is_an_axis(self):
        assert set(prose.SHORT.values()) <= set(IMAGE_AXES)
        assert {each for group in prose.GROUPS.values() for each in group} <= {*IMAGE_FAMILIES, *IMAGE_MODELS}

    def test_one_model_can_be_named_alone(self):
        results = made_up({"RSA, patches": {"preference": 0.4}, "LSTM, patches": {"preference": 0.3}})
        told = prose.images(results, ("place-attention", "place-rsa", "place-lstm"))
        assert [each() for each in list(told.values())[-3:]] == [".50", ".40", ".30"]

    def test_example_images_are_those_of_the_probes(self):
        images = figures.example_images()
        assert len(images) == 2 * len(figures.PREFERENCES) + 1 + len(CHANGE_AXES)
        assert {image.shape for image in images.values()} == {(16, 16)}
        assert not np.array_equal(images["place: training"] > 0.3, images["place: test"] > 0.3)
