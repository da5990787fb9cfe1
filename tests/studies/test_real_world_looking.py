"""Which beats are explained, tables of what models look at against loops, and figures on tables made by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from inductive_bias.analysis import signal_attribution
from inductive_bias.analysis.attribution import first_tenth
from inductive_bias.store import Store
from inductive_bias.studies.design import Cell
from inductive_bias.studies.real_world import STUDY
from inductive_bias.studies.real_world.design import ATTENTION, LSTM, MITBIH, MODELS, PARTS
from inductive_bias.studies.real_world.figures import attributions as figures
from inductive_bias.studies.real_world.measures.attributions import (
    ALL_SAMPLES,
    ATTRIBUTIONS,
    COLUMNS,
    DELETIONS,
    GRADIENT,
    INTEGRATED,
    METHODS,
    OCCLUSION,
    ORDERS,
    RANDOM_ORDER,
    dearer,
)
from inductive_bias.studies.real_world.measures.patients import COURSES
from inductive_bias.studies.real_world.tables import attributions as tables
from inductive_bias.studies.real_world.tables import explained_beats
from inductive_bias.studies.real_world.tables.explained_beats import Beats
from inductive_bias.studies.runs import Runs
from inductive_bias.tasks import Split
from tests.fakes import fake_results

SAMPLES, CLASSES = 20, 3


class Peaks(nn.Module):
    """The class is that of the largest of the first three samples; the others count nothing."""

    def __init__(self, wrong=()):
        super().__init__()
        self.weight, self.wrong = nn.Parameter(torch.tensor(2.0)), list(wrong)

    def forward(self, inputs):
        found = self.weight * inputs[:, :CLASSES, 0]
        if self.wrong:  # a beat is known by its last sample
            known = torch.isin(inputs[:, -1, 0], torch.tensor(self.wrong, dtype=inputs.dtype))
            found = torch.where(known[:, None], -found, found)
        return found[:, None].expand(-1, inputs.shape[1], -1)


def beats(count, records=2):
    """Beats of all classes in turn, the last sample of each its number."""
    labels = torch.arange(count) % CLASSES
    inputs = torch.zeros(count, SAMPLES, 1)
    inputs[torch.arange(count), labels, 0] = 1
    inputs[:, -1, 0] = torch.arange(count)
    return Split(inputs, labels, "made by hand", {"record": torch.arange(count) // CLASSES % records})


def test_chosen_are_beats_that_all_models_have_right_evenly():
    split = beats(120)
    found = explained_beats.chosen([Peaks(), Peaks(wrong=[0.0]), Peaks(wrong=[6.0])], split)
    groups = torch.stack([found.records, found.labels], 1).unique(dim=0, return_counts=True)
    assert groups[0].tolist() == [[record, label] for record in range(2) for label in range(3)]
    assert groups[1].tolist() == [explained_beats.MOST_EXPLAINED] * 6
    numbers = found.inputs[:, -1, 0].long()
    assert torch.equal(split.labels[numbers], found.labels)
    assert torch.equal(split.slices["record"][numbers], found.records)
    of = numbers[(found.records == 0) & (found.labels == 0)].tolist()
    there = [place for place in range(120) if place % 6 == 0 and place not in (0, 6)]
    assert of == [there[round(each)] for each in np.linspace(0, len(there) - 1, explained_beats.MOST_EXPLAINED)]


def test_few_beats_are_all_chosen_and_those_of_a_tiny_margin_are_not():
    assert explained_beats.chosen([Peaks()], beats(12)).inputs[:, -1, 0].tolist() == [
        0,
        6,
        1,
        7,
        2,
        8,
        3,
        9,
        4,
        10,
        5,
        11,
    ]
    split = beats(12)
    split.inputs[0] *= explained_beats.LEAST_MARGIN / 3  # its margin is twice as much, less than the least one
    assert 0 not in explained_beats.chosen([Peaks()], split).inputs[:, -1, 0].tolist()
    assert len(explained_beats.chosen([Peaks(), Peaks(wrong=range(12))], beats(12)).labels) == 0
    assert len(explained_beats.chosen([], beats(60), most=1).labels) == 6


def test_models_are_asked_about_so_many_beats_at_most(monkeypatch):
    monkeypatch.setattr(explained_beats, "MOST_ASKED", 2)
    asked = []
    monkeypatch.setattr(
        explained_beats, "rightly", lambda model, inputs, labels: asked.append(len(labels)) or labels >= 0
    )
    found = explained_beats.chosen([Peaks()], beats(120))
    assert asked == [2 * 6]
    assert len(found.labels) == 2 * 6


def test_what_is_lost_is_of_the_margin(monkeypatch):
    monkeypatch.setattr(tables, "CHUNK", 4)  # the last one is smaller
    split = beats(6)
    given = Beats(split.inputs, split.labels, split.slices["record"])
    baseline = torch.zeros(SAMPLES, 1)
    first = torch.arange(SAMPLES).expand(6, -1)
    whole = tables.margins(Peaks(), given)
    # a tenth are the first two samples: with them goes all of the margin of the first two classes
    assert first_tenth(SAMPLES) == 2
    assert tables.lost_first(Peaks(), given, whole, baseline, first, 2).tolist() == pytest.approx(
        (whole * torch.tensor([1.0, 1, 0] * 2)).tolist()
    )
    assert tables.lost_first(Peaks(), given, whole, baseline, first.flip(1), 2).tolist() == pytest.approx([0] * 6)
    assert first_tenth(144) == 14
    assert first_tenth(3) == 1


def test_attributions_of_chunks_are_those_of_all(monkeypatch):
    monkeypatch.setattr(tables, "CHUNK", 4)
    split = beats(6)
    given, baseline = Beats(split.inputs, split.labels, split.slices["record"]), torch.full((SAMPLES, 1), 0.1)
    found = tables.attributed(Peaks(), given, baseline)
    score = explained_beats.margin_of(Peaks(), split.labels)
    torch.testing.assert_close(
        found[GRADIENT], signal_attribution.gradient_times_difference(score, split.inputs, baseline)
    )
    torch.testing.assert_close(found[INTEGRATED], found[GRADIENT])  # the margin is linear
    assert found[OCCLUSION].shape == (6, SAMPLES)
    assert (found[OCCLUSION].unflatten(1, (-1, tables.OCCLUSION_BLOCK)).diff(dim=-1) == 0).all()
    shares = tables.shares(found[GRADIENT])
    assert shares.sum(1).tolist() == pytest.approx([1] * 6)
    assert (shares >= 0).all()
    assert tables.shares(torch.zeros(2, 3)).tolist() == [[0] * 3] * 2


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Runs whose models are made by hand: one of the first number diverged, one of the second is wrong twice."""
    numbers = explained_beats.numbers(Runs(STUDY.design, "smoke", Store(tmp_path)))
    models = {trial.id: Peaks() for trials in numbers for trial in trials} | {numbers[1][2].id: Peaks(wrong=[0.0, 6.0])}
    flat = torch.zeros(3, SAMPLES, 1)
    flat[:, -1] = -1  # the number of no beat
    data = {"test": beats(12), "train": Split(flat, torch.arange(3), "made by hand")}
    monkeypatch.setattr(Runs, "model", lambda self, trial: models[trial.id])
    monkeypatch.setattr(Runs, "data", lambda self, trial: Data(data))
    monkeypatch.setattr(Store, "fingerprint", lambda self, trial: f"{tmp_path} {trial.id}")
    monkeypatch.setattr(tables, "diverged", lambda runs, trial: trial == numbers[0][1])
    return Runs(STUDY.design, "smoke", Store(tmp_path))


class Data(dict):
    is_sample = False


def test_compared_are_all_six_models_of_a_number(runs):
    numbers = explained_beats.numbers(runs)
    assert [len(trials) for trials in numbers] == [6, 6]
    assert len({trial.model for trial in numbers[0]}) == 6
    alone = runs.restricted([*numbers[0], *numbers[1][:5]])
    assert explained_beats.numbers(alone) == numbers[:1]
    groups = tables.TABLES[DELETIONS].groups(alone)
    assert groups == {0: numbers[0]}


def test_tables_hold_means_over_beats(runs):
    numbers = explained_beats.numbers(runs)
    diverged, wrong = numbers[0][1].id, numbers[1][2].id
    attributions, deletions = (tables.TABLES[name].made(runs) for name in (ATTRIBUTIONS, DELETIONS))
    assert list(attributions) == COLUMNS[ATTRIBUTIONS]
    assert list(deletions) == COLUMNS[DELETIONS]
    assert len(set(deletions["trial"])) == 11
    assert diverged not in set(deletions["trial"])
    sums = attributions.groupby(["trial", "kind", "method"])["share"].agg(["sum", "size"])
    assert sums["sum"].tolist() == pytest.approx([1] * 11 * 3 * 3)
    assert set(sums["size"]) == {SAMPLES}
    own = attributions[(attributions["method"] == INTEGRATED) & (attributions["trial"] == wrong)]
    # of each class its own sample alone differs from the baseline, beside the last one, which counts nothing
    assert [own.loc[own["kind"] == kind, "share"].argmax() for kind in "NSV"] == [0, 1, 2]
    # both beats of the class N of one record are wrong, and so no model of that number is asked to explain them
    number = {trial.id for trial in numbers[1]}
    every = {(record, kind) for record in range(2) for kind in "NSV"}
    for of, places in ((number, every - {(0, "N")}), (set(deletions["trial"]) - number, every)):
        some = deletions[deletions["trial"].isin(of)]
        assert set(zip(some["record"], some["kind"], strict=True)) == places
    assert set(deletions["order"]) == {*ORDERS, ALL_SAMPLES}
    best = deletions.loc[deletions["order"].isin([GRADIENT, ALL_SAMPLES]), "lost"]
    assert best.tolist() == pytest.approx([1] * len(best))
    random = deletions[deletions["order"] == RANDOM_ORDER].groupby("trial")["lost"].apply(list)
    assert 0 < np.mean(random.iloc[0]) < 0.3  # a tenth of the samples holds the one that counts once in ten
    assert len({tuple(np.round(random[trial], 5)) for trial in number}) == 1  # the same orders for all models


def test_both_tables_explain_once(runs, monkeypatch):
    asked, attributed = [], tables.attributed
    monkeypatch.setattr(tables, "attributed", lambda *given: asked.append(given) or attributed(*given))
    for name in (ATTRIBUTIONS, DELETIONS):
        tables.TABLES[name].made(runs)
    assert len(asked) == 11


def test_tables_without_beats_have_no_rows(runs, monkeypatch):
    monkeypatch.setattr(Runs, "model", lambda self, trial: Peaks(wrong=range(12)))
    for name, table in tables.TABLES.items():
        made = table.made(runs)
        assert made.empty
        assert list(made) == COLUMNS[name]


def test_a_run_without_a_score_diverged(monkeypatch, tmp_path):
    runs = Runs(STUDY.design, "smoke", Store(tmp_path))
    for value, lost in ((0.5, False), (float("nan"), True)):
        rows = pd.DataFrame({"split": ["train", "test"], "metric": "macro_f1", "value": [np.nan, value]})
        monkeypatch.setattr(Store, "rows", lambda self, trial, rows=rows: rows)
        assert explained_beats.diverged(runs, explained_beats.numbers(runs)[0][0]) is lost


def usual(model):
    """The cell of a model on MIT-BIH at its usual depth."""
    return Cell(data=MITBIH, model=model, layers=PARTS["smoke"][MITBIH].usual(model))


def results(*, kinds=("N", "S", "V")):
    """Two runs of every model: all of the attribution at one sample, another for each method and kind."""
    attributions, deletions = [], []
    for model in MODELS:
        for number, trial in enumerate(STUDY.design.cells("smoke")[usual(model)]):
            for kind in kinds:
                for place, method in enumerate(METHODS):
                    share = np.zeros(144)
                    share[50 + 10 * place + (kind == "V")] = 0.75
                    share[140 + number] = 0.25
                    attributions.append(
                        pd.DataFrame(
                            {"trial": trial.id, "kind": kind, "method": method, "sample": range(144), "share": share}
                        )
                    )
                for place, order in enumerate((*ORDERS, ALL_SAMPLES)):
                    deletions += [
                        {
                            "trial": trial.id,
                            "record": record,
                            "kind": kind,
                            "order": order,
                            "lost": 0.1 * place + 0.01 * record + 0.001 * number,
                        }
                        for record in range(2 + number)
                    ]
    first = STUDY.design.cells("smoke")[usual(LSTM)][0].id
    courses = [
        pd.DataFrame(
            {
                "trial": first,
                "split": split,
                "record": record,
                "kind": kind,
                "sample": range(144),
                "mean": 0.01 * np.arange(144) + record,
                "low": -1.0,
                "high": 1.0,
            }
        )
        for split in ("train", "test")
        for record in ((-1,) if split == "train" else (3, 4))
        for kind in "NSV"
    ]
    tables = {ATTRIBUTIONS: pd.concat(attributions), DELETIONS: pd.DataFrame(deletions), COURSES: pd.concat(courses)}
    return fake_results(STUDY, lambda **at: {("test", "macro_f1"): 0.5}, scale="smoke", tables=tables)


def test_shares_stand_beside_the_mean_course_of_all_test_patients():
    found = figures.beside_course(results())
    one = found[(found["model"] == ATTENTION) & (found["kind"] == "S") & (found["method"] == OCCLUSION)]
    assert one["sample"].tolist() == list(range(144))
    assert one["ms"].iloc[[50, 59]].tolist() == pytest.approx([0, 50])
    assert one["share"].iloc[[70, 140, 141]].tolist() == pytest.approx([0.75, 0.125, 0.125])
    assert one["course"].tolist() == pytest.approx((0.01 * np.arange(144) + 3.5).tolist())
    assert found["kind"].cat.categories.tolist() == ["N", "S", "V"]
    assert found["method"].cat.categories.tolist() == list(METHODS)


def test_near_the_mark_are_sixty_milliseconds_before_and_after():
    found = figures.around_mark(results()).set_index(["model", "method"])
    # near are the samples 40 … 60; the attribution lies at 50, 60 and 70, of V one later
    assert found.loc[(LSTM, GRADIENT), ["N", "V"]].tolist() == ["0.75\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.000"] * 2
    assert found.loc[(LSTM, INTEGRATED), ["N", "V"]].tolist() == [
        "0.75\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.000",
        "0.00\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.000",
    ]
    assert found.loc[(LSTM, OCCLUSION), ["N", "V"]].tolist() == ["0.00\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}0.000"] * 2
    assert found[figures.EVEN].tolist() == pytest.approx([21 / 144] * 18)


def test_what_is_lost_is_the_mean_over_records_of_every_run():
    found = figures.lost(results()).set_index(["model", "kind", "order", "number"])["value"]
    assert found[LSTM, "N", RANDOM_ORDER, 0] == pytest.approx(0.3 + 0.005)
    assert found[LSTM, "N", RANDOM_ORDER, 1] == pytest.approx(0.3 + 0.01 + 0.001)
    assert len(found) == 6 * 3 * 4 * 2
    every = figures.all_replaced(results()).set_index("model")
    assert every.columns.tolist() == ["N", "S", "V"]
    assert every.loc[LSTM, "S"].startswith(f"{0.4 + (0.005 + 0.011) / 2:.2f}")
    whose = figures.whose(results()).set_index("kind")
    assert whose.loc["S"].tolist() == [3, 2]


def test_methods_agree_as_their_curves_are_ordered():
    found = figures.agreement(results(kinds=("N", "V"))).set_index("model")
    assert found.index.tolist() == list(MODELS)
    one, two = np.zeros(144), np.zeros(144)
    one[[50, 140, 141]] = two[[60, 140, 141]] = 0.75, 0.125, 0.125
    wanted = pd.Series(one).corr(pd.Series(two), method="spearman")
    assert found.loc[LSTM].tolist() == pytest.approx([wanted] * 3)


def test_figures_of_no_beats_are_empty():
    empty = {name: (lambda name=name: pd.DataFrame(columns=COLUMNS[name])) for name in COLUMNS}
    found = results()
    found = replace(found, tables=found.tables | empty)
    for draw in (
        figures.lost,
        figures.all_replaced,
        figures.whose,
        figures.beside_course,
        figures.around_mark,
        figures.agreement,
    ):
        assert draw(found).empty
    assert dearer(found, LSTM).empty
