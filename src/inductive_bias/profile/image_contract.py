"""What a model of images must keep to before anything is trained: seconds of checks, each with what it saw."""

import copy
from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float
from torch import Tensor

from inductive_bias.profile.contract import (
    NARROW,
    ROWS,
    Check,
    faults_of_gradients,
    made,
    unlike,
    unlike_in_a_copy,
    unlike_in_a_stack,
)
from inductive_bias.profile.subject import CLASSES, ImageSubject

#: Channels of a coloured image.
COLOURS = 3


def check_image_model(subject: ImageSubject) -> list[Check]:
    """Every check of :data:`IMAGE_CHECKS` in its order, each on a model of its own.

    Raises:
        SettingError: if the model cannot be built.
    """
    subject.build()
    return [made(name, check, subject) for name, check in IMAGE_CHECKS.items()]


def answers_every_image(subject: ImageSubject) -> Iterator[str]:
    """Images give one row of logits each, and all weights have finite gradients."""
    model, x = subject.build(), _images(subject)
    found = model(x)
    if tuple(found.shape) != (ROWS, CLASSES):
        yield f"images {tuple(x.shape)} give {tuple(found.shape)}, not {(ROWS, CLASSES)}"
        return
    model.train()(x).square().sum().backward()
    yield from faults_of_gradients(model)


def takes_colours(subject: ImageSubject) -> Iterator[str]:
    """Built for three channels, it answers images of three channels."""
    found = subject.build(channels=COLOURS)(_images(subject, channels=COLOURS))
    if tuple(found.shape) != (ROWS, CLASSES):
        yield f"images of {COLOURS} channels give {tuple(found.shape)}, not {(ROWS, CLASSES)}"


def leaves_its_images(subject: ImageSubject) -> Iterator[str]:
    """Nothing is written into the images."""
    model, x = subject.build(), _images(subject)
    for training in (True, False):
        before = x.clone()
        model.train(training)(x)
        if not torch.equal(before, x):
            yield f"its images are changed in {'training' if training else 'evaluation'} mode"
            return


def answers_images_alike(subject: ImageSubject) -> Iterator[str]:
    """Two calls in evaluation give one answer, and an image has one answer alone and among others."""
    model, x = subject.build(), _images(subject)
    first, second = model(x), model(x)
    yield from unlike(first, second, "a second call")
    yield from unlike(first[:1], model(x[:1]), "the first image alone")
    yield from unlike(first.flip(0), model(x.flip(0)), "images in another order")


def keeps_its_state(subject: ImageSubject) -> Iterator[str]:
    """A call in evaluation mode changes no weight and no running mean."""
    model, x = subject.build(), _images(subject)
    before = copy.deepcopy(model.state_dict())
    model(x)
    for name, value in model.state_dict().items():
        if not torch.equal(before[name], value):
            yield f"{name} is changed in evaluation mode"


def takes_any_layout_of_memory(subject: ImageSubject) -> Iterator[str]:
    """Images whose channels lie last in memory, or that are part of larger ones, have the same answers."""
    model, x = subject.build(), _images(subject, channels=1)
    wanted = model(x)
    yield from unlike(wanted, model(x.contiguous(memory_format=torch.channels_last)), "channels last in memory")
    larger = torch.zeros(ROWS, 1, subject.size + 2, subject.size + 2)
    larger[..., 1:-1, 1:-1] = x
    yield from unlike(wanted, model(larger[..., 1:-1, 1:-1]), "images that are cut out of larger ones")


def takes_blank_images(subject: ImageSubject) -> Iterator[str]:
    """Images of zeros, and of one grey, have finite answers and gradients."""
    for grey in (0.0, 0.5):
        model, x = subject.build(), torch.full_like(_images(subject), grey)
        found = model(x)
        if not found.isfinite().all():
            yield f"images of {grey:g} have answers that are not finite"
        found.sum().backward()
        if any(weight.grad is not None and not weight.grad.isfinite().all() for weight in model.parameters()):
            yield f"images of {grey:g} have gradients that are not finite"


def takes_batches_of_none_and_one(subject: ImageSubject) -> Iterator[str]:
    """An empty batch gives an empty answer, and one image gives one."""
    model = subject.build()
    for count in (0, 1):
        found = model(_images(subject)[:count])
        if tuple(found.shape) != (count, CLASSES):
            yield f"{count} images give {tuple(found.shape)}"


def takes_narrow_numbers(subject: ImageSubject) -> Iterator[str]:
    """Bfloat16 gives the answer of float32 up to rounding, and stays bfloat16."""
    model, x = subject.build(), _images(subject)
    found = copy.deepcopy(model).bfloat16()(x.bfloat16())
    if found.dtype != torch.bfloat16:
        yield f"bfloat16 gives {str(found.dtype).removeprefix('torch.')}"
    yield from unlike(model(x), found.float(), "bfloat16", tolerance=NARROW)


def is_stacked(subject: ImageSubject) -> Iterator[str]:
    """Models of several seeds run as one through ``torch.vmap``."""
    yield from unlike_in_a_stack(subject.build, _images(subject))


def is_copied_whole(subject: ImageSubject) -> Iterator[str]:
    """A deep copy, and a fresh model with its saved weights, give the same answer."""
    yield from unlike_in_a_copy(subject.build, _images(subject))


def is_compiled_whole(subject: ImageSubject) -> Iterator[str]:
    """``torch.compile`` gives the same answer (backend ``aot_eager``: nothing is generated)."""
    model, x = subject.build(), _images(subject)
    torch._dynamo.reset()
    compiled = torch.compile(lambda images: model(images), backend="aot_eager")
    with torch.no_grad():
        yield from unlike(model(x), compiled(x), "the compiled model")


IMAGE_CHECKS: dict[str, Callable[[ImageSubject], Iterator[str]]] = {
    "answers every image": answers_every_image,
    "takes colours": takes_colours,
    "leaves its input": leaves_its_images,
    "answers alike": answers_images_alike,
    "keeps its state": keeps_its_state,
    "layout of memory": takes_any_layout_of_memory,
    "blank images": takes_blank_images,
    "batches of none and one": takes_batches_of_none_and_one,
    "bfloat16": takes_narrow_numbers,
    "vmap": is_stacked,
    "copies and checkpoints": is_copied_whole,
    "torch.compile": is_compiled_whole,
}


def _images(subject: ImageSubject, *, channels: int = 1) -> Float[Tensor, "n c h w"]:
    return torch.rand(ROWS, channels, subject.size, subject.size)
