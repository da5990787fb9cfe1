"""What every study keeps to, whatever it is about; and each really runs from the first trial to the last page."""

import json
import re
from collections import Counter

import pytest

from inductive_bias import paths
from inductive_bias.protocols.measures.ranges import implausible
from inductive_bias.site.rendering import contents
from inductive_bias.studies import STUDIES, publishing
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.published import table_path
from inductive_bias.studies.scales import SCALES
from tests.notebooks import run_notebook

of_studies = pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
at_scales = pytest.mark.parametrize("scale", SCALES)


@of_studies
@at_scales
def test_cells_have_names_of_their_own_and_as_many_seeds_as_are_published(study, scale):
    cells = study.design.cells(scale)
    names = Counter(study.design.name(cell) for cell in cells)
    assert [name for name, count in names.items() if count > 1] == []
    wanted = 2 if scale == "smoke" else study.min_seeds
    judged = study.design.cells(scale).items()
    assert [cell for cell, trials in judged if len({trial.seed for trial in trials}) < wanted] == []


@of_studies
@at_scales
def test_students_come_after_teachers_that_are_in_the_design(study, scale):
    trials = study.trials(scale)
    order = {trial.id: place for place, trial in enumerate(trials)}
    members = study.design.members(scale)
    for trial in trials:
        if trial.teacher:
            assert order[trial.teacher.id] < order[trial.id]
            assert trial.teacher.id in members


@of_studies
def test_its_pages_are_there_and_judge_their_claims(study):
    book = paths.home() / "book"
    there = {path.relative_to(book).with_suffix("").as_posix(): path for path in contents()}
    for page in study.pages:
        assert page.path in there
        cells = json.loads(there[page.path].read_text("utf8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        opened = re.findall(rf"(\w+) = open_study\(\s*['\"]{study.name}['\"]", code)  # none where nothing is read
        shown = any(f'claim_boxes({results}, "{page.path}"' in code for results in opened)
        assert shown == bool(study.claims_on(page.path))


@of_studies
def test_its_paper_reports_of_known_levels_and_splits(study):
    numbers = study.paper_numbers()
    if study.paper is not None:
        assert not numbers.empty
    for factor in study.design.factors:
        known = {level for scale in SCALES for level in study.design.levels(scale)[factor]}
        assert set(numbers[factor].dropna()) <= known


@of_studies
@at_scales
def test_what_is_published_is_complete_real_and_unchanged(study, scale):
    if table_path(study.name, scale).exists():
        assert publishing.problems_of_published(study, scale) == []
    else:
        assert scale in ("smoke", "paper"), f"the laptop results of {study.name} have not been published"


# one small study in every run of the tests, all others where the slow tests are run
@pytest.mark.parametrize(
    "study",
    [pytest.param(each, marks=() if name == "sharing" else pytest.mark.slow) for name, each in STUDIES.items()],
    ids=list(STUDIES),
)
def test_it_runs_from_the_first_trial_to_the_last_page(study, smoked):
    notebooks = [paths.home() / "book" / f"{page.path}.ipynb" for page in study.pages]
    results = smoked(study)
    assert set(results.rows["trial"]) == set(study.design.members("smoke"))
    assert results.rows.loc[implausible(results.rows), "metric"].unique().tolist() == []
    for name in study.tables:
        assert len(results.table(name).columns) > 0
    for claim in study.claims:
        assert isinstance(claim.judge(results), Finding)
    for path in notebooks:
        run_notebook(path, scale="smoke", device="cpu")
    # all of it from the runs of the first line: nothing was trained twice or elsewhere
    shown = {page.path for page in study.pages}
    beside = {each.name for each in STUDIES.values() if {page.path for page in each.pages} & shown}
    assert {path.name for path in (paths.home() / "runs").iterdir()} == beside | {study.name}
