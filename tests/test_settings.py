"""Settings are finite, frozen and known; what two settings say alike is one id."""

import json
import math

import pytest
from pydantic import TypeAdapter, ValidationError

from inductive_bias.layers import AttentionSpec, RSASpec, ToeplitzSpec
from inductive_bias.models import CNNSpec, LSTMSpec, MLPSpec, RecurrentSpec, TransformerSpec
from inductive_bias.settings import Setting
from inductive_bias.tasks import MNIST, LanguageModelling, MixedSignal, WordModelling
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


class Kinds(Setting):
    whole: int = 1
    part: float | None = None
    truth: bool = False
    several: tuple[int, ...] = ()
    pairs: tuple[tuple[float, int], ...] = ()
    either: bool | int = 0
    text: str = ""
    word_or_number: int | str = 0


@pytest.mark.parametrize(
    ("field", "bad", "wanted"),
    [
        ("whole", True, "a whole number, not True"),
        ("whole", "3", "a whole number, not '3'"),
        ("part", False, "a finite number, not False"),
        ("part", "0.5", "a finite number, not '0.5'"),
        ("truth", "yes", "True or False, not 'yes'"),
        ("truth", 1, "True or False, not 1"),
        ("truth", 0.0, "True or False, not 0.0"),
        ("several", (1, True), "a whole number, not True"),
        ("several", ["2"], "a whole number, not '2'"),
        ("pairs", ((1.0, True),), "a whole number or a finite number, not True"),
        ("either", "no", "True or False or a whole number, not 'no'"),
    ],
)
def test_neither_truth_nor_text_is_a_number(field, bad, wanted):
    with pytest.raises(ValidationError, match=f"{field} should be {wanted}"):
        Kinds(**{field: bad})
    with pytest.raises(ValidationError, match=f"{field} should be"):
        Kinds.model_validate_json(json.dumps({field: bad}))


def test_what_is_a_number_is_taken_as_before():
    taken = Kinds(whole=3, part=1, several=[1, 2], pairs=[(1, 2)], either=True, text="3", word_or_number="3")
    assert Kinds.model_validate_json(taken.model_dump_json()) == taken
    assert (taken.part, taken.several, taken.either) == (1.0, (1, 2), True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MNIST(test_size=1), r"test_size[\s\S]*greater than or equal to 2"),
        (lambda: MLPSpec(widths=()), r"widths[\s\S]*at least 1 item"),
        (lambda: RecurrentSpec(cutoffs=(50, 20)), r"cutoffs must rise, .* \(50, 20\)"),
        (lambda: RecurrentSpec(cutoffs=(20, 20)), r"cutoffs must rise, .* \(20, 20\)"),
        (lambda: RecurrentSpec(cutoffs=(0, 20)), r"cutoffs\.0[\s\S]*greater than 0"),
        (
            lambda: Trial(
                task=WordModelling(text="grammar", vocabulary_size=90), model=RecurrentSpec(cutoffs=(20, 90))
            ),
            r"cutoffs must lie below the 90 outputs of the task, but they are \(20, 90\)",
        ),
        (lambda: LanguageModelling(max_tokens=7), "max_tokens=7 should be 24 at least where pairs="),
        (lambda: AttentionSpec(heads=2**31), r"heads[\s\S]*less than or equal to 4096"),
        (lambda: RSASpec(heads=2**31), r"heads[\s\S]*less than or equal to 4096"),
        (lambda: TransformerSpec(heads=2**31), r"heads[\s\S]*less than or equal to 4096"),
        (lambda: Distillation(teacher=tiny_trial(), temperature=1e-300), "greater than or equal to 0.000001"),
        (lambda: Distillation(teacher=tiny_trial(), temperature=1e300), "less than or equal to 1000000"),
    ],
)
def test_what_cannot_be_run_is_refused_when_it_is_set(make, message):
    with pytest.raises(ValidationError, match=message):
        make()


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
