"""The three scales: the same code with other arguments."""

from typing import Literal, get_args

from inductive_bias.errors import SettingError

Scale = Literal["smoke", "laptop", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)
#: The scale whose runs are published, and of which the sizes and looks of claims are told.
PUBLISHED: Scale = "laptop"


def check_scale(scale: str) -> Scale:
    """The scale, if there is one of that name.

    Raises:
        SettingError: otherwise.
    """
    if scale not in SCALES:
        raise SettingError(f"unknown scale {scale!r}; choose one of {', '.join(SCALES)}")
    return scale
