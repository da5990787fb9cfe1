"""An effect and its margin have one baseline: the published contrasts and the paper's rows name their cells."""

import pytest

from inductive_bias.studies import STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_a_margin_from_a_paper_names_the_cells_that_the_contrast_compares(name):
    study = STUDIES[name]
    results = study.results("laptop")
    for claim in study.claims:
        judgement = claim.rule(results).judgement
        for asked in judgement.asked:
            if asked.paper is not None:
                assert asked.compared, f"{claim.id}: the margin does not say of which two cells it is half"
                assert set(asked.compared) == set(asked.contrast.compared), (
                    f"{claim.id}: {asked.contrast.name} compares {asked.contrast.compared}, its margin {asked.compared}"
                )


@pytest.mark.parametrize("name", STUDIES)
def test_a_claim_that_was_looked_at_several_times_was_last_looked_at_with_the_runs_that_decide(name):
    study = STUDIES[name]
    results = study.results("laptop")
    for claim in study.claims:
        judgement = claim.rule(results).judgement
        for part in (judgement, *judgement.parts):
            if part.looks and part.deciding is not None:
                assert part.deciding.n in part.looks, f"{claim.id}: {part.deciding.n} runs are in no look {part.looks}"
