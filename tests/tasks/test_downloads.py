import hashlib
import io
import zipfile

import numpy as np
import pytest
import torchvision

from inductive_bias.errors import DataError
from inductive_bias.tasks import downloads
from inductive_bias.tasks.digits import real_digits
from inductive_bias.tasks.files import cache_folder, places

NOWHERE = "http://127.0.0.1:9/"  # the discard port: nothing listens there


@pytest.fixture
def mnist_server(monkeypatch, tmp_path, serve, write_mnist, tiny_checksums):
    write_mnist(tmp_path / "served" / "mnist", suffix=".gz")
    monkeypatch.setattr(torchvision.datasets.MNIST, "mirrors", [f"{serve}mnist/"])
    resources = [(f"{stem}.gz", md5) for stem, (md5, _) in tiny_checksums.items()]
    monkeypatch.setattr(torchvision.datasets.MNIST, "resources", resources)
    return tmp_path / "served" / "mnist"


@pytest.mark.usefixtures("mnist_server")
def test_mnist_that_is_nowhere_is_fetched_into_the_cache_once(monkeypatch):
    _, (images, labels), _ = real_digits(places(), download=True)
    assert np.array_equal(images[:, 0, 0], labels)
    assert len(list((cache_folder() / "MNIST" / "raw").iterdir())) == 4
    assert [path.name for path in cache_folder().iterdir()] == ["MNIST"]
    monkeypatch.setattr(torchvision.datasets.MNIST, "mirrors", [NOWHERE])
    assert real_digits(places(), download=True)[2] == real_digits(places(), download=False)[2]


@pytest.mark.usefixtures("mnist_server")
def test_mnist_is_not_fetched_when_the_download_is_refused():
    with pytest.raises(DataError, match="INDUCTIVE_BIAS_DATA is not set"):
        real_digits(places(), download=False)
    assert not cache_folder().exists()


def test_mnist_of_another_checksum_is_refused_and_not_kept(mnist_server):
    path = mnist_server / "t10k-labels-idx1-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(DataError, match="MNIST was not found on this machine and could not be downloaded"):
        real_digits(places(), download=True)
    assert not list((cache_folder() / "MNIST" / "raw").iterdir())


def test_no_network_is_one_paragraph_with_the_way_out(monkeypatch):
    monkeypatch.setattr(torchvision.datasets.MNIST, "mirrors", [NOWHERE])
    monkeypatch.setattr(downloads, "MNIST_C_URL", NOWHERE)
    for fetch in (downloads.download_mnist, downloads.download_mnist_c):
        with pytest.raises(DataError) as error:
            fetch(cache_folder())
        message = str(error.value)
        assert "\n" not in message
        assert "INDUCTIVE_BIAS_DATA" in message
        assert "could not be downloaded" in message


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    for fetch in (downloads.download_mnist, downloads.download_mnist_c):
        with pytest.raises(DataError, match="could not be downloaded"):
            fetch(tmp_path / "file" / "cache")


def zipped(names):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, name)
    return content.getvalue()


@pytest.fixture
def serve_mnist_c(monkeypatch, tmp_path, serve):
    def put(content, md5=None):
        (tmp_path / "served" / "mnist_c.zip").write_bytes(content)
        monkeypatch.setattr(downloads, "MNIST_C_URL", f"{serve}mnist_c.zip")
        monkeypatch.setattr(downloads, "MNIST_C_MD5", md5 or hashlib.md5(content).hexdigest())

    return put


def test_mnist_c_is_fetched_without_its_training_sets(serve_mnist_c):
    serve_mnist_c(zipped([f"mnist_c/fog/{part}_images.npy" for part in ("test", "train")]))
    folder = downloads.download_mnist_c(cache_folder())
    assert [path.relative_to(cache_folder()).as_posix() for path in folder.rglob("*.npy")] == [
        "mnist_c/fog/test_images.npy"
    ]
    assert [path.name for path in cache_folder().iterdir()] == ["mnist_c"]


def test_mnist_c_leaves_what_the_cache_already_has(serve_mnist_c):
    serve_mnist_c(zipped(["mnist_c/fog/test_images.npy", "mnist_c/shear/test_images.npy"]))
    mine = cache_folder() / "mnist_c" / "fog" / "mine"
    mine.parent.mkdir(parents=True)
    mine.touch()
    folder = downloads.download_mnist_c(cache_folder())
    assert mine.exists()
    assert (folder / "shear" / "test_images.npy").exists()


@pytest.mark.parametrize(
    ("content", "md5", "message"),
    [
        (zipped(["mnist_c/fog/test_images.npy"]), "0" * 32, "could not be downloaded.*hash"),
        (zipped(["mnist_c/../../test_images.npy"]), None, "leaves its folder"),
        (b"not a zip", None, "damaged or truncated zip"),
        (zipped(["elsewhere/test_images.npy"]), None, "could not be downloaded"),
    ],
    ids=["wrong hash", "escaping member", "no zip", "another layout"],
)
def test_mnist_c_of_another_kind_is_refused_and_not_kept(serve_mnist_c, content, md5, message):
    serve_mnist_c(content, md5)
    with pytest.raises(DataError, match=message):
        downloads.download_mnist_c(cache_folder())
    assert not list(cache_folder().rglob("*.npy"))
