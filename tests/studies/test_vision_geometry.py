"""Maps, paths and barriers on toy tables whose geometry is known: every checkpoint has coordinates in a plane."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias.studies import Results, Study
from inductive_bias.studies.vision import geometry
from inductive_bias.studies.vision.design import CNN_TO_MLP, SAME_STEPS

# the twin walks straight, the student takes a corner, the third walks back and forth
PATHS = {
    "CNN": {0: (5.0, 0.0), 2: (5.0, 4.0)},
    SAME_STEPS: {0: (0.0, 0.0), 1: (1.0, 0.0), 4: (3.0, 0.0)},
    CNN_TO_MLP: {0: (0.0, 0.0), 1: (3.0, 0.0), 4: (3.0, 4.0)},
    "MLP → MLP": {0: (0.0, 0.0), 1: (2.0, 0.0), 4: (1.0, 0.0)},
}
NUMBERS = (0, 1)
SEEDS = {"CNN": (0, 1, 2), "MLP": (0, 1)}
LIKENESS = {("CNN", "CNN"): 0.8, ("CNN", "MLP"): 0.1, ("MLP", "CNN"): 0.1, ("MLP", "MLP"): 0.5}


def paths_table() -> pd.DataFrame:
    points = [(cell, epoch, np.array(place)) for cell, path in PATHS.items() for epoch, place in path.items()]
    # seed 1 is seed 0 twice as large; the difference is the squared distance, and CKA is cosine again
    return pd.DataFrame(
        {"form": form, "kind": kind, "number": number, "cell_a": a, "epoch_a": e, "cell_b": b, "epoch_b": f,
         "value": ((1 + number) * np.linalg.norm(p - q)) ** (1 if kind == "chord" else 2)}
        for form in ("cosine", "cka") for kind in ("difference", "chord") for number in NUMBERS
        for a, e, p in points for b, f, q in points
    )  # fmt: skip


def similarity_table() -> pd.DataFrame:
    runs = [(cell, seed) for cell, seeds in SEEDS.items() for seed in seeds]
    return pd.DataFrame(
        {"form": form, "cell_a": a, "seed_a": s, "cell_b": b, "seed_b": t,
         "value": 1.0 if (a, s) == (b, t) else LIKENESS[a, b]}
        for form in ("cosine", "centred", "cka") for a, s in runs for b, t in runs
    )  # fmt: skip


def barriers_table() -> pd.DataFrame:
    lines = [(weight, metric) for weight in (0.0, 0.5, 1.0) for metric in ("nll", "accuracy")]
    bump = {(False, "as interpolated"): 2.0, (True, "as interpolated"): 1.5, (False, "computed again"): 1.0,
            (True, "computed again"): 0.25}  # fmt: skip
    return pd.DataFrame(
        {"kind": "two MLPs", "model": "mlp", "seed_a": 10, "seed_b": 11, "aligned": aligned, "statistics": statistics,
         "weight": weight, "metric": metric, "value": 0.1 + height * (weight == 0.5)}
        for (aligned, statistics), height in bump.items() for weight, metric in lines
    )  # fmt: skip


@pytest.fixture
def results(home) -> Results:
    tables = {"paths": paths_table(), "similarity": similarity_table(), "barriers": barriers_table()}
    makers = {name: lambda runs, table=table: table for name, table in tables.items()}
    study = Study("toy", "?", cells=lambda scale: {}, tables=makers, claims=())
    return Results(study, "smoke", pd.DataFrame(), complete_publication=False, device="cpu")


def test_a_map_of_points_in_a_plane_keeps_every_distance_between_paths(results):
    maps = geometry.path_maps(results)
    assert list(maps.columns) == ["number", "cell", "epoch", "across", "up", "stress"]
    truth = np.array([place for path in PATHS.values() for place in path.values()])
    true = np.linalg.norm(truth[:, None] - truth[None], axis=-1)
    for _, rows in maps.groupby("number"):
        drawn = rows[["across", "up"]].to_numpy()
        found = np.linalg.norm(drawn[:, None] - drawn[None], axis=-1)
        np.testing.assert_allclose(found, true / true.max(), atol=0.02)
        assert rows["stress"].nunique() == 1
        assert rows["stress"].iloc[0] < 0.02
    assert list(dict.fromkeys(maps["cell"])) == list(PATHS)


def test_smoothness_is_path_length_over_the_distance_of_the_ends(results):
    smooth = geometry.smoothness_by_seed(results).set_index(["form", "kind", "cell", "number"])["value"]
    for form in ("cosine", "cka"):
        for number in NUMBERS:
            assert smooth[form, "chord", SAME_STEPS, number] == pytest.approx(1)
            assert smooth[form, "chord", CNN_TO_MLP, number] == pytest.approx(7 / 5)
            assert smooth[form, "chord", "MLP → MLP", number] == pytest.approx(3)
            # squared distances: (1 + 4) / 9, although the way is straight
            assert smooth[form, "difference", SAME_STEPS, number] == pytest.approx(5 / 9)


def test_smoothness_names_the_number_of_checkpoints(results):
    smooth = geometry.smoothness_by_seed(results).drop_duplicates("cell").set_index("cell")
    assert smooth["checkpoints"].to_dict() == {"CNN": 2, SAME_STEPS: 3, CNN_TO_MLP: 3, "MLP → MLP": 3}


def test_steps_join_consecutive_checkpoints(results):
    steps = geometry.path_steps(results)
    rows = steps[(steps["cell"] == CNN_TO_MLP) & (steps["number"] == 1)]
    assert rows[["start", "end", "length"]].to_numpy().tolist() == [[0, 1, 6.0], [1, 4, 8.0]]


def test_the_distance_to_the_teacher_is_that_to_its_last_checkpoint(results):
    found = geometry.distance_to_teacher(results)
    assert "CNN" not in set(found["cell"])
    rows = found[(found["cell"] == CNN_TO_MLP) & (found["number"] == 0)]
    assert rows.set_index("epoch")["distance"].to_dict() == pytest.approx({0: 41**0.5, 1: 20**0.5, 4: 2.0})


def test_the_square_of_similarities_is_in_order_and_symmetric(results):
    square = geometry.similarity_square(results, "centred")
    assert list(square.index) == list(square.columns) == [("CNN", 0), ("CNN", 1), ("CNN", 2), ("MLP", 0), ("MLP", 1)]
    np.testing.assert_array_equal(square, square.T)
    np.testing.assert_array_equal(np.diagonal(square), 1)


def test_means_by_cell_leave_a_network_itself_out(results):
    means = geometry.similarity_by_cell(results, "centred")
    np.testing.assert_allclose(means.loc[["CNN", "MLP"], ["CNN", "MLP"]], [[0.8, 0.1], [0.1, 0.5]])
    near = geometry.similarity_to_cnns(results, "cka").set_index(["cell", "seed"])["value"]
    np.testing.assert_allclose(near, [0.8] * 3 + [0.1] * 2)


def test_a_map_of_solutions_puts_likes_together(results):
    places = geometry.solution_map(results)
    spots = places.set_index(["cell", "seed"])[["across", "up"]]
    centres = spots.groupby("cell").mean()
    apart = np.linalg.norm(centres.loc["CNN"] - centres.loc["MLP"])
    assert all(np.linalg.norm(spots.loc["CNN"] - centres.loc["CNN"], axis=1) < apart)


def test_barriers_are_named_by_what_was_done_to_the_line(results):
    heights = geometry.barrier_points(results).set_index("treatment")["height"]
    # alignment without new batch statistics stays in the table of results only
    assert heights.to_dict() == pytest.approx(
        {"as interpolated": 2.0, "batch statistics again": 1.0, "units aligned, statistics again": 0.25}
    )
    lines = geometry.barrier_lines(results)
    assert set(lines["pair"]) == {"10 – 11"}
    assert list(dict.fromkeys(lines["treatment"])) == list(heights.index)
    assert len(lines) == 9
    table = geometry.barrier_table(results).iloc[0].to_dict()
    assert (table["kind"], table["pairs"]) == ("two MLPs", 1)
    assert table["batch statistics again"] == "1.000 (1.000 – 1.000)"
