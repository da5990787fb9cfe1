"""The population's design, its distances and claims on made-up results, and the tables of the chapter."""

from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from inductive_bias.formatting import decimals, with_interval
from inductive_bias.protocols.measures.extrapolation import DECIDED_BY, FIT
from inductive_bias.protocols.measures.untrained import UNTRAINED
from inductive_bias.studies.known_models import BY_NAME, DIMENSIONS, FAMILIES, LARGE, POPULATION
from inductive_bias.studies.parameter_matching import parameters
from inductive_bias.studies.profile_axes import AXES, reliability
from inductive_bias.studies.profile_distances import fitness_of
from inductive_bias.studies.profiles import STUDY, figures, prose
from inductive_bias.studies.profiles.claims import MIXERS
from inductive_bias.studies.profiles.design import (
    FIRST_MODELS,
    FIRST_PROBES,
    FULL,
    FURTHER,
    LARGE_MODELS,
    LAST_MODELS,
    PLANS,
    REPEATED,
    TEACHERS,
    cells,
    chosen_rate,
    family,
    search_cells,
    student,
)
from inductive_bias.studies.profiles.measures import (
    distances,
    first_publication,
    first_runs,
    profile_scores,
    profiles,
    same_words,
)
from inductive_bias.tasks.probes import PROBES, STRETCHES, Extrapolation, Preference, Untrained
from tests.fakes import fake_results, judged

#: A wobble that is another one for every run, and whose mean over four and over eight runs is 0.
WOBBLE = (0.01, -0.02, 0.02, -0.01, 0.015, -0.005, -0.015, 0.005)
#: Axes of probes that came last, which the chapter does not count.
LATER = {"alike by the end", "decay", "recurrent signal"}


def made_up(shares=None, skills=None, *, later=None, steady=None, scale="laptop"):
    """Preferences by model (else .5), and skills above chance at 1, 2 and 4 times the length (else all).

    ``later`` are the preferences from run 4 on. All runs of one number wobble alike, but for those of the model that is
    ``steady``.
    """

    def values(*, number, model, probe):
        if isinstance(PROBES[probe], Untrained):
            return {("test", metric): 0.5 for metric in UNTRAINED}
        if isinstance(PROBES[probe], Extrapolation):
            return {("train", FIT): 1.0} | {("test", metric): 0.25 for metric in DECIDED_BY.values()}
        rows = {("test", metric, ("length", PROBES[probe].length)): value for metric, value in right(1.0).items()}
        if isinstance(PROBES[probe], Preference):
            told = (later if number >= 4 and later else shares) or {}
            share = told.get((model, probe), told.get(model, 0.5))
            rows[("conflict", "preference")] = share + WOBBLE[number] * (model != steady)
            return rows
        for stretch, above in zip(STRETCHES, (skills or {}).get(model, (1.0, 1.0, 1.0)), strict=True):
            rows |= {
                ("test", metric, ("length", stretch * PROBES[probe].length)): value
                for metric, value in right(above).items()
            }
        return rows

    return fake_results(STUDY, values, scale=scale)


def right(above, chance=0.25):
    return {"accuracy": chance + above * (1 - chance), "constant_accuracy": chance, "ece_20": 0.05, "nll": 0.1}


class TestDesign:
    def test_members_have_about_the_weights_that_they_are_said_to_have(self):
        for member in POPULATION:
            assert parameters(member.spec(), DIMENSIONS) == pytest.approx(member.weights, rel=0.15), member.name

    def test_large_members_have_about_100_000_weights(self):
        for name in LARGE_MODELS:
            # heads of rotary positions leave widths 16 % of the weights apart
            assert parameters(BY_NAME[name].spec(), DIMENSIONS) == pytest.approx(LARGE, rel=0.07), name

    def test_large_members_are_trained_and_asked_as_all_others_are(self):
        for made in (cells, search_cells):
            runs = {
                size: [
                    (cell["probe"], cell.get("learning_rate"), len(trials))
                    for cell, trials in made("laptop")
                    if cell["model"] == f"Attention, RoPE, {size}"
                ]
                for size in ("small", "large")
            }
            assert runs["large"] == runs["small"] != []

    def test_families_are_known(self):
        assert {member.family for member in POPULATION} == set(FAMILIES)
        assert len(BY_NAME) == len(POPULATION) == 35

    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_runs_of_one_number_differ_in_the_model_alone(self, scale):
        plan = PLANS[scale]
        assert set(plan.repeated) <= set(plan.models)
        for probe in plan.probes:
            trials = [found for cell, found in STUDY.design.cells(scale).items() if cell["probe"] == probe]
            for number in range(plan.budget.runs):
                assert len({(each[number].task, each[number].seed, each[number].schedule) for each in trials}) == 1

    def test_pilot_runs_are_not_judged(self):
        judged_seeds = {trial.seed for trial in STUDY.design.trials("laptop")}
        assert judged_seeds.isdisjoint(trial.seed for trial in STUDY.tuning.design.trials("laptop"))

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_runs_of_white_noise_have_sets_of_their_own(self, scale):
        for cell, trials in STUDY.design.cells(scale).items():
            own = {trial.task.data_seed for trial in trials}
            assert own == ({trial.seed for trial in trials} if cell["probe"] == "white noise" else {0})

    def test_what_came_later_is_in_no_profile_of_the_chapter(self):
        results = made_up()
        assert not LATER & {*profiles(results)}
        assert "white noise" in set(profile_scores(results)["probe"])

    def test_further_probes_joined_by_the_rule_that_stood_before_their_runs(self):
        found = first_runs(STUDY.results("laptop"))
        # it was applied to thirty models, and is not applied again with those that came later
        found = found[~found["model"].isin(LAST_MODELS)]

        def fits(probe, axis):
            return fitness_of(found[(found["probe"] == probe) & (found["axis"] == axis)])

        assert fits("selective copy", "recall").joins
        assert fits("white noise", "alike by the end").joins
        assert fits("decay or period", "decay").joins
        assert fits("fading sum", "recurrent signal").joins
        assert set(FURTHER) <= set(FULL)


class TestStudents:
    ATTENTION, LSTM = TEACHERS

    def of_students(self, scale="laptop"):
        return {cell: trials for cell, trials in STUDY.design.cells(scale).items() if "←" in cell["model"]}

    @pytest.mark.parametrize("scale", ["smoke", "laptop", "paper"])
    def test_a_teacher_is_the_run_of_the_population_with_the_number_of_the_student(self, scale):
        everyone, found = STUDY.design.cells(scale), self.of_students(scale)
        assert len(found) == 4 * len(PLANS[scale].taught_probes)
        for cell, trials in found.items():
            teacher = cell["model"].split(" ← ")[1]
            runs = next(
                runs for each, runs in everyone.items() if (each["model"], each["probe"]) == (teacher, cell["probe"])
            )
            # models that teach may have further runs, for other claims
            assert [trial.teacher for trial in trials] == [*runs][: PLANS[scale].budget.runs]

    def test_a_student_learns_from_probabilities_alone_and_is_else_as_its_kind(self):
        for cell, trials in self.of_students().items():
            kind = cell["model"].split(" ← ")[0]
            for number, trial in enumerate(trials):
                assert (trial.distill.mixing, trial.distill.temperature) == (1.0, 1.0)
                rate = chosen_rate("laptop", cell["model"], cell["probe"])
                alone = PLANS["laptop"].budget.trial(
                    BY_NAME[kind].spec(), cell["probe"], seed=number, learning_rate=rate
                )
                assert trial.model_copy(update={"distill": None}) == alone

    def test_students_have_as_many_pilots_as_every_model(self):
        tried = {}
        for cell, trials in search_cells("laptop"):
            tried.setdefault((cell["model"], cell["probe"]), []).append((cell["learning_rate"], len(trials)))
        for kind in TEACHERS:
            for teacher in TEACHERS:
                for probe in FIRST_PROBES:
                    assert tried[student(kind, teacher), probe] == tried[kind, probe] != []

    def test_the_teacher_of_a_pilot_has_the_rate_of_its_own_pilots(self):
        for cell, (trial,) in search_cells("laptop"):
            if "←" in cell["model"]:
                teacher = cell["model"].split(" ← ")[1]
                assert trial.teacher.seed == trial.seed
                assert trial.teacher.optimiser.learning_rate == chosen_rate("laptop", teacher, cell["probe"])

    def test_students_are_in_no_profile_and_no_claim_of_the_population(self):
        without = made_up({"LSTM": 0.9})
        there = made_up({"LSTM": 0.9} | {student(*pair): 0.2 for pair in [TEACHERS, TEACHERS[::-1]]})
        assert not any("←" in model for model in [*first_runs(there)["model"], *profiles(there).index])
        assert prose.architectures(there)["models"]() == str(len(BY_NAME))
        for claim in ("P1", "P2", "P3", "P4", "P5", "P6"):
            assert judged(STUDY, claim, there).effect.estimate == judged(STUDY, claim, without).effect.estimate

    @pytest.mark.parametrize(("claim", "kind", "teacher"), [("P7", 0, 1), ("P8", 1, 0)])
    def test_p7_and_p8_ask_whose_student_is_nearer_to_the_teacher(self, claim, kind, teacher):
        alone = dict(zip(TEACHERS, (0.1, 0.9), strict=True))
        kind, teacher = TEACHERS[kind], TEACHERS[teacher]
        own, other = student(kind, kind), student(kind, teacher)
        halfway = made_up(alone | {own: alone[kind], other: 0.5}, steady=other)
        # four preferences differ, of nine axes: by .8 from the own kind's student, by .4 from the other
        assert judged(STUDY, claim, halfway).effect.estimate == pytest.approx(4 * 0.4 / 9)
        assert judged(STUDY, claim, halfway).judgement.verdict == "reproduced"
        away = made_up(alone | {own: 0.5, other: alone[kind]}, steady=other)
        assert judged(STUDY, claim, away).effect.estimate == pytest.approx(-4 * 0.4 / 9)
        assert judged(STUDY, claim, away).judgement.verdict == "not reproduced"

    def test_a_student_that_learns_what_both_teachers_know_has_moved_nowhere(self):
        # every student is its own kind again, whoever taught it
        alone = dict(zip(TEACHERS, (0.1, 0.9), strict=True))
        kept = {student(kind, teacher): alone[kind] for kind in TEACHERS for teacher in TEACHERS}
        for claim in ("P7", "P8", "P9"):
            assert judged(STUDY, claim, made_up(alone | kept)).effect.estimate == pytest.approx(0.0)

    def test_p9_counts_preferences_alone_and_both_directions(self):
        shares = dict(zip(TEACHERS, (0.1, 0.9), strict=True))
        shares |= {student(kind, kind): shares[kind] for kind in TEACHERS}
        moved = shares | {student(self.ATTENTION, self.LSTM): 0.5, student(self.LSTM, self.ATTENTION): 0.9}
        skills = {student(self.LSTM, self.ATTENTION): (0.2, 0.2, 0.2)}
        found = judged(STUDY, "P9", made_up(moved, skills))
        # attention's student moves by .4, the LSTM's not at all
        assert found.effect.estimate == pytest.approx(0.2)

    def test_a_student_that_has_learnt_nothing_of_both_rules_is_as_far_as_chance(self):
        shares = dict(zip(TEACHERS, (0.1, 0.9), strict=True))
        shares |= {student(kind, teacher): shares[kind] for kind in TEACHERS for teacher in TEACHERS}
        results = made_up(shares)
        lost = student(self.ATTENTION, self.LSTM)
        scores = profile_scores(results)
        scores.loc[scores["model"] == lost, "value"] = np.nan
        # .8 and no axis at all (.5); the other direction has .8 and .8, but a mean with a gap is a gap
        assert judged(STUDY, "P9", results).effect.estimate == pytest.approx(0.8 - 0.5)

    def test_tables_show_both_teachers_and_their_students_by_axis(self):
        shares = dict(zip(TEACHERS, (0.1, 0.9), strict=True))
        shares |= {student(kind, kind): shares[kind] for kind in TEACHERS}
        shares |= {student(self.ATTENTION, self.LSTM): 0.6, student(self.LSTM, self.ATTENTION): 0.9}
        results = made_up(shares)
        table = figures.student_table(results)
        assert list(table.index) == [
            "LSTM",
            "LSTM ← LSTM",
            "LSTM ← Attention, RoPE",
            "Attention, RoPE ← LSTM",
            "Attention, RoPE ← Attention, RoPE",
            "Attention, RoPE",
        ]
        assert table["recency"].tolist() == pytest.approx([0.9, 0.9, 0.9, 0.6, 0.1, 0.1])
        rows = figures.students(results)
        assert (rows.groupby(["axis", "model"], observed=True).size() == 4).all()
        assert set(rows.loc[rows["model"] == "LSTM ← Attention, RoPE", "family"]) == {"recurrent"}
        apart = figures.student_distances(results).set_index("model")
        assert apart.loc["LSTM", "from LSTM"] == "–"
        assert apart.loc["Attention, RoPE ← LSTM", "from LSTM"] == "0.13 (0.13 to 0.13)"  # 4 × .3 / 9
        moved = figures.moved_table(results).set_index("axis")
        assert moved.loc["recency", "Attention, RoPE ← LSTM"].startswith("more: +0.50 [")
        assert moved.loc["recency", "LSTM ← Attention, RoPE"].startswith("alike: +0.00 [")

    def test_an_axis_that_the_own_kind_did_not_learn_has_no_word(self):
        own = student(self.ATTENTION, self.ATTENTION)
        table = figures.moved_table(made_up(skills={own: (0.5, 0.5, 0.5)})).set_index("axis")
        assert table.loc["length", "Attention, RoPE ← LSTM"] == "not learnt"
        assert table.loc["recall", "Attention, RoPE ← LSTM"].startswith("more: +0.50")


class TestDistances:
    def test_models_that_answer_alike_are_no_distance_apart(self):
        found = distances(first_publication(made_up()), [("RSA", "LSTM")])
        assert found.tolist() == pytest.approx([0.0] * 4)

    def test_a_distance_is_the_mean_difference_over_axes(self):
        table = first_publication(made_up({"LSTM": 0.9}, {"LSTM": (1.0, 1.0, 0.5)}))
        # four preferences differ by .4, length by .5, of nine axes
        assert distances(table, [("Attention", "LSTM")]).mean() == pytest.approx((4 * 0.4 + 0.5) / 9)
        pairs = [("Attention", "LSTM"), ("Attention", "RSA")]
        assert distances(table, pairs).mean() == pytest.approx((4 * 0.4 + 0.5) / 18)

    def test_an_axis_that_one_has_not_learnt_does_not_count(self):
        table = first_publication(made_up({"LSTM": 0.9}, {"LSTM": (0.5, 0.5, 0.5)}))
        # length has no value; state tracking, recall and nesting differ by a half
        assert distances(table, [("Attention", "LSTM")]).mean() == pytest.approx((4 * 0.4 + 3 * 0.5) / 8)

    def test_a_profile_is_a_mean_over_runs(self):
        table = profiles(made_up({"LSTM": 0.8}))
        assert table.loc["LSTM", "recency"] == pytest.approx(0.8)
        assert table.loc["RSA", "length"] == pytest.approx(1.0)
        assert list(table.index) == list(PLANS["laptop"].models)


class TestWords:
    def test_halves_are_profiles_of_their_own(self):
        rng = np.random.default_rng(0)
        rows = [
            {"model": f"m{model}", "axis": "recency", "number": number, "value": 0.5 + 0.01 * rng.standard_normal()}
            for model in range(6)
            for number in range(8)
        ]
        table = pd.DataFrame(rows)
        # the last model is another one from its fifth run on
        table.loc[(table["model"] == "m5") & (table["number"] >= 4), "value"] = 0.9
        words = same_words(table).set_index("model")
        assert (words.drop(index="m5")[["first", "second"]] == "alike").all(axis=None)
        assert tuple(words.loc["m5", ["axis", "first", "second"]]) == ("recency", "alike", "more")


class TestClaims:
    @pytest.mark.parametrize(
        ("share", "verdict"), [(0.95, "reproduced"), (0.6, "not reproduced"), (0.1, "not reproduced")]
    )
    def test_p1_asks_for_a_fifth_of_the_conflicts(self, share, verdict):
        found = judged(STUDY, "P1", made_up({("LSTM", "recency or majority"): share}, steady="Attention"))
        assert found.effect.estimate == pytest.approx(share - 0.5)
        assert found.judgement.verdict == verdict

    def test_p2_asks_who_is_nearer_to_an_lstm(self):
        near = {"LSTM": 0.9, "RSA": 0.8, "Attention": 0.1}
        assert judged(STUDY, "P2", made_up(near)).effect.estimate == pytest.approx(4 * 0.7 / 9)
        far = {"LSTM": 0.9, "RSA": 0.1, "Attention": 0.8}
        assert judged(STUDY, "P2", made_up(far)).effect.estimate == pytest.approx(-4 * 0.7 / 9)

    #: What every model follows, in two families that lie apart: no two models are equal.
    APART: ClassVar = {
        name: (0.9 if family(name) == "recurrent" else 0.1) + 0.002 * place for place, name in enumerate(BY_NAME)
    }

    def test_p3_asks_whether_families_are_apart(self):
        found = judged(STUDY, "P3", made_up(self.APART))
        assert found.effect.estimate == pytest.approx(4 * 0.8 / 9, abs=0.02)
        assert found.judgement.verdict == "reproduced"
        alike = judged(STUDY, "P3", made_up({name: 0.5 + share % 0.1 for name, share in self.APART.items()}))
        assert alike.effect.estimate == pytest.approx(0.0, abs=0.02)
        assert alike.judgement.verdict == "not reproduced"

    def test_p3_takes_the_models_as_the_sample_and_tells_of_their_runs(self):
        # three of the recurrent models are like attention, so that families differ on average and not surely
        odd = dict.fromkeys(("Linear RNN", "plain GRU", "stable LSTM"), 0.1)
        found = judged(STUDY, "P3", made_up(self.APART | odd))
        assert found.judgement.verdict == "beyond these data"
        assert (found.effect.n, found.effect.item) == (15, "models")
        assert "the runs of these 15 models alone +0." in found.note

    def test_p3_says_nothing_of_families_of_one(self):
        few = judged(STUDY, "P3", made_up(self.APART, scale="smoke"))
        assert few.judgement.verdict == "not testable here"
        assert few.effect.estimate > 0

    def test_the_first_claims_know_the_first_publication_alone(self):
        table = first_publication(made_up())
        assert set(table["model"]) == set(FIRST_MODELS)
        assert len(FIRST_MODELS) == 22
        assert set(table["number"]) == {0, 1, 2, 3}
        assert len(FIRST_PROBES) == table["axis"].nunique() == 9
        assert judged(STUDY, "P1", made_up()).effect.n == 4

    def test_p5_asks_for_the_same_word_in_both_halves(self):
        one = "LSTM", "recency or majority"
        results = made_up({one: 0.9}, later={one: 0.1})
        found, axes = judged(STUDY, "P5", results), len(AXES) - len(LATER)
        assert found.effect.estimate == pytest.approx(1 - 1 / axes / len(REPEATED))
        assert found.judgement.verdict == "reproduced"
        assert found.effect.n == len(REPEATED)
        one_half, other_half = dict.fromkeys(REPEATED[:4], 0.9), dict.fromkeys(REPEATED[4:7], 0.9)
        turned_round = judged(STUDY, "P5", made_up(one_half, later=other_half))
        assert turned_round.effect.estimate == pytest.approx(1 - 4 / axes)

    @pytest.mark.parametrize(("claim", "size", "other"), [("P4", "small", "large"), ("P6", "large", "small")])
    def test_p4_and_p6_ask_whether_the_mixer_matters_more_than_the_size(self, claim, size, other):
        # each mixer follows the first rule of one preference alone, so that all are .8 apart on two axes of nine
        rules = [name for name in FIRST_PROBES if isinstance(PROBES[name], Preference)]
        usual = {
            (name, probe): 0.9 if rules.index(probe) == place else 0.1
            for place, name in enumerate(MIXERS)
            for probe in rules
        }
        step = dict(zip(MIXERS, (0.01, 0.02, 0.03, 0.04), strict=True))
        # models of the size that a claim does not ask about are far from all others
        far = {(f"{name}, {other}", probe): 1.0 - share for (name, probe), share in usual.items()}
        near = {(f"{name}, {size}", probe): share + step[name] for (name, probe), share in usual.items()}
        found = judged(STUDY, claim, made_up(usual | near | far))
        assert found.effect.estimate == pytest.approx((2 * 0.8 - 4 * 0.025) / 9)
        assert (found.effect.n, found.effect.item) == (4, "mixers")
        assert found.judgement.verdict == "reproduced"
        alike = dict.fromkeys(MIXERS, 0.1)
        moved = {f"{name}, {size}": 0.85 + more for name, more in step.items()}
        found = judged(STUDY, claim, made_up(alike | moved))
        assert found.effect.estimate == pytest.approx(-4 * 0.775 / 9)
        assert found.judgement.verdict == "not reproduced"

    @pytest.mark.parametrize(("claim", "size"), [("P4", "small"), ("P6", "large")])
    def test_p4_and_p6_take_the_mixers_as_the_sample_and_tell_of_their_runs(self, claim, size):
        # two mixers that size changes, and two that it does not
        usual = dict(zip(MIXERS, (0.1, 0.3, 0.6, 0.9), strict=True))
        moved = dict(zip([f"{name}, {size}" for name in MIXERS], (0.1, 0.3, 0.1, 0.4), strict=True))
        found = judged(STUDY, claim, made_up(usual | moved))
        assert found.judgement.verdict == "beyond these data"
        assert "the runs of these 4 mixers alone +0." in found.note

    def test_p6_says_at_which_two_sizes_it_was_judged(self):
        p6 = next(each for each in STUDY.claims if each.id == "P6")
        said = p6.regime_at(made_up())
        assert said.startswith("about 19,000 and 100,000 weights, ")
        assert len(said) <= 90

    def test_models_that_came_last_change_none_of_the_claims_before_them(self):
        without, there = made_up({"LSTM": 0.9}), made_up({"LSTM": 0.9} | dict.fromkeys(LAST_MODELS, 0.2))
        for claim in ("P1", "P2", "P3", "P4", "P5"):
            assert judged(STUDY, claim, there).effect.estimate == judged(STUDY, claim, without).effect.estimate

    @pytest.mark.parametrize("claim", ["P4", "P6"])
    def test_other_sizes_have_no_runs_at_a_smaller_scale(self, claim):
        assert judged(STUDY, claim, made_up(scale="smoke")).judgement.verdict == "not testable here"


class TestSentences:
    def test_scores_are_of_known_models_and_axes(self):
        for models, axis in prose.SCORES.values():
            assert set(models) <= set(BY_NAME)
            assert axis in AXES

    def test_numbers_are_those_of_the_tables_and_the_claims(self):
        results = made_up({"LSTM": 0.8, "LSTM, small": 0.3, "LSTM, large": 0.7, "RSA": 0.6})
        told = prose.architectures(results)
        assert [told[f"recency-{size}"]() for size in ("small", "usual", "large")] == [".30", ".80", ".70"]
        assert told["recall-recurrent"]() == "1.00"
        assert told["families-apart"]() == decimals(judged(STUDY, "P3", results).effect.estimate, 3)
        assert told["other-mixer"]() == decimals(judged(STUDY, "P4", results).effect.estimate, 3)
        for name, claim in (("families-apart", "P3"), ("other-mixer", "P4")):
            found = judged(STUDY, claim, results).effect
            assert told[f"{name}-interval"]() == with_interval(found.estimate, *found.interval(), 3)
        assert told["other-mixer-large"]().startswith(decimals(judged(STUDY, "P6", results).effect.estimate, 3))
        assert told["lstm-recency"]().startswith(".300")
        # four preferences differ by .3, of eleven axes
        assert told["stable-lstm"]() == decimals(4 * 0.3 / 11)

    def test_numbers_of_students_are_those_of_their_tables_and_claims(self):
        attention, lstm = TEACHERS
        shares = {attention: 0.1, lstm: 0.9, student(lstm, lstm): 0.9, student(lstm, attention): 0.9}
        shares |= {student(attention, attention): 0.1, student(attention, lstm): 0.6}
        results = made_up(shares, {student(lstm, attention): (0.25, 0.25, 0.25)})
        told = prose.teachers(results)
        assert told["content-attention-taught"]() == ".60"
        assert told["teachers-apart"]() == decimals(4 * 0.8 / 9)
        assert told["attention-taught-apart"]() == decimals(4 * 0.3 / 9)
        # an LSTM that has learnt nothing: preferences as before, three skills less by .75, and no length
        assert told["lstm-taught-apart"]() == decimals((4 * 0.8 + 3 * 0.75) / 8)
        assert told["state-tracking-parity-lstm-taught"]() == ".25"
        assert told["teachers-sure"]() == decimals(np.exp(-0.1), 3)
        assert told["attention-words"]() == "4 of 9"
        assert told["state-tracking-part"]() == decimals(-0.75 / 9, 3)
        assert told["recall-part"]() == ".000"
        assert told["recency-pairs"]() == ".00"
        assert told["cannot-tell"]() == "0 of 18"
        assert told["lstm-words"]() == "3 of 8"
        assert told["lstm-moves"]().startswith(decimals(judged(STUDY, "P7", results).effect.estimate, 3))


class TestTables:
    def test_columns_are_in_the_order_of_the_axes(self):
        table = figures.table_of_profiles(made_up())
        assert list(table.columns) == [axis for axis in AXES if axis not in LATER]

    def test_preferences_have_a_row_a_run(self):
        rows = figures.preferences(made_up({"LSTM": 0.8}))
        assert set(rows["axis"]) == set(figures.PREFERENCES)
        assert (rows.groupby(["axis", "model"]).size() == PLANS["laptop"].budget.runs).all()
        assert set(rows["family"]) == set(FAMILIES)

    def test_the_table_of_probes_counts_who_has_learnt_them(self):
        table = figures.probe_table(made_up(skills={"LSTM": (0.5, 0.5, 0.5)})).set_index("probe")
        models = len(PLANS["laptop"].models)
        assert table.loc["parity", "models that learnt it"] == f"{models - 1} of {models}"
        assert table.loc["recency or majority", "models that learnt it"] == f"{models} of {models}"
        assert table.loc["white noise", "models that learnt it"] == f"{models} of {models}"
        assert table.loc["white noise", "axis"] == "alike by the end"
        assert table.loc["recall", "what it asks"] == PROBES["recall"].asks

    def test_relatives_are_the_nearest(self):
        shares = {name: 0.1 * place for place, name in enumerate(PLANS["laptop"].models) if place < 10}
        shares |= {name: 1.0 for place, name in enumerate(PLANS["laptop"].models) if place >= 10}
        shares |= {"RSA": 0.0, "Attention": 0.02}
        table = figures.relatives(made_up(shares)).set_index("model")
        assert table.loc["RSA", "nearest"] == "Attention"

    def test_reliability_is_a_rank_correlation_of_halves(self):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            [
                {"axis": "recency", "model": f"m{n}", "number": number, "value": rng.uniform()}
                for n in range(12)
                for number in range(4)
            ]
        )
        wide = table.pivot_table(index="model", columns="number", values="value")
        wanted = spearmanr(wide[[0, 1]].mean(axis=1), wide[[2, 3]].mean(axis=1)).statistic
        assert reliability(table)["recency"] == pytest.approx(wanted)
        assert np.isnan(reliability(table.assign(value=1.0))["recency"])
        single = reliability(table[table["number"] == 0])
        assert list(single.index) == ["recency"]
        assert np.isnan(single["recency"])
        found = figures.reliability_table(made_up({"LSTM": 0.8, "RSA": 0.2})).set_index("axis")
        assert found.loc["recency", "models"] == len(PLANS["laptop"].models)
