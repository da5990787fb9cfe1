import numpy as np
import pytest
from sklearn.manifold import MDS

from inductive_bias.analysis import joint_mds, stress, turned_to


def between(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def cloud(m, d, seed=0):
    return np.random.default_rng(seed).normal(size=(m, d))


def test_a_planar_configuration_is_recovered_up_to_its_scale():
    distances = between(cloud(8, 2))
    points = joint_mds(distances)
    np.testing.assert_allclose(between(points), distances / distances.max(), atol=0.02)
    assert stress(distances, points) < 0.02


def test_it_is_scikit_learns_class_with_the_same_seed():
    distances = between(cloud(9, 5))
    reference = MDS(
        metric="precomputed", metric_mds=True, n_init=4, init="random", random_state=12345, normalized_stress=True
    )
    theirs = reference.fit_transform(distances / distances.max())
    ours = joint_mds(distances)
    np.testing.assert_allclose(between(ours), between(theirs), atol=1e-6)
    assert stress(distances, ours) == pytest.approx(reference.stress_, abs=1e-6)


def test_the_unit_of_the_distances_does_not_matter_and_the_result_is_deterministic():
    distances = between(cloud(6, 4))
    np.testing.assert_allclose(joint_mds(1e-3 * distances), joint_mds(distances), atol=1e-9)
    np.testing.assert_array_equal(joint_mds(distances), joint_mds(distances))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_few_models_can_be_drawn(m):
    distances = between(cloud(m, 2))
    assert joint_mds(distances).shape == (m, 2)
    assert stress(distances, joint_mds(distances)) < 0.02


def test_equal_models_are_one_point():
    assert not joint_mds(np.zeros((4, 4))).any()
    assert stress(np.zeros((4, 4)), np.zeros((4, 2))) == 0.0
    assert stress(1 - np.eye(3), np.zeros((3, 2))) == np.inf


def test_four_equidistant_models_do_not_fit_a_plane():
    distances = 1 - np.eye(4)
    assert 0.05 < stress(distances, joint_mds(distances)) < 0.3


@pytest.mark.parametrize(
    ("distances", "reason"),
    [
        (np.array([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
        (np.array([[0.0, -1.0], [-1.0, 0.0]]), "non-negative"),
        (np.array([[0.0, np.nan], [np.nan, 0.0]]), "finite"),
        (np.array([[1.0, 1.0], [1.0, 1.0]]), "zero diagonal"),
        (np.zeros((0, 0)), "non-empty"),
    ],
)
def test_what_is_no_distance_matrix_is_refused(distances, reason):
    with pytest.raises(ValueError, match=reason):
        joint_mds(distances)


def test_points_of_another_number_are_refused():
    with pytest.raises((ValueError, TypeError), match="points"):
        stress(1 - np.eye(3), np.zeros((2, 2)))


@pytest.mark.parametrize("mirror", [1, -1], ids=["turned", "mirrored"])
@pytest.mark.parametrize("m", [2, 7])
def test_a_map_that_was_turned_and_moved_is_brought_back(m, mirror):
    there, angle = cloud(m, 2), 2.1
    moved = there @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle) * mirror, np.cos(angle) * mirror]]) + 3
    rotation, move = turned_to(moved, there)
    np.testing.assert_allclose(moved @ rotation + move, there, atol=1e-12)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=1e-12)


def test_a_turn_is_the_best_of_many_and_stretches_nothing():
    here, there = cloud(6, 2), cloud(6, 2, seed=1)
    rotation, move = turned_to(here, there)
    best = np.linalg.norm(here @ rotation + move - there)
    np.testing.assert_allclose(between(here @ rotation + move), between(here), atol=1e-12)
    for angle in np.linspace(0, 2 * np.pi, 60):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        for other in (turn, turn @ np.diag([1, -1])):
            centred = (here - here.mean(axis=0)) @ other + there.mean(axis=0)
            assert best <= np.linalg.norm(centred - there) + 1e-9


def test_maps_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match=r"points of shape \(3, 2\) do not fit a reference of shape \(4, 2\)"):
        turned_to(cloud(3, 2), cloud(4, 2))
