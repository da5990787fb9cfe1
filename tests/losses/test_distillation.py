import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from inductive_bias.losses import distillation_loss, soft_cross_entropy


def draw(*shape, seed=0):
    return 3 * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def numpy_softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def numpy_loss(student, teacher, labels, temperature, mixing, factor):
    """The formula of section 4.1, written out."""
    p = numpy_softmax(teacher / temperature)
    q = numpy_softmax(student / temperature)
    soft = -(p * np.log(q)).sum(axis=1).mean()
    hard = -np.log(numpy_softmax(student)[np.arange(len(labels)), labels]).mean()
    return mixing * factor * soft + (1 - mixing) * hard


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (5, 3), (17, 10)])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 5.0])
@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("scaling", ["squared", "inverse", "none"])
def test_loss_is_the_papers_formula(n, classes, temperature, mixing, scaling):
    student, teacher = draw(n, classes), draw(n, classes, seed=1)
    labels = torch.arange(n) % classes
    factor = {"squared": temperature**2, "inverse": 1 / temperature**2, "none": 1}[scaling]
    want = numpy_loss(student.numpy(), teacher.numpy(), labels.numpy(), temperature, mixing, factor)
    ours = distillation_loss(student, teacher, labels, temperature=temperature, mixing=mixing, scaling=scaling)
    assert ours.item() == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("temperature", [0.7, 1.0, 5.0])
def test_soft_term_is_the_kl_divergence_up_to_the_teachers_entropy(temperature):
    student, teacher = draw(7, 4).requires_grad_(), draw(7, 4, seed=1)
    p = torch.softmax(teacher / temperature, dim=1)
    kl = F.kl_div(F.log_softmax(student / temperature, dim=1), p, reduction="batchmean")
    entropy = -(p * p.log()).sum(dim=1).mean()
    ours = soft_cross_entropy(student, teacher, temperature=temperature)
    torch.testing.assert_close(ours, kl + entropy)
    torch.testing.assert_close(torch.autograd.grad(ours, student)[0], torch.autograd.grad(kl, student)[0])


def test_gradient_is_the_difference_of_the_softened_predictions():
    student, teacher, temperature = draw(3, 5).requires_grad_(), draw(3, 5, seed=1), 5.0
    distillation_loss(student, teacher, temperature=temperature, scaling="squared").backward()
    p, q = (torch.softmax(z / temperature, dim=1) for z in (teacher, student.detach()))
    torch.testing.assert_close(student.grad, temperature * (q - p) / 3)


def test_squared_scaling_keeps_the_gradient_as_temperature_grows():
    """Hinton et al. (2015), equation 4: the limit is the gradient of matching centred logits."""
    student, teacher = draw(2, 3).requires_grad_(), draw(2, 3, seed=1)
    distillation_loss(student, teacher, temperature=1e6, scaling="squared").backward()
    gap = student.detach() - teacher
    want = (gap - gap.mean(dim=1, keepdim=True)) / 3 / 2
    torch.testing.assert_close(student.grad, want, rtol=1e-4, atol=1e-5)


def test_a_student_equal_to_its_teacher_has_no_gradient():
    teacher = draw(4, 6)
    student = teacher.clone().requires_grad_()
    distillation_loss(student, teacher, temperature=5.0).backward()
    assert student.grad.abs().max() < 1e-12


def test_the_teacher_never_receives_a_gradient():
    student, teacher = draw(3, 4).requires_grad_(), draw(3, 4, seed=1).requires_grad_()
    distillation_loss(student, teacher, torch.zeros(3, dtype=torch.int64), mixing=0.5).backward()
    assert student.grad is not None
    assert teacher.grad is None


def test_every_leading_dimension_is_a_batch():
    student, teacher, labels = draw(2, 3, 5), draw(2, 3, 5, seed=1), torch.arange(6).reshape(2, 3) % 5
    ours = distillation_loss(student, teacher, labels, mixing=0.4, temperature=2.0)
    flat = distillation_loss(
        student.reshape(6, 5), teacher.reshape(6, 5), labels.flatten(), mixing=0.4, temperature=2.0
    )
    torch.testing.assert_close(ours, flat)


def test_half_precision_logits_are_widened():
    student, teacher = draw(8, 10).bfloat16(), draw(8, 10, seed=1).bfloat16()
    ours = soft_cross_entropy(student, teacher, temperature=5.0)
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours, soft_cross_entropy(student.float(), teacher.float(), temperature=5.0))


def test_student_may_be_wider_or_narrower_than_its_teacher():
    student, teacher = draw(3, 4), draw(3, 4, seed=1)
    want = soft_cross_entropy(student, teacher).item()
    assert soft_cross_entropy(student.float(), teacher).item() == pytest.approx(want, rel=1e-5)
    assert soft_cross_entropy(student, teacher.float()).item() == pytest.approx(want, rel=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.floats(-50, 50), st.integers(0, 99))
def test_adding_a_constant_to_the_logits_changes_nothing(constant, seed):
    student, teacher = draw(4, 3, seed=seed), draw(4, 3, seed=seed + 1)
    torch.testing.assert_close(
        soft_cross_entropy(student + constant, teacher - constant), soft_cross_entropy(student, teacher)
    )


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_a_temperature_that_is_not_positive_and_finite_is_refused(temperature):
    with pytest.raises(ValueError, match=f"temperature must be positive.*{temperature}"):
        distillation_loss(draw(2, 3), draw(2, 3), temperature=temperature)


@pytest.mark.parametrize("mixing", [-0.1, 1.1, float("nan")])
def test_a_mixing_outside_its_range_is_refused(mixing):
    with pytest.raises(ValueError, match=rf"mixing must lie in \[0, 1\], not {mixing}"):
        distillation_loss(draw(2, 3), draw(2, 3), mixing=mixing)


def test_an_unknown_scaling_is_refused():
    with pytest.raises((ValueError, TypeError), match="cubed"):
        distillation_loss(draw(2, 3), draw(2, 3), scaling="cubed")


def test_missing_labels_are_refused_below_full_mixing():
    with pytest.raises(ValueError, match=r"labels may be left out only when mixing is 1, not 0[.]5"):
        distillation_loss(draw(2, 3), draw(2, 3), mixing=0.5)


def test_logits_of_different_shapes_are_refused():
    with pytest.raises((ValueError, TypeError), match="teacher"):
        soft_cross_entropy(draw(2, 3), draw(1, 3))


def test_an_empty_batch_is_refused():
    with pytest.raises(ValueError, match="no example"):
        soft_cross_entropy(draw(0, 3), draw(0, 3))


KEPT = [0, 2, 4]


def masked(logits, classes=(1, 3)):
    return logits.index_fill(1, torch.tensor(classes), -torch.inf)


@pytest.mark.parametrize("mixing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("ignore_index", [None, 2])
def test_a_class_that_both_rule_out_is_left_out_of_both_terms(mixing, ignore_index):
    leaf, teacher, labels = draw(4, 5).requires_grad_(), draw(4, 5, seed=1), torch.tensor([0, 4, 2, 0])
    options = {"temperature": 2.0, "mixing": mixing, "ignore_index": ignore_index}
    ours = distillation_loss(masked(leaf), masked(teacher), labels, **options)
    among = torch.tensor([KEPT.index(label) for label in labels.tolist()])
    options["ignore_index"] = None if ignore_index is None else KEPT.index(ignore_index)
    want = distillation_loss(leaf[:, KEPT], teacher[:, KEPT], among, **options)
    torch.testing.assert_close(ours, want)
    (ours_grad,), (want_grad,) = (torch.autograd.grad(value, leaf) for value in (ours, want))
    torch.testing.assert_close(ours_grad, want_grad)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_classes_are_left_out_at_every_precision_and_temperature(dtype):
    student, teacher = draw(3, 5).to(dtype).requires_grad_(), draw(3, 5, seed=1).to(dtype)
    for temperature in (1e-3, 1.0, 1e3):
        ours = soft_cross_entropy(masked(student), masked(teacher), temperature=temperature)
        want = soft_cross_entropy(student[:, KEPT], teacher[:, KEPT], temperature=temperature)
        torch.testing.assert_close(ours, want)
        torch.testing.assert_close(*(torch.autograd.grad(value, student)[0] for value in (ours, want)))


def test_each_example_rules_out_classes_of_its_own():
    student, teacher = draw(2, 5), draw(2, 5, seed=1)
    out = torch.tensor([[True, False, False, False, False], [False, True, True, False, False]])
    ours = soft_cross_entropy(*(x.masked_fill(out, -torch.inf) for x in (student, teacher)))
    rows = [soft_cross_entropy(student[i : i + 1, ~out[i]], teacher[i : i + 1, ~out[i]]) for i in range(2)]
    torch.testing.assert_close(ours, torch.stack(rows).mean())


def test_a_class_that_the_student_alone_rules_out_is_an_infinite_loss():
    student, teacher = draw(4, 5), draw(4, 5, seed=1)
    assert soft_cross_entropy(masked(student), teacher) == torch.inf
    assert soft_cross_entropy(masked(student), masked(teacher, (1,))) == torch.inf
    # the teacher's alone is a class to which it gives no probability
    assert soft_cross_entropy(student, masked(teacher)).isfinite()


@pytest.mark.parametrize("classes", [(1, 3), (1,)])
def test_nan_beside_classes_left_out_stays_nan(classes):
    broken = draw(4, 5)
    broken[2, 3] = torch.nan
    assert soft_cross_entropy(masked(broken, (1,)), masked(draw(4, 5), classes)).isnan()
    assert soft_cross_entropy(masked(draw(4, 5), classes), masked(broken, (1,))).isnan()
    for teacher in (draw(4, 5), masked(draw(4, 5), range(5))):  # a student that rules out all says nothing
        assert soft_cross_entropy(masked(draw(4, 5), range(5)), teacher).isnan()
