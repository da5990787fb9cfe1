import math

import pandas as pd
import pytest

from inductive_bias.studies.language_models import STUDY
from inductive_bias.studies.language_models.claims import CLAIMS
from inductive_bias.studies.language_models.design import MODELS, PAIRS, SELF, cells
from inductive_bias.studies.language_models.paper import paper_points, paper_table, reported
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.study import Results


class TestDesign:
    @pytest.mark.parametrize("scale", SCALES)
    def test_no_trial_is_in_two_cells_and_every_language_model_is_causal(self, scale):
        trials = [trial for members in cells(scale).values() for trial in members]
        assert len({trial.id for trial in trials}) == len(trials)
        assert all(getattr(trial.model, "causal", True) for trial in trials)

    @pytest.mark.parametrize("scale", SCALES)
    def test_students_take_as_many_steps_as_their_twins_and_never_a_teacher_s_seed(self, scale):
        found = cells(scale)
        for pair in PAIRS:
            teacher, student = pair.split(" → ")
            assert tuple(trial.teacher for trial in found[pair]) == found[teacher]
            assert found[pair][0].schedule == found[student][0].schedule
            assert not {t.seed for t in found[pair]} & {t.seed for t in found[teacher]}

    def test_laptop_and_paper_read_real_text_with_at_least_three_seeds(self):
        for scale in ("laptop", "paper"):
            for trials in cells(scale).values():
                assert len({trial.seed for trial in trials}) >= 3
                assert trials[0].task.corpus == "wikitext-2"


def made_up(deep: dict[str, float], perplexity: dict[str, float] | None = None, *, spread: float = 0.001) -> Results:
    """Results with the given A-accs (.6 elsewhere) and perplexities (100 elsewhere)."""
    rows = []
    for cell, trials in cells("laptop").items():
        for number, trial in enumerate(trials):
            noise = spread * (number - 1)
            values = {
                ("pairs:linzen-lm", "a_accuracy"): deep.get(cell, 0.6) + noise,
                ("test", "perplexity"): (perplexity or {}).get(cell, 100.0) + 100 * noise,
            }
            labels = {"cell": cell, "trial": trial.id, "seed": trial.seed, "epoch": math.nan}
            rows += [labels | {"split": s, "metric": m, "value": value} for (s, m), value in values.items()]
    return Results(STUDY, "laptop", pd.DataFrame(rows), complete_publication=True)


def verdict(name: str, results: Results) -> str:
    return next(claim for claim in CLAIMS if claim.id == name).check(results).verdict


class TestClaims:
    """Made-up results with a known truth: a claim must be able to fail."""

    def test_a_harmful_teacher_and_a_helpful_one(self):
        assert verdict("L8", made_up({"Transformer → LSTM": 0.5})) == "reproduced"
        assert verdict("L8", made_up({"Transformer → LSTM": 0.7})) == "not reproduced"
        assert verdict("L8", made_up({"Transformer → LSTM": 0.59}, spread=0.2)) == "inconclusive"

    def test_self_distillation_must_lower_all_four(self):
        lower = dict.fromkeys(SELF, 0.5)
        assert verdict("L9", made_up(lower)) == "reproduced"
        assert verdict("L9", made_up(lower | {SELF[0]: 0.7})) == "not reproduced"

    def test_one_swapped_pair_is_enough_to_break_the_ranking(self):
        ranked = dict(zip(MODELS, (0.9, 0.8, 0.7, 0.6), strict=True))
        perplexity = dict(zip(MODELS, (50.0, 60.0, 70.0, 80.0), strict=True))
        assert verdict("L10", made_up(ranked, perplexity)) == "not reproduced"
        assert verdict("L10", made_up(ranked | {"Small LSTM": 0.75}, perplexity)) == "reproduced"

    def test_both_must_rise_for_a_decoupling_teacher(self):
        cell = "Small LSTM → Transformer"
        assert verdict("L11", made_up({cell: 0.7}, {cell: 110.0})) == "reproduced"
        assert verdict("L11", made_up({cell: 0.7}, {cell: 90.0})) == "not reproduced"


class TestPaper:
    def test_the_spreadsheets_cover_every_cell_of_the_design(self):
        assert set(cells("laptop")) <= set(paper_table()["cell"])
        assert not paper_table().duplicated(["cell", "metric"]).any()

    def test_the_means_of_the_figure_s_points_are_those_of_the_notes(self):
        means = paper_points().groupby("cell")["perplexity"].mean()
        assert means["LSTM"] == pytest.approx(55.95, abs=0.01)
        assert means["Small Transformer"] == pytest.approx(55.66, abs=0.01)

    def test_an_unknown_cell_has_no_number(self):
        assert reported("LSTM", "a_accuracy") == (0.9352, 0.0051)
        assert reported("Transformer, smaller still", "a_accuracy") is None
