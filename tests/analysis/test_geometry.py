"""Solutions and paths of any study, on toy tables whose geometry is known: every model has coordinates in a plane."""

import numpy as np
import pandas as pd
import pytest

from inductive_bias.analysis import geometry, path_distance

# similarity is one minus half the squared distance, as for unit vectors
PLACES = {("T", 0): (0.0, 0.0), ("T", 1): (0.3, 0.0), ("L", 0): (0.0, 0.4), ("L", 5): (0.3, 0.4), ("U", 7): (0.6, 0.0)}
WALKS = {"T": {0: (0.0, 0.0), 1: (1.0, 0.0), 4: (3.0, 0.0)}, "L": {0: (0.0, 1.0), 1: (3.0, 1.0), 3: (3.0, 5.0)}}


CELLS = ["T", "L", "U"]


def ends(rows: list[dict]) -> pd.DataFrame:
    """As `Results.table` gives them: each end has its factor, cell, seed, number and trial."""
    table = pd.DataFrame(rows)
    for end in ("_a", "_b"):
        for name in ("cell", "model"):
            table[f"{name}{end}"] = pd.Categorical(table[f"cell{end}"], categories=CELLS, ordered=True)
        table[f"trial{end}"] = table[f"cell{end}"].astype(str) + "-" + table[f"seed{end}"].astype(str)
    return table


def similarities() -> pd.DataFrame:
    numbers = {run: sum(other[0] == run[0] for other in list(PLACES)[:place]) for place, run in enumerate(PLACES)}
    return ends(
        [
            {
                "form": form,
                "cell_a": a,
                "seed_a": s,
                "number_a": numbers[a, s],
                "cell_b": b,
                "seed_b": t,
                "number_b": numbers[b, t],
                "value": 1 - np.sum((np.array(p) - q) ** 2) / 2,
            }
            for form in ("centred", "cka")
            for (a, s), p in PLACES.items()
            for (b, t), q in PLACES.items()
        ]
    )


def paths(numbers=(0, 3)) -> pd.DataFrame:
    points = [(cell, epoch, np.array(place)) for cell, walk in WALKS.items() for epoch, place in walk.items()]
    return ends(
        [
            {
                "form": form,
                "kind": kind,
                "cell_a": a,
                "seed_a": 10 + number,
                "number_a": number,
                "epoch_a": e,
                "cell_b": b,
                "seed_b": 10 + number,
                "number_b": number,
                "epoch_b": f,
                "value": ((1 + number) * np.linalg.norm(p - q)) ** (1 if kind == "chord" else 2),
            }
            for form in ("cosine", "cka")
            for kind in ("chord", "difference")
            for number in numbers
            for a, e, p in points
            for b, f, q in points
        ]
    )


@pytest.mark.parametrize("cells", [CELLS, ["L", "T"], ["U"]], ids=str)
def test_a_square_has_the_cells_that_are_left_in_the_order_of_the_design(cells):
    square = geometry.similarity_square(geometry.between(similarities(), model=cells), "centred")
    wanted = [run for cell in CELLS if cell in cells for run in PLACES if run[0] == cell]
    assert list(square.index) == list(square.columns) == wanted
    np.testing.assert_array_equal(np.diagonal(square), 1)
    np.testing.assert_array_equal(square, square.T)


def test_a_form_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no form 'rank'; it has centred, cka"):
        geometry.similarity_square(similarities(), "rank")


def test_means_by_cell_are_over_pairs_of_different_models():
    means = geometry.similarity_by_cell(similarities(), "centred")
    assert list(means.index) == list(means.columns) == CELLS
    assert means.loc["T", "T"] == pytest.approx(1 - 0.3**2 / 2)
    assert means.loc["T", "L"] == means.loc["L", "T"] == pytest.approx(1 - (0.16 + 0.25 + 0.25 + 0.16) / 8)
    assert np.isnan(means.loc["U", "U"])  # a single model has nobody to be like


def test_twins_share_their_start_and_are_left_out_where_families_are_known():
    table = similarities()
    for end in ("_a", "_b"):
        table[f"kind{end}"] = np.where(table[f"cell{end}"] == "U", "U", "net")
    means = geometry.similarity_by_cell(table, "centred", family="kind")
    assert means.loc["T", "L"] == pytest.approx(1 - (0.25 + 0.25 + 0.16) / 6)  # without T 0 – L 0
    assert means.loc["T", "U"] == pytest.approx(1 - (0.36 + 0.09) / 4)
    assert means.loc["T", "T"] == pytest.approx(1 - 0.3**2 / 2)


def test_similarity_to_a_family_leaves_the_model_itself_out():
    near = geometry.similarity_to(similarities(), "cka", model="T").set_index(["cell", "seed"])["value"]
    assert list(near.index) == list(PLACES)
    assert near["T", 0] == near["T", 1] == pytest.approx(1 - 0.3**2 / 2)
    assert near["L", 5] == pytest.approx(1 - (0.25 + 0.16) / 4)
    with pytest.raises(ValueError, match=r"no 'cka' similarity to \{'model': 'X'\}"):
        geometry.similarity_to(similarities(), "cka", model="X")


def test_none_stands_for_a_level_that_is_missing():
    table = similarities()
    for end in "ab":
        table[f"size_{end}"] = table[f"cell_{end}"].map({"T": np.nan, "L": 1.0, "U": np.nan}).astype(float)
    known = geometry.similarity_to(table, "centred", size=None)
    assert known.equals(geometry.similarity_to(table, "centred", model=["T", "U"]))
    both = geometry.between(table, size=[None, 1.0])
    assert len(both) == len(table) > len(geometry.between(table, size=None)) == 2 * 3 * 3


def test_a_map_of_models_in_a_plane_keeps_their_distances():
    places = geometry.solution_map(similarities())
    drawn = places[["across", "up"]].to_numpy()
    found, true = (np.linalg.norm(p[:, None] - p[None], axis=-1) for p in (drawn, np.array(list(PLACES.values()))))
    np.testing.assert_allclose(found, true / true.max(), atol=0.02)
    assert places["stress"].iloc[0] < 0.02
    assert list(zip(places["cell"], places["seed"], strict=True)) == list(PLACES)


def test_a_map_of_paths_holds_the_cells_that_are_left_only():
    maps = geometry.path_maps(geometry.between(paths(), model="L"))
    assert maps[["number", "cell", "epoch"]].drop_duplicates().to_numpy().tolist() == [
        [number, "L", epoch] for number in (0, 3) for epoch in (0, 1, 3)
    ]


def test_maps_of_one_path_lie_alike_in_all_panels():
    maps = geometry.path_maps(geometry.between(paths(), model="L")).set_index("number")[["across", "up"]]
    np.testing.assert_allclose(maps.loc[3], maps.loc[0], atol=0.02)  # both numbers have the same distances


def test_smoothness_is_path_length_over_the_distance_of_the_ends_whatever_the_scale():
    straight, bent = (geometry.between(paths(), model=model) for model in ("T", "L"))
    assert geometry.smoothness(straight).to_dict() == pytest.approx({0: 1.0, 3: 1.0})
    assert geometry.smoothness(bent, "cka").to_dict() == pytest.approx({0: 7 / 5, 3: 7 / 5})
    assert geometry.smoothness(bent, kind="difference").to_dict() == pytest.approx({0: 1.0, 3: 1.0})  # 9 + 16 = 25


def test_a_table_of_smoothness_has_a_column_a_number_and_keeps_the_order():
    table = geometry.smoothness_table(geometry.smoothness_by_seed(paths()))
    assert table.columns.tolist() == ["form", "kind", "cell", "checkpoints", "mean", "seed 0", "seed 3"]
    assert table["cell"].tolist() == ["T", "L"] * 4
    assert list(dict.fromkeys(table["kind"])) == ["chord", "1 − similarity"]
    assert set(table["checkpoints"]) == {3}
    np.testing.assert_allclose(table.loc[1, ["mean", "seed 0", "seed 3"]].astype(float), 7 / 5)


def test_steps_join_consecutive_checkpoints():
    steps = geometry.path_steps(geometry.between(paths(), model="L"))
    assert steps.iloc[:2].to_numpy().tolist() == [["L", 0, 0, 1, 3.0], ["L", 0, 1, 3, 4.0]]


def test_the_distance_to_the_finished_teacher_is_that_to_its_last_checkpoint():
    found = geometry.distance_to_finished(paths(), model="L")
    assert set(found["cell"]) == {"T"}
    rows = found[found["number"] == 0].set_index("epoch")["distance"]
    assert rows.to_dict() == pytest.approx({0: 34**0.5, 1: 29**0.5, 4: 5.0})
    with pytest.raises(ValueError, match=r"no path of \{'model': 'U'\}"):
        geometry.distance_to_finished(paths(), model="U")


def test_the_distance_to_the_teachers_path_leaves_the_first_checkpoints_out():
    found = geometry.distance_to_path(paths(), model="L").set_index(["cell", "number"])["distance"]
    assert set(found.index.get_level_values("cell")) == {"T"}
    points, distances = geometry.distances_of(paths(), form="cosine", kind="chord", number=0)
    own, other = ([i for i, (cell, epoch) in enumerate(points) if cell == name and epoch > 0] for name in "TL")
    assert found["T", 0] == pytest.approx(path_distance(distances[np.ix_(own, other)]))
    with pytest.raises(ValueError, match=r"no path of \{'model': 'U'\}"):
        geometry.distance_to_path(paths(), model="U")
