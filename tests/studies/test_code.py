"""The study of code: equal sizes, folds, scores drawn anew against loops, rules on numbers by hand, a small run."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from inductive_bias.models import TextCNNSpec
from inductive_bias.protocols.code import RETRIEVAL
from inductive_bias.studies import bootstrap
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.code import STUDY, figures, measures, tables, widgets
from inductive_bias.studies.code.claims import GAIN, WITH_ALL_MODELS
from inductive_bias.studies.code.design import (
    CLONES,
    DATA,
    DEFECTS,
    INJECTED,
    MODELS,
    PLANS,
    PROGRAMS,
    REPAIRS,
    RSA,
    TRANSFORMER,
    TUNED,
    TUNING,
    TWINS,
    UNSEEN,
    cell,
)
from inductive_bias.studies.code.measures import BAG_RETRIEVAL, BASELINES, EXAMPLES, LAGS, SCORES, TOKENS
from inductive_bias.studies.parameter_matching import TOLERANCE, parameters
from inductive_bias.studies.tuning import FIRST_TUNING_SEED
from inductive_bias.tasks import InjectedBugs
from inductive_bias.tasks.code import BAG, MAJORITY, OF_GROUP
from inductive_bias.tasks.code.injected import Changed
from tests.fakes import fake_results, judged

#: Test examples of a fold, functions that pairs are made of, and problems.
COUNT, FUNCTIONS, PROBLEMS = 160, 60, 24


@pytest.mark.parametrize("scale", ["laptop", "paper"])
@pytest.mark.parametrize("data", [DEFECTS, CLONES])
def test_all_models_have_as_many_parameters(scale, data):
    plan = PLANS[scale]
    counts = [parameters(spec, plan.tasks[data][0].dimensions) for spec in plan.specs.values()]
    assert max(counts) / min(counts) <= 1 + TOLERANCE
    assert tuple(plan.specs) == MODELS


def test_twins_differ_in_their_mixer_alone_and_weigh_both_branches_alike_at_first():
    for plan in PLANS.values():
        one, two = (plan.specs[model] for model in TWINS)
        assert two.model_copy(update={"mixer": one.mixer}) == one
        assert one.mixer.heads == two.mixer.heads == sum(two.mixer.counts)
        assert two.mixer.gate_logit == 0


def test_rates_are_searched_on_the_first_fold_with_other_seeds_and_folds_are_all_run():
    for cell_, trials in TUNING.design.cells("laptop").items():
        (trial,) = trials
        assert trial.seed == FIRST_TUNING_SEED
        assert trial.optimiser.learning_rate == cell_["learning_rate"]
        assert getattr(trial.task, "fold", 0) == 0
        assert cell_["data"] != UNSEEN
    cells = STUDY.design.cells("paper")
    assert [len(cells.get(cell(DEFECTS, RSA, fold), ())) for fold in range(6)] == [5] * 5 + [0]
    assert cells[cell(DEFECTS, RSA, 4)][2].task.fold == 4
    assert [len(cells.get(cell(UNSEEN, model, 3), ())) for model in MODELS] == [5, 5, 0, 0]
    assert {trial.task.split for trial in cells[cell(UNSEEN, RSA)]} == {"components"}


def test_what_is_found_for_clones_serves_their_unseen_kinds():
    cells = STUDY.design.cells("laptop")
    for model in TWINS:
        rates = {cells[cell(data, model)][0].optimiser.learning_rate for data in (CLONES, UNSEEN)}
        assert rates == {TUNED.chosen("laptop", data=CLONES, model=model)["learning_rate"]}


def test_what_narrow_models_were_found_to_want_is_not_asked_of_wide_ones():
    assert all(TUNED.chosen("laptop", data=data, model=model) for data in WITH_ALL_MODELS for model in MODELS)
    assert not any(TUNED.tried("paper", data=data, model=model) for data in DATA for model in MODELS)
    assert set(TUNING.design.levels("paper")["data"]) == {*DATA} - {UNSEEN}


def known_of(data, fold, rng):
    """Facts of the test examples of a fold; pairs share functions, singles of one item stand together."""
    labels = np.arange(COUNT) % 2
    none = pd.array([pd.NA] * COUNT, dtype="Int32")
    item, other = np.arange(COUNT) // 2 + 1000 * fold, none
    if data in (CLONES, UNSEEN):
        item = rng.integers(FUNCTIONS, size=COUNT) + 1000 * fold
        other = item + 1 + rng.integers(FUNCTIONS, size=COUNT)
    if data == PROGRAMS:
        item = rng.integers(PROBLEMS, size=COUNT)
        other = np.where(labels == 1, item, (item + 1 + rng.integers(PROBLEMS - 1, size=COUNT)) % PROBLEMS)
    group = np.arange(COUNT) // 3 % 2 if data in (DEFECTS, INJECTED) else none
    return {"label": labels, "item": item, "other": other, "group": group, "cut": labels * 0}


def results(right=None, failed=(), bag=0.55, scale="paper", retrieval=None, seeds=4):
    """Of every run as many examples right as are wanted (.6 unless said), other ones in other runs and models."""
    right, retrieval, tables = (
        right or {},
        retrieval or {},
        {SCORES: [], EXAMPLES: [], BASELINES: [], BAG_RETRIEVAL: []},
    )
    for at, trials in STUDY.design.cells(scale).items():
        data, model, fold = at["data"], at["model"], int(at["fold"])
        rng = np.random.default_rng([DATA.index(data), fold])
        facts = known_of(data, fold, rng)
        sign = 2 * facts["label"] - 1
        if model == TRANSFORMER:
            first = {"trial": trials[0].id, "example": np.arange(COUNT)}
            tables[EXAMPLES].append(pd.DataFrame(first | facts))
            said = np.where(rng.permutation(COUNT) < bag * COUNT, sign, -sign)
            for name, scores in ((MAJORITY, np.ones(COUNT)), (BAG, said)):
                tables[BASELINES].append(pd.DataFrame(first | {"baseline": name, "score": scores}))
        for number, trial in enumerate(trials[:seeds]):
            if (data, model, number) in failed:
                continue
            share = right.get((data, model), right.get(model, 0.6)) + 0.002 * (number - 2)
            order = np.random.default_rng([DATA.index(data), fold, number]).permutation(COUNT)
            scores = np.where(order < share * COUNT, sign, -sign) * (1 + order / COUNT)
            tables[SCORES].append(pd.DataFrame({"trial": trial.id, "example": np.arange(COUNT), "score": scores}))
        if data == PROGRAMS and model == TRANSFORMER:
            tables[BAG_RETRIEVAL].append(
                pd.DataFrame({"trial": trials[0].id, "baseline": BAG, "problem": range(PROBLEMS), "value": 0.3})
            )

    def values(number, data, model, fold):
        lost = (data, model, number) in failed
        found = {("test", "accuracy"): np.nan if lost else 0.5, ("test", "cut"): 0.25}
        if data == PROGRAMS and not lost:
            mean, spread = retrieval.get(model, 0.4), 0.01 * (1 + MODELS.index(model))
            found |= {
                (RETRIEVAL, "map_at_r", ("item", item)): mean + spread * np.cos(item + number)
                for item in range(PROBLEMS)
            }
        if model == RSA:
            found |= {("model", "gate", ("layer", layer), ("head", 0)): 0.4 + 0.01 * layer for layer in (1, 2)}
        return found

    joined = {name: pd.concat(each, ignore_index=True) for name, each in tables.items()}
    return fake_results(STUDY, values, scale=scale, seeds=seeds, tables=joined)


@pytest.fixture(scope="module")
def usual():
    return results()


@pytest.mark.parametrize("data", [DEFECTS, CLONES, PROGRAMS])
def test_scores_are_those_of_scikit_learn_over_all_folds(usual, data):
    table, stored = usual.table(EXAMPLES), usual.table(SCORES)
    facts = table[table["data"] == data].sort_values(["fold", "example"])
    mine = stored[(stored["data"] == data) & (stored["model"] == RSA) & (stored["number"] == 1)]
    scores = mine.sort_values(["fold", "example"])["score"].to_numpy()
    said, labels = (scores >= 0).astype(int), facts["label"].to_numpy()
    assert len(labels) == COUNT * len(PLANS["paper"].tasks[data])
    assert measures.score(usual, data, RSA, "accuracy").values[1] == pytest.approx(accuracy_score(labels, said))
    assert measures.score(usual, data, RSA, "f1").values[1] == pytest.approx(f1_score(labels, said))
    by_fold = [
        roc_auc_score(labels[facts["fold"] == fold], scores[facts["fold"] == fold])
        for fold in range(len(PLANS["paper"].tasks[data]))
    ]
    assert measures.score(usual, data, RSA, "auc").values[1] == pytest.approx(np.mean(by_fold))


@pytest.mark.parametrize("data", [DEFECTS, CLONES, PROGRAMS])
def test_a_drawing_counts_an_example_as_often_as_all_that_it_is_of(usual, data):
    examples = measures.Examples(usual, data)
    weights = examples.weights()
    drawn = bootstrap.drawings(examples.items, f"{data} None")
    facts = examples.facts
    every = sorted({*facts["item"], *facts["other"].dropna()})
    assert examples.items == len(every)
    for draw in (0, 7):
        times = dict(zip(every, drawn[draw].tolist(), strict=True))
        for place in range(0, len(facts), 37):
            one, two = facts["item"].iloc[place], facts["other"].iloc[place]
            wanted = times[one] if pd.isna(two) or two == one else times[one] * times[two]
            assert weights[draw, place] == wanted


@pytest.mark.parametrize("metric", ["accuracy", "f1", "auc"])
def test_a_weighted_score_is_that_of_repeated_examples(metric):
    generator = torch.Generator().manual_seed(0)
    scores, labels = torch.randn(30, generator=generator).double(), torch.arange(30) % 2
    weights = torch.randint(4, (3, 30), generator=generator).double()
    found = measures.metric_of(metric, scores, labels, weights)
    for row, value in zip(weights.long(), found.tolist(), strict=True):
        s, y = scores.repeat_interleave(row).numpy(), labels.repeat_interleave(row).numpy()
        of = {"accuracy": accuracy_score, "f1": f1_score, "auc": roc_auc_score}[metric]
        wanted = of(y, s if metric == "auc" else s >= 0)
        assert value == pytest.approx(wanted)


def test_a_run_that_diverged_counts_as_a_failure_and_a_missing_score_is_an_error(usual):
    found = measures.score(results(failed=[(DEFECTS, RSA, 0)]), DEFECTS, RSA)
    assert found.values[0] == 0
    assert found.failed == ("RSA on Devign, run 0",)
    assert (found.drawn[:, 0] == 0).all()
    examples = measures.Examples(usual, DEFECTS)
    stored = usual.table(SCORES)
    mine = stored[(stored["data"] == DEFECTS) & (stored["model"] == RSA) & (stored["number"] == 0)]
    with pytest.raises(ValueError, match="1 of 800 test examples have no score"):
        measures._in_order(mine.iloc[1:], examples)


def test_a_lead_is_the_score_less_that_of_the_answer_without_a_network(usual):
    found = measures.ahead(usual, DEFECTS, RSA, MAJORITY)
    ours = measures.score(usual, DEFECTS, RSA)
    assert found.values.to_numpy() == pytest.approx(ours.values.to_numpy() - 0.5)
    assert measures.baseline_value(usual, DEFECTS, MAJORITY) == 0.5
    assert measures.baseline_value(usual, CLONES, MAJORITY) == pytest.approx(2 / 3)
    assert measures.baseline_names(usual, DEFECTS) == [MAJORITY, BAG]


@pytest.fixture(scope="module")
def ahead_behind_and_beaten():
    """RSA ahead of its twin, behind it, and ahead of it but not of the bag of tokens."""
    good = {RSA: 0.95, TRANSFORMER: 0.75}
    return results(good), results({RSA: 0.75, TRANSFORMER: 0.95}), results(good, bag=0.97)


@pytest.mark.parametrize("claim", ["RC1", "RC2", "RC2-functions", "RC2-kinds", "RC3", "RC3-repairs"])
def test_recurrence_is_judged_where_there_is_something_to_learn(claim, ahead_behind_and_beaten):
    high, low, none = (judged(STUDY, claim, found) for found in ahead_behind_and_beaten)
    assert high.judgement.verdict == "reproduced"
    assert high.effect.estimate > GAIN
    assert low.judgement.verdict == "not reproduced"
    assert none.judgement.verdict == "not testable here"
    assert BAG in none.note


def test_runs_that_are_all_equal_show_no_effect():
    same = {(INJECTED, model): 0.6 for model in TWINS}
    found = results(same, bag=0.7, seeds=3)
    stored = found.table(SCORES)
    one = stored[(stored["data"] == INJECTED) & (stored["model"] == RSA)]
    other = stored[(stored["data"] == INJECTED) & (stored["model"] == TRANSFORMER)]
    assert (one["score"].to_numpy() == other["score"].to_numpy()).all()
    finding = judged(STUDY, "RC3", found)
    assert finding.judgement.verdict == "not testable here"
    assert finding.effect is None
    assert finding.note.startswith("RSA and Transformer have the same score in every run")


def test_retrieval_is_judged_over_runs_and_problems():
    found = judged(STUDY, "RC2-retrieval", results(retrieval={RSA: 0.5}))
    assert found.effect.estimate == pytest.approx(0.1, abs=0.002)
    assert found.judgement.verdict == "reproduced"
    assert found.effect.item == "problems"
    assert judged(STUDY, "RC2-retrieval", results(retrieval={TRANSFORMER: 0.5})).judgement.verdict == "not reproduced"
    beaten = judged(STUDY, "RC2-retrieval", results(retrieval={RSA: 0.305, TRANSFORMER: 0.1}))
    assert beaten.judgement.verdict == "not testable here"
    assert "the better network has 0.30" in beaten.judgement.reason
    assert measures.retrieval(results(failed=[(PROGRAMS, RSA, 1)]), RSA).loc[1].tolist() == [0.0] * PROBLEMS


def test_every_network_must_be_ahead_on_every_set():
    good = dict.fromkeys(MODELS, 0.9)
    assert judged(STUDY, "RC4", results(good)).judgement.verdict == "reproduced"
    one = judged(STUDY, "RC4", results(good | {(REPAIRS, "TextCNN"): 0.4}))
    assert one.judgement.verdict == "not reproduced"
    assert judged(STUDY, "RC4-defects", results(good | {(REPAIRS, "TextCNN"): 0.4})).judgement.verdict == "reproduced"
    assert UNSEEN not in WITH_ALL_MODELS


def test_without_a_run_of_a_model_nothing_is_judged():
    found = results()
    object.__setattr__(found, "rows", found.rows[found.rows["model"] != RSA])
    for claim in STUDY.claims:
        finding = claim.judge(found)
        assert finding.judgement.verdict == "not testable here"
        assert "no runs yet" in finding.judgement.untestable


def test_claims_have_names_of_their_own():
    names = [claim.id for claim in STUDY.claims]
    assert len(set(names)) == len(names)
    assert {"RC1", "RC2", "RC3", "RC4"} <= {claim.id for claim in STUDY.claims if claim.primary}


def test_figures_draw_what_was_measured(usual):
    forest = figures.forest(usual).set_index(["data", "model"])
    assert set(forest.index) == {(data, model) for data in DATA for model in (TWINS if data == UNSEEN else MODELS)}
    assert (forest["low"] <= forest["estimate"]).all()
    assert forest.loc[(DEFECTS, RSA), "estimate"] == pytest.approx(0.6, abs=0.005)
    pairs = figures.differences(usual).set_index("data")["estimate"]
    wanted = forest.loc[(DEFECTS, RSA), "estimate"] - forest.loc[(DEFECTS, TRANSFORMER), "estimate"]
    assert pairs[DEFECTS] == pytest.approx(wanted)
    inside = figures.within(usual)
    assert set(inside["group"]) == {
        group for data in (DEFECTS, INJECTED) for group in PLANS["paper"].tasks[data][0].groups
    }
    assert set(figures.gates(usual)["layer"]) == {1, 2}
    assert figures.retrieved(usual).set_index("answer").loc[BAG, "MAP@R"] == "0.300"
    assert figures.cut(usual)["cut"].unique().tolist() == ["0.250"]
    assert figures.sizes(usual).set_index("model").loc[TRANSFORMER, DEFECTS] == "4,184,578"
    assert figures.scores(usual).columns.tolist() == ["data", "answer", "accuracy", "F1", "AUC"]
    searched = {"search": lambda number, learning_rate, **at: {("validation", "loss"): learning_rate}}
    grid = figures.grid(fake_results(STUDY, lambda **at: {("test", "accuracy"): 0.5}, scale="smoke", **searched))
    assert grid["rate 0.004"].tolist() == [0.004] * len(grid)


def test_occlusion_is_what_the_odds_lose_without_a_token():
    task = InjectedBugs(data="generated")
    torch.manual_seed(0)
    model = TextCNNSpec(width=4, filters=3).build(**task.dimensions).eval()
    tokens = task.load()["test"].inputs[0]
    odds, found = tables.worth(model, tokens)
    outputs = model(tokens[None])[0]
    assert odds == pytest.approx((outputs[1] - outputs[0]).item(), abs=1e-6)
    other = tokens.clone()
    other[5] = 3
    without = model(other[None])[0]
    assert found[5].item() == pytest.approx(odds - (without[1] - without[0]).item(), abs=1e-6)


def test_what_was_altered_is_found():
    made = Changed([], 1, 0, 0, "m:f", "def f(a, b):\n    return b - a", "def f(a, b):\n    return a - b")
    marked = tables.altered(made)
    tokens = ["def", "f", "(", "a", ",", "b", ")", ":", "return", "b", "-", "a"]
    assert [token for token, there in zip(tokens, marked, strict=True) if there]
    assert not any(marked[:9])
    assert not any(tables.altered(made._replace(text=made.original)))


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale(smoked):
    found = smoked(STUDY)
    assert set(found.rows["trial"]) == set(STUDY.design.members("smoke"))
    assert set(STUDY.design.levels("smoke")["data"]) == set(DATA)
    for claim in STUDY.claims:
        assert isinstance(claim.judge(found), Finding)
    for draw in (
        figures.forest,
        figures.differences,
        figures.within,
        figures.scores,
        figures.retrieved,
        figures.gates,
        figures.lag_curves,
        figures.cut,
        figures.all_runs,
        figures.sizes,
        figures.grid,
    ):
        assert not draw(found).empty
    assert set(found.table(LAGS)["layer"]) == {1, 2}
    assert set(found.table(TOKENS)["model"]) == set(MODELS)
    assert set(found.table(BASELINES)["baseline"]) == {MAJORITY, OF_GROUP, BAG}
    assert "show what was changed" in widgets.editor(found).html
    at = cell(PROGRAMS, RSA)
    reported = found.frame("f1", split="test", **at).set_index("number")["value"]
    assert measures.score(found, PROGRAMS, RSA).values.to_dict() == pytest.approx(reported.to_dict())
