"""Position matrices on characters: a matched design, claims that can fail, and counts that are those of the models."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.running import build
from inductive_bias.studies import study_named
from inductive_bias.studies.rem_vs_toeplitz import STUDY, paper
from inductive_bias.studies.rem_vs_toeplitz.claims import CLAIMS, NO_CHANGE, NO_WORSE
from inductive_bias.studies.rem_vs_toeplitz.design import CELLS, LINEAR_RNN, SIZES, cells, twin_of
from inductive_bias.studies.rem_vs_toeplitz.pairs import paired_gain
from inductive_bias.studies.rem_vs_toeplitz.parameters import extra_scalars, parameter_table, shapes_only
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.study import Results

TWIN, FREE = "Transformer, sinusoidal", "Free Toeplitz, sinusoidal"
SHARED, PER_HEAD = "RSA, shared, sinusoidal", "RSA, per head, sinusoidal"
HALF = "RSA, half plain, sinusoidal"
PRINTED = "RSA, printed diagonal, sinusoidal"


class TestDesign:
    def test_the_study_can_be_run_by_its_name(self):
        assert study_named("rem_vs_toeplitz") is STUDY

    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells_and_all_share_data_seeds_and_steps(self, scale):
        found = cells(scale)
        trials = [trial for members in found.values() for trial in members]
        assert len({trial.id for trial in trials}) == len(trials)
        assert len({(trial.task, trial.schedule) for trial in trials}) == 1
        rates = {cell: {trial.optimiser.learning_rate for trial in members} for cell, members in found.items()}
        assert rates == {
            cell: {SIZES[scale].linear_rate if cell == LINEAR_RNN else SIZES[scale].rate} for cell in found
        }
        assert {tuple(trial.seed for trial in members) for members in found.values()} == {
            tuple(range(SIZES[scale].seeds))
        }

    def test_the_laptop_reads_real_text_with_at_least_four_seeds_and_smoke_none(self):
        assert SIZES["laptop"].task.text == "tinyshakespeare"
        assert SIZES["laptop"].seeds >= 4
        assert SIZES["smoke"].task.text == "grammar"

    @pytest.mark.parametrize("scale", SCALES)
    def test_five_scalars_a_layer_is_what_the_paper_s_heads_add_when_shared(self, scale):
        found, sizes = cells(scale), SIZES[scale]
        heads = sizes.head_count
        assert extra_scalars(found[SHARED][0]) == extra_scalars(found[PRINTED][0]) == 5
        assert extra_scalars(found[PER_HEAD][0]) == 2 * heads + 1
        assert extra_scalars(found[FREE][0]) == heads * (sizes.task.window - 1) + 1
        assert extra_scalars(found["Transformer, ALiBi"][0]) == 0

    @pytest.mark.parametrize("scale", SCALES)
    def test_recurrent_layers_have_about_the_parameters_of_attention(self, scale):
        found = cells(scale)
        width = SIZES[scale].base["width"]
        for cell in ("Linear RNN", "LSTM"):
            assert abs(extra_scalars(found[cell][0])) < 0.05 * 4 * width**2

    def test_a_cell_and_its_twin_differ_in_the_mixer_alone(self):
        for cell, (trial, *_) in cells("laptop").items():
            twin = cells("laptop")[twin_of(cell)][0].model
            assert trial.model.positions == twin.positions
            assert (trial.model.layers, trial.model.width) == (twin.layers, twin.width)
            assert getattr(trial.model.mixer, "heads", twin.mixer.heads) == twin.mixer.heads

    def test_paper_trains_for_the_published_number_of_steps(self):
        sizes = SIZES["paper"]
        steps = sizes.schedule.epochs * (90_000_000 // sizes.task.window // sizes.schedule.batch_size)
        assert steps == pytest.approx(400_000, rel=0.01)


def made_up(values: dict[str, float], *, spread: float = 0.001, common: float = 0.05) -> Results:
    """Results with the given BPCs (2.0 elsewhere); seeds differ by ``common`` in all cells alike and by ``spread``."""
    rows, rng = [], np.random.default_rng(0)
    for cell, trials in cells("laptop").items():
        for number, trial in enumerate(trials):
            noise = common * number + spread * rng.standard_normal()
            labels = {"cell": cell, "trial": trial.id, "seed": trial.seed, "epoch": math.nan, "split": "test"}
            rows.append(labels | {"metric": "bpc", "value": values.get(cell, 2.0) + noise, "x": math.nan})
    return Results(STUDY, "laptop", pd.DataFrame(rows), complete_publication=True)


def check(name: str, results: Results):
    return next(claim for claim in CLAIMS if claim.id == name).check(results)


class TestPairs:
    def test_the_interval_is_scipy_s_of_paired_differences(self):
        results = made_up({SHARED: 1.98})
        found = paired_gain(results, SHARED, TWIN)
        both = [results.values(cell, "test", "bpc") for cell in (SHARED, TWIN)]
        low, high = stats.ttest_rel(*both).confidence_interval()
        assert found[1:3] == pytest.approx((low, high))

    def test_what_seeds_do_to_both_alike_is_no_noise(self):
        narrow = paired_gain(made_up({}, common=10.0), SHARED, TWIN)
        assert narrow.high - narrow.low < 0.01

    def test_seeds_are_paired_by_number_and_not_by_order(self):
        results = made_up({SHARED: 1.98})
        shuffled = Results(STUDY, "laptop", results.rows.sample(frac=1, random_state=0), complete_publication=True)
        assert paired_gain(shuffled, SHARED, TWIN) == pytest.approx(paired_gain(results, SHARED, TWIN))

    def test_a_pair_with_a_diverged_run_is_left_out_and_none_is_no_number(self):
        results = made_up({})
        first = (results.rows["cell"] == SHARED) & (results.rows["seed"] == 0)
        results.rows.loc[first, "value"] = math.nan
        assert paired_gain(results, SHARED, TWIN).n == SIZES["laptop"].seeds - 1
        results.rows.loc[results.rows["cell"] == SHARED, "value"] = math.nan
        none = paired_gain(results, SHARED, TWIN)
        assert none.n == 0
        assert math.isnan(none.mean)


class TestClaims:
    """Made-up results with a known truth: a claim must be able to fail."""

    @pytest.mark.parametrize(
        ("rem", "spread", "verdict"),
        [(1.98, 0.001, "reproduced"), (2.02, 0.001, "not reproduced"), (1.99, 0.1, "inconclusive")],
    )
    def test_the_rem_must_beat_the_free_matrix(self, rem, spread, verdict):
        found = check("R6", made_up({HALF: rem}, spread=spread))
        assert found.verdict == verdict
        assert found.note.startswith("5 against 255 extra scalars a layer")

    @pytest.mark.parametrize(
        ("half", "per_head", "verdict"),
        [
            (1.98, 2.0, "reproduced"),
            (1.98, 2.0 - NO_WORSE / 2, "reproduced"),
            (1.98, 2.0 - 3 * NO_WORSE, "not reproduced"),  # a gain, but scalars a head gain far more
            (2.02, 2.0, "not reproduced"),
        ],
    )
    def test_five_scalars_must_gain_and_hardly_lose_against_more(self, half, per_head, verdict):
        assert check("R8", made_up({HALF: half, PER_HEAD: per_head})).verdict == verdict

    def test_five_scalars_are_open_where_the_seeds_disagree(self):
        assert check("R8", made_up({HALF: 1.99}, spread=0.1)).verdict == "inconclusive"

    @pytest.mark.parametrize(
        ("printed", "spread", "verdict"),
        [
            (1.98, 0.001, "reproduced"),
            (2.02, 0.001, "reproduced"),
            (2.0, NO_CHANGE / 20, "not reproduced"),
            (2.0, 0.1, "inconclusive"),
        ],
    )
    def test_the_diagonal_matters_matters_not_or_is_open(self, printed, spread, verdict):
        assert check("R10", made_up({PRINTED: printed}, spread=spread)).verdict == verdict

    @pytest.mark.parametrize("name", [claim.id for claim in CLAIMS])
    def test_a_cell_that_diverged_leaves_every_claim_open(self, name):
        assert check(name, made_up(dict.fromkeys(CELLS, math.nan))).verdict == "inconclusive"


class TestParameters:
    def test_counts_are_those_of_the_real_models(self):
        results = made_up({})
        table = parameter_table(results, CELLS).set_index("model")
        for cell, (trial, *_) in cells("laptop").items():
            model = build(trial)
            assert table.loc[cell, "parameters"] == sum(value.numel() for value in model.parameters())
        assert table.loc[SHARED, "more than its twin's"] == table.loc[SHARED, "of these trained"] == 5
        assert table.loc["RSA, frozen, sinusoidal", "more than its twin's"] == 5
        assert table.loc["RSA, frozen, sinusoidal", "of these trained"] == 1

    def test_the_paper_s_model_has_about_the_published_number_of_parameters(self):
        model = shapes_only(cells("paper")[SHARED][0])
        # RSA-XL of 14 layers has 54.6 million, those of its relative positions and longer embedding among them
        assert sum(value.numel() for value in model.parameters()) == pytest.approx(54.6e6, rel=0.25)


class TestPaper:
    def test_differences_are_those_of_the_notes(self):
        assert paper.against_free_matrix()["RSA − TL"].tolist() == [-0.012, -0.018, -0.019, -0.018]
        found = paper.against_attention()
        assert found["RSA − BRT"].tolist() == [-0.007, -0.002, -0.006, -0.007, -0.0063, -0.0027]
        assert found["extra parameters"].tolist() == ["+35", "+45", "+55", "+65", "–", "–"]
