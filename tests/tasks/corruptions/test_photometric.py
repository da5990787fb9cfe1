import numpy as np
from skimage.color import gray2rgb, hsv2rgb, rgb2hsv

from inductive_bias.tasks.corruptions.photometric import brightness, canny_edges, identity, stripe


def test_identity_changes_nothing(floats, rng):
    np.testing.assert_array_equal(identity(floats, rng), floats)


def test_brightness_is_half_more_value_in_hsv(floats, rng):
    hsv = rgb2hsv(gray2rgb(floats[0]))
    hsv[..., 2] = np.clip(hsv[..., 2] + 0.5, 0, 1)
    np.testing.assert_allclose(brightness(floats, rng)[0].clip(0, 1), hsv2rgb(hsv)[..., 0])


def test_stripe_inverts_seven_columns_at_either_side(floats, rng):
    out = stripe(floats, rng)
    for column in range(28):
        want = 1 - floats[:, :, column] if column < 7 or column > 20 else floats[:, :, column]
        np.testing.assert_array_equal(out[:, :, column], want)
    np.testing.assert_allclose(stripe(out, rng), floats, atol=1e-15)


def test_canny_edges_outline_a_square(rng):
    image = np.zeros((1, 28, 28))
    image[0, 9:19, 9:19] = 1
    edges = canny_edges(image, rng)[0]
    assert set(np.unique(edges)) == {0, 1}
    assert not edges[11:17, 11:17].any()
    assert not edges[:7].any()
    np.testing.assert_array_equal(edges, edges.T)
    assert 28 <= edges.sum() <= 44  # one pixel wide
