"""Where toy agreement models end: features are drawn so that who resembles whom is known."""

import zlib
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias.store import Store
from inductive_bias.studies import Results, Study
from inductive_bias.studies.agreement import design, geometry
from inductive_bias.studies.agreement import geometry_figures as figures
from inductive_bias.studies.agreement.design import LADDER, PAIRS
from inductive_bias.studies.agreement.tables import PATH_CELLS, paths, similarity
from inductive_bias.studies.runs import Runs
from inductive_bias.trials import Trial

SEEDS = 3
WEAK, *_, STRONG = LADDER


def noise(*name: object) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(repr(name).encode())).normal(size=(40, 8))


class ToyRuns(Runs):
    """Runs of the smoke design whose features are drawn, not trained."""

    def features(self, trial: Trial) -> dict[int, torch.Tensor]:
        """Own architecture, half of the teacher's, a little of the very teacher, and a start that students share."""
        own = trial.model.name
        end = noise(own) + 0.2 * noise(trial.id)
        if trial.teacher:
            end = end + 0.5 * (noise(trial.teacher.model.name) + 0.2 * noise(trial.teacher.id))
        start = noise("start", own, trial.seed)
        return {epoch: torch.tensor((1 - part) * start + part * end) for epoch, part in ((0, 0.0), (1, 0.7), (2, 1.0))}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, pd.DataFrame]:
    with patch.dict(design.SIZES, smoke=replace(design.SIZES["smoke"], seeds=SEEDS)):
        runs = ToyRuns(design.cells("smoke"), Store(tmp_path_factory.mktemp("runs")))
    return {"similarity": similarity(runs), "paths": paths(runs)}


@pytest.fixture
def results(made, home) -> Results:
    makers = {name: lambda runs, table=table: table for name, table in made.items()}
    study = Study("toy", "?", cells=lambda scale: {}, tables=makers, claims=())
    return Results(study, "smoke", pd.DataFrame(), complete_publication=False, device="cpu")


def test_every_model_of_the_ladder_and_every_pair_has_its_place():
    assert sorted(geometry.SOLUTION_CELLS) == sorted((*LADDER, *PAIRS))
    assert geometry.BY_ARCHITECTURE[STRONG][:2] == (STRONG, f"{WEAK} → {STRONG}")


def test_students_are_nearer_to_the_family_that_taught_them(results):
    near = geometry.similarity_to(results, STRONG, "centred")
    assert list(dict.fromkeys(near["cell"])) == [WEAK, *(f"{teacher} → {WEAK}" for teacher in LADDER)]
    by_teacher = near.groupby("cell")["value"].mean()
    assert by_teacher.idxmax() == f"{STRONG} → {WEAK}"
    table = geometry.nearness_table(results, STRONG)
    np.testing.assert_allclose(table["centred"], by_teacher[table.index])
    assert (table["centred, min"] <= table["centred"]).all()


def test_students_that_share_their_start_do_not_count_as_alike(results, made):
    a, b = (f"{teacher} → {WEAK}" for teacher in (WEAK, STRONG))
    rows = made["similarity"]
    rows = rows[(rows["form"] == "centred") & (rows["cell_a"] == a) & (rows["cell_b"] == b)]
    expected = rows.loc[rows["seed_a"] != rows["seed_b"], "value"].mean()
    assert geometry.similarity_by_cell(results, "centred").loc[a, b] == pytest.approx(expected)


def test_changes_of_all_pairs_are_differences_of_the_means_by_cell(results):
    changes = geometry.towards_teachers(results).set_index(["teacher", "student"])
    means = geometry.similarity_by_cell(results, "centred")
    assert len(changes) == len(PAIRS)
    for teacher, student in changes.index:
        row = changes.loc[(teacher, student)]
        assert row["alone"] == pytest.approx(means.loc[student, teacher])
        assert row["taught"] == pytest.approx(means.loc[f"{teacher} → {student}", teacher])
        assert row["change"].mean == pytest.approx(row["taught"] - row["alone"])
        if teacher != student:
            assert row["change"].low > 0


def test_a_student_resembles_its_very_teacher_more_than_the_siblings_if_it_took_over_its_noise(results, made):
    own = geometry.towards_teachers(results).set_index(["teacher", "student"]).loc[(STRONG, WEAK), "own"]
    rows = made["similarity"]
    rows = rows[(rows["form"] == "centred") & (rows["cell_a"] == f"{STRONG} → {WEAK}") & (rows["cell_b"] == STRONG)]
    square = rows.pivot(index="seed_a", columns="seed_b", values="value").to_numpy()
    expected = [square[i, i] - np.delete(square[i], i).mean() for i in range(SEEDS)]
    assert own.n == SEEDS
    assert own.mean == pytest.approx(np.mean(expected))
    assert own.mean > 0


def test_the_table_of_pairs_has_words_for_intervals(results):
    table = geometry.teacher_table(results)
    assert table["change"].str.match(r"[+−]\d\.\d{3}\u00a0\[").all()
    assert set(table["student"]) == set(LADDER)


def test_a_map_tells_architecture_and_teacher(results):
    places = geometry.solution_map(results, "centred")
    assert len(places) == SEEDS * len(geometry.SOLUTION_CELLS)
    taught = places[places["teacher"] != ""]
    assert (taught["cell"] == taught["teacher"] + " → " + taught["architecture"]).all()
    assert set(places.loc[places["teacher"] == "", "architecture"]) == set(LADDER)


def test_students_of_one_number_leave_from_one_point(results):
    maps = geometry.path_maps(results)
    starts = maps[maps["epoch"] == 0].set_index(["number", "cell"])[["across", "up"]]
    first, second = (starts.xs(f"{teacher} → {WEAK}", level="cell").to_numpy() for teacher in (STRONG, WEAK))
    np.testing.assert_allclose(first, second, atol=0.03)
    assert set(maps["cell"]) == set(PATH_CELLS)


def test_paths_have_a_smoothness_steps_and_a_distance_to_the_lstm(results):
    smooth = geometry.smoothness_by_seed(results)
    assert set(smooth["checkpoints"]) == {3}
    assert (smooth.loc[smooth["kind"] == "chord", "value"] >= 1 - 1e-9).all()
    assert len(geometry.smoothness_table(results)) == 2 * 2 * len(PATH_CELLS)
    assert len(geometry.path_steps(results)) == 2 * SEEDS * len(PATH_CELLS)
    last = geometry.distance_to_teacher(results).query("epoch == 2").groupby("cell")["distance"].mean()
    assert set(last.index) == set(PATH_CELLS[1:])
    assert last.idxmin() == f"{STRONG} → {WEAK}"


@pytest.fixture
def drawn():
    matplotlib.use("agg")
    yield
    plt.close("all")


def test_the_heat_map_shows_the_means_in_blocks_named_twice(results, drawn):
    means = geometry.similarity_by_cell(results, "centred")
    ax = figures.architecture_map(means, ax=plt.subplots()[1])
    np.testing.assert_allclose(ax.images[0].get_array(), means)
    assert [text.get_text() for text in ax.get_yticklabels()][:2] == ["alone", "by Transformer"]
    assert sum(text.get_text() == "LSTM" for text in ax.texts) == 2
    with pytest.raises(ValueError, match="SOLUTION_CELLS"):
        figures.architecture_map(means.iloc[::-1], ax=ax)


def test_changes_are_written_with_their_sign_and_nothing_is_not_negative(drawn):
    interval = SimpleNamespace(mean=0.0)
    rows = [{"teacher": t, "student": s, "change": interval} for t in LADDER for s in LADDER]
    rows[1]["change"], rows[2]["change"] = SimpleNamespace(mean=-0.25), SimpleNamespace(mean=-0.001)
    ax = figures.change_map(pd.DataFrame(rows), ax=plt.subplots()[1])
    assert [text.get_text() for text in ax.texts][:3] == ["+0.00", "−0.25", "+0.00"]


def test_maps_show_every_model_and_a_legend_by_architecture(results, drawn):
    places = geometry.solution_map(results, "cka")
    figure = figures.solution_maps({"one": places, "two": places})
    assert len(figure.axes) == 2
    for ax in figure.axes:
        shown = np.concatenate([dots.get_offsets() for dots in ax.collections])
        np.testing.assert_allclose(np.sort(shown[:, 0]), np.sort(places["across"]))
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:: len(LADDER) + 1] == [figures.short_name(model) for model in LADDER]


def test_path_panels_have_one_map_a_number_and_an_empty_place_is_hidden(results, drawn):
    figure = figures.path_panels(geometry.path_maps(results))
    assert [ax.axison for ax in figure.axes] == [True, True, True, False]
    assert [ax.get_title() for ax in figure.axes[:3]] == [f"teacher's seed {number}" for number in range(3)]
    assert len(figure.legends[0].get_texts()) == len(PATH_CELLS)


@pytest.mark.parametrize(("epochs", "scale"), [((0, 1, 2, 3), "linear"), ((0, 1, 2, 4, 8, 16), "symlog")])
def test_epochs_that_double_are_drawn_at_equal_distances(epochs, scale, drawn):
    ax = plt.subplots()[1]
    figures.epoch_axis(ax, epochs)
    assert ax.get_xscale() == scale
    assert [label.get_text() for label in ax.get_xticklabels()] == [str(epoch) for epoch in epochs]


def test_words_under_an_axis_break_where_there_is_no_room():
    pair = "Sequential Transformer → Transformer"
    assert figures.teacher_words([WEAK, pair]) == {WEAK: "alone", pair: "by Seq.\nTransformer"}
    assert figures.pair_words([pair]) == {pair: "Seq.\u00a0Transformer\u00a0→\nTransformer"}
