"""Knowledge distillation: a student learns the softened predictions of a teacher (Hinton et al. 2015).

The whole objective of Abnar, Dehghani & Zuidema (2020, section 3) is

    α · s(T) · CE(softmax(z_teacher / T), softmax(z_student / T))  +  (1 − α) · CE(labels, softmax(z_student))

where the paper sets α = 1: the student never sees a gold label.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Integer
from torch import Tensor

from inductive_bias import checks

Scaling = Literal["squared", "inverse", "none"]

# the gradient of the soft term shrinks as 1/T²: "squared" undoes that (Hinton et al. 2015, section 2.1), while the
# published code of Abnar et al. divides by T² once more ("inverse", tf2_models/metrics.py of samiraabnar/Reflect)
SCALES = {"squared": lambda t: t**2, "inverse": lambda t: t**-2, "none": lambda t: 1.0}
#: The smallest int64, which is no class.
NOTHING = torch.iinfo(torch.int64).min


def soft_cross_entropy(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    *,
    temperature: float = 1.0,
) -> Float[Tensor, ""]:
    """Cross-entropy of the softened student under the softened teacher, mean over examples, in nats.

    It exceeds the Kullback–Leibler divergence by the teacher's entropy, which has no gradient for the student. The
    teacher's logits are detached. Half-precision logits are widened to float32 before the softmax.

    A class to which both give −∞, such as a word that is masked out of the vocabulary, is left out: it cannot be, and
    both know it. −∞ of the student alone, where the teacher says that the class can be, is an infinite loss. NaN in
    either gives NaN: training has to see that a model diverged.

    Raises:
        ValueError: if ``temperature`` is not positive and finite, the logits are no floating-point tensors of one shape
            and on one device, or there is no example.
    """
    checks.number("temperature", temperature, low=0, above=True)
    student, teacher = _pair(student_logits, teacher_logits)
    return _soft(student / temperature, teacher / temperature, None, None)


def distillation_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    labels: Integer[Tensor, "*batch"] | None = None,
    *,
    temperature: float = 1.0,
    mixing: float = 1.0,
    scaling: Scaling = "squared",
    ignore_index: int | None = None,
) -> Float[Tensor, ""]:
    """Mixture of the soft term and the ordinary cross-entropy with the gold labels, mean over examples, in nats.

    Infinities and NaN are as of :func:`soft_cross_entropy`; in the other term a class of −∞ is left out unless it is
    the label.

    The range of the labels is checked where they lie on the CPU. On another device that would wait for it at every
    step: there, where ``mixing`` is below 1, the kernel of the cross-entropy asserts the range, that of -100 too.

    Args:
        student_logits: unnormalised scores of the student.
        teacher_logits: unnormalised scores of the teacher for the same examples; never receives a gradient.
        labels: gold classes; needed only when ``mixing`` is below 1.
        temperature: T, divides both sets of logits in the soft term only.
        mixing: α in [0, 1], the weight of the soft term (the paper: 1).
        scaling: the factor on the soft term: T² ("squared", Hinton's), 1/T² ("inverse", the original code's) or 1.
        ignore_index: a label whose examples count in neither term, as in torch's cross-entropy; without it there is
            none (torch's own default, -100, is refused).

    Raises:
        ValueError: if a setting is out of range, the logits do not fit each other, the labels are no integers of the
            logits' shape or no class, or labels are missing while ``mixing`` is below 1 or ``ignore_index`` is given.
    """
    checks.number("mixing", mixing, low=0, high=1)
    checks.number("temperature", temperature, low=0, above=True)
    checks.choice("scaling", scaling, SCALES)
    student, teacher = _pair(student_logits, teacher_logits)
    if ignore_index is not None:
        checks.whole("ignore_index", ignore_index, least=NOTHING)
    if labels is not None:
        shape, classes = tuple(student_logits.shape[:-1]), student_logits.shape[-1]
        checks.labels("labels", labels, shape, classes, ignore_index=ignore_index)
        checks.one_device(student_logits=student_logits, labels=labels)
        labels = labels.reshape(-1).long()
    elif mixing < 1 or ignore_index is not None:
        raise ValueError(
            f"labels may be left out only when mixing is 1, not {mixing}, and ignore_index is None, not {ignore_index}"
        )
    soft = SCALES[scaling](temperature) * _soft(student / temperature, teacher / temperature, labels, ignore_index)
    if mixing == 1:
        return soft
    # a number that no label can have: F.cross_entropy's own default would leave out -100 in silence
    hard = F.cross_entropy(student, labels, ignore_index=NOTHING if ignore_index is None else ignore_index)
    return mixing * soft + (1 - mixing) * hard


def _soft(student: Tensor, teacher: Tensor, labels: Tensor | None, ignore_index: int | None) -> Float[Tensor, ""]:
    """Cross-entropy of softened logits ``[n, classes]``, mean over the examples that are not ignored."""
    targets = torch.softmax(teacher, dim=-1).to(student.dtype)
    student = without_impossible(student, teacher)
    if ignore_index is None:
        return F.cross_entropy(student, targets)
    kept = labels != ignore_index
    return torch.where(kept, F.cross_entropy(student, targets, reduction="none"), 0).sum() / kept.sum()


def without_impossible(
    student: Float[Tensor, "n classes"], teacher: Float[Tensor, "n classes"]
) -> Float[Tensor, "n classes"]:
    """The student's logits with which a class that both rule out (−∞) adds 0 nats to the sum over classes, not 0 · ∞.

    What stands there instead is a number so low that its exponential is 0 as well.
    """
    both = torch.isneginf(student) & torch.isneginf(teacher)
    return student.masked_fill(both, torch.finfo(student.dtype).min / 4)


def _pair(student_logits: Tensor, teacher_logits: Tensor) -> tuple[Tensor, Tensor]:
    """Both as rows ``[n, classes]``, the teacher's detached, refused if they do not fit each other."""
    for name, logits in (("student_logits", student_logits), ("teacher_logits", teacher_logits)):
        if not checks.floats(name, logits).ndim:
            raise ValueError(f"{name} must be [..., classes], not a single number")
    if student_logits.shape != teacher_logits.shape:
        raise ValueError(
            "student and teacher logits must have one shape, "
            f"not {tuple(student_logits.shape)} and {tuple(teacher_logits.shape)}"
        )
    checks.one_device(student_logits=student_logits, teacher_logits=teacher_logits)
    return _rows(student_logits), _rows(teacher_logits.detach())


def _rows(logits: Float[Tensor, "*batch classes"]) -> Float[Tensor, "n classes"]:
    if logits.numel() == 0:
        raise ValueError(f"logits hold no example or no class: shape {tuple(logits.shape)}")
    return logits.reshape(-1, logits.shape[-1]).to(torch.promote_types(logits.dtype, torch.float32))
