"""Every loss refuses what does not fit, naming the argument, its value and the range."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inductive_bias.losses import (
    OutputLayer,
    distillation_loss,
    soft_cross_entropy,
    vocabulary_cross_entropy,
    weight_penalty,
)
from tests.hostile import refused

NAN, INF = float("nan"), float("inf")
LOGITS = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
TEACHER = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
LABELS = torch.tensor([0, 1, 2, 0])


@pytest.mark.parametrize("function", [soft_cross_entropy, distillation_loss])
@pytest.mark.parametrize(
    ("student", "teacher", "message"),
    [
        (LOGITS, TEACHER[:1], r"one shape, not \(4, 3\) and \(1, 3\)"),
        (LOGITS, TEACHER[:, :1], r"one shape, not \(4, 3\) and \(4, 1\)"),
        (LOGITS, TEACHER[0], r"one shape, not \(4, 3\) and \(3,\)"),
        (LOGITS[:0], TEACHER[:0], r"no example or no class: shape \(0, 3\)"),
        (LOGITS[:, :0], TEACHER[:, :0], r"no example or no class: shape \(4, 0\)"),
        (LOGITS.sum(), TEACHER.sum(), r"student_logits must be \[\.\.\., classes\], not a single number"),
        (LOGITS.long(), TEACHER, r"student_logits must hold real floating-point numbers, not torch\.int64"),
        (LOGITS, TEACHER.bool(), r"teacher_logits must hold real floating-point numbers, not torch\.bool"),
        (LOGITS.to(torch.complex64), TEACHER, r"student_logits must hold real .*, not torch\.complex64"),
        (LOGITS.tolist(), TEACHER, "student_logits must be a tensor, not list"),
        (LOGITS, None, "teacher_logits must be a tensor, not NoneType"),
        (LOGITS, TEACHER.to("meta"), "must be on one device, not student_logits on cpu, teacher_logits on meta"),
    ],
    ids=[
        "one teacher row",
        "one class",
        "no batch",
        "no example",
        "no class",
        "a number",
        "int",
        "bool",
        "complex",
        "list",
        "None",
        "devices",
    ],
)
def test_logits_that_do_not_fit_are_refused(function, student, teacher, message):
    refused(function, message, student, teacher)


@pytest.mark.parametrize("temperature", [0, -1.0, INF, NAN, "1", None, True, 1j])
@pytest.mark.parametrize("function", [soft_cross_entropy, distillation_loss])
def test_a_temperature_must_be_positive_and_finite(function, temperature):
    message = f"temperature must be positive and finite, not {temperature!r}".replace("(", r"\(").replace(")", r"\)")
    refused(function, message, LOGITS, TEACHER, temperature=temperature)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"mixing": 1.5}, r"mixing must lie in \[0, 1\], not 1\.5"),
        ({"mixing": NAN}, r"mixing must lie in \[0, 1\], not nan"),
        ({"mixing": "half"}, r"mixing must lie in \[0, 1\], not 'half'"),
        ({"scaling": "cubed"}, "scaling must be one of squared, inverse, none, not 'cubed'"),
        ({"scaling": None}, "scaling must be one of squared, inverse, none, not None"),
        ({"scaling": ["squared"]}, "scaling must be one of"),
        ({"ignore_index": 0.5}, "ignore_index must be an integer of at least .*, not 0.5"),
        ({"labels": None, "mixing": 0.5}, "labels may be left out only when mixing is 1, not 0.5"),
        ({"labels": None, "ignore_index": -1}, "and ignore_index is None, not -1"),
        ({"labels": LABELS[:3]}, r"labels must have the shape \(4,\), one for each row, not \(3,\)"),
        ({"labels": LABELS[:, None]}, r"labels must have the shape \(4,\), one for each row, not \(4, 1\)"),
        ({"labels": LABELS.reshape(2, 2)}, r"labels must have the shape \(4,\), one for each row, not \(2, 2\)"),
        ({"labels": LABELS.float()}, r"labels must hold integers, not torch\.float32"),
        ({"labels": F.one_hot(LABELS).double()}, r"labels must hold integers, not torch\.float64"),
        ({"labels": LABELS > 0}, r"labels must hold integers, not torch\.bool"),
        ({"labels": LABELS.tolist()}, "labels must be a tensor, not list"),
        ({"labels": LABELS + 1}, r"labels must lie in \[0, 2\], not \[1, 3\]"),
        ({"labels": LABELS - 1}, r"labels must lie in \[0, 2\], not \[-1, 1\]"),
        ({"labels": torch.tensor([0, 1, -100, 2])}, r"labels must lie in \[0, 2\], not \[-100, 2\]"),
        (
            {"labels": torch.tensor([0, 1, -100, 2]), "ignore_index": -1},
            r"labels must lie in \[0, 2\] or be ignore_index=-1, not \[-100, 2\]",
        ),
        ({"labels": torch.full((4,), -100), "ignore_index": -100}, "labels must not all be ignore_index=-100"),
        ({"labels": LABELS.to("meta")}, "must be on one device"),
    ],
    ids=str,
)
@pytest.mark.parametrize("mixing", [0.5, 1.0])
def test_labels_and_choices_that_do_not_fit_are_refused_whatever_the_mixing(mixing, choice, message):
    refused(distillation_loss, message, LOGITS, TEACHER, **({"labels": LABELS, "mixing": mixing} | choice))


@pytest.mark.parametrize("ignored", [-100, -1, 1])
@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
def test_an_ignored_label_counts_in_neither_term(ignored, mixing):
    labels = torch.tensor([0, ignored, 2, ignored])
    options = {"temperature": 2.0, "mixing": mixing}
    student = LOGITS.clone().requires_grad_()
    ours = distillation_loss(student, TEACHER, labels, ignore_index=ignored, **options)
    torch.testing.assert_close(ours, distillation_loss(LOGITS[::2], TEACHER[::2], labels[::2], **options))
    gradient = torch.autograd.grad(ours, student)[0]
    assert (gradient[1::2] == 0).all()
    assert (gradient[::2] != 0).all()


def test_the_hard_term_with_ignore_index_is_torchs():
    labels = torch.tensor([0, -100, 2, 1])
    ours = distillation_loss(LOGITS, TEACHER, labels, mixing=0.0, ignore_index=-100)
    torch.testing.assert_close(ours, F.cross_entropy(LOGITS, labels))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int32, torch.int64])
def test_labels_of_every_integer_type_are_read(dtype):
    want = distillation_loss(LOGITS, TEACHER, LABELS, mixing=0.5)
    assert distillation_loss(LOGITS, TEACHER, LABELS.to(dtype), mixing=0.5) == want


def test_a_diverged_model_is_seen_and_not_refused():
    assert distillation_loss(LOGITS * NAN, TEACHER, LABELS, mixing=0.5).isnan()
    assert soft_cross_entropy(LOGITS, TEACHER * NAN).isnan()


N, D, V = 512, 5, 11
STATES, TARGETS = torch.randn(N, D), torch.arange(N) % V
OUTPUT = OutputLayer(torch.randn(V, D), torch.randn(V))
WIDER = OutputLayer(torch.randn(V, D + 2), torch.randn(V))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"teacher_states": torch.randn(600, D), "teacher_output": OUTPUT}, "512 tokens .* not of 600 and 11"),
        ({"teacher_states": torch.randn(1, D), "teacher_output": OUTPUT}, "512 tokens .* not of 1 and 11"),
        ({"teacher_states": torch.randn(0, D), "teacher_output": OUTPUT}, "teacher_states and .* at least one row"),
        ({"teacher_states": STATES, "teacher_output": WIDER}, r"teacher_output must have a weight \[v, 5\]"),
        ({"teacher_states": STATES, "teacher_output": OutputLayer(OUTPUT.weight[:4], OUTPUT.bias[:4])}, "of 512 and 4"),
        ({"teacher_states": STATES}, "both or neither"),
        ({"teacher_output": OUTPUT}, "both or neither"),
        ({"states": STATES[0]}, r"states must be \[n, d\], not \(5,\)"),
        ({"states": STATES[None]}, r"states must be \[n, d\], not \(1, 512, 5\)"),
        ({"states": STATES[:0]}, "at least one row and column"),
        ({"states": STATES[:, :0]}, "at least one row and column"),
        ({"states": STATES.long()}, r"states must hold real floating-point numbers, not torch\.int64"),
        ({"states": STATES.to("meta")}, "must be on one device"),
        (
            {"output": WIDER},
            r"output must have a weight \[v, 5\] and a bias \[v\] for states of width 5, not \(11, 7\)",
        ),
        ({"output": OutputLayer(OUTPUT.weight, OUTPUT.bias[:1])}, r"and \(1,\)"),
        ({"output": OutputLayer(OUTPUT.weight, OUTPUT.bias[:, None])}, r"output.bias must be \[v\], not \(11, 1\)"),
        ({"output": OutputLayer(OUTPUT.weight, None)}, "output.bias must be a tensor, not NoneType"),
        ({"output": OUTPUT.weight}, "output must be an OutputLayer, not Tensor"),
        ({"output": nn.Linear(D, V)}, "output must be an OutputLayer, not Linear"),
        ({"targets": TARGETS[:5]}, r"targets must have the shape \(512,\), one for each row, not \(5,\)"),
        ({"targets": TARGETS[:, None]}, r"targets must have the shape \(512,\)"),
        ({"targets": TARGETS.float()}, r"targets must hold integers, not torch\.float32"),
        ({"targets": TARGETS.int()}, r"targets must be int64, not torch\.int32"),
        ({"targets": TARGETS + 1}, r"targets must lie in \[0, 10\], not \[1, 11\]"),
        ({"targets": TARGETS - 1}, r"targets must lie in \[0, 10\], not \[-1, 9\]"),
        ({"targets": torch.full((N,), -100)}, r"targets must lie in \[0, 10\], not \[-100, -100\]"),
        ({"scaling": "cubed"}, "scaling must be one of squared, inverse, none, not 'cubed'"),
        ({"temperature": INF}, "temperature must be positive and finite, not inf"),
        ({"mixing": NAN}, r"mixing must lie in \[0, 1\], not nan"),
        ({"chunk": 2.5}, r"chunk must be an integer of at least 1, not 2\.5"),
        ({"chunk": True}, "chunk must be an integer of at least 1, not True"),
        ({"precision": torch.int8}, r"precision must be a floating-point type, not torch\.int8"),
        ({"precision": "float32"}, "precision must be a floating-point type, not 'float32'"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_states_and_words_that_do_not_fit_are_refused(change, message):
    refused(vocabulary_cross_entropy, message, **({"states": STATES, "output": OUTPUT, "targets": TARGETS} | change))


def test_a_teacher_may_be_wider_than_its_student():
    value = vocabulary_cross_entropy(
        STATES, OUTPUT, TARGETS, teacher_states=torch.randn(N, D + 2), teacher_output=WIDER, mixing=0.5
    )
    assert value.isfinite()


@pytest.mark.parametrize("bad", [-1, INF, NAN, "0", None, True])
@pytest.mark.parametrize("name", ["l1", "l2"])
def test_a_penalty_s_coefficient_is_a_number(name, bad):
    refused(weight_penalty, f"{name} must be non-negative and finite", nn.Linear(1, 1), **{"l1": 0, "l2": 0, name: bad})


@pytest.mark.parametrize("model", [None, torch.zeros(2, 2), nn.Linear])
def test_only_a_module_has_penalties(model):
    refused(weight_penalty, "model must be a torch.nn.Module", model, l1=0.0, l2=0.0)
