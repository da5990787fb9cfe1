"""Runs that were added to a published cell are looks: whoever judges by them pays, or says why there was one look."""

import subprocess
from collections.abc import Iterable

import pandas as pd
import pytest

from inductive_bias import paths
from inductive_bias.record.judging import Judged, judge
from inductive_bias.studies import STUDIES
from inductive_bias.studies.results import Results
from tests.rule_history import git, has_history

#: Decided claims that read a cell which grew after a publication, and that were looked at once all the same: why.
PAIRS = "compares runs in pairs, of which all were there at the first look"
NOTE = "only a note reads the cells that grew"
WHILE = "four runs of words were published once; another task of the study was published while they ran"
TAUGHT = "compares students, which were published once, by the first four runs of their teachers"
ONE_LOOK = {
    "V2": PAIRS,
    "V16": PAIRS,
    "V4-no-dropout": NOTE + ", and a condition on clean digits; its students were published once",
    "AS": PAIRS,
    "A21": PAIRS,
    "A22": PAIRS,
    "R2-RNN": PAIRS,
    "R7": NOTE,
    "R7-XL": NOTE,
    "R7-BRT": NOTE,
    "M5": WHILE,
    "M6": WHILE,
    "P7": TAUGHT,
    "P9": TAUGHT,
    "Q21": "is refuted by signal peptides, whose runs were published once; heartbeats got three more",
}


def grown(results: Results, read: Iterable[str], when: dict[str, int], published: list[int]) -> list[str]:
    """Cells of which runs were read that came before, and others that came after a publication.

    Args:
        results: of the study.
        read: ids of trials.
        when: time of the code of every run, by id; 0 where nobody knows it any more.
        published: times of publications, in order.
    """
    read = set(read) & set(when)
    places = {
        str(cell): {sum(time < when[trial.id] for time in published) for trial in trials if trial.id in read}
        for cell, trials in results.cells.items()
    }
    return sorted(cell for cell, found in places.items() if len(found) > 1)


def times_of_runs(study: str) -> dict[str, int]:
    """When the code of every published run was committed, by id."""
    runs = pd.read_parquet(paths.published(study) / "laptop-runs.parquet").set_index("id")["commit"]
    known = {commit: _time(commit) for commit in runs.unique()}
    return runs.map(known).to_dict()


def _time(commit: str) -> int:
    try:
        return int(git("log", "-1", "--format=%ct", commit.split("+")[0]))
    except subprocess.CalledProcessError:  # of a branch that is gone
        return 0


def publications(study: str) -> list[int]:
    """When the results of a study were published, oldest first."""
    return sorted(map(int, git("log", "--format=%ct", "--", f"data/results/{study}/manifest.json").split()))


def looked_at_once(judged: Judged) -> bool:
    """Whether a claim, and each of its parts, is decided as if by one look; a run that was found decides at any."""
    judgement = judged.finding.judgement
    paid = judgement.looks or any(part.looks for part in judgement.parts)
    return judgement.verdict.endswith("reproduced") and judgement.p > 0 and not paid


@pytest.mark.slow
@pytest.mark.skipif(not has_history(), reason="no whole git history here")
def test_whoever_judges_by_runs_that_came_after_a_look_pays_for_it():
    silent, told = {}, set()
    for name, study in STUDIES.items():
        if not (study.claims and study.is_published("laptop") and (paths.published(name) / "manifest.json").is_file()):
            continue
        results, when, published = study.results("laptop"), times_of_runs(name), publications(name)
        for each in judge({name: results}):
            cells = grown(results, each.read, when, published)
            if cells and looked_at_once(each):
                told.add(each.claim)
                if each.claim not in ONE_LOOK:
                    silent[each.claim] = cells
    assert not silent
    assert told == set(ONE_LOOK), "no longer needed"
