"""The rules on numbers made by hand, scores against loops, what automata depend on, and the tables of tiny runs."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn

from inductive_bias.analysis.attribution import first_tenth
from inductive_bias.engine import run_missing
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.store import Store
from inductive_bias.studies.automata import STUDY
from inductive_bias.studies.automata.claims.explanation import CLAIMS, PAGE
from inductive_bias.studies.automata.design import ATTENTION, FLIP_FLOP, GRID, LSTM, PLANS, RSA
from inductive_bias.studies.automata.figures import explanation as figures
from inductive_bias.studies.automata.measures.depth import TRAINED, UNTRAINED
from inductive_bias.studies.automata.measures.explanation import (
    COMPARED,
    DELETION,
    EXAMPLES,
    FOUND,
    GAP,
    GRADIENT,
    INTEGRATED,
    OCCLUSION,
    RANDOM,
    RAW,
    ROLLOUT,
    SCORES,
    SINCE,
    TOP,
    TRUTH,
    WITH_OCCLUSION,
    WITH_TRUTH,
)
from inductive_bias.studies.automata.tables import attribution
from inductive_bias.studies.automata.tables.attention import deciding
from inductive_bias.studies.automata.tables.attribution_scores import (
    by_chance,
    mean_rank_correlation,
    precision,
    scores,
)
from inductive_bias.studies.automata.tables.explained_words import Words, answers, effects, groups
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.state_tracking import SETUPS
from inductive_bias.tasks import StateTracking
from tests.fakes import fake_results, judged

LENGTH = SETUPS["laptop"].length
#: Scores of every method in the numbers made by hand; attention is the furthest from occlusion.
MADE = {
    OCCLUSION: {TOP: 1.0, WITH_OCCLUSION: 1.0},
    INTEGRATED: {TOP: 0.8, WITH_OCCLUSION: 0.8, GAP: 0.01},
    GRADIENT: {TOP: 0.6, WITH_OCCLUSION: 0.5},
    RAW: {TOP: 0.7, WITH_OCCLUSION: 0.5},
    ROLLOUT: {TOP: 0.7, WITH_OCCLUSION: 0.6},
    RANDOM: {TOP: 1 / LENGTH, WITH_OCCLUSION: 0.0},
}


def scattered(number, automaton, model, layers, method):
    """A few thousandths, which differ from run to run, and not alike for any two methods or models."""
    place = 1 + list(MADE).index(method) + 2 * COMPARED.index((model, layers)) + len(automaton)
    return 0.001 * (number * place % 7)


def made(*, score=None, drop=None, late=None, words=400, numbers=4):
    """Models that simulate grid and flip-flop, and their explanations.

    Args:
        score: by automaton, model and its layers, method and score, what it is instead.
        drop: by automaton, model and layers, what the first position of integrated gradients costs.
        late: by automaton, model and layers, the share of states that is right.
        words: that are left.
        numbers: of which there are explanations.
    """
    score, drop, late = score or {}, drop or {}, late or {}

    def values(number, automaton, model, layers):
        right = late.get((automaton, model, layers), 1.0)
        return {("test", "accuracy", ("length", LENGTH), ("part", LAST_QUARTER)): right}

    of_scores, of_deletion = [], []
    for cell, trials in STUDY.design.cells("laptop").items():
        at = cell["automaton"], cell["model"], cell["layers"]
        if at[0] not in (GRID, FLIP_FLOP) or at[1:] not in COMPARED:
            continue
        for number, trial in enumerate(trials[:numbers]):
            for method, known in MADE.items():
                if method in (RAW, ROLLOUT) and at[1] != ATTENTION:
                    continue
                for name, usual in known.items():
                    scatter = scattered(number, *at, method) * (0.1 if name == GAP else 1)
                    value = score.get((*at, method, name), usual) + scatter
                    for when, one in ((TRAINED, value), (UNTRAINED, value / 4)):
                        of_scores.append(
                            {
                                "trial": trial.id,
                                "when": when,
                                "method": method,
                                "score": name,
                                "value": one,
                                "words": words,
                            }
                        )
                lost = {RANDOM: 0.2, INTEGRATED: drop.get(at, 0.6)}.get(method, 0.5) + scattered(number, *at, method)
                of_deletion += [
                    {
                        "trial": trial.id,
                        "method": method,
                        "replaced": count,
                        "beaten": 1.0,
                        "probability": 1 - lost * (count > 0),
                    }
                    for count in range(LENGTH + 1)
                ]
    explained = {SCORES: pd.DataFrame(of_scores), DELETION: pd.DataFrame(of_deletion)}
    return fake_results(STUDY, values, tables=explained)


LAST_WRITE = {(FLIP_FLOP, LSTM, 1, INTEGRATED, TOP): 0.95}
ALIKE = {(FLIP_FLOP, LSTM, 1, INTEGRATED, TOP): 0.81}
FAITHFUL = {(GRID, ATTENTION, 2, RAW, WITH_OCCLUSION): 0.75}
FAITHFUL_PATHS = {(FLIP_FLOP, ATTENTION, 2, ROLLOUT, WITH_OCCLUSION): 0.9}


@pytest.mark.parametrize(
    ("claim", "numbers", "verdict"),
    [
        ("Q27", {"score": LAST_WRITE}, "confirmed"),
        ("Q27", {"score": {(FLIP_FLOP, LSTM, 1, INTEGRATED, TOP): 0.4}}, "confirmed"),
        ("Q27", {"score": ALIKE}, "refuted"),
        ("Q27", {"score": LAST_WRITE, "late": {(FLIP_FLOP, RSA, 2): 0.98}}, "not testable here"),
        ("Q27", {"score": LAST_WRITE, "late": {(GRID, RSA, 2): 0.98}}, "confirmed"),
        ("Q27", {"score": LAST_WRITE, "words": 99}, "not testable here"),
        ("Q27", {"score": LAST_WRITE, "numbers": 3}, "not testable here"),
        ("Q28", {}, "confirmed"),
        ("Q28", {"score": FAITHFUL}, "refuted"),
        ("Q28", {"score": FAITHFUL_PATHS}, "confirmed"),
        ("Q28", {"late": {(GRID, LSTM, 2): math.nan}}, "not testable here"),
        ("Q28b", {}, "confirmed"),
        ("Q28b", {"score": FAITHFUL_PATHS}, "refuted"),
        ("Q29", {}, "confirmed"),
        ("Q29", {"drop": {(GRID, RSA, 2): 0.25}}, "refuted"),
        ("Q29", {"late": {(GRID, ATTENTION, 2): 0.9}}, "not testable here"),
    ],
)
def test_rules_judge_what_was_measured(claim, numbers, verdict):
    one = next(each for each in CLAIMS if each.id == claim)
    assert one.page == PAGE
    finding = judged(STUDY, claim, made(**numbers))
    assert one.word(finding) == verdict, finding.judgement.reason


def test_of_a_flip_flop_counts_what_was_written_last_and_since():
    # read, 1, 2, read, 1, read: the last write is the fifth
    task = StateTracking(automaton=FLIP_FLOP, length=6, test_lengths=(6,))
    tokens = torch.tensor([[1, 2, 3, 1, 2, 1]])
    words = Words(tokens, torch.tensor([1]), deciding(task, tokens)[:, -1])
    assert words.decides.tolist() == [4]
    # in its place, to read leaves the 2 of before; in place of the last read, one write of two is the same
    assert effects(task, words).tolist() == [[0, 0, 0, 0, 1.0, 0.5]]


def test_a_walk_depends_on_steps_before_its_last_wall():
    # 0 → 1 → 2 → 1 → 0: with another third step it does not come back to the wall
    task = StateTracking(automaton=GRID, length=4, test_lengths=(4,))
    tokens = torch.tensor([[2, 2, 1, 1]])
    words = Words(tokens, torch.tensor([0]), deciding(task, tokens)[:, -1])
    assert words.decides.tolist() == [3]
    assert effects(task, words).tolist() == [[0, 0, 1, 1]]


def test_scores_are_those_of_a_loop_over_words():
    generator = torch.Generator().manual_seed(0)
    values, occluded = (torch.randn(20, 6, generator=generator) for _ in range(2))
    truth = torch.randint(0, 3, (20, 6), generator=generator).double()
    truth[:, -1] = 1.0
    words = Words(
        torch.ones(20, 6, dtype=torch.int64), torch.zeros(20), torch.randint(1, 6, (20,), generator=generator)
    )
    found = scores(values, words, occluded, truth)
    top, since, right, ranks, real = [], [], [], [], []
    for row in range(20):
        largest = sorted(range(6), key=lambda place, row=row: -abs(values[row, place]))
        decides = int(words.decides[row])
        top.append(largest[0] == decides)
        for wanted, hits in ((set(range(decides, 6)), since), ({p for p in range(6) if truth[row, p] > 0}, right)):
            hits.append(len(wanted & set(largest[: len(wanted)])) / len(wanted))
        ranks.append(spearmanr(values[row].abs(), occluded[row].abs()).statistic)
        real.append(spearmanr(values[row].abs(), truth[row]).statistic if len(set(truth[row].tolist())) > 1 else 0.0)
    wanted = {TOP: top, SINCE: since, FOUND: right, WITH_OCCLUSION: ranks, WITH_TRUTH: real}
    assert found == pytest.approx({name: float(np.mean(each)) for name, each in wanted.items()})


def test_chance_is_the_mean_over_random_orders():
    generator = torch.Generator().manual_seed(0)
    words = Words(torch.ones(4, 5, dtype=torch.int64), torch.zeros(4), torch.tensor([1, 2, 3, 4]))
    truth = torch.tensor([[0, 0, 1, 1, 1.0]]).expand(4, 5)
    drawn = [scores(torch.rand(4, 5, generator=generator), words, torch.ones(4, 5), truth) for _ in range(500)]
    expected = by_chance(words, truth)
    for name in (TOP, SINCE, FOUND, WITH_TRUTH):
        assert np.mean([each[name] for each in drawn]) == pytest.approx(expected[name], abs=0.04)


def test_what_is_the_same_everywhere_has_no_order():
    assert mean_rank_correlation(torch.ones(1, 4), torch.rand(1, 4)) == 0.0
    assert precision(torch.tensor([[1, 0]]), torch.tensor([[False, True]])) == 1.0


def test_a_tenth_is_at_least_one_position():
    assert [first_tenth(length) for length in (1, 4, 16, 100)] == [1, 1, 1, 10]


def test_a_diverged_model_says_nothing():
    class Broken(nn.Module):
        def forward(self, tokens):
            return torch.tensor([[[0.0, 1.0]], [[math.nan, 1.0]]])

    assert answers(Broken(), torch.ones(2, 1)).tolist() == [1, -1]


def test_numbers_without_a_run_of_every_model_are_left_out(tmp_path):
    runs = Runs(STUDY.design, "laptop", Store(tmp_path))
    found = groups(runs)
    assert len(found) == 2 * PLANS["laptop"].runs
    assert {len(trials) for trials in found} == {len(COMPARED)}
    assert {len({trial.seed for trial in trials}) for trials in found} == {1}
    assert max(trial.seed for trials in found for trial in trials) < PLANS["laptop"].more_runs[LSTM, 1] - 1


def test_figures_draw_what_was_measured():
    found = made(score=LAST_WRITE)
    shown = figures.scores(found, TOP)
    assert list(shown["model"].cat.categories) == [ATTENTION, RSA, LSTM, "LSTM, 2 layers"]
    assert set(shown.loc[shown["model"] == RSA, "method"]) == {OCCLUSION, INTEGRATED, GRADIENT}
    lstm = shown[(shown["model"] == LSTM) & (shown["method"] == INTEGRATED) & (shown["automaton"] == FLIP_FLOP)]
    assert lstm["value"].mean() == pytest.approx(0.95, abs=0.01)
    assert figures.chance(found, TOP)[FLIP_FLOP] == pytest.approx(1 / LENGTH, abs=0.01)
    table = figures.beside_controls(found, {FLIP_FLOP: TOP, GRID: TOP}).set_index(["automaton", "model", "method"])
    row = table.loc[FLIP_FLOP, LSTM, INTEGRATED]
    assert row["mean"] == pytest.approx(4 * row["untrained"])
    assert len(row["runs"].split()) == 4
    curves = figures.deleted(found)
    assert set(curves["method"]) == {OCCLUSION, INTEGRATED, GRADIENT, RAW, ROLLOUT, RANDOM}
    assert set(curves["replaced"]) == set(range(LENGTH + 1))
    assert figures.words_left(found)["number 3"].tolist() == [400, 400]
    assert figures.gaps(found)["mean"].between(0.8, 1.2).all()


def test_tables_of_tiny_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    monkeypatch.setattr(attribution, "ORDERS", 5)
    monkeypatch.setattr(attribution, "DRAWINGS", 3)
    runs = STUDY.runs("smoke")
    group = next(trials for trials in groups(runs) if trials[0].task.automaton == FLIP_FLOP)
    run_missing(group, STUDY.store(), device="cpu", jobs=1, progress=False)
    found = {name: STUDY.tables[name].make(runs.restricted(group)) for name in (SCORES, DELETION, EXAMPLES)}
    rows = found[SCORES].set_index(["trial", "when", "method", "score"])["value"]
    assert rows.drop(index=GAP, level="score").between(-1, 1).all()
    # occlusion agrees with itself
    assert rows.xs((OCCLUSION, WITH_OCCLUSION), level=("method", "score")).tolist() == pytest.approx([1.0] * 8)
    assert rows.xs(GAP, level="score").abs().max() < 0.01
    curves = found[DELETION].pivot(index=["trial", "method"], columns="replaced", values="probability")
    # before anything is replaced all orders are one
    assert curves[0].groupby("trial").agg(np.ptp).max() < 1e-6
    assert curves.to_numpy().min() >= 0
    words = found[EXAMPLES]
    assert set(words["method"]) == {TRUTH, OCCLUSION, INTEGRATED, GRADIENT, RAW, ROLLOUT}
    shares = words[words["method"].isin([RAW, ROLLOUT])].groupby(["method", "word"])["value"].sum()
    assert shares.tolist() == pytest.approx([1.0] * len(shares))
