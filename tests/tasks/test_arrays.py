"""Arrays from bytes: whole ones as NumPy reads them, all others refused before memory is set aside."""

import io
import zipfile

import numpy as np
import pytest

from inductive_bias.tasks.arrays import array_of, arrays_of


def saved(array):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def header(shape, descr="|u1"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return stream.getvalue()


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_whole_array_is_read_as_numpy_does(shape, order):
    array = np.asarray(np.random.default_rng(0).normal(size=shape), order=order)
    np.testing.assert_array_equal(array_of(saved(array)), array)
    np.testing.assert_array_equal(arrays_of(zipped(a=saved(array)), ["a"])["a"], array)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "EOF|magic|header"),
        (b"no array at all", "magic"),
        (saved(np.arange(9.0))[:-1], r"claims float64 \[9\], which are 72 bytes, and has 71"),
        (header((10**13,)), r"claims uint8 \[10000000000000\]"),
        (header((2**40, 2**40)), "claims uint8"),
        (saved(np.array([{}])), "allow_pickle|Object"),
    ],
)
def test_what_is_no_whole_array_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        array_of(content)
    with pytest.raises(ValueError, match=message):
        arrays_of(zipped(a=content), ["a"])


def test_an_array_that_is_not_there_and_a_file_that_is_no_archive_are_refused():
    with pytest.raises(ValueError, match="it has no array b"):
        arrays_of(zipped(a=saved(np.zeros(3))), ["a", "b"])
    with pytest.raises(ValueError, match="zip"):
        arrays_of(b"no zip", ["a"])
