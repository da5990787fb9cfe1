"""Settings are finite, frozen and known; what two settings say alike is one id."""

import math

import pytest
from pydantic import TypeAdapter, ValidationError

from inductive_bias.layers import RSASpec, ToeplitzSpec
from inductive_bias.models import CNNSpec, LSTMSpec, MLPSpec
from inductive_bias.settings import Setting
from inductive_bias.tasks import MixedSignal
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, Trial
from tests.tiny import TASK, tiny_trial


class Nested(Setting):
    plain: float = 0.0
    perhaps: float | None = None
    several: tuple[float, ...] = ()
    pairs: tuple[tuple[float, float], ...] = ()


def every_setting(base=Setting):
    for each in base.__subclasses__():
        yield each
        yield from every_setting(each)


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan], ids=str)
@pytest.mark.parametrize(
    "field", ["plain", "perhaps", pytest.param("several", id="in a tuple"), pytest.param("pairs", id="in a pair")]
)
def test_an_infinite_number_or_none_at_all_is_refused_wherever_it_stands(field, bad):
    value = {"several": (1.0, bad), "pairs": ((1.0, bad),)}.get(field, bad)
    with pytest.raises(ValidationError, match=rf"{field}[\s\S]*finite number"):
        Nested(**{field: value})


@pytest.mark.parametrize("text", ['{"plain": Infinity}', '{"plain": "nan"}', '{"several": [NaN]}'])
def test_json_cannot_bring_one_in_either(text):
    with pytest.raises(ValidationError, match="finite number"):
        Nested.model_validate_json(text)


def test_every_setting_inherits_this():
    assert all(each.model_config["allow_inf_nan"] is False for each in every_setting())


@pytest.mark.parametrize("bad", [math.inf, math.nan], ids=str)
@pytest.mark.parametrize(
    ("setting", "field", "more"),
    [
        (OptimiserSpec, "learning_rate", {}),
        (OptimiserSpec, "epsilon", {}),
        (OptimiserSpec, "clip_norm", {}),
        (ScheduleSpec, "floor", {}),
        (Distillation, "temperature", {"teacher": tiny_trial()}),
        (Distillation, "mixing", {"teacher": tiny_trial()}),
        (RSASpec, "gate_logit", {}),
        (ToeplitzSpec, "gate_logit", {"length": 4}),
        (MLPSpec, "l1", {}),
        (LSTMSpec, "l2", {}),
        (MixedSignal, "noise", {}),
    ],
    ids=lambda value: getattr(value, "__name__", value if isinstance(value, str) else ""),
)
def test_the_settings_of_a_training_are_finite(setting, field, more, bad):
    with pytest.raises(ValidationError, match=field):
        setting(**more, **{field: bad})


@pytest.mark.parametrize("bad", [0, -1])
@pytest.mark.parametrize(
    ("setting", "field", "good"),
    [
        (MLPSpec, "widths", (8, 4)),
        (CNNSpec, "filters", (4, 4, 4)),
        (CNNSpec, "units", (128, 64, 16)),
        (CNNSpec, "pools", (1, 2, 2)),
    ],
)
def test_no_layer_has_a_width_or_a_window_of_zero(setting, field, good, bad):
    with pytest.raises(ValidationError, match=rf"{field}\.1[\s\S]*greater than 0"):
        setting(**{field: (good[0], bad, *good[2:])})


class TestCheckpoints:
    def test_their_order_means_nothing(self):
        first, second = (Trial(task=TASK, model=MLPSpec(), checkpoints=order) for order in ((0, 1), (1, 0)))
        assert first == second
        assert first.id == second.id
        assert second.checkpoints == (0, 1)

    def test_one_that_is_repeated_is_refused(self):
        with pytest.raises(ValidationError, match=r"each epoch may be a checkpoint once, but they are \(0, 1, 0\)"):
            Trial(task=TASK, model=MLPSpec(), checkpoints=(0, 1, 0))

    def test_json_brings_them_in_order_too(self):
        trial = Trial(task=TASK, model=MLPSpec(), checkpoints=(0, 1, 3))
        text = trial.model_dump_json().replace("[0,1,3]", "[3,0,1]")
        assert "[3,0,1]" in text
        assert TypeAdapter(Trial).validate_json(text).id == trial.id
