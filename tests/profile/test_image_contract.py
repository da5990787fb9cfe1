"""Each check of a model of images passes for an honest model and names the fault of one that has it."""

import sys

import pytest

from inductive_bias import cli
from inductive_bias.errors import SettingError
from inductive_bias.plugins import GivenModel
from inductive_bias.profile import IMAGE_CHECKS, ImageSubject, check_image_model, image_subject_of
from inductive_bias.profile.contract import FAILS, PASSES

HONEST = """
import torch
from torch import nn

class Honest(nn.Module):
    def __init__(self, image, classes, width=6):
        super().__init__()
        self.maps = nn.Conv2d(image[0], width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.readout = nn.Linear(width, classes)

    def forward(self, images):
        return self.readout(torch.relu(self.norm(self.maps(images))).mean((2, 3)))

class GreyAlone(Honest):
    def __init__(self, image, classes):
        super().__init__((1, *image[1:]), classes)

class Writes(Honest):
    def forward(self, images):
        images *= 0.5
        return super().forward(images)

class Draws(Honest):
    def forward(self, images):
        return super().forward(images) + torch.rand(())

class SeesOthers(Honest):
    def forward(self, images):
        return super().forward(images) + images.mean()

class Learns(Honest):
    def forward(self, images):
        self.norm.running_mean += 0.1
        return super().forward(images)

class Views(Honest):
    def forward(self, images):
        if not images.is_contiguous():
            images = images.as_strided(images.shape, images.contiguous().stride())
        return super().forward(images)

class Divides(Honest):
    def forward(self, images):
        return super().forward(images / images.std((1, 2, 3), keepdim=True))

class NeedsTwo(Honest):
    def forward(self, images):
        assert len(images) > 1
        return super().forward(images)

class Wide(Honest):
    def forward(self, images):
        return super().forward(images.float() if images.dtype == torch.bfloat16 else images).float()

class Branches(Honest):
    def forward(self, images):
        answer = super().forward(images)
        return answer if float(self.readout.bias.sum()) > -100 else -answer

class Forgets(Honest):
    def __init__(self, image, classes):
        super().__init__(image, classes)
        self.shift = torch.randn(classes)

    def forward(self, images):
        return super().forward(images) + self.shift

class Unused(Honest):
    def __init__(self, image, classes):
        super().__init__(image, classes)
        self.extra = nn.Linear(2, 2)

def layer(dim):
    return nn.Linear(dim, dim)

def build(image, classes):
    return Honest(image, classes)

class Named(Honest):
    def forward(self, images):
        return {"logits": super().forward(images)}

def logits(image, classes):
    return Named(image, classes)
"""
FAULTS = {
    "Unused": "answers every image",
    "GreyAlone": "takes colours",
    "Writes": "leaves its input",
    "Draws": "answers alike",
    "SeesOthers": "answers alike",
    "Learns": "keeps its state",
    "Views": "layout of memory",
    "Divides": "blank images",
    "NeedsTwo": "batches of none and one",
    "Wide": "bfloat16",
    "Branches": "vmap",
    "Forgets": "copies and checkpoints",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_model.py").write_text(HONEST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def states(name):
    return {each.name: each for each in check_image_model(image_subject_of(f"my_model.py:{name}"))}


@pytest.mark.parametrize("name", ["Honest", "build", "logits"])
def test_an_honest_model_passes_all_of_it(folder, name):
    found = states(name)
    assert list(found) == list(IMAGE_CHECKS)
    assert {each.name: each.lines for each in found.values() if each.state != PASSES} == {}


@pytest.mark.parametrize(("name", "check"), FAULTS.items())
def test_a_fault_is_named(folder, name, check):
    found = states(name)
    assert found[check].state == FAILS, {each.name: each.state for each in found.values()}
    assert found[check].lines


def test_every_check_but_that_of_the_compiler_has_a_model_that_fails_it():
    assert set(FAULTS.values()) == set(IMAGE_CHECKS) - {"torch.compile"}


def test_what_takes_no_image_is_a_layer(folder):
    assert image_subject_of("my_model.py:layer") is None


def test_what_cannot_be_built_is_refused():
    def build(image, classes):
        raise RuntimeError("no such model")

    with pytest.raises(SettingError, match="no such model"):
        check_image_model(ImageSubject(GivenModel(build)))


@pytest.mark.parametrize("command", [["check"], ["profile", "--check"]])
def test_the_commands_check_a_model_of_images(folder, monkeypatch, capsys, command):
    name, *options = command
    monkeypatch.setattr(sys, "argv", ["inductive-bias", name, "my_model.py:build", *options])
    cli.main()
    said = capsys.readouterr().out
    assert "takes colours" in said
    assert "fails" not in said
    monkeypatch.setattr(sys, "argv", ["inductive-bias", name, "my_model.py:Draws", *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert "with a second call the answer differs" in capsys.readouterr().out
