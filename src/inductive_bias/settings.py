"""The base of every setting: immutable, and an unknown key is an error."""

from collections.abc import Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

#: What a value must be where nothing but these is taken.
NAMES = {bool: "True or False", int: "a whole number", float: "a finite number"}


class Setting(BaseModel):
    """A frozen record of choices; two settings are equal when all their fields are.

    Numbers in it are finite, and are numbers: neither ``True`` nor ``"3"`` is one, and ``"yes"`` or 1 is no ``True``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _numbers_are_numbers(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            for name, taken in _plain_fields(cls).items():
                if name in values:
                    _refuse_other(name, values[name], taken)
        return values


@cache
def _plain_fields(setting: type[Setting]) -> dict[str, frozenset[type]]:
    """The types that a field takes, of those that take nothing but numbers, truth values and tuples of them."""
    found = {name: frozenset(_kinds(field.annotation)) for name, field in setting.model_fields.items()}
    return {name: kinds for name, kinds in found.items() if kinds & NAMES.keys() and kinds <= {*NAMES, NoneType}}


def _kinds(annotation: Any) -> Iterator[Any]:
    """The types in an annotation, those within tuples too."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _kinds(inner[0])
    elif origin in (Union, UnionType, tuple):
        for each in inner:
            if each is not Ellipsis:
                yield from _kinds(each)
    else:
        yield annotation


def _refuse_other(name: str, value: Any, taken: frozenset[type]) -> None:
    if isinstance(value, (tuple, list)):
        for each in value:
            _refuse_other(name, each, taken)
        return
    if isinstance(value, bool):
        fits = bool in taken
    elif isinstance(value, (int, float)):
        fits = bool(taken & {int, float})
    else:
        fits = not isinstance(value, (str, bytes))  # pydantic knows the rest
    if not fits:
        wanted = " or ".join(NAMES[each] for each in NAMES if each in taken)
        raise ValueError(f"{name} should be {wanted}, not {value!r}")


def first_fault(error: ValidationError) -> str:
    """The first thing that is wrong with a setting, and where: ``optimiser.learning_rate: Input should be …``."""
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
