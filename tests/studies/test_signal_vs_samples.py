"""Design, measures and claims of the study of signal and samples; every verdict can be reached."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.layers import RSASpec
from inductive_bias.studies import study_named
from inductive_bias.studies.comparisons import interval_of
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.signal_vs_samples import STUDY, design, measures
from inductive_bias.studies.signal_vs_samples.claims import CLAIMS, savings
from inductive_bias.studies.signal_vs_samples.design import ALONE, SIZES, SMALL, Place, cells, controls, plane
from inductive_bias.studies.study import Results

LAPTOP = SIZES["laptop"]
CELLS = {scale: cells(scale) for scale in SCALES}


def differing(first, second) -> set[str]:
    """The choices in which two settings of a class differ."""
    return {name for name in type(first).model_fields if getattr(first, name) != getattr(second, name)}


class TestDesign:
    def test_generated_data_may_be_published_because_their_task_says_so(self):
        trial = CELLS["smoke"][plane("smoke")[0].cell][0]
        assert trial.task.load()["train"].source.startswith("generated:")
        assert trial.task.kind.startswith("generated")

    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells(self, scale):
        trials = [trial for members in CELLS[scale].values() for trial in members]
        assert len({trial.id for trial in trials}) == len(trials)

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_models_have_as_many_parameters_within_two_per_cent(self, scale):
        sizes, counts = SIZES[scale], {}
        for name in design.MODELS:
            trial = CELLS[scale][Place(name, 0.0, sizes.samples[0]).cell][0]
            counts[name] = sum(each.numel() for each in trial.model.build(**trial.task.dimensions).parameters())
        assert max(counts.values()) < 1.02 * min(counts.values())
        assert 0 < counts["RSA"] - counts["Transformer"] < 30

    @pytest.mark.parametrize("scale", SCALES)
    def test_the_plane_has_every_model_at_every_place(self, scale):
        sizes = SIZES[scale]
        assert len(plane(scale)) == len(design.MODELS) * len(sizes.shares) * len(sizes.samples)
        assert list(sizes.shares) == sorted(sizes.shares)
        assert list(sizes.samples) == sorted(sizes.samples)
        assert sizes.control_size in sizes.samples
        assert list(CELLS[scale]) == [place.cell for place in (*plane(scale), *controls(scale))]

    @pytest.mark.parametrize("scale", SCALES)
    def test_models_meet_the_same_sequences_in_as_many_steps(self, scale):
        found = CELLS[scale]
        for rho in SIZES[scale].shares:
            for size in SIZES[scale].samples:
                trials = [found[Place(model, rho, size).cell] for model in design.MODELS]
                for same in zip(*trials, strict=True):
                    assert len({trial.task for trial in same}) == 1
        assert len({trial.schedule for members in found.values() for trial in members}) == 1

    @pytest.mark.parametrize("scale", SCALES)
    def test_every_gate_starts_neutral_and_rsa_differs_from_its_twin_in_the_mixer_alone(self, scale):
        for members in CELLS[scale].values():
            assert all(trial.model.mixer.gate_logit == 0 for trial in members if trial.model.mixer.kind == "rsa")
        place = Place("RSA", 0.5, SIZES[scale].control_size)
        ours, twin = (CELLS[scale][place._replace(model=name).cell][0] for name in ("RSA", design.TWIN))
        assert differing(ours.model, twin.model) == {"mixer"}
        assert differing(ours.model.mixer, RSASpec(heads=twin.model.mixer.heads)) == {"gate_logit"}
        assert ours.optimiser == twin.optimiser

    @pytest.mark.parametrize("scale", SCALES)
    def test_a_control_differs_from_the_cell_it_varies_in_one_thing(self, scale):
        found, size = CELLS[scale], SIZES[scale].control_size
        for rho in (0.5, 1.0):
            small, usual = (found[Place(name, rho, size).cell][0] for name in (SMALL, "RSA"))
            assert differing(small.model, usual.model) == {"mixer"}
            assert differing(small.model.mixer, usual.model.mixer) == {"decay_start"}
        small, usual = (found[Place(name, 1.0, size).cell][0] for name in (design.ALONE_SMALL, ALONE))
        assert differing(small.model, usual.model) == {"mixer"}
        assert differing(small.model.mixer, usual.model.mixer) == {"decay_start"}

    def test_laptop_has_at_least_four_seeds(self):
        assert {len(members) >= STUDY.min_seeds for members in CELLS["laptop"].values()} == {True}
        assert study_named("signal_vs_samples") is STUDY


class TestMeasures:
    @pytest.mark.parametrize(
        ("errors", "needed"),
        [
            ([1.0, 0.1, 0.01], 100),
            ([1.0, 0.01, 0.01], math.sqrt(10 * 100)),  # half the way in log error is half the way in log n
            ([0.1, 0.05, 0.01], 10),
            ([1.0, 0.5, 0.2], 10_000),
            ([1.0, 0.05, 0.5], 10 ** (1 + math.log(10) / math.log(20))),
        ],
    )
    def test_sequences_needed_lie_on_straight_lines_between_logarithms(self, errors, needed):
        assert measures.sequences_needed([10, 100, 1000], errors, 0.1) == pytest.approx(needed)

    def test_a_diverged_run_needs_an_unknown_number(self):
        assert math.isnan(measures.sequences_needed([1, 2], [0.5, math.nan]))

    def test_a_perfect_error_is_no_division_by_zero(self):
        assert measures.sequences_needed([10, 100], [1.0, 0.0]) == 10

    def test_intervals_are_student_s_over_pairs_that_did_not_diverge(self):
        results = made_up({("RSA", 0.0, 32): [0.2, 0.4, 0.9, math.nan], (design.TWIN, 0.0, 32): [0.1, 0.1, 0.1, 0.1]})
        found = measures.difference(results, Place("RSA", 0.0, 32), Place(design.TWIN, 0.0, 32))
        expected = stats.ttest_1samp([0.1, 0.3, 0.8], 0).confidence_interval()
        assert tuple(found) == pytest.approx((0.4, expected.low, expected.high, 3))
        ratio = measures.log_ratio(results, Place("RSA", 0.0, 32), Place(design.TWIN, 0.0, 32))
        assert ratio.mean == pytest.approx(np.log2([2, 4, 9]).mean())

    def test_nothing_finite_has_no_interval(self):
        assert math.isnan(interval_of([math.nan]).mean)

    def test_needs_have_a_row_a_model_share_and_seed_and_say_whether_the_goal_was_reached(self):
        table = measures.needs(made_up({(design.TWIN, 0.5, 8192): [0.05] * 4}))
        assert set(table["model"]) == set(design.MODELS)
        assert len(table) == len(design.MODELS) * len(LAPTOP.shares) * LAPTOP.seeds
        reached = table[table["reached"]]
        assert set(zip(reached["model"], reached["rho"], strict=True)) == {(design.TWIN, 0.5)}

    def test_the_first_step_below_the_goal_counts(self):
        curves = pd.DataFrame({"cell": "RSA", "rho": 1.0, "seed": [0, 0, 0, 1], "step": [25, 50, 75, 25],
                               "value": [0.5, 0.1, 0.05, 0.2]})  # fmt: skip
        found = measures.steps_needed(curves)
        assert found["value"].tolist()[0] == 50
        assert math.isnan(found["value"].tolist()[1])


NOISE = (-0.02, 0.01, 0.0, 0.02)


def made_up(errors=None, *, gate=None, decay=None, steps=None, spread=0.02) -> Results:
    """Results with the given errors by (model, ρ, n), .5 elsewhere, each seed off by a little.

    ``gate`` is a function of ρ, ``decay`` of the model; ``steps`` says when a model's validation error falls to .05.
    """
    rows = []
    for place in (*plane("laptop"), *controls("laptop")):
        given = (errors or {}).get(tuple(place), 0.5)
        for number, trial in enumerate(CELLS["laptop"][place.cell]):
            off = NOISE[number % len(NOISE)] * spread / 0.02
            value = (
                given[number % len(given)]
                if isinstance(given, list)
                else given * 2 ** (off * (1 + (place.model == "RSA")))
            )
            labels = {"cell": place.cell, "trial": trial.id, "seed": trial.seed, "epoch": math.nan, "x": math.nan}
            rows.append(labels | {"split": "test", "metric": "excess_error", "value": value})
            if place.model.startswith(("RSA", ALONE)):
                share = (gate or (lambda rho: rho))(place.rho) + off
                found = {"gate": share, "decay": (decay or {}).get(place.model, 0.9)}
                rows += [labels | {"split": "model", "metric": m, "value": v, "x": 0.0} for m, v in found.items()]
                first = (steps or {}).get(place.model, 2)
                rows += [
                    labels | {"split": "validation", "metric": "excess_error", "epoch": float(epoch),
                              "value": 0.05 if epoch >= first else 0.7}
                    for epoch in range(1, 4)
                ]  # fmt: skip
    return Results(STUDY, "laptop", pd.DataFrame(rows), complete_publication=True)


def check(name: str, results: Results):
    return next(claim for claim in CLAIMS if claim.id == name).check(results)


def curves(model: str, errors: list[float], shares=LAPTOP.shares) -> dict:
    return {(model, rho, size): error for rho in shares for size, error in zip(LAPTOP.samples, errors, strict=True)}


class TestFewerSamples:
    SLOW, FAST = [0.9, 0.8, 0.4, 0.1, 0.02], [0.9, 0.5, 0.1, 0.05, 0.02]

    def test_a_curve_that_falls_earlier_saves_two_doublings(self):
        found = check("R2", made_up(curves(design.TWIN, self.SLOW) | curves("RSA", self.FAST), spread=0.002))
        assert found.verdict == "reproduced"
        assert found.effect == pytest.approx(2, abs=0.05)

    def test_one_that_falls_later_fails(self):
        later = curves(design.TWIN, self.FAST) | curves("RSA", self.SLOW)
        assert check("R2", made_up(later)).verdict == "not reproduced"

    def test_curves_that_cross_at_small_n_fail_whatever_is_saved_later(self):
        crossing = curves("RSA", [0.97, *self.FAST[1:]])
        found = check("R2", made_up(curves(design.TWIN, self.SLOW) | crossing, spread=0.002))
        assert found.verdict == "not reproduced"
        assert "ρ = 0.25, n = 32" in found.note

    def test_equal_curves_are_open(self):
        twin = curves(design.TWIN, self.SLOW)
        noisy = {place: [error * f for f in (0.5, 2, 1, 1.1)] for place, error in curves("RSA", self.SLOW).items()}
        assert check("R2", made_up(twin | noisy)).verdict == "inconclusive"

    def test_nothing_reached_says_nothing(self):
        found = check("R2", made_up())
        assert found.verdict == "inconclusive"
        assert math.isnan(found.effect)

    def test_a_curve_that_never_gets_there_counts_as_a_step_of_the_grid_beyond(self):
        never, at_last = curves(design.TWIN, [0.9] * 5, (1.0,)), curves("RSA", [0.9, 0.9, 0.9, 0.9, 0.1], (1.0,))
        results = made_up(never | at_last, spread=0.0)
        assert savings(results, [0.5, 1.0])["value"].tolist() == pytest.approx([2.0] * LAPTOP.seeds)


class TestNoPrice:
    def test_equal_errors_and_a_falling_gate(self):
        assert check("R3", made_up(gate=lambda rho: 0.3)).verdict == "reproduced"

    def test_a_better_rsa_pays_no_price_either(self):
        assert check("R3", made_up(curves("RSA", [0.2] * 5), gate=lambda rho: 0.3)).verdict == "reproduced"

    def test_a_worse_error_at_a_single_size_fails(self):
        found = check("R3", made_up({("RSA", 0.0, 512): 0.7}, gate=lambda rho: 0.3))
        assert found.verdict == "not reproduced"
        assert found.unit.endswith("n = 512")

    def test_a_rising_gate_fails(self):
        assert check("R3", made_up(gate=lambda rho: 0.7)).verdict == "not reproduced"

    def test_noise_or_a_gate_that_stays_leave_it_open(self):
        noisy = made_up({("RSA", 0.0, 512): [0.3, 0.8, 0.5, 0.6]}, gate=lambda rho: 0.3)
        assert check("R3", noisy).verdict == "inconclusive"
        assert check("R3", made_up(gate=lambda rho: 0.5)).verdict == "inconclusive"


class TestGate:
    def test_a_gate_that_follows_one_that_falls_and_one_that_wavers(self):
        assert check("R4", made_up(gate=lambda rho: 0.2 + rho / 2)).verdict == "reproduced"
        assert check("R4", made_up(gate=lambda rho: 0.8 - rho / 2)).verdict == "not reproduced"
        wavering = dict(zip(LAPTOP.shares, (0.3, 0.2, 0.4, 0.5, 0.45), strict=True))
        assert check("R4", made_up(gate=wavering.get, spread=0.06)).verdict == "inconclusive"

    def test_a_gate_that_never_moves_has_no_correlation(self):
        found = check("R4", made_up(gate=lambda rho: 0.5, spread=0.0))
        assert found.verdict == "inconclusive"
        assert "–" in found.note


class TestStart:
    size = LAPTOP.control_size

    def test_worse_and_forgetful_and_then_neither(self):
        worse = {(SMALL, 1.0, self.size): 0.9}
        assert check("R11", made_up(worse, decay={SMALL: 0.2})).verdict == "reproduced"
        assert check("R11", made_up(worse, decay={SMALL: 0.9})).verdict == "not reproduced"
        assert check("R11", made_up({(SMALL, 1.0, self.size): 0.3}, decay={SMALL: 0.2})).verdict == "not reproduced"

    def test_noise_leaves_it_open(self):
        noisy = {(SMALL, 1.0, self.size): [0.3, 0.9, 0.4, 0.7]}
        assert check("R11", made_up(noisy, decay={SMALL: 0.2})).verdict == "inconclusive"

    def test_the_note_says_how_many_steps_either_start_takes(self):
        note = check("R11", made_up(steps={SMALL: 9, "RSA": 2})).note
        assert "never from small decays" in note
        assert "50 as in the paper" in note
