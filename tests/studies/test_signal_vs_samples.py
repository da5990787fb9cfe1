"""Design, measures and claims of the study of signal and samples; every verdict can be reached."""

import math
from typing import ClassVar

import numpy as np
import pytest
from scipy import stats

from inductive_bias.layers import RSASpec
from inductive_bias.studies import sequences_needed
from inductive_bias.studies.design import Cell
from inductive_bias.studies.signal_models import PLANE_MODELS, REM, REM_SMALL, RNNS, RSA, RSA_SMALL, SIZES, TWIN, Kind
from inductive_bias.studies.signal_vs_samples import STUDY, figures, measures
from inductive_bias.studies.signal_vs_samples.design import CONTROLS, DESIGN, PLANS
from tests.fakes import differing, fake_results, judged

LAPTOP, CONTROL_SIZE = SIZES["laptop"], PLANS["laptop"].control_size
# a hair below a tenth: the mean of many tenths need not be one
SLOW, FAST, NEVER = [0.9, 0.8, 0.4, 0.0999, 0.02], [0.9, 0.5, 0.1, 0.05, 0.02], [0.9] * 5
LATER = [0.9, 0.8, 0.5, 0.12, 0.02]
NOISE = np.array([-2.0, 1.0, 0.0, 1.0])
NAN = math.nan
WORSE = {(RSA_SMALL, 1.0, CONTROL_SIZE): [0.4, 0.41, 0.39, 0.4]}
ALIKE = {(RSA_SMALL, 1.0, CONTROL_SIZE): [0.1, 0.101, 0.099, 0.1]}


def trials(scale, kind, rho, samples):
    return DESIGN.cells(scale)[Cell(**kind._asdict(), rho=rho, samples=samples)]


class TestDesign:
    @pytest.mark.parametrize("scale", SIZES)
    def test_the_plane_has_every_model_at_every_place_and_controls_have_one_size(self, scale):
        sizes = SIZES[scale]
        beside = [cell for cell in DESIGN.cells(scale) if Kind(*list(cell.values())[:3]) in CONTROLS]
        places = len(sizes.shares) * len(sizes.samples)
        assert len(DESIGN.cells(scale)) - len(beside) == len(PLANE_MODELS) * places
        assert len(beside) == sum(len(shares) for _, shares in CONTROLS.values())
        assert {cell["samples"] for cell in beside} == {PLANS[scale].control_size}
        assert list(sizes.shares) == sorted(sizes.shares)
        assert list(sizes.samples) == sorted(sizes.samples)

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_models_have_as_many_parameters_within_two_per_cent(self, scale):
        made = {kind: trials(scale, kind, 0.0, SIZES[scale].samples[0])[0] for kind in PLANE_MODELS}
        counts = {
            kind: sum(each.numel() for each in trial.model.build(**trial.task.dimensions).parameters())
            for kind, trial in made.items()
        }
        assert max(counts.values()) < 1.02 * min(counts.values())
        assert 0 < counts[RSA] - counts[TWIN] < 30

    def test_models_meet_the_same_sequences_in_as_many_steps(self):
        for rho in LAPTOP.shares:
            for samples in LAPTOP.samples:
                for same in zip(
                    *(trials("laptop", kind, rho, samples)[: LAPTOP.seeds] for kind in PLANE_MODELS), strict=True
                ):
                    assert len({trial.task for trial in same}) == len({trial.schedule for trial in same}) == 1

    def test_rsa_differs_from_its_twin_in_the_mixer_alone_and_its_gate_starts_neutral(self):
        ours, twin = (trials("laptop", kind, 0.5, CONTROL_SIZE)[0] for kind in (RSA, TWIN))
        assert differing(ours.model, twin.model) == {"mixer"}
        assert differing(ours.model.mixer, RSASpec(heads=twin.model.mixer.heads)) == {"gate_logit"}
        assert ours.model.mixer.gate_logit == 0
        assert ours.optimiser == twin.optimiser

    @pytest.mark.parametrize("pair", [(RSA_SMALL, RSA), (REM_SMALL, REM)], ids=lambda pair: str(pair[0]))
    def test_small_decays_differ_in_how_they_start_alone(self, pair):
        small, usual = (trials("laptop", kind, 1.0, CONTROL_SIZE)[0].model for kind in pair)
        assert differing(small, usual) == {"mixer"}
        assert differing(small.mixer, usual.mixer) == {"decay_start"}


def made_up(curves=None, places=None, *, gate=lambda rho, number: 0.2 + rho / 2, decay=None, scale="laptop", noise=0.0):
    """Runs with the errors of ``curves`` by kind, by default SLOW, but for ``places``: ``(kind, rho, samples)``.

    An error may be a list, by number. ``decay`` is the final one by kind, −.9 if not given; small ones begin at .05.
    ``noise`` makes runs differ by factors, those of RSA by twice as much.
    """

    def values(*, number, rho, samples, **levels):
        kind = Kind(**levels)
        curve = (curves or {}).get(kind, SLOW)
        given = (places or {}).get((kind, rho, samples), curve[SIZES[scale].samples.index(samples)])
        given = given[number % len(given)] if isinstance(given, list) else given
        scatter = 2 ** (noise * NOISE[number % len(NOISE)] * (1 + (kind.model == "RSA")))
        error = given * scatter
        rows = {("test", "excess_error"): error, ("validation", "excess_error", ("epoch", 1.0)): 0.7}
        rows |= {("validation", "excess_error", ("epoch", 2.0)): 0.05 if kind == RSA else 0.2}
        if kind.model == "RSA":
            rows[("model", "gate", ("layer", 1), ("head", 0))] = gate(rho, number)
            final = (decay or {}).get(kind, -0.9)
            begin = 0.05 if kind == RSA_SMALL else -0.9
            for head, share in enumerate((1.0, 0.5)):
                at = ("model", "decay", ("layer", 1), ("head", head), ("kind", "real"))
                rows |= {at: share * final * scatter, (*at, ("epoch", 0.0)): share * begin * scatter}
        return rows

    return fake_results(STUDY, values, scale=scale)


class TestMeasures:
    @pytest.mark.parametrize(
        ("errors", "needed"),
        [
            ([1.0, 0.1, 0.01], 100),
            ([1.0, 0.01, 0.01], math.sqrt(10 * 100)),  # half the way in log error is half the way in log n
            ([0.1, 0.05, 0.01], 10),
            ([1.0, 0.5, 0.2], 10_000),
            ([1.0, 0.05, 0.5], 10 ** (1 + math.log(10) / math.log(20))),
            ([1.0, 0.0, 0.0], 10),  # a perfect error is no division by zero
        ],
    )
    def test_sequences_needed_lie_on_straight_lines_between_logarithms(self, errors, needed):
        assert sequences_needed.sequences_needed([10, 100, 1000], errors) == pytest.approx(needed)

    def test_errors_are_compared_by_pairs_and_a_diverged_run_is_an_error_of_one(self):
        results = made_up(places={(RSA, 0.0, 512): [0.2, 0.4, 0.9, NAN], (TWIN, 0.0, 512): 0.1})
        found = measures.compared(results, RSA, TWIN, log2=False, rho=0.0, samples=512)
        expected = stats.ttest_1samp([0.1, 0.3, 0.8, 0.9], 0).confidence_interval()
        assert (found.estimate, found.low, found.high) == pytest.approx((0.525, expected.low, expected.high))
        assert found.failed == ("RSA, ρ = 0, n = 512, seed 3",)
        ratio = measures.compared(results, RSA, TWIN, rho=0.0, samples=512)
        assert ratio.estimate == pytest.approx(np.log2([2, 4, 9, 10]).mean())

    def test_small_sets_without_recurrence_have_more_seeds_and_only_their_errors_count(self):
        for kind, most in ((RSA, 117), (TWIN, 24)):
            seeds = {n: len(trials("laptop", kind, 0.0, n)) for n in LAPTOP.samples}
            assert seeds == {32: 48, 128: 16, 512: 4, 2048: 4, 8192: most}
        assert len(trials("laptop", Kind("LSTM"), 0.0, 32)) == LAPTOP.seeds
        assert len(trials("laptop", RSA, 0.25, 32)) == len(trials("laptop", TWIN, 1.0, 512)) == 30
        results = made_up(gate=lambda rho, number: 0.2 if number < PLANS["laptop"].gate_seeds[RSA.model] else 0.9)
        assert len(measures.compared(results, RSA, TWIN, rho=0.0, samples=32).values) == 48
        assert set(measures.gates(results)["value"]) == {0.2}

    def test_gates_are_compared_over_the_seeds_that_a_size_has_at_every_share(self):
        assert {len(trials("laptop", RSA, rho, 8192)) for rho in LAPTOP.shares} == {117}
        assert [len(trials("laptop", TWIN, rho, 8192)) for rho in LAPTOP.shares] == [24, 30, 30, 30, 30]
        found = measures.gates(made_up()).groupby(["samples", "rho"]).size()
        for n, want in {32: 30, 128: 16, 512: 4, 2048: 4, 8192: 117}.items():
            assert set(found[n]) == {want}

    def test_what_is_never_reached_counts_as_a_step_of_the_grid_beyond(self):
        at_last = {(RSA, 1.0, 8192): 0.1}
        results = made_up({TWIN: NEVER, RSA: NEVER}, at_last)
        assert sequences_needed.saving(results, [0.5, 1.0]).values.tolist() == pytest.approx(
            [1.0] * PLANS["laptop"].saving_seeds
        )
        table = sequences_needed.needs(results)
        # without recurrence there are four of each model, with some of it more of RSA and of its twin
        few, many = len(PLANE_MODELS) * len(LAPTOP.shares), 2 * (len(LAPTOP.shares) - 1)
        assert len(table) == (few - many) * LAPTOP.seeds + many * PLANS["laptop"].saving_seeds
        reached = table[table["reached"] & table["model"].isin(["RSA", "Attention"])]
        assert set(zip(reached["model"], reached["rho"], strict=True)) == {("RSA", 1.0)}

    def test_the_table_of_needs_says_where_some_or_no_seed_gets_there(self):
        learns = {(RSA, 0.5, 64): 0.01, (RSA, 1.0, 16): 0.01, (RSA, 0.0, 64): [0.01, 0.9]}
        results = made_up({kind: [1.0, 1.0] for kind in PLANE_MODELS}, learns, scale="smoke")
        table = sequences_needed.need_table(results)
        assert table["LSTM"].tolist() == ["never"] * 3
        assert table["RSA"].tolist() == ["> 91", "32", "16"]

    def test_a_stricter_error_takes_more_sequences_and_may_not_be_reached(self):
        assert sequences_needed.sequences_needed([10, 100, 1000], [1.0, 0.1, 0.01], 0.01) == pytest.approx(1000)
        assert sequences_needed.sequences_needed([10, 100, 1000], [1.0, 0.1, 0.01], 0.001) == pytest.approx(10_000)
        errors = {(RSA, rho, n): 0.08 if n < 8192 else 0.035 for rho in (0.25, 0.5, 0.75) for n in LAPTOP.samples}
        errors |= {(TWIN, rho, n): 0.08 for rho in (0.25, 0.5, 0.75) for n in LAPTOP.samples}
        table = figures.savings_by_goal(made_up(places=errors)).query("signal == 'a part recurs'").set_index("error")
        assert list(table.index) == ["0.1", "0.05", "0.04", "0.03"]
        # the twin counts as one step beyond the end, four doublings from RSA's last step down, which has two
        saved = {goal: 4 - 2 * math.log(0.08 / goal) / math.log(0.08 / 0.035) for goal in (0.05, 0.04)}
        words = [f"+{each:.3f}" for each in (0, saved[0.05], saved[0.04], 0)]
        assert [each.split()[0] for each in table["doublings saved"]] == words
        reached = table[["Attention reaches it", "RSA reaches it"]].map(lambda words: words.replace("\u00a0", " "))
        assert reached.to_numpy().tolist() == [["100 %", "100 %"], ["0 %", "100 %"], ["0 %", "100 %"], ["0 %", "0 %"]]

    def test_the_largest_decay_of_all_heads_is_an_absolute_value(self):
        table = measures.largest_decays(made_up(decay={RSA_SMALL: 0.4}), rho=1.0, samples=CONTROL_SIZE)
        by = table.groupby("decays", observed=True)["value"]
        assert (by.min().to_dict(), by.max().to_dict()) == ({"paper": 0.9, "small": 0.4},) * 2

    def test_a_clear_winner_stands_alone_and_equals_share_a_place(self):
        clear = measures.winners(made_up({RSA: FAST}, {(kind, 0.0, 8192): 0.5 for kind in PLANE_MODELS}, noise=0.001))
        at = clear.groupby(["samples", "rho"], observed=True)["model"].apply(list)
        assert at[128, 0.5] == ["RSA"]
        assert sorted(at[8192, 0.0]) == sorted(kind.model for kind in PLANE_MODELS)
        assert clear["samples"].cat.categories.tolist() == list(LAPTOP.samples[::-1])

    def test_ratios_to_the_twin_have_the_largest_size_on_top(self):
        ratios = figures.twin_ratios(made_up({RSA: FAST}))
        assert ratios.index.tolist() == list(LAPTOP.samples[::-1])
        assert ratios.columns.tolist() == list(LAPTOP.shares)
        assert ratios.loc[512, 0.5].estimate == pytest.approx(-2)

    def test_every_control_stands_beside_what_it_varies(self):
        table = figures.control_table(made_up(places={(RSA_SMALL, 0.5, CONTROL_SIZE): 0.04995}))
        assert table.groupby("against")["model"].unique().map(list).to_dict() == {
            "RSA": [str(RSA_SMALL), str(REM)],
            "REM only": [str(REM_SMALL)],
            "Attention": ["Attention, ALiBi"],
        }
        assert table.loc[0, "log₂ of the ratio"].startswith("−1.000")


def verdict(claim, *args, noise=0.001, **options):
    return judged(STUDY, claim, made_up(*args, noise=noise, **options)).judgement.verdict


@pytest.mark.parametrize("claim", ["R2", "R2-pure"])
class TestFewerSamples:
    def test_a_curve_that_falls_earlier_saves_two_doublings(self, claim):
        found = judged(STUDY, claim, made_up({RSA: FAST}, noise=0.001))
        assert found.judgement.verdict == "reproduced"
        assert found.effect.estimate == pytest.approx(2, abs=0.05)

    def test_one_that_falls_later_or_hardly_earlier_fails(self, claim):
        assert verdict(claim, {TWIN: FAST, RSA: SLOW}) == "not reproduced"
        assert verdict(claim, {RSA: [0.9, 0.79, 0.39, 0.09, 0.02]}) == "not reproduced"

    def test_curves_that_cross_at_small_n_fail_whatever_is_saved_later(self, claim):
        found = judged(STUDY, claim, made_up({RSA: [0.97, *FAST[1:]]}, noise=0.001))
        assert found.judgement.verdict == "not reproduced"
        assert "n = 32" in found.note

    def test_some_seeds_that_save_leave_it_open(self, claim):
        places = {
            (RSA, rho, n): [FAST[i], SLOW[i], SLOW[i], SLOW[i]]
            for rho in LAPTOP.shares
            for i, n in enumerate(LAPTOP.samples)
        }
        assert verdict(claim, places=places) == "undecided"

    def test_a_twin_that_never_learns_says_nothing(self, claim):
        assert verdict(claim, {TWIN: NEVER}) == "not testable here"

    def test_the_look_at_four_runs_is_paid_for_where_it_was_made(self, claim):
        assert judged(STUDY, claim, made_up(noise=0.001)).judgement.looks == (4, 30)
        assert judged(STUDY, claim, made_up({RSA: [0.9, 0.1]}, scale="smoke")).judgement.looks == ()


class TestPureAndInPart:
    """R2 and R2-pure look at places of their own."""

    PURE: ClassVar = {(RSA, 1.0, n): FAST[i] for i, n in enumerate(LAPTOP.samples)}

    def test_a_saving_on_the_pure_recurrence_alone_is_none_in_part(self):
        assert verdict("R2-pure", places=self.PURE) == "reproduced"
        assert verdict("R2", places=self.PURE) == "not reproduced"

    def test_and_the_other_way_round(self):
        parts = {(RSA, rho, n): FAST[i] for rho in (0.25, 0.5, 0.75) for i, n in enumerate(LAPTOP.samples)}
        assert verdict("R2-pure", places=parts) == "not reproduced"
        assert verdict("R2", places=parts) == "reproduced"
        assert verdict("R2", places=parts | {(RSA, 1.0, 32): 0.97}) == "reproduced"
        assert verdict("R2", places=parts | {(TWIN, 1.0, 8192): 0.9}) == "reproduced"


class TestRecurrentNetworks:
    """R2-RNN: sooner than attention on the pure recurrence, never on the pure lookup; both networks."""

    SOON: ClassVar = dict.fromkeys(RNNS, FAST)
    NO_LOOKUP: ClassVar = {(kind, 0.0, n): 0.9 for kind in RNNS for n in LAPTOP.samples}

    def test_both_networks_must_be_sooner_on_the_recurrence(self):
        assert verdict("R2-RNN", self.SOON, self.NO_LOOKUP) == "reproduced"
        for kind in RNNS:
            assert verdict("R2-RNN", self.SOON | {kind: LATER}, self.NO_LOOKUP) == "not reproduced"

    def test_a_network_that_learns_the_lookup_fails_it(self):
        for kind in RNNS:
            learns = self.NO_LOOKUP | {(kind, 0.0, 8192): 0.05}
            assert verdict("R2-RNN", self.SOON, learns) == "not reproduced"

    def test_runs_that_disagree_leave_it_open(self):
        some = {(RNNS[0], 1.0, n): [FAST[i], SLOW[i], SLOW[i], FAST[i]] for i, n in enumerate(LAPTOP.samples)}
        assert verdict("R2-RNN", self.SOON, self.NO_LOOKUP | some) == "undecided"

    def test_what_attention_does_not_learn_says_nothing(self):
        for rho in (0.0, 1.0):
            assert verdict("R2-RNN", self.SOON, self.NO_LOOKUP | {(TWIN, rho, 8192): 0.9}) == "not testable here"


class TestAttentionNeedsMany:
    """R2-attention: above the goal with few sequences, below it with the most, at every share."""

    def test_late_at_every_share(self):
        found = judged(STUDY, "R2-attention", made_up(noise=0.001))
        assert found.judgement.verdict == "reproduced"
        assert "n = 128" in found.note

    @pytest.mark.parametrize("rho", LAPTOP.shares)
    def test_one_share_that_is_learnt_from_few_or_never_fails(self, rho):
        assert verdict("R2-attention", places={(TWIN, rho, 128): 0.09}) == "not reproduced"
        assert verdict("R2-attention", places={(TWIN, rho, 8192): 0.2}) == "not reproduced"

    def test_runs_on_both_sides_leave_it_open(self):
        assert verdict("R2-attention", places={(TWIN, 1.0, 128): [0.08, 0.13, 0.09, 0.12]}) == "undecided"

    def test_a_diverged_run_does_not_get_there(self):
        places = {(TWIN, 0.5, 8192): [NAN, 0.02, 0.02, 0.02]}
        found = measures.short_of_goal(made_up(places=places, noise=0.001), TWIN, rho=0.5, samples=8192)
        assert found.values.max() == pytest.approx(math.log2(10))
        assert found.failed


def low(rho, number):
    return 0.3 + 0.01 * (number % 4)


class TestNoPrice:
    def test_equal_or_better_errors_and_a_falling_gate(self):
        assert verdict("R3", noise=0.01, gate=low) == "reproduced"
        assert verdict("R3", {RSA: FAST}, gate=low) == "reproduced"

    def test_a_worse_error_at_a_single_size_or_a_rising_gate_fails(self):
        assert verdict("R3", places={(RSA, 0.0, 512): 0.7}, gate=low) == "not reproduced"
        assert verdict("R3", gate=lambda rho, number: 0.7 + 0.01 * number) == "not reproduced"

    def test_noise_at_one_size_leaves_it_open(self):
        assert verdict("R3", places={(RSA, 0.0, 512): [0.3, 0.5, 0.4, 0.45]}, gate=low) == "undecided"

    def test_a_lookup_that_the_twin_does_not_learn_says_nothing(self):
        assert verdict("R3", places={(TWIN, 0.0, 8192): 0.5}) == "not testable here"

    def test_a_size_at_which_zero_is_the_better_answer_does_not_count(self):
        dear = {(RSA, 0.0, 32): 1.3, (TWIN, 0.0, 32): 1.1}
        found = judged(STUDY, "R3", made_up(places=dear, gate=low, noise=0.001))
        assert found.judgement.verdict == "reproduced"
        assert "not counted: ρ = 0, n = 32: the better network has 1.1" in found.note
        assert verdict("R3", places=dear | {(TWIN, 0.0, 32): 0.97}, gate=low) == "not reproduced"

    def test_all_four_looks_are_paid_for(self):
        assert judged(STUDY, "R3", made_up(gate=low, noise=0.001)).judgement.looks == (4, 24, 48, 117)


class TestGate:
    def test_seeds_are_ranked_for_themselves_however_far_apart_they_are(self):
        assert verdict("R4", gate=lambda rho, number: 0.2 * number + rho / 10) == "reproduced"

    def test_a_gate_that_falls_or_never_moves_fails(self):
        assert verdict("R4", gate=lambda rho, number: 0.8 - rho / 2) == "not reproduced"
        assert verdict("R4", gate=lambda rho, number: 0.5) == "not reproduced"

    def test_seeds_that_disagree_leave_it_open(self):
        assert verdict("R4", gate=lambda rho, number: rho if number % 8 else -rho) == "undecided"

    def test_what_four_runs_and_24_were_looked_at_costs(self):
        results = made_up(gate=lambda rho, number: rho if number % 30 else -rho, noise=0.001)
        found = judged(STUDY, "R4", results).judgement
        assert found.looks == (4, 24, 117)
        assert found.holds.p == pytest.approx(3 * 2 * found.deciding.p_above(0.8))

    def test_the_gate_of_a_model_that_learnt_nothing_says_nothing(self):
        assert verdict("R4", {RSA: NEVER}) == "not testable here"


class TestStart:
    def test_worse_and_forgetful_then_neither(self):
        assert verdict("R11", places=WORSE, decay={RSA_SMALL: 0.2}) == "reproduced"
        assert verdict("R11", places=WORSE, decay={RSA_SMALL: 0.6}) == "not reproduced"
        assert verdict("R11", places=ALIKE, decay={RSA_SMALL: 0.2}) == "not reproduced"

    def test_a_run_that_diverged_did_not_train(self):
        places = {(RSA_SMALL, 1.0, CONTROL_SIZE): [0.4, 0.4, 0.4, NAN]}
        found = judged(STUDY, "R11", made_up(places=places, decay={RSA_SMALL: 0.2}, noise=0.001))
        assert found.judgement.verdict == "reproduced"
        assert found.effect.failed

    def test_noise_leaves_it_open(self):
        noisy = {(RSA_SMALL, 1.0, CONTROL_SIZE): [0.05, 0.9, 0.4, 0.1]}
        assert verdict("R11", places=noisy, decay={RSA_SMALL: 0.2}) == "undecided"

    def test_a_recurrence_that_is_not_learnt_from_the_usual_start_says_nothing(self):
        assert verdict("R11", places={(RSA, 1.0, CONTROL_SIZE): 0.5}) == "not testable here"

    def test_the_note_says_how_many_steps_either_start_takes(self):
        assert "never from near 0, 50 as in the paper" in judged(STUDY, "R11", made_up()).note
