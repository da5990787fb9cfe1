"""Calls with arguments that do not fit, as users make them: without the shape checks that the tests switch on."""

from collections.abc import Callable

import pytest
from jaxtyping import config


def refused(function: Callable, message: str, *arguments: object, **named: object) -> None:
    """The function's own check refuses the call with a message that matches."""
    before = config.jaxtyping_disable
    config.update("jaxtyping_disable", True)
    try:
        with pytest.raises(ValueError, match=message):
            function(*arguments, **named)
    finally:
        config.update("jaxtyping_disable", before)
