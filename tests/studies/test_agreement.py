import math

import pandas as pd
import pytest
import torch

from inductive_bias.store import Store
from inductive_bias.studies.agreement import STUDY
from inductive_bias.studies.agreement.claims import CLAIMS
from inductive_bias.studies.agreement.design import LADDER, LONGER, MODELS, PAIRS, SIZES, TRAIN_MODE, cells, checkpoints
from inductive_bias.studies.agreement.paper import paper_table, reported
from inductive_bias.studies.agreement.tables import error_overlap
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.study import Results
from inductive_bias.tasks import Split
from inductive_bias.trials import canonical


class TestDesign:
    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells(self, scale):
        ids = [trial.id for trials in cells(scale).values() for trial in trials]
        assert len(set(ids)) == len(ids)

    @pytest.mark.parametrize("scale", SCALES)
    def test_teachers_are_trials_of_their_cell_and_share_no_seed_with_students(self, scale):
        found = cells(scale)
        for pair in PAIRS:
            teacher, student = pair.split(" → ")
            assert tuple(trial.teacher for trial in found[pair]) == found[teacher]
            assert {trial.model for trial in found[pair]} == {trial.model for trial in found[student]}
            assert not {t.seed for t in found[pair]} & {t.seed for t in found[teacher]}

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_the_ladder_and_its_students_learn_from_real_sentences_with_four_seeds(self, scale):
        for cell in (*MODELS, *PAIRS, TRAIN_MODE):
            trials = cells(scale)[cell]
            assert len({trial.seed for trial in trials}) == 4
            assert {trial.task for trial in trials} == {SIZES[scale].main}
            assert SIZES[scale].main.kind == "agreement"

    def test_a_student_takes_as_many_steps_as_a_model_without_a_teacher(self):
        for pair in PAIRS:
            student = cells("laptop")[pair][0]
            alone = cells("laptop")[pair.split(" → ")[1]][0]
            assert student.schedule == alone.schedule
            assert student.optimiser == alone.optimiser

    def test_the_train_mode_control_changes_the_teacher_s_mode_alone(self):
        plain, changed = (canonical(cells("laptop")[name][0]) for name in ("LSTM → Transformer", TRAIN_MODE))
        assert changed["distill"].pop("teacher_mode") == "train"
        assert plain == changed

    @pytest.mark.parametrize("scale", ["smoke", "laptop"])
    def test_the_longer_cells_differ_by_their_number_of_epochs_alone(self, scale):
        found = cells(scale)
        for longer in LONGER:
            short, long = (found[name][0] for name in (longer.removesuffix(", longer"), longer))
            assert long.schedule.epochs > short.schedule.epochs
            same = {"schedule": short.schedule, "checkpoints": short.checkpoints}
            assert long.model_copy(update=same) == short

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_the_models_have_about_equally_many_weights_as_the_docstrings_say(self, scale):
        sizes = {
            name: sum(p.numel() for p in model.build(**SIZES[scale].main.dimensions).parameters())
            for name, model in SIZES[scale].models.items()
        }
        if scale == "laptop":
            assert max(sizes.values()) < 1.08 * min(sizes.values())
        assert sizes["Transformer"] == sizes["Sequential Transformer"]
        assert sizes["Universal Transformer"] == sizes["Sequential Universal Transformer"]

    def test_the_paper_scale_has_the_paper_s_numbers(self):
        sizes = SIZES["paper"]
        assert sizes.main.regime == "tsv"
        assert (sizes.models["LSTM"].width, sizes.models["LSTM"].layers) == (256, 2)
        assert (sizes.models["Transformer"].width, sizes.models["Transformer"].layers) == (128, 6)
        assert sizes.models["Sequential Universal Transformer"].width == 256
        assert (sizes.training.epochs, sizes.student_training.epochs, sizes.training.batch_size) == (60, 40, 64)

    @pytest.mark.parametrize(
        ("epochs", "want"), [(0, (0,)), (2, (0, 1, 2)), (4, (0, 1, 2, 3, 4)), (10, (0, 1, 2, 4, 8, 10))]
    )
    def test_checkpoints_are_every_epoch_of_a_short_training_and_double_in_a_long_one(self, epochs, want):
        assert checkpoints(epochs) == want


def made_up(
    accuracy: dict[str, float], deep: dict[str, float] | None = None, *, spread: float | dict[str, float] = 0.001
) -> Results:
    """Results with the given accuracies and A-accs by cell (.9 and .6 elsewhere); the ECE falls as accuracy rises."""
    rows = []
    for cell, trials in cells("laptop").items():
        wide = spread.get(cell, 0.001) if isinstance(spread, dict) else spread
        for number, trial in enumerate(trials):
            noise = wide * (number - 1.5)
            values = {("test", "accuracy"): accuracy.get(cell, 0.9) + noise}
            values[("attractors", "a_accuracy")] = (deep or {}).get(cell, 0.6) + noise
            values |= {("test", ece): 1 - values["test", "accuracy"] for ece in ("ece_20", "ece_1e6")}
            labels = {"cell": cell, "trial": trial.id, "seed": trial.seed, "epoch": math.nan}
            rows += [labels | {"split": s, "metric": m, "value": value} for (s, m), value in values.items()]
    return Results(STUDY, "laptop", pd.DataFrame(rows), complete_publication=True)


def check(name: str, results: Results):
    return next(claim for claim in CLAIMS if claim.id == name).check(results)


def verdict(name: str, results: Results) -> str:
    return check(name, results).verdict


UP = dict(zip(LADDER, (0.954, 0.964, 0.969, 0.977), strict=True))


class TestClaims:
    """Made-up results with a known truth: a claim must be able to fail."""

    def test_the_paper_s_ladder_is_reproduced_and_its_reverse_is_not(self):
        down = dict(zip(LADDER, reversed(UP.values()), strict=True))
        assert verdict("A5", made_up(UP)) == "reproduced"
        assert verdict("A5", made_up(down)) == "not reproduced"
        assert verdict("A5", made_up(UP, spread=0.05)) == "inconclusive"

    def test_one_step_down_breaks_the_ladder(self):
        assert verdict("A5", made_up(UP | {"Sequential Transformer": 0.93})) == "not reproduced"

    def test_the_ladder_s_effect_is_the_whole_of_it(self):
        assert check("A5", made_up(UP)).effect == pytest.approx(0.977 - 0.954)

    def test_the_order_of_teachers_decides(self):
        order = {f"{teacher} → Transformer": value for teacher, value in UP.items()}
        assert verdict("A6", made_up(order)) == "reproduced"
        assert verdict("A6", made_up(order | {"LSTM → Transformer": 0.94})) == "not reproduced"

    def test_students_that_stay_below_their_teacher_are_reproduced_and_one_above_is_not(self):
        below = {f"LSTM → {student}": 0.93 for student in LADDER[:3]} | {"LSTM": 0.96}
        deep = dict.fromkeys(below, 0.6) | {"LSTM": 0.7}
        assert verdict("A7", made_up(below, deep)) == "reproduced"
        assert verdict("A7", made_up(below, deep | {"LSTM → Transformer": 0.8})) == "not reproduced"

    def test_a_weak_teacher_that_helps_is_not_reproduced(self):
        assert verdict("A8", made_up({}, {"Transformer → LSTM": 0.7, "LSTM": 0.8})) == "reproduced"
        assert verdict("A8", made_up({}, {"Transformer → LSTM": 0.8, "LSTM": 0.7})) == "not reproduced"

    def test_spread_is_judged_by_an_f_test(self):
        assert verdict("A15", made_up(UP, spread={"Transformer": 0.02})) == "reproduced"
        assert verdict("A15", made_up(UP, spread={"LSTM": 0.02})) == "not reproduced"
        assert verdict("A15", made_up(UP)) == "inconclusive"
        assert verdict("A15", made_up(UP, spread=0.0)) == "inconclusive"

    def test_a_mode_that_takes_back_the_loan_is_not_reproduced(self):
        lent = {"Transformer": 0.5, "LSTM → Transformer": 0.6}
        assert verdict("A16", made_up({}, lent | {TRAIN_MODE: 0.59})) == "reproduced"
        assert verdict("A16", made_up({}, lent | {TRAIN_MODE: 0.5})) == "not reproduced"
        assert verdict("A16", made_up({}, {"Transformer": 0.6, "LSTM → Transformer": 0.5})) == "inconclusive"

    def test_less_data_must_do_on_real_and_on_generated_sentences(self):
        both = {"LSTM, 13,000 preambles": 0.7, "LSTM, grammar 3,000": 0.7}
        assert verdict("AS", made_up({}, both)) == "reproduced"
        assert verdict("AS", made_up({}, both | {"LSTM, grammar 3,000": 0.5})) == "not reproduced"

    def test_bins_matter_only_where_two_cells_change_places(self):
        results = made_up(UP)
        assert verdict("A12", results) == "not reproduced"
        rows = results.rows
        rows.loc[(rows["cell"] == "LSTM") & (rows["metric"] == "ece_20"), "value"] += 0.5
        assert verdict("A12", results) == "reproduced"

    def test_a_diverged_seed_does_not_hide_the_others(self):
        results = made_up(UP)
        results.rows.loc[(results.rows["cell"] == "LSTM") & (results.rows["seed"] == 0), "value"] = math.nan
        assert verdict("A5", results) == "reproduced"


class TestPaper:
    def test_every_number_has_a_place_in_the_design(self):
        table = paper_table()
        assert set(table["cell"]) <= set(cells("laptop"))
        assert not table.duplicated(["cell", "split", "metric"]).any()

    def test_numbers_that_are_not_known_are_none(self):
        assert reported("LSTM", "test", "accuracy")[0] == 0.9774
        assert reported("Universal Transformer", "test", "accuracy") is None

    def test_a_acc_is_the_mean_of_the_runs_in_the_logs(self):
        mean, std = reported("Transformer", "attractors", "a_accuracy")
        assert mean == pytest.approx((0.682 + 0.720 + 0.731 + 0.736) / 4)
        assert 0 < std < 0.03


class TestErrorOverlap:
    def test_a_copy_agrees_always_and_chance_is_that_of_independent_errors(self, tmp_path):
        labels = torch.tensor([0, 1, 0, 1])
        split = Split(torch.zeros(4, 2, dtype=torch.int64), labels, "generated:made up")
        found = cells("smoke")

        class MadeUp(Runs):
            def data(self, trial):
                return {"test": split, "attractors": split}

            def logits(self, trial, name):
                # every LSTM and its students say 0 always; everybody else is right
                by_lstm = (trial.teacher or trial).model.kind == "lstm"
                return torch.eye(2)[torch.zeros(4, dtype=torch.int64) if by_lstm else labels]

        table = error_overlap(MadeUp(found, Store(tmp_path))).set_index(["student_cell", "teacher"])
        copied = table.loc[("LSTM → Transformer", "LSTM")].iloc[0]
        alone = table.loc[("Transformer", "LSTM")].iloc[0]
        assert copied["agreement_with_teacher"] == 1.0
        assert copied["chance"] == pytest.approx(0.5 * 0.5 + 0.5 * 0.5)
        assert alone["agreement_with_teacher"] == pytest.approx(0.5)
        assert alone["chance"] == pytest.approx(1.0 * 0.5 + 0.0 * 0.5)
