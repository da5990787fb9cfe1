"""An effect and its margin have one baseline: published contrasts and the paper's rows name the cells they compare."""

import pytest

from inductive_bias.studies import STUDIES


@pytest.mark.parametrize("name", STUDIES)
def test_a_margin_from_a_paper_names_the_cells_that_the_contrast_compares(name):
    study = STUDIES[name]
    results = study.results("laptop")
    for claim in study.claims:
        for asked in claim.judge(results).judgement.asked:
            if asked.paper is not None:
                assert asked.compared, f"{claim.id}: the margin does not say of which two cells it is half"
                assert set(asked.compared) == set(asked.contrast.compared), (
                    f"{claim.id}: {asked.contrast.name} compares {asked.contrast.compared}, its margin {asked.compared}"
                )
