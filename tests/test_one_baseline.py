"""What published claims declare: the cells of a margin from a paper, and the numbers of runs at which they were judged."""

import pytest

from inductive_bias.studies import STUDIES
from inductive_bias.verdicts import Judgement


def refuse_two_baselines(claim: str, judgement: Judgement) -> None:
    for asked in judgement.asked:
        if asked.paper is not None:
            assert asked.compared, f"{claim}: the margin does not say of which two cells it is half"
            assert set(asked.compared) == set(asked.contrast.compared), (
                f"{claim}: {asked.contrast.name} compares {asked.contrast.compared}, its margin {asked.compared}"
            )


def refuse_an_undeclared_look(claim: str, judgement: Judgement) -> None:
    for part in (judgement, *judgement.parts):
        if part.looks and part.deciding is not None:
            assert part.deciding.n in part.looks, f"{claim}: {part.deciding.n} runs are in no look {part.looks}"


@pytest.mark.parametrize("name", STUDIES)
def test_a_margin_names_its_cells_and_a_look_its_runs(name):
    study = STUDIES[name]
    results = study.results("laptop")
    for claim in study.claims:
        judgement = claim.rule(results).judgement
        refuse_two_baselines(claim.id, judgement)
        refuse_an_undeclared_look(claim.id, judgement)
