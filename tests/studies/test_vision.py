import math

import numpy as np
import pandas as pd
import pytest

from inductive_bias.engine import run_missing
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.study import Results
from inductive_bias.studies.vision import STUDY
from inductive_bias.studies.vision.claims import CLAIMS, barrier_heights
from inductive_bias.studies.vision.design import CNN_TO_MLP, CONTROLS, NO_PENALTY, PAIRS, SAME_STEPS, cells, checkpoints
from inductive_bias.trials import canonical


class TestDesign:
    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells(self, scale):
        ids = [trial.id for trials in cells(scale).values() for trial in trials]
        assert len(set(ids)) == len(ids)

    @pytest.mark.parametrize("scale", ["laptop", "paper"])
    def test_real_scales_have_real_data_and_four_seeds(self, scale):
        for trials in cells(scale).values():
            assert len({trial.seed for trial in trials}) >= 4
            assert not any(trial.task.sample for trial in trials)

    @pytest.mark.parametrize("scale", SCALES)
    def test_teachers_are_trials_of_their_cell_and_share_no_seed_with_students(self, scale):
        found = cells(scale)
        for pair in PAIRS:
            teacher, student = pair.split(" → ")
            assert tuple(trial.teacher for trial in found[pair]) == found[teacher]
            assert {trial.model.kind for trial in found[pair]} == {student.lower()}
            assert not {t.seed for t in found[pair]} & {t.seed for t in found[teacher]}

    @pytest.mark.parametrize("scale", SCALES)
    def test_the_undistilled_twin_differs_from_the_student_by_the_teacher_alone(self, scale):
        for twin, student in zip(cells(scale)[SAME_STEPS], cells(scale)[CNN_TO_MLP], strict=True):
            assert student.model_copy(update={"distill": None}) == twin

    @pytest.mark.parametrize("control", CONTROLS)
    def test_a_control_changes_what_its_name_says_and_nothing_else(self, control):
        plain, changed = (canonical(cells("laptop")[name][0])["distill"] for name in (CNN_TO_MLP, control))
        differing = {key for key in plain.keys() | changed.keys() if plain.get(key) != changed.get(key)}
        assert differing == set(CONTROLS[control])

    def test_the_unpenalised_student_differs_by_its_penalty_alone(self):
        found = cells("laptop")
        for free, penalised in zip(found[NO_PENALTY], found[f"{CNN_TO_MLP}, factor 1/T²"], strict=True):
            assert (free.model.l1, free.model.l2) == (0.0, 0.0)
            assert free.model_copy(update={"model": penalised.model}) == penalised

    def test_the_paper_scale_has_the_paper_s_numbers(self):
        student = cells("paper")[CNN_TO_MLP][0]
        assert (student.distill.temperature, student.distill.mixing) == (5.0, 1.0)
        assert (student.schedule.epochs, student.schedule.batch_size) == (400, 128)
        assert student.optimiser.learning_rate == 1e-4
        assert student.model.widths == (512, 128, 32)
        assert student.teacher.model.filters == (128, 64, 64)
        assert len(student.checkpoints) == 11

    @pytest.mark.parametrize(("epochs", "want"), [(0, (0,)), (1, (0, 1)), (4, (0, 1, 2, 4)), (10, (0, 1, 2, 4, 8, 10))])
    def test_checkpoints_double(self, epochs, want):
        assert checkpoints(epochs) == want


def made_up(gains: dict[str, float], *, spread: float = 0.004) -> Results:
    """Results whose translated accuracy is what ``gains`` says of each cell; everything else is flat."""
    rows = []
    for cell, trials in cells("laptop").items():
        for number, trial in enumerate(trials):
            for split in ("test", "scale", "translate"):
                base = gains.get(cell, 0.4) if split != "test" else 0.98
                value = base + spread * (number - 1.5) * (1 if split == "translate" else 0.1)
                labels = {"cell": cell, "trial": trial.id, "seed": trial.seed, "split": split, "epoch": math.nan}
                rows.append(labels | {"metric": "accuracy", "value": value})
                for metric in ("ece_1e6", "ece_20"):
                    rows.append(labels | {"metric": metric, "value": 1 - value})
    return Results(STUDY, "laptop", pd.DataFrame(rows), complete_publication=True)


def verdict(name: str, results: Results) -> str:
    return next(claim for claim in CLAIMS if claim.id == name).check(results).verdict


class TestClaims:
    """Made-up results with a known truth: a claim must be able to fail."""

    def test_a_gain_like_the_paper_s_is_reproduced(self):
        results = made_up({CNN_TO_MLP: 0.51, SAME_STEPS: 0.38, "MLP → MLP": 0.395}, spread=0.001)
        assert [verdict(name, results) for name in ("V1", "V2", "V3", "V4")] == ["reproduced"] * 4

    def test_no_gain_is_not_reproduced(self):
        results = made_up({CNN_TO_MLP: 0.30, SAME_STEPS: 0.38, "MLP → MLP": 0.36})
        assert [verdict(name, results) for name in ("V1", "V2", "V3")] == ["not reproduced"] * 3

    def test_noise_is_inconclusive(self):
        results = made_up({CNN_TO_MLP: 0.40, SAME_STEPS: 0.38, "MLP → MLP": 0.38}, spread=0.1)
        assert [verdict(name, results) for name in ("V1", "V2")] == ["inconclusive"] * 2

    def test_a_gain_that_any_teacher_gives_is_not_specific(self):
        assert verdict("V2", made_up({CNN_TO_MLP: 0.5, SAME_STEPS: 0.38, "MLP → MLP": 0.5})) == "not reproduced"

    def test_a_strong_student_that_cares_is_not_reproduced(self):
        assert verdict("V4", made_up({"CNN → CNN": 0.97, "MLP → CNN": 0.9})) == "not reproduced"

    def test_a_defect_that_doubles_the_gain_is_not_reproduced(self):
        gains = dict.fromkeys(CONTROLS, 0.5) | {CNN_TO_MLP: 0.5, SAME_STEPS: 0.4}
        assert verdict("V16", made_up(gains)) == "reproduced"
        gains[next(iter(CONTROLS))] = 0.6
        assert verdict("V16", made_up(gains)) == "not reproduced"
        assert verdict("V16", made_up(gains | {CNN_TO_MLP: 0.3})) == "inconclusive"

    def test_a_diverged_seed_does_not_hide_the_others(self):
        results = made_up({CNN_TO_MLP: 0.51, SAME_STEPS: 0.38, "MLP → MLP": 0.395})
        lost = (results.rows["cell"] == CNN_TO_MLP) & (results.rows["seed"] == 10)
        results.rows.loc[lost, "value"] = math.nan
        assert verdict("V1", results) == "reproduced"

    def test_identical_seeds_say_nothing_about_spread(self):
        assert verdict("V15", made_up({}, spread=0.0)) == "inconclusive"

    def test_bins_that_order_two_models_oppositely_are_found(self):
        results = made_up({})
        assert verdict("V12", results) == "not reproduced"
        clean = results.rows["split"] == "test"
        for cell, few, many in (("CNN", 0.01, 0.05), ("MLP", 0.03, 0.02)):
            for metric, value in (("ece_20", few), ("ece_1e6", many)):
                chosen = clean & (results.rows["cell"] == cell) & (results.rows["metric"] == metric)
                results.rows.loc[chosen, "value"] = value + np.arange(4) * 1e-4
        assert verdict("V12", results) == "reproduced"


def test_a_barrier_is_the_climb_above_the_straight_line_of_losses():
    rows = [
        {"kind": "k", "aligned": False, "seed_a": 0, "seed_b": 1, "statistics": "computed again", "metric": "nll",
         "weight": weight, "value": value}
        for weight, value in [(0.0, 1.0), (0.5, 4.0), (1.0, 2.0)]
    ]  # fmt: skip
    assert barrier_heights(pd.DataFrame(rows))["height"].tolist() == [2.5]


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale_and_every_claim_gets_a_verdict(home):
    """Every line of the study, from digits to verdicts; about half a minute."""
    assert run_missing(STUDY.trials("smoke"), STUDY.store(), device="cpu", jobs=1, progress=False) == 26
    results = STUDY.results("smoke", device="cpu")
    assert results.rows["data_source"].str.startswith("sample:").all()
    assert set(results.rows["cell"]) == set(cells("smoke"))
    for name in STUDY.tables:
        assert len(results.table(name))
        assert results.table(name)["value"].notna().all()
    for claim in STUDY.claims:
        finding = claim.check(results)
        assert finding.verdict in ("reproduced", "not reproduced", "inconclusive")
    runs = Runs(STUDY.cells("smoke"), STUDY.store())
    student = runs.cells[CNN_TO_MLP][0]
    assert list(runs.features(student)) == list(student.checkpoints)
    line = results.table("barriers").query("kind == 'MLP teacher and student' and not aligned and metric == 'accuracy'")
    end = line[(line["weight"] == 1.0) & (line["statistics"] == "as interpolated")]["value"].iloc[0]
    assert end == pytest.approx(results.values("MLP → MLP", "test", "accuracy")[0])
