"""Claims that read tables of several runs, and what the pages show beside the rows, on geometry known by hand."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats

from inductive_bias.analysis import shift
from inductive_bias.store import Store
from inductive_bias.studies.design import Cell, Design
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.vision import STUDY, design, figures, measures
from inductive_bias.studies.vision.design import CNN, MLP_ALONE, SELF_TAUGHT, TAUGHT, TWIN, label, trial
from tests.fakes import fake_results, judged
from tests.studies.test_vision import levels, made_up

NUMBERS = range(4)
#: Points in a plane by cell: the CNN; the twin walks back and forth, the two students take one corner.
ROADS = {
    "CNN": [(5.0, 0.0), (5.0, 4.0)],
    "MLP, same steps": [(0.0, 0.0), (4.0, 0.0), (1.0, 0.0)],
    "CNN → MLP": [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)],
    "MLP → MLP": [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0)],
}


def runs(*cells):
    return [trial("laptop", number, **cell) for cell in cells for number in NUMBERS]


def test_a_cell_may_have_more_runs_which_no_table_reads(monkeypatch, tmp_path):
    monkeypatch.setitem(design.SIZES, "laptop", replace(design.SIZES["laptop"], more={label(**TWIN): 6, "CNN": 5}))
    more = Design(design.cells, design.DESIGN.factors, label=label)
    counts = {more.name(cell): len(trials) for cell, trials in more.cells("laptop").items()}
    assert (counts.pop("MLP, same steps"), counts.pop("CNN"), set(counts.values())) == (6, 5, {4})
    here = Runs(more, "laptop", Store(tmp_path))
    for table in STUDY.tables.values():
        used = table.groups(here)[None]
        assert len(used) == 4 * 7  # the paper's six cells and the twin
        assert {each.seed for each in used} == {*range(4), *range(10, 14)}


def test_where_a_cell_has_more_runs_those_of_the_same_numbers_are_compared():
    def values(number, **levels):
        return {} if levels == TAUGHT and number > 1 else {("test", "accuracy"): 0.5 + 0.1 * (levels == TAUGHT)}

    assert measures.gain(fake_results(STUDY, values), TAUGHT, TWIN, "test").values.tolist() == pytest.approx([0.1] * 2)


def with_table(name, table):
    return fake_results(STUDY, lambda **_: {("test", "accuracy"): 0.5}, tables={name: table})


def similarities(of_taught, of_self_taught):
    """Every model is like the CNNs by the number given, a little more or less from run to run."""
    near = {"CNN": 0.9, "MLP, same steps": 0.7, "CNN → MLP": of_taught, "MLP → MLP": of_self_taught}
    cells, rng = (CNN, TWIN, TAUGHT, SELF_TAUGHT), np.random.default_rng(0)
    return pd.DataFrame(
        {"form": form, "trial_a": a.id, "trial_b": b.id, "value": near[label(**cell)] + 0.001 * rng.standard_normal()}
        for form in ("cosine", "centred", "cka")
        for cell in cells
        for a in runs(cell)
        for b in runs(CNN)
    )


def alike(within, to_own_students, *, mlp=MLP_ALONE, noise=0.002):
    """Two models of a kind are alike by ``within``, a self-taught one and those of its kind by ``to_own_students``."""
    kinds = {"CNN": CNN, "MLP": mlp}
    rng, rows = np.random.default_rng(0), []
    for kind, cell in kinds.items():
        own = levels(kind, kind)
        for first, value in ((cell, within[kind]), (own, to_own_students[kind])):
            for a, b in product(runs(first), runs(cell)):
                # a student is like its own teacher and like its twin, and a run like itself: none may count
                same = a == b or a.teacher == b or a.seed == b.seed
                rows.append((a.id, b.id, 1.0 if same else value + noise * rng.standard_normal()))
    return pd.DataFrame(
        [
            {"form": form, "trial_a": a, "trial_b": b, "value": value}
            for form in ("cosine", "centred", "cka")
            for a, b, value in rows
        ]
    )


def paths(roads):
    rng = np.random.default_rng(0)  # two paths that are quite alike would tell nothing of their spread
    points = [
        (
            trial("laptop", number, **cell).id,
            number,
            epoch,
            np.array(place) * (1 + number) + (0, 1e-3 * number * epoch) + 1e-3 * rng.standard_normal(2),
        )
        for cell in (CNN, TWIN, TAUGHT, SELF_TAUGHT)
        for number in NUMBERS
        for epoch, place in enumerate(roads[label(**cell)])
    ]
    return pd.DataFrame(
        {
            "form": form,
            "kind": kind,
            "trial_a": a,
            "epoch_a": e,
            "trial_b": b,
            "epoch_b": f,
            "value": np.linalg.norm(p - q),
        }
        for form, kind in product(("cosine", "cka"), ("chord", "difference"))
        for a, m, e, p in points
        for b, n, f, q in points
        if m == n
    )


def barriers(own, strangers, aligned=0.0):
    """A hill of so many nats on every line, a tenth of it more for each number."""
    lines = [("two MLPs", a, b, strangers) for a, b in combinations(runs(TWIN), 2)]
    lines += [("MLP teacher and student", a, b, own) for a, b in zip(runs(MLP_ALONE), runs(SELF_TAUGHT), strict=True)]
    treatments = {
        (False, "as interpolated"): 9.0,
        (True, "as interpolated"): 8.0,
        (False, "computed again"): None,
        (True, "computed again"): aligned,
    }
    return pd.DataFrame(
        {
            "kind": kind,
            "trial_a": a.id,
            "trial_b": b.id,
            "aligned": done,
            "statistics": statistics,
            "weight": weight,
            "metric": metric,
            "value": 0.1 + (weight == 0.5) * (1 + 0.1 * (a.seed % 10)) * (hill if top is None else top),
        }
        for kind, a, b, hill in lines
        for (done, statistics), top in treatments.items()
        for weight in (1.0, 0.0, 0.5)
        for metric in ("nll", "accuracy")
    )


class TestClaimsOnTables:
    @pytest.mark.parametrize(
        ("taught", "self_taught", "want"),
        [(0.85, 0.72, "reproduced"), (0.72, 0.7, "not reproduced"), (0.85, 0.84, "not reproduced")],
    )
    def test_a_student_moves_only_if_the_self_taught_does_not(self, taught, self_taught, want):
        finding = judged(STUDY, "V13", with_table("similarity", similarities(taught, self_taught)))
        assert finding.judgement.verdict == want
        assert finding.effect.estimate == pytest.approx(taught - 0.7, abs=1e-2)

    @pytest.mark.parametrize(
        ("of_cnns", "of_mlps", "want"),
        [(0.9, 0.8, "reproduced"), (0.8, 0.9, "not reproduced"), (0.9, 0.9, "not reproduced")],
    )
    def test_mlps_must_differ_more_than_cnns_from_run_to_run(self, of_cnns, of_mlps, want):
        near = {"CNN": of_cnns, "MLP": of_mlps}
        finding = judged(STUDY, "V23", with_table("similarity", alike(near, near)))
        assert finding.judgement.verdict == want
        assert finding.shown.estimate == pytest.approx(np.log2((1 - of_mlps) / (1 - of_cnns)), abs=0.1)

    def test_mlps_must_differ_more_by_both_similarities(self):
        table = alike({"CNN": 0.9, "MLP": 0.8}, {"CNN": 0.9, "MLP": 0.8})
        cosine = table["form"] == "cosine"
        table.loc[cosine, "value"] = alike({"CNN": 0.8, "MLP": 0.9}, {"CNN": 0.8, "MLP": 0.9})["value"]
        assert judged(STUDY, "V23", with_table("similarity", table)).judgement.verdict == "not reproduced"

    @pytest.mark.parametrize(
        ("students", "noise", "want"),
        [
            ({"CNN": 0.9, "MLP": 0.82}, 0.002, "reproduced"),
            ({"CNN": 0.9, "MLP": 0.7}, 0.002, "not reproduced"),
            ({"CNN": 0.97, "MLP": 0.8}, 0.002, "not reproduced"),
            ({"CNN": 0.9, "MLP": 0.8}, 0.2, "undecided"),
        ],
    )
    def test_self_taught_models_must_stay_where_they_are(self, students, noise, want):
        table = alike({"CNN": 0.9, "MLP": 0.8}, students, mlp=TWIN, noise=noise)
        assert judged(STUDY, "V24", with_table("similarity", table)).judgement.verdict == want

    def test_self_taught_mlps_are_compared_with_mlps_that_trained_as_long(self):
        near = {"CNN": 0.9, "MLP": 0.8}
        shorter = alike(near, near | {"MLP": 0.6})
        table = pd.concat([alike(near, near, mlp=TWIN), shorter], ignore_index=True).drop_duplicates(
            ["form", "trial_a", "trial_b"]
        )
        assert judged(STUDY, "V24", with_table("similarity", table)).judgement.verdict == "reproduced"

    @pytest.mark.parametrize("claim", ["V23", "V24"])
    def test_two_runs_of_a_kind_say_nothing_of_their_variety(self, claim):
        table = alike({"CNN": 0.9, "MLP": 0.8}, {"CNN": 0.9, "MLP": 0.8})
        few = {each.id for cell in (CNN, MLP_ALONE) for each in runs(cell)[:2]}
        table = table[table["trial_a"].isin(few) & table["trial_b"].isin(few)]
        finding = judged(STUDY, claim, with_table("similarity", table))
        assert finding.judgement.verdict == "not testable here"
        assert "2 runs" in finding.judgement.untestable

    def test_a_path_must_be_smoother_than_that_of_both_twins(self):
        as_long = judged(STUDY, "V14", with_table("paths", paths(ROADS)))
        assert as_long.judgement.verdict == "not reproduced"  # the self-taught takes the same road
        straight = paths(ROADS | {"CNN → MLP": [(0.0, 0.0), (1.0, 0.0), (3.0, 0.0)]})
        assert judged(STUDY, "V14", with_table("paths", straight)).judgement.verdict == "reproduced"

    @pytest.mark.parametrize(("moved", "want"), [(0.5, "reproduced"), (-0.5, "not reproduced")])
    def test_a_path_must_be_nearer_to_the_teachers_than_those_of_both_twins(self, moved, want):
        (start, *others), cnn = ROADS["MLP, same steps"], np.array(ROADS["CNN"])
        others = np.array(others)
        taught = others + moved * (cnn[1:] - others)
        roads = ROADS | {"CNN → MLP": [start, *map(tuple, taught)], "MLP → MLP": ROADS["MLP, same steps"]}
        assert judged(STUDY, "V18", with_table("paths", paths(roads))).judgement.verdict == want

    @pytest.mark.parametrize(
        ("own", "strangers", "want"),
        [(0.001, 1.0, "reproduced"), (0.5, 1.0, "not reproduced"), (0.0, 0.0, "not testable here")],
    )
    def test_one_basin_is_a_tenth_of_what_lies_between_strangers(self, own, strangers, want):
        finding = judged(STUDY, "V17", with_table("barriers", barriers(own, strangers, aligned=0.25)))
        assert finding.judgement.verdict == want
        assert finding.effect.estimate == pytest.approx(own * 1.15)
        assert "two MLPs, units aligned, statistics again" in finding.note


class TestJackknife:
    def test_of_a_mean_it_gives_the_values_themselves(self):
        values = pd.Series([1.0, 4.0, 7.0, 2.0])
        found = measures.jackknifed(lambda kept: float(values[kept].mean()), range(4))
        assert found.tolist() == pytest.approx(values.tolist())

    def test_pairs_of_runs_are_as_sure_as_their_runs(self):
        # the mean over pairs of sums a + b is twice the mean of the runs, with twice its standard error
        own = pd.Series(np.random.default_rng(0).standard_normal(6))
        pairs = pd.DataFrame(own.to_numpy()[:, None] + own.to_numpy()[None]).where(~np.eye(6, dtype=bool))
        found = measures.jackknifed(lambda kept: float(np.nanmean(pairs.loc[kept, kept])), range(6))
        assert found.mean() == pytest.approx(2 * own.mean())
        assert found.std() == pytest.approx(2 * own.std())


class TestBarriers:
    def test_they_are_named_by_what_was_done_to_the_line(self):
        table = with_table("barriers", barriers(0.5, 1.0, aligned=0.25)).table("barriers")
        heights = measures.barrier_heights(table)
        first = heights[heights["pair"] == "10 – 11"].set_index("treatment")["value"]
        # alignment without new batch statistics stays in the table of results only
        assert first.to_dict() == pytest.approx(
            {"as interpolated": 9.0, "batch statistics again": 1.0, "units aligned, statistics again": 0.25}
        )
        assert list(heights["treatment"].cat.categories) == list(first.index)
        assert len(measures.barrier_lines(table)) == 3 * len(heights)

    def test_a_barrier_is_the_climb_above_the_straight_line_of_losses(self):
        a, b = runs(TWIN)[:2]
        losses = [(0.0, 1.0), (0.5, 4.0), (1.0, 2.0)]
        table = pd.DataFrame(
            {
                "kind": "k",
                "trial_a": a.id,
                "trial_b": b.id,
                "aligned": False,
                "statistics": "computed again",
                "metric": "nll",
                "weight": weight,
                "value": value,
            }
            for weight, value in losses
        )
        assert measures.barrier_heights(with_table("b", table).table("b"))["value"].tolist() == [2.5]


class TestTables:
    def test_distilled_models_name_the_twin_where_there_is_no_teacher(self):
        rows = figures.distilled_models(made_up(), ["accuracy", "ece_1e6"])
        alone = rows[rows["teacher"] == "none"]
        assert set(alone["cell"]) == {"CNN", "MLP, same steps"}
        cells = STUDY.design.cells("laptop").items()
        runs_of = {STUDY.design.name(cell): len(trials) for cell, trials in cells}
        assert len(rows) == 3 * 2 * sum(runs_of[name] for name in set(rows["cell"]))  # sets × metrics × runs
        assert rows["cell"].nunique() == 2 * 3  # models × teachers
        reported = figures.reported_distilled_models(made_up())
        assert set(reported["cell"]) == set(rows["cell"])
        assert {"CNN → CNN, no dropout", "MLP → CNN, no dropout"} < set(rows["cell"])

    def test_our_numbers_stand_beside_the_papers(self):
        table = figures.beside_paper(made_up(noise=0.0), "accuracy", teacher=["CNN"]).set_index(["model", "test set"])
        text = [cell.replace("\u00a0", " ") for cell in table.loc["CNN\u00a0→\u00a0MLP", "translated"]]
        runs_of_it = STUDY.design.cells("laptop")[Cell(**TAUGHT)]
        assert text == ["0.510 ± 0.0000", "0.510 ± 0.0148", " ".join(["0.510"] * len(runs_of_it))]

    def test_the_papers_mlp_without_a_teacher_stands_beside_both_of_ours(self):
        table = figures.beside_paper(made_up(noise=0.0), "accuracy", teacher="none").set_index(["model", "test set"])
        paper = {model: table.loc[(model, "scaled"), "paper"] for model in ("MLP", "MLP,\u00a0same\u00a0steps")}
        assert set(paper.values()) == {"0.794\u00a0±\u00a00.0154"}
        for cell in (MLP_ALONE, TWIN):
            assert measures.reported(made_up(), "accuracy", cell, "scale") == 0.794
        half = measures.half(made_up(), "accuracy", TAUGHT, TWIN, "scale")
        assert (float(half), half.compared) == (pytest.approx(0.055), ("CNN → MLP", "MLP, same steps"))

    def test_a_gain_is_paired_by_number(self):
        results = made_up(noise=0.01)
        table = figures.gain_table(results, [TAUGHT]).set_index("test set")
        taught, twin = (results.values("accuracy", split="scale", **cell) for cell in (TAUGHT, TWIN))
        low, high = stats.ttest_rel(taught, twin).confidence_interval()
        found = measures.gain(results, TAUGHT, TWIN, "scale")
        assert (found.low, found.high) == pytest.approx((low, high))
        assert table.loc["scaled", "gain"] == str(found)
        assert table.loc["MNIST", "model"] == "CNN\u00a0→\u00a0MLP"


class TestShifts:
    def results(self):
        def values(*, number, **cell):
            if number not in NUMBERS:
                return {}
            level = {"CNN": 0.1, "MLP": 0.5}[cell["model"]] if cell in (CNN, MLP_ALONE) else 9.0
            places = product(("invariance_error", "accuracy"), (0, 4))
            return {("test", metric, ("shift", at)): level * at + 0.01 * number for metric, at in places}

        results = fake_results(STUDY, values)
        untrained = results.rows.assign(epoch=0.0, value=results.rows["value"] + 1 + 0.01 * results.rows["seed"])
        rows = pd.concat([results.rows, untrained], ignore_index=True)
        return type(results)(**vars(results) | {"rows": rows})

    def test_curves_tell_the_untrained_control_from_the_trained_model(self):
        curves = measures.by_shift(self.results(), "accuracy", model="MLP", teacher="none", variant="standard")
        means = curves.groupby(["stage", "shift"], sort=False)["value"].mean()
        assert list(means.index) == list(product(measures.STAGES, (0, 4)))
        np.testing.assert_allclose(means, [1.03, 3.03, 0.015, 2.015])

    def test_contrasts_compare_models_and_stages_at_one_shift(self):
        table = figures.shift_contrasts(self.results(), {"invariance_error": "words"}, pixels=4)
        assert table["difference"].tolist() == ["CNN − MLP, both trained", "CNN, trained − untrained"]
        assert [text.split("\u00a0")[0] for text in table["found"]] == ["−1.600", "−1.015"]


class TestPictures:
    def test_the_edge_map_moves_with_the_digit_and_keeps_its_mean(self):
        digit = torch.from_numpy(figures.example_digit(figures.SHIFTABLE_DIGIT))[None, None]
        assert digit[..., -8:].max() == 0  # room for the shift
        before, after = figures.edge_map(digit), figures.edge_map(shift(digit, 0, 6))
        torch.testing.assert_close(after, shift(before, 0, 6))
        torch.testing.assert_close(after.mean(), before.mean())
        assert before.max() > 0

    def test_the_edge_map_answers_where_ink_begins(self):
        stroke = torch.zeros(1, 1, 5, 7)
        stroke[..., 3] = 1
        edges = figures.edge_map(stroke)[0, 0]
        assert edges[:, 2].min() > 0
        assert edges[:, [0, 1, 3, 4, 5, 6]].max() == 0

    def test_a_digit_is_shown_clean_or_corrupted(self):
        clean, moved = figures.example_digit(), figures.example_digit(corruption="translate")
        assert clean.shape == moved.shape == (28, 28)
        assert not np.array_equal(clean, moved)
