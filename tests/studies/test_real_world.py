"""Equal sizes, the rules on numbers made by hand, drawings anew against loops, and the whole study on small runs."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from inductive_bias.protocols.heartbeats import SHIFTED
from inductive_bias.protocols.proteins import LONG
from inductive_bias.studies.bootstrap import DRAWN, drawings
from inductive_bias.studies.design import Cell
from inductive_bias.studies.parameter_matching import TOLERANCE, parameters
from inductive_bias.studies.real_world import STUDY, widgets
from inductive_bias.studies.real_world.claims import GAIN
from inductive_bias.studies.real_world.design import (
    ATTENTION,
    BEATS,
    DATA,
    DIRECTIONS,
    ECG5000,
    LSTM,
    MITBIH,
    MLP,
    MODELS,
    PARTS,
    PROFET,
    PROTEINS,
    RANDOM,
    RATES,
    RETURNS,
    RHYTHM,
    RSA,
    SHIFTS,
    SIGNALP,
    SIZES,
    STOCKS,
    TCN,
    TUNED,
    TUNING,
    VALIDATION,
    WEIGHTINGS,
)
from inductive_bias.studies.real_world.figures import attributions as attribution_figures
from inductive_bias.studies.real_world.figures import patients as patient_figures
from inductive_bias.studies.real_world.figures import scores as figures
from inductive_bias.studies.real_world.measures import patients
from inductive_bias.studies.real_world.measures import scores as measures
from inductive_bias.studies.real_world.measures.attributions import DELETIONS, ORDERS, RANDOM_ORDER, dearer, left_out
from inductive_bias.studies.real_world.measures.patients import COURSES, PATIENTS
from inductive_bias.studies.real_world.measures.scores import BASELINES, PROTEIN_FACTS, SCORES
from inductive_bias.studies.real_world.tables import patients as patient_tables
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.tuning import FIRST_TUNING_SEED
from inductive_bias.tasks.heartbeats.baselines import CENTROID
from inductive_bias.tasks.heartbeats.baselines import MAJORITY as MOST_FREQUENT
from inductive_bias.tasks.stocks.baselines import EWMA, MAJORITY, MEAN, ZERO
from inductive_bias.verdicts import single
from tests.fakes import fake_results, judged

LARGE = [(scale, data) for scale in ("laptop", "paper") for data in PARTS[scale]]
#: Records, beats of each class in every one, proteins of a split, blocks of days, and answers of a block.
RECORDS, PER_CLASS, PROTEIN_COUNT, BLOCKS, OF_BLOCK = 12, (90, 20, 30), 400, 20, 20


@pytest.mark.parametrize(("scale", "data"), LARGE)
def test_all_models_and_depths_have_as_many_parameters(scale, data):
    part = PARTS[scale][data]
    away = {at: parameters(spec, part.task.dimensions) / part.parameters - 1 for at, spec in part.specs.items()}
    assert {at: each for at, each in away.items() if abs(each) > TOLERANCE} == {}
    assert {model for model, _ in away} == set(MODELS)


@pytest.mark.parametrize(("scale", "data"), LARGE)
def test_a_tcn_and_an_mlp_see_a_whole_sequence(scale, data):
    part = PARTS[scale][data]
    assert part.specs[TCN, part.tcn[0]].receptive_field >= part.task.length
    assert part.specs["MLP", 2].length == part.task.length


def test_twins_differ_in_their_mixer_alone():
    for part in PARTS["laptop"].values():
        one, two = (part.specs[model, 2] for model in (RSA, ATTENTION))
        assert one.model_copy(update={"mixer": two.mixer}) == two
        assert one.mixer.heads == two.mixer.heads


def counts(scale, data):
    """Runs by model and layers."""
    cells = STUDY.design.cells(scale).items()
    return {(at["model"], at["layers"]): len(trials) for at, trials in cells if at["data"] == data}


def test_depths_are_varied_where_they_are_asked_about_and_rates_are_searched_with_other_seeds():
    beats, proteins = counts("laptop", MITBIH), counts("laptop", SIGNALP)
    assert beats == {(LSTM, 1): 8, ("GRU", 1): 6, (ATTENTION, 2): 8, (RSA, 2): 6, (TCN, 5): 6, (MLP, 2): 6}
    assert [proteins.get((LSTM, layers), 0) for layers in (1, 2, 3, 4)] == [3, 3, 0, 3]
    assert [proteins.get((RSA, layers), 0) for layers in (1, 2)] == [0, 3]
    for at, (trial,) in TUNING.design.cells("laptop").items():
        assert trial.seed == FIRST_TUNING_SEED
        assert trial.optimiser.learning_rate == at["learning_rate"]
        assert at["data"] not in (RANDOM, RHYTHM)
        layers = getattr(trial.model, "layers", None)
        assert at["model"] == TCN or layers == {LSTM: 1, "GRU": 1}.get(at["model"], 2)
    for at, trials in STUDY.design.cells("laptop").items():
        data = MITBIH if at["data"] in (RANDOM, RHYTHM) else at["data"]
        chosen = TUNED.chosen("laptop", data=data, model=at["model"])
        assert {trial.optimiser.learning_rate for trial in trials} == {chosen["learning_rate"]}
        if data == MITBIH:
            assert {trial.task.weights for trial in trials} == {chosen["weights"]}
        assert (trials[0].task.shifts == SHIFTS) if at["data"] == MITBIH else True


def test_what_is_found_at_laptop_scale_serves_the_paper_scale():
    (trial, *_) = STUDY.design.cells("paper")[cell_at("paper", MITBIH, MLP)]
    assert trial.optimiser.learning_rate == 8 * RATES[MLP]
    tried = {scale: set(TUNING.design.cells(scale)) for scale in ("laptop", "paper")}
    assert tried["paper"] == tried["laptop"]


def test_variants_of_a_set_differ_in_one_choice():
    for scale in ("laptop", "paper"):
        first = PARTS[scale][MITBIH]
        for data, choice in ((RANDOM, {"split": "beats"}), (RHYTHM, {"rhythm": True})):
            other = PARTS[scale][data]
            assert other.task == first.task.model_copy(update={"shifts": (), **choice})
            assert other.schedule == first.schedule
    assert list(PARTS["paper"]) == list(DATA)
    assert counts("laptop", RANDOM) == {(LSTM, 1): 6, (ATTENTION, 2): 6, (MLP, 2): 6}


def test_every_model_has_every_weighting_at_every_rate_on_the_beats_of_many_patients():
    cells = TUNING.design.cells("laptop")
    for model in MODELS:
        places = {(at["weights"], at["learning_rate"]) for at in cells if (at["data"], at["model"]) == (MITBIH, model)}
        rates = {rate for weights, rate in places if weights == WEIGHTINGS[0]}
        assert {rates <= {rate for each, rate in places if each == weights} for weights in WEIGHTINGS} == {True}
    assert {at["weights"] for at in cells if at["data"] != MITBIH} == {None}
    for at, (trial,) in cells.items():
        assert at["data"] != MITBIH or trial.task.weights == at["weights"]


@pytest.mark.parametrize("scale", SCALES)
def test_every_cell_has_a_name_of_its_own_and_trials_of_its_own(scale):
    cells = STUDY.design.cells(scale)
    assert len({STUDY.design.name(each) for each in cells}) == len(cells)
    # runs of one number begin alike, whatever their model
    assert all(trial.seed == number for trials in cells.values() for number, trial in enumerate(trials))


def cell_at(scale, data, model):
    """The cell of a model on some data at its usual depth."""
    cells = STUDY.design.cells(scale)
    return next(each for each in cells if each == Cell(data=data, model=model, layers=PARTS[scale][data].usual(model)))


def results(
    *,
    right=None,
    shifted=None,
    long=None,
    ahead=None,
    saved=None,
    women=None,
    cost=None,
    failed=(),
    scale="paper",
    naive=None,
):
    """Every beat and protein is right with a probability by data and model, the same in every record.

    Runs of a cell differ a little, those of an LSTM on MIT-BIH the least: no two cells have equal differences.

    Args:
        right: by (data, model); .8 unless said.
        shifted: what a model loses of it by a shift.
        long: the same by length.
        ahead: of the majority, in directions.
        saved: of the error of the fading mean.
        women: how many more of their beats a model recognises.
        cost: of the margin, what the samples that a method ranks first cost a model more than random ones; .3 unless
            said, and nothing in any run if None.
        failed: (data, model) whose first run diverged.
        scale: whose cells.
        naive: by data, the score of the best answer without a network; of the most frequent answer unless said.
    """
    right, shifted, long, ahead, saved = right or {}, shifted or {}, long or {}, ahead or {}, saved or {}
    more = women or {}

    def share(data, model, number, less=0.0, harder=False):
        more = 1 + 0.3 * MODELS.index(model) * (2 if harder else 1) + 0.2 * DATA.index(data)
        return right.get((data, model), 0.8) - less + 0.002 * (number - 2) * more

    def values(number, data, model, layers):
        lost = (data, model) in failed and number == 0
        if data in BEATS:
            of_women = more.get(model, 0.0) + 0.001 * (number - 2) * MODELS.index(model)
            found = _beats(share(data, model, number), data, lost, "test", women=of_women)
            if data == MITBIH:
                for by in SHIFTS:
                    at = (("shift", by),)
                    found |= _beats(share(data, model, number, shifted.get(model, 0.0), True), data, lost, SHIFTED, at)
            return found
        if data in PROTEINS:
            value = np.nan if lost else 0.5  # the scores themselves are in the table
            return {(split, metric): value for split in ("test", LONG) for metric in ("auc", "mcc")}
        gain = {DIRECTIONS: ahead, SIZES: saved, RETURNS: {}}[data].get(model, 0.0) + 0.001 * (number - 2)
        return _weeks(data, gain, lost)

    def searched(number, data, model, learning_rate, weights):
        return {("validation", VALIDATION[data]): learning_rate}

    found = fake_results(STUDY, values, scale=scale, tables={}, search=searched)
    tables = {
        BASELINES: _baselines(scale, naive or {}),
        SCORES: _scores(scale, share, long),
        PROTEIN_FACTS: _known(scale),
        PATIENTS: _patients(scale),
        DELETIONS: _deletions(scale, cost or {}, failed),
    }
    return replace(found, tables={name: (lambda table=table: table) for name, table in tables.items()})


def _beats(right, data, lost, split, at=(), women=0.0):
    found = {(split, "macro_f1", *at): np.nan if lost else 0.5}
    if lost:
        return found
    for record in range(1 if data == ECG5000 else RECORDS):
        more = 0.02 * np.sin(record) + women * (record % 2)  # patients differ a little; every other one is a woman
        for label, count in enumerate(PER_CLASS):
            for answer in range(3):
                wanted = (right + more) if answer == label else (1 - right - more) / 2
                place = (("item", record), ("label", label), ("answer", answer), *at)
                found[split, "count", *place] = count * wanted
    return found


def _weeks(data, gain, lost):
    found = {("test", "loss"): np.nan if lost else 1.0}
    if lost:
        return found
    for block in range(BLOCKS):
        more = 0.3 * np.sin(block)
        found["test", "n", ("item", block)] = float(OF_BLOCK)
        if data == DIRECTIONS:
            found["test", "right", ("item", block)] = OF_BLOCK * (0.55 + 0.1 * more + gain)
        else:
            found["test", "squared_error", ("item", block)] = 10 * (1 + more) * (1 - gain)
    return found


def _firsts(scale):
    return {data: STUDY.design.cells(scale)[cell_at(scale, data, LSTM)][0].id for data in PARTS[scale]}


def _baselines(scale, naive):
    rows = []
    for data, trial in _firsts(scale).items():
        known = {"trial": trial, "split": "test"}
        if data not in STOCKS:
            for metric in ("macro_f1", "mcc", "auc"):
                value = 0.3 if metric == "macro_f1" else 0.0 if metric == "mcc" else 0.5
                for name, worth in {MOST_FREQUENT: value, CENTROID: naive.get(data, value)}.items():
                    rows.append(known | {"baseline": name, "metric": metric, "item": None, "value": worth})
            continue
        names = {DIRECTIONS: (MAJORITY,), SIZES: (ZERO, MEAN, EWMA), RETURNS: (ZERO, MEAN)}[data]
        for name in names:
            metric = "right" if data == DIRECTIONS else "squared_error"
            weeks = [
                OF_BLOCK * (0.55 + 0.03 * np.sin(block)) if data == DIRECTIONS else 10 * (1 + 0.3 * np.sin(block))
                for block in range(BLOCKS)
            ]
            for item, value in [*enumerate(weeks), (None, sum(weeks))]:
                rows.append(known | {"baseline": name, "metric": metric, "item": item, "value": value})
    return pd.DataFrame(rows)


def _patients(scale):
    """Every other one a woman; of the first no age is known."""
    trial = STUDY.design.cells(scale)[cell_at(scale, MITBIH, LSTM)][0].id
    ages = [np.nan, *(40.0 + 5 * record for record in range(1, RECORDS))]
    return pd.DataFrame(
        {"trial": trial, "split": "test", "record": range(RECORDS), "sex": ["M", "F"] * (RECORDS // 2), "age": ages}
    )


def _deletions(scale, cost, failed):
    """Nobody but record 0 has beats of the kind S, and in the first run alone."""
    rows = []
    for model in MODELS:
        for number, trial in enumerate(STUDY.design.cells(scale)[cell_at(scale, MITBIH, model)]):
            if (number == 0 and (MITBIH, model) in failed) or cost.get(model, 0.3) is None:
                continue
            for record in range(RECORDS):
                for kind in ("N", "S", "V") if (number, record) == (0, 0) else ("N", "V"):
                    base = 0.1 + 0.02 * np.sin(record) + 0.1 * (kind == "V")
                    more = cost.get((model, kind), cost.get(model, 0.3)) + 0.002 * (number - 2) + 5 * (kind == "S")
                    more += 0.02 * np.cos(record)
                    rows += [
                        {
                            "trial": trial.id,
                            "record": record,
                            "kind": kind,
                            "order": order,
                            "lost": base + more * (order != RANDOM_ORDER),
                        }
                        for order in ORDERS
                    ]
    return pd.DataFrame(rows, columns=["trial", "record", "kind", "order", "lost"])


def _labels():
    return np.arange(PROTEIN_COUNT) % 2


def _scores(scale, share, long):
    rng, frames = np.random.default_rng(0), []
    ease = rng.permutation(PROTEIN_COUNT)  # which proteins are found first, the same for all models
    for at, trials in STUDY.design.cells(scale).items():
        if at["data"] not in PROTEINS:
            continue
        for number, trial in enumerate(trials):
            for split in ("test", LONG):
                less = long.get(at["model"], 0.0) if split == LONG else 0.0
                found = ease < share(at["data"], at["model"], number, less, split == LONG) * PROTEIN_COUNT
                score = np.where(found, 1, -1) * np.where(_labels() == 1, 1.0, -1.0)
                frames.append(
                    pd.DataFrame(
                        {
                            "trial": trial.id,
                            "split": split,
                            "item": np.arange(PROTEIN_COUNT),
                            "score": score.astype(np.float32),
                        }
                    )
                )
    return pd.concat(frames, ignore_index=True)


def _known(scale):
    frames = [
        pd.DataFrame(
            {
                "trial": trial,
                "split": split,
                "item": np.arange(PROTEIN_COUNT),
                "label": _labels(),
                "length": 50,
                "shared": (np.arange(PROTEIN_COUNT) < 100).astype(int),
            }
        )
        for data, trial in _firsts(scale).items()
        if data in PROTEINS
        for split in ("test", LONG)
    ]
    return pd.concat(frames, ignore_index=True)


FIRST_FOUR = (MITBIH, ECG5000, SIGNALP, PROFET)


@pytest.mark.parametrize(
    ("claim", "numbers", "verdict"),
    [
        ("Q21", {}, "reproduced"),
        ("Q21", {"right": {(MITBIH, ATTENTION): 0.7}}, "not reproduced"),
        ("Q21", {"right": {(SIGNALP, LSTM): 0.65}}, "not reproduced"),
        ("Q21-ECG", {"right": {(SIGNALP, LSTM): 0.65}}, "reproduced"),
        ("Q21-ECG", {"naive": {MITBIH: 0.9}}, "not testable here"),
        ("Q21-ECG", {"naive": {SIGNALP: 0.9}}, "reproduced"),
        ("Q21-SignalP", {"right": {(SIGNALP, LSTM): 0.65}}, "not reproduced"),
        ("Q21-ProFET", {"right": {(PROFET, LSTM): 0.5, (PROFET, ATTENTION): 0.5}}, "not testable here"),
        ("Q21-ProFET", {"naive": {PROFET: 0.9}}, "not testable here"),
        ("Q22", {"right": {(data, RSA): 0.85 for data in FIRST_FOUR}}, "reproduced"),
        (
            "Q22",
            {"naive": {MITBIH: 0.9, SIGNALP: 0.9}, "right": {(ECG5000, RSA): 0.85, (PROFET, RSA): 0.85}},
            "reproduced",
        ),
        ("Q22", {"naive": dict.fromkeys((MITBIH, SIGNALP, PROFET), 0.9)}, "not testable here"),
        ("Q22", {}, "not reproduced"),
        ("Q22", {"right": {(data, RSA): 0.75 for data in FIRST_FOUR}}, "not reproduced"),
        ("Q23", {}, "reproduced"),
        ("Q23", {"ahead": {"TCN": 0.05}}, "not reproduced"),
        ("Q23b", {"saved": {"GRU": 0.06}}, "reproduced"),
        ("Q23b", {}, "not reproduced"),
        ("Q24a", {"long": {ATTENTION: 0.2, LSTM: 0.02}}, "reproduced"),
        ("Q24a", {"long": {ATTENTION: 0.1, LSTM: 0.1}}, "not reproduced"),
        ("Q24a", {"right": {(PROFET, LSTM): 0.5, (PROFET, ATTENTION): 0.5}}, "not testable here"),
        ("Q24a", {"long": {ATTENTION: 0.2}, "naive": {PROFET: 0.9}}, "not testable here"),
        ("Q24b", {"shifted": {ATTENTION: 0.2, LSTM: 0.05}}, "reproduced"),
        ("Q24b", {"shifted": {ATTENTION: 0.05, LSTM: 0.2}}, "not reproduced"),
        ("Q26", {"shifted": {MLP: 0.2, LSTM: 0.05}}, "reproduced"),
        ("Q24b", {"shifted": {ATTENTION: 0.2}, "naive": {MITBIH: 0.9}}, "not testable here"),
        ("Q26", {"shifted": {ATTENTION: 0.2}}, "not reproduced"),
        ("Q26", {"shifted": {MLP: 0.2}, "right": {(MITBIH, MLP): 0.9}, "naive": {MITBIH: 0.78}}, "reproduced"),
        (
            "Q26",
            {"shifted": {MLP: 0.2}, "right": {(MITBIH, ATTENTION): 0.9}, "naive": {MITBIH: 0.78}},
            "not testable here",
        ),
        ("Q29b", {}, "reproduced"),
        ("Q29b", {"cost": {RSA: 0.0}}, "not reproduced"),
        ("Q29b", {"cost": {RSA: None}}, "not testable here"),
        ("Q29b", {"cost": {(model, "N"): -0.2 for model in MODELS}}, "reproduced"),
        ("Q29b", {"cost": {(RSA, "V"): 0.0}}, "not reproduced"),
        ("Q29b", {"naive": {MITBIH: 0.9}}, "not testable here"),
        ("Q30", {"women": {ATTENTION: 0.15}}, "reproduced"),
        ("Q30", {"women": {LSTM: 0.15}}, "reproduced"),
        ("Q30", {"women": {ATTENTION: 0.15, LSTM: 0.15}}, "not reproduced"),
        ("Q30", {"women": {ATTENTION: 0.15}, "naive": {MITBIH: 0.9}}, "not testable here"),
        ("Q35", {"right": {(RANDOM, LSTM): 0.98, (RANDOM, ATTENTION): 0.97}}, "reproduced"),
        ("Q35", {"right": {(RANDOM, LSTM): 0.98}}, "not reproduced"),
        ("Q35", {"right": {(RANDOM, LSTM): 0.98, (RANDOM, ATTENTION): 0.97}, "naive": {MITBIH: 0.9}}, "reproduced"),
        (
            "Q35",
            {"right": {(RANDOM, LSTM): 0.98, (RANDOM, ATTENTION): 0.97}, "naive": {RANDOM: 0.99}},
            "not testable here",
        ),
    ],
)
def test_rules_judge_what_was_measured(claim, numbers, verdict):
    assert judged(STUDY, claim, results(**numbers)).judgement.verdict == verdict


def test_what_is_few_has_its_name_and_a_precondition_says_what_both_have():
    found = results(women={ATTENTION: 0.15}, ahead={TCN: 0.02}, right={(MITBIH, RSA): 0.85})
    names = {
        "Q21-ECG": "patients",
        "Q21-SignalP": "proteins",
        "Q22": "patients and proteins",
        "Q23": "weeks",
        "Q23b": "weeks",
        "Q24a": "proteins",
        "Q24b": "patients",
        "Q29b": "patients",
        "Q30": "patients",
        "Q35": "patients",
    }
    assert {claim: judged(STUDY, claim, found).judgement.deciding.item for claim in names} == names
    none = judged(STUDY, "Q24b", results(naive={MITBIH: 0.9}))
    assert none.judgement.reason.startswith("not testable here: MIT-BIH, macro-F1: the better network has 0.")
    assert none.judgement.reason.endswith("nearest mean beat 0.9")
    assert none.effect is not None
    left = judged(STUDY, "Q22", results(naive={SIGNALP: 0.9}))
    assert left.effect.name == "RSA − Transformer, mean of MIT-BIH, ECG5000, ProFET"
    assert "left out: SignalP" in left.note


def test_runs_that_were_added_after_a_look_are_paid_for_where_they_were():
    found = results(scale="laptop", right={(MITBIH, ATTENTION): 0.82}, shifted={ATTENTION: 0.2, MLP: 0.2})
    claims = "Q21-ECG", "Q24b", "Q30", "Q26", "Q35", "Q29b"
    looks = {claim: judged(STUDY, claim, found).judgement.looks for claim in claims}
    twice, thrice = (3, 6), (3, 6, 8)
    assert looks == {"Q21-ECG": thrice, "Q24b": thrice, "Q30": thrice, "Q26": twice, "Q35": twice, "Q29b": thrice}
    assert judged(STUDY, "Q24b", results()).judgement.looks == ()


@pytest.mark.parametrize("claim", [each.id for each in STUDY.claims])
def test_what_has_no_seeds_yet_tests_nothing(claim, monkeypatch):
    without = {data: replace(part, runs=0, more_runs={}) for data, part in PARTS["laptop"].items()}
    found = results()
    monkeypatch.setitem(PARTS, "laptop", without)
    STUDY.design.forget()
    try:
        finding = judged(STUDY, claim, replace(found, scale="laptop"))
    finally:
        STUDY.design.forget()
    assert finding.judgement.verdict == "not testable here"
    assert "no runs yet" in finding.judgement.reason


def test_a_run_that_diverged_counts_as_a_failure_and_is_named():
    found = measures.beats(results(failed=[(MITBIH, LSTM)]), cell_at("paper", MITBIH, LSTM))
    assert found.values[0] == 0
    assert (found.drawn[:, 0] == 0).all()
    assert found.failed == ("LSTM on MIT-BIH, run 0",)
    assert found.contrast("x").failed == found.failed
    weeks = measures.errors(results(failed=[(SIZES, LSTM)]), cell_at("paper", SIZES, LSTM), EWMA)
    assert weeks.values[0] == -1
    found = measures.proteins(results(failed=[(SIGNALP, LSTM)]), cell_at("paper", SIGNALP, LSTM), "auc")
    assert found.values[0] == 0.5


def test_drawings_are_of_all_items_the_same_every_time_and_other_for_other_items():
    one, two, other = drawings(22, "a"), drawings(22, "a"), drawings(22, "b")
    assert one.shape == (DRAWN, 22)
    assert (one.sum(1) == 22).all()
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert one.var(0).mean().item() == pytest.approx(21 / 22, rel=0.1)


def test_patients_drawn_anew_are_those_of_a_loop_over_drawings():
    found = results(right={(MITBIH, LSTM): 0.7})
    at = cell_at("paper", MITBIH, LSTM)
    score = measures.beats(found, at)
    rows = found.frame("count", split="test", by=("item", "label", "answer"), **at)
    rows = rows[rows["number"] == 1]
    every = sorted(rows["item"].astype(int).unique())
    weights = drawings(len(every), f"records {every[0]} {every[-1]}")
    for draw in (0, 7):
        times = rows["item"].map(dict(zip(every, weights[draw].tolist(), strict=True)))
        options = {"average": "macro", "sample_weight": rows["value"] * times, "zero_division": 0}
        assert score.drawn[draw, 1] == pytest.approx(f1_score(rows["label"], rows["answer"], **options))
    every = f1_score(rows["label"], rows["answer"], average="macro", sample_weight=rows["value"])
    assert score.values[1] == pytest.approx(every)
    assert score.items == RECORDS
    alone = measures.beats(found, cell_at("paper", ECG5000, LSTM))  # one patient: runs are all there is
    assert (alone.drawn == alone.values.to_numpy()).all()
    contrast = alone.contrast("x")
    assert contrast.items is None
    wanted = single(alone.values, name="x", unit="macro-F1")
    assert (contrast.low, contrast.high) == (wanted.low, wanted.high)


def test_proteins_drawn_anew_are_those_of_scikit_learn_and_relatives_can_be_left_out():
    found, at = results(), cell_at("paper", SIGNALP, ATTENTION)
    table = found.table(SCORES)
    chosen = table[(table["data"] == SIGNALP) & (table["model"] == ATTENTION) & (table["layers"] == 2)]
    scores = chosen[(chosen["split"] == "test") & (chosen["number"] == 3)].sort_values("item")["score"].to_numpy()
    weights = drawings(PROTEIN_COUNT, f"{SIGNALP} test True")
    for metric, reference in (("auc", roc_auc_score), ("mcc", lambda y, s, **o: matthews_corrcoef(y, s >= 0, **o))):
        score = measures.proteins(found, at, metric)
        assert score.values[3] == pytest.approx(reference(_labels(), scores))
        wanted = reference(_labels(), scores, sample_weight=weights[5].numpy())
        assert score.drawn[5, 3] == pytest.approx(wanted)
        without = measures.proteins(found, at, metric, shared=False)
        assert without.values[3] == pytest.approx(reference(_labels()[100:], scores[100:]))
        assert without.items == PROTEIN_COUNT - 100


def test_weeks_drawn_anew_are_ratios_of_sums():
    found, at = results(saved={LSTM: 0.1}), cell_at("paper", SIZES, LSTM)
    score = measures.errors(found, at, EWMA)
    assert score.values.tolist() == pytest.approx([0.1 + 0.001 * (number - 2) for number in range(5)])
    weights = drawings(BLOCKS, "weeks")[3].numpy()
    theirs = 10 * (1 + 0.3 * np.sin(np.arange(BLOCKS)))
    assert score.drawn[3, 0] == pytest.approx(1 - (weights * theirs * (1 - 0.098)).sum() / (weights * theirs).sum())
    ahead = measures.directions(results(ahead={LSTM: 0.04}), cell_at("paper", DIRECTIONS, LSTM), MAJORITY)
    assert ahead.values[2] == pytest.approx(0.04, abs=1e-3)


def test_every_patient_counts_once_and_is_drawn_within_a_group():
    found = results(right={(MITBIH, LSTM): 0.7}, women={LSTM: 0.1})
    table = patients.recalls(found, LSTM, "V")
    wanted = [0.696 + 0.02 * np.sin(record) + 0.1 * (record % 2) for record in range(RECORDS)]
    assert table.loc[0].tolist() == pytest.approx(wanted)
    groups = patients.groups(found)
    assert groups[patients.WOMEN] == [1, 3, 5, 7, 9, 11]
    assert groups[patients.OLDER] == [5, 6, 7, 8, 9, 10, 11]
    assert groups[patients.YOUNGER] == [1, 2, 3, 4]  # of nobody without an age
    score = patients.gap(found, LSTM, "V")
    women, men = wanted[1::2], wanted[::2]
    assert score.values[0] == pytest.approx(np.mean(women) - np.mean(men))
    times = [drawings(6, f"V {group}")[4].numpy() for group in patients.BY_SEX]
    draws = [np.average(side, weights=each) for side, each in zip((women, men), times, strict=True)]
    assert score.drawn[4, 0] == pytest.approx(draws[0] - draws[1])
    assert score.items == RECORDS
    rows = patient_figures.by_patient(found, (LSTM, RSA))
    one = rows[(rows["model"] == LSTM) & (rows["kind"] == "V") & (rows["record"] == 3)].iloc[0]
    assert (one["sex"], one["age"]) == ("F", 55)
    assert one["value"] == pytest.approx(wanted[3] + 0.004)
    every = patient_figures.every_patient(found, (LSTM, RSA)).set_index("record")
    assert every.loc[3, ["sex", "age", "V, LSTM"]].tolist() == ["F", "55", f"{wanted[3] + 0.004:.2f}"]
    assert every.loc[0, "age"] == "not known"
    shown = patient_figures.gaps(found, (LSTM,)).set_index(["beats", "gap"])
    assert shown.loc[("V", "women − men"), "patients"] == "6 and 6"
    assert shown.loc[("V", "women − men"), "worst patient"].startswith("4: ")


def test_what_is_lost_is_compared_where_every_run_has_beats_and_without_runs_that_diverged():
    table = dearer(results(cost={LSTM: 0.2}), LSTM)
    assert table.index.tolist() == list(range(5))
    assert table.columns.tolist() == list(range(RECORDS))
    wanted = [[0.2 + 0.002 * (number - 2) + 0.02 * np.cos(record) for record in range(RECORDS)] for number in range(5)]
    assert table.to_numpy() == pytest.approx(np.array(wanted))  # the kind S is in one run alone
    found = results(failed=[(MITBIH, LSTM)])
    assert dearer(found, LSTM).index.tolist() == [1, 2, 3, 4]
    assert left_out(found, LSTM) == ("LSTM, run 0",)
    note = judged(STUDY, "Q29b", found).note
    assert note.endswith("; diverged: LSTM, run 0")
    assert "RSA: integrated gradients − random" in note
    assert dearer(results(cost={LSTM: None}), LSTM).empty


def test_patients_with_few_beats_are_left_out_and_a_diverged_run_serves_nobody(monkeypatch):
    monkeypatch.setattr(patients, "FEWEST_BEATS", 25)
    found = results(failed=[(MITBIH, LSTM)], women={LSTM: 0.1})
    assert patients.recalls(found, LSTM, "S").shape == (5, 0)
    assert (patients.recalls(found, LSTM, "N").loc[0] == 0).all()
    with pytest.raises(ValueError, match="nobody of women has 25 beats of the kind S"):
        patients.gap(found, LSTM, "S")
    score = patients.gap(found, LSTM, "N")
    assert score.values[0] == 0
    assert score.failed == ("LSTM on MIT-BIH, run 0",)


def test_courses_are_those_of_the_beats(tmp_path, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    task = PARTS["smoke"][MITBIH].task
    frames = pd.concat(patient_tables._courses("test", task.load()["test"]))
    split = task.load()["test"]
    of = (split.slices["record"] == 101) & (split.labels == 2)
    beats = split.inputs[of][:, :, 0].numpy()
    one = frames[(frames["record"] == 101) & (frames["kind"] == "V")]
    assert one["mean"].tolist() == pytest.approx(beats.mean(0).tolist(), abs=1e-6)
    assert one["low"].iloc[50] == pytest.approx(np.quantile(beats[:, 50], 0.1), abs=1e-6)
    learnt = pd.concat(patient_tables._courses("train", task.load()["train"]))
    assert learnt["record"].isna().all()
    assert len(learnt) == 3 * 144


def test_the_mean_gain_weighs_sets_alike():
    gains = {(MITBIH, RSA): 0.88, (ECG5000, RSA): 0.8, (SIGNALP, RSA): 0.8, (PROFET, RSA): 0.8}
    found = judged(STUDY, "Q22", results(right=gains))
    alone = measures.beats(results(right=gains), cell_at("paper", MITBIH, RSA)).values.mean()
    base = measures.beats(results(right=gains), cell_at("paper", MITBIH, ATTENTION)).values.mean()
    assert found.effect.estimate == pytest.approx((alone - base) / 4, abs=1e-4)
    assert found.effect.estimate > GAIN


def test_figures_draw_what_was_measured():
    found = results(right={(MITBIH, LSTM): 0.7}, saved={LSTM: 0.1})
    forest = figures.forest(found).set_index(["data", "model"])
    assert set(forest.index) == {(data, model) for data in DATA for model in MODELS}
    assert forest.loc[(SIZES, LSTM), "estimate"] == pytest.approx(0.1)
    assert (forest["low"] <= forest["estimate"]).all()
    lines = figures.lines(found).set_index(["data", "baseline"])["value"]
    assert lines[SIZES, EWMA] == lines[DIRECTIONS, MAJORITY] == 0
    assert lines[MITBIH, MOST_FREQUENT] == 0.3
    assert forest.loc[(MITBIH, LSTM), ["baseline", "by"]].tolist() == [0.3, MOST_FREQUENT]
    assert forest.loc[(SIZES, LSTM), ["baseline", "by"]].tolist() == [0.0, ZERO]  # all of them alike here
    pairs = figures.differences(found).set_index(["data", "pair"])["estimate"]
    assert pairs[MITBIH, "Attention − LSTM"] == pytest.approx(
        forest.loc[(MITBIH, ATTENTION), "estimate"] - forest.loc[(MITBIH, LSTM), "estimate"]
    )
    records = figures.by_record(found)
    assert set(records["kind"]) == {"N", "S", "V"}
    one = records[(records["model"] == LSTM) & (records["record"] == 0)].set_index("kind")
    assert one["value"].tolist() == pytest.approx([0.7] * 3)
    assert one["beats"].tolist() == list(PER_CLASS)
    depth = figures.by_depth(found)
    assert sorted(depth["layers"].unique()) == [1, 2, 4]
    worth = figures.exchange(found).set_index("data")
    assert worth.loc[MITBIH].tolist() == ["1", figures.NO_DEPTH]
    assert worth.loc[SIGNALP].tolist() == ["1", "1"]
    assert RANDOM not in worth.index
    hard = figures.harder(found)
    assert hard["test"].unique().tolist() == ["ProFET, AUC", "moved, macro-F1", "known, macro-F1"]
    moved = hard[(hard["condition"] == "moved beats") & (hard["model"] == LSTM)]["value"]
    assert moved.tolist() == pytest.approx(measures.beats(found, cell_at("paper", MITBIH, LSTM), shifted=True).values)
    assert set(figures.variants(found)["condition"]) == {"beat alone", "and both intervals"}
    answers = figures.baseline_table(found).set_index(["data", "answer"])
    assert answers.loc[(MITBIH, MOST_FREQUENT)].tolist() == ["macro-F1", 0.3]
    assert RANDOM not in answers.index
    every = figures.all_runs(found).set_index("data")
    assert every.loc[SIZES, LSTM] == "0.098 0.099 0.100 0.101 0.102"
    assert list(figures.not_shared(found)["data"].unique()) == list(PROTEINS)
    assert figures.sizes(found).set_index("model, layers").loc["LSTM, 1", MITBIH] == "20,082"
    grid = figures.grid(found)
    assert set(grid["data"]) == set(DATA) - {RANDOM, RHYTHM}
    assert grid["rate: score"].str.contains(r"0\.004: 0\.004").any()  # every score is its rate here


@pytest.mark.slow
def test_the_whole_study_runs_at_smoke_scale(smoked):
    found = smoked(STUDY)
    assert set(found.rows["model"]) == set(MODELS)
    for draw in (
        figures.forest,
        figures.lines,
        figures.differences,
        figures.by_record,
        figures.harder,
        figures.variants,
        figures.not_shared,
        attribution_figures.beside_course,
        attribution_figures.around_mark,
        attribution_figures.lost,
        attribution_figures.all_replaced,
        attribution_figures.whose,
        attribution_figures.agreement,
    ):
        assert not draw(found).empty
    assert not patient_figures.gaps(found, (LSTM, ATTENTION)).empty
    assert set(found.table(COURSES)["kind"]) == {"N", "S", "V"}
    assert "supraventricular (S)" in widgets.viewer(found).html
    stored = found.table(SCORES)
    first = stored[(stored["data"] == SIGNALP) & (stored["model"] == LSTM) & (stored["number"] == 0)]
    at = cell_at("smoke", SIGNALP, LSTM)
    wanted = measures.proteins(found, at, "auc").values
    reported = found.frame("auc", split="test", **at).set_index("number")["value"]
    assert wanted.to_dict() == pytest.approx(reported.to_dict())
    assert len(first)
