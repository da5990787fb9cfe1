"""Knowledge distillation: a student learns the softened predictions of a teacher (Hinton et al. 2015).

The whole objective of Abnar, Dehghani & Zuidema (2020, section 3) is

    α · s(T) · CE(softmax(z_teacher / T), softmax(z_student / T))  +  (1 − α) · CE(labels, softmax(z_student))

where the paper sets α = 1: the student never sees a gold label.
"""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

Scaling = Literal["squared", "inverse", "none"]

# the gradient of the soft term shrinks as 1/T²: "squared" undoes that (Hinton et al. 2015, section 2.1), while the
# published code of Abnar et al. divides by T² once more ("inverse", tf2_models/metrics.py of samiraabnar/Reflect)
SCALES = {"squared": lambda t: t**2, "inverse": lambda t: t**-2, "none": lambda t: 1.0}


def soft_cross_entropy(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    *,
    temperature: float = 1.0,
) -> Float[Tensor, ""]:
    """Cross-entropy of the softened student under the softened teacher, mean over examples, in nats.

    It exceeds the Kullback–Leibler divergence by the teacher's entropy, which has no gradient for the student. The
    teacher's logits are detached. Half-precision logits are widened to float32 before the softmax.

    Raises:
        ValueError: if ``temperature`` is not positive and finite, the shapes differ or there is no example.
    """
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError(f"temperature must be positive and finite, not {temperature}")
    if student_logits.shape != teacher_logits.shape:
        raise ValueError(
            "student and teacher logits must have one shape, "
            f"not {tuple(student_logits.shape)} and {tuple(teacher_logits.shape)}"
        )
    teacher, student = _rows(teacher_logits.detach()), _rows(student_logits)
    return F.cross_entropy(student / temperature, torch.softmax(teacher / temperature, dim=-1).to(student.dtype))


def distillation_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    labels: Int[Tensor, "*batch"] | None = None,
    *,
    temperature: float = 1.0,
    mixing: float = 1.0,
    scaling: Scaling = "squared",
) -> Float[Tensor, ""]:
    """Mixture of the soft term and the ordinary cross-entropy with the gold labels, mean over examples, in nats.

    Args:
        student_logits: unnormalised scores of the student.
        teacher_logits: unnormalised scores of the teacher for the same examples; never receives a gradient.
        labels: gold classes; needed only when ``mixing`` is below 1.
        temperature: T, divides both sets of logits in the soft term only.
        mixing: α in [0, 1], the weight of the soft term (the paper: 1).
        scaling: the factor on the soft term: T² ("squared", Hinton's), 1/T² ("inverse", the original code's) or 1.

    Raises:
        ValueError: if a setting is out of range, or labels are missing while ``mixing`` is below 1.
    """
    if not 0 <= mixing <= 1:
        raise ValueError(f"mixing must lie in [0, 1], not {mixing}")
    if scaling not in SCALES:
        raise ValueError(f"scaling must be one of {', '.join(SCALES)}, not {scaling!r}")
    soft = soft_cross_entropy(student_logits, teacher_logits, temperature=temperature)
    soft = SCALES[scaling](temperature) * soft
    if mixing == 1:
        return soft
    if labels is None:
        raise ValueError(f"labels may be left out only when mixing is 1, not {mixing}")
    hard = F.cross_entropy(_rows(student_logits), labels.flatten().long())
    return mixing * soft + (1 - mixing) * hard


def _rows(logits: Float[Tensor, "*batch classes"]) -> Float[Tensor, "n classes"]:
    if logits.numel() == 0:
        raise ValueError(f"logits hold no example or no class: shape {tuple(logits.shape)}")
    return logits.reshape(-1, logits.shape[-1]).to(torch.promote_types(logits.dtype, torch.float32))
