"""Digests of Python objects: equal for what does the same, different for what does not."""

import dataclasses
import functools
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from inductive_bias.errors import SettingError
from inductive_bias.fingerprints import digest
from inductive_bias.models import LSTMSpec

MODEL = '''
from torch import nn
import torch

WIDTH = {width}

def scaled(x):
    return x * {factor}

class Base(nn.Module):
    def forward(self, x):
        """{doc}"""
        # {doc}
        return scaled(self.layer(x)) + {end}

class Net(Base):
    def __init__(self, width=WIDTH):
        super().__init__()
        self.layer = nn.Linear(WIDTH, width)
'''
SAME = {"width": 3, "factor": 2, "doc": "words", "end": 0}


def of(name="Net", **changes):
    """The digest of a class whose module was run from these words."""
    scope = {"__name__": "somewhere"}
    exec(MODEL.format(**SAME | changes), scope)
    return digest(scope[name])


def test_what_does_the_same_has_one_digest_whatever_the_comments():
    assert of() == of(doc="other words")


@pytest.mark.parametrize("change", [{"width": 4}, {"factor": 3}, {"end": 1}], ids=["global", "helper", "base class"])
def test_whatever_a_class_depends_on_changes_its_digest(change):
    assert of(**change) != of()


def test_a_digest_is_the_same_in_another_process():
    code = "from tests.test_fingerprints import of; print(of(), of('scaled'))"
    for seed in ("1", "2"):
        found = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=_environment(PYTHONHASHSEED=seed),
        )
        assert found.stdout.split() == [of(), of("scaled")]


def _environment(**changes):
    import os

    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | changes


def test_lambdas_of_one_line_differ():
    first, second = (lambda: nn.Linear(1, 2)), (lambda: nn.Linear(1, 3))
    assert digest(first) != digest(second)


def test_closures_defaults_and_partial_arguments_count():
    def maker(width):
        return lambda: nn.Linear(width, 1)

    def build(width=1):
        return nn.Linear(width, 1)

    found = {digest(maker(2)), digest(maker(3)), digest(build), digest(functools.partial(build, width=2))}
    assert len(found) == 4
    assert digest(maker(2)) == digest(maker(2))


def test_constants_without_an_order_have_one_digest():
    def build(word):
        return word in {"ab", "cd", "ef", "gh"}

    assert digest(build) == digest(build)


@dataclasses.dataclass
class Config:
    width: int = 3


def test_objects_tensors_arrays_and_settings_count_by_content():
    values = [
        Config(),
        Config(4),
        torch.ones(2),
        torch.ones(2).double(),
        torch.ones(2, 1),
        torch.ones(3, dtype=torch.bfloat16),
        torch.tensor(1),
        torch.empty(0),
        np.ones(2),
        np.float32(1),
        LSTMSpec(),
        LSTMSpec(width=8),
        {"a": 1},
        {"b": 1},
        [1, "1"],
        ["1", 1],
        torch.device("cpu"),
        nn.Linear,
        nn.ReLU,
    ]
    assert len({digest(each) for each in values}) == len(values)
    assert digest(Config(4)) == digest(Config(4))
    assert digest(torch.ones(4)[::2]) == digest(torch.ones(2))


def test_circles_end():
    def build(again=None):
        return build

    found = [1]
    found.append(found)
    assert digest(build) == digest(build)
    assert digest(found) == digest(found)


def test_what_has_no_content_is_refused_by_name(tmp_path):
    opened = (tmp_path / "a").open("w")

    def build():
        return opened

    with opened, pytest.raises(SettingError, match=r"opened, which .*build uses, is a .*TextIOWrapper"):
        digest(build)
