import gzip

import numpy as np
import pytest
from torchvision.datasets.mnist import read_sn3_pascalvincent_tensor

from inductive_bias.errors import DataError
from inductive_bias.tasks.idx import read_idx


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 28, 28), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_idx_is_read_as_torchvision_reads_it(tmp_path, idx_bytes, rng, shape, suffix):
    content = idx_bytes(rng.integers(0, 256, shape).astype(np.uint8))
    (tmp_path / "plain").write_bytes(content)
    path = tmp_path / f"ours{suffix}"
    path.write_bytes(gzip.compress(content) if suffix else content)
    assert np.array_equal(read_idx(path), read_sn3_pascalvincent_tensor(str(tmp_path / "plain")).numpy())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"", "starts with nothing"),
        (lambda content: b"\x89PNG" + content, "starts with 89504e47"),
        (lambda content: content[:2] + b"\x0d" + content[3:], "starts with 00000d03"),  # floats
        (lambda content: content[:9], "9 bytes, and its header alone takes 16"),
        (lambda content: content[:-1], r"holds 1567 bytes of data, but its header says \(2, 28, 28\)"),
        (lambda content: content + b"\0", "holds 1569 bytes"),
    ],
    ids=["empty", "another format", "another type", "cut in the header", "cut in the data", "too long"],
)
def test_what_is_no_whole_idx_file_is_refused(tmp_path, idx_bytes, change, message):
    (tmp_path / "f").write_bytes(change(idx_bytes(np.zeros((2, 28, 28), np.uint8))))
    with pytest.raises(DataError, match=message):
        read_idx(tmp_path / "f")
