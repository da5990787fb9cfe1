"""Digests of Python objects: what a class, a function or a tensor *is*, so that a run can be found again by it.

Code is known by what Python runs, not by its text: two lambdas on one line differ, comments and layout change nothing,
a file that was edited after its import changes nothing, and a cell of a notebook needs no file. The price is that
another minor version of Python, which compiles to other instructions, gives other digests.

What is installed (PyTorch, this package) counts by its name; versions are in the record of every run.
"""

import builtins
import dis
import enum
import functools
import hashlib
import inspect
import logging
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path, PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel
from torch import Tensor, nn

from inductive_bias.errors import SettingError

#: Attributes of a class that say nothing of what it does.
_SAYS_NOTHING = frozenset({"_abc_impl", "__annotate__", "__annotate_func__", "__class_getitem__"})
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes, range, slice, PurePath)
_TORCH = (torch.device, torch.dtype, torch.Size, torch.layout, torch.memory_format)
_INSTALLED = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def digest(value: object) -> str:
    """SHA-256 of a class, a function, tensors, plain values, or containers and simple objects of these.

    Classes and functions count with everything of the user's that they name: base classes, helpers, global values,
    closures and defaults.

    Raises:
        SettingError: naming what has no content that could be told apart, such as an open file.
    """
    return _Reader().digest(value)


class _Reader:
    """Walks through an object once; what was met before is its number, so that circles end."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._met: dict[int, int] = {}
        self._kept: list[object] = []  # an id stays taken while its object lives

    def digest(self, value: object) -> str:
        self.read(value, "it")
        return self._hash.hexdigest()

    def say(self, *words: object) -> None:
        for word in words:
            text = word if isinstance(word, bytes) else str(word).encode()
            self._hash.update(str(len(text)).encode() + b":" + text)

    def read(self, value: Any, name: str) -> None:
        if isinstance(value, _PLAIN + _TORCH) and not isinstance(value, enum.Enum):
            self.say(type(value).__name__, repr(value))
            return
        if id(value) in self._met:
            self.say("met", self._met[id(value)])
            return
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        self.say(type(value).__name__)
        self._content(value, name)

    def _content(self, value: Any, name: str) -> None:
        if isinstance(value, Tensor):
            array = value.detach().cpu().contiguous()
            self.say(array.dtype, tuple(array.shape), array.flatten().view(torch.uint8).numpy().tobytes())
        elif isinstance(value, np.ndarray) and value.dtype != object:
            self.say(value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes())
        elif isinstance(value, np.generic):
            self.say(value.dtype.str, value.tobytes())
        elif isinstance(value, Mapping):
            for key, each in value.items():
                self.read(key, name)
                self.read(each, f"{name}[{key!r}]")
        elif isinstance(value, set | frozenset):
            self.say(*sorted(digest(each) for each in value))
        elif isinstance(value, list | tuple):
            for place, each in enumerate(value):
                self.read(each, f"{name}[{place}]")
        elif isinstance(value, ModuleType):
            self._module(value)
        elif isinstance(value, functools.partial):
            self.read([value.func, value.args, dict(sorted(value.keywords.items()))], name)
        elif isinstance(value, CodeType):
            self._code(value, name)
        elif isinstance(value, staticmethod | classmethod | MethodType):
            self.read(value.__func__, name)
            self.read(getattr(value, "__self__", None), name)
        elif isinstance(value, property):
            self.read([value.fget, value.fset, value.fdel], name)
        elif isinstance(value, functools.cached_property):
            self.read(value.func, name)
        elif isinstance(value, type | FunctionType | BuiltinFunctionType):
            self._named(value)
        elif isinstance(value, enum.Enum):
            self.read([type(value), value.name], name)
        elif isinstance(value, logging.Logger):
            self.say(value.name)
        elif inspect.isroutine(value) or _is_descriptor(value):
            self.say(getattr(value, "__qualname__", getattr(value, "__name__", "")))
        elif hasattr(value, "__wrapped__"):
            self.read(value.__wrapped__, name)
        elif isinstance(value, BaseModel):
            self.read([type(value), {field: getattr(value, field) for field in type(value).model_fields}], name)
        elif isinstance(value, nn.Module) or (hasattr(value, "__dict__") and not _installed(type(value).__module__)):
            self.read([type(value), vars(value)], name)
        elif type(value).__module__ == "typing" or type(value).__module__ == "types":
            self.say(repr(value))
        else:
            raise SettingError(
                f"{name} is a {type(value).__module__}.{type(value).__qualname__}, whose content has no digest: a run "
                "could not be found again by it. Make it within the function that uses it, or hand in plain values "
                "and tensors"
            )

    def _named(self, value: Any) -> None:
        """A class or function: by its name if it is installed, else by what it does."""
        if _installed(getattr(value, "__module__", None) or "builtins"):
            self.say(value.__module__, value.__qualname__)
        elif isinstance(value, type):
            self.say(value.__name__)
            self.read([base for base in value.__bases__ if base is not object], value.__name__)
            for key in sorted(vars(value).keys() - _SAYS_NOTHING):
                if key.startswith("__") and not callable(getattr(vars(value)[key], "__func__", vars(value)[key])):
                    continue  # what dataclasses and the like note for themselves
                self.say(key)
                self.read(vars(value)[key], f"{value.__name__}.{key}")
        else:
            self._function(value)

    def _function(self, value: FunctionType) -> None:
        self._code(value.__code__, value.__qualname__, doc=value.__doc__)
        self.read([value.__defaults__, value.__kwdefaults__], f"a default of {value.__qualname__}")
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            self.say(name)
            try:
                self.read(cell.cell_contents, f"{name}, which {value.__qualname__} uses,")
            except ValueError:  # a cell that is still empty
                self.say("empty")
        for name in sorted(_globals_of(value.__code__)):
            if name in value.__globals__:
                self.say(name)
                self.read(value.__globals__[name], f"{name}, which {value.__qualname__} uses,")
            elif not hasattr(builtins, name):
                self.say(name, "not there")

    def _code(self, code: CodeType, name: str, doc: str | None = None) -> None:
        self.say(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, code.co_argcount)
        self.say(code.co_kwonlyargcount, code.co_posonlyargcount, code.co_exceptiontable)
        for place, each in enumerate(code.co_consts):
            if place or doc is None or each != doc:
                self.read(each, name)

    def _module(self, value: ModuleType) -> None:
        if _installed(value.__name__):
            self.say(value.__name__)
            return
        for name, each in sorted(vars(value).items()):
            if not name.startswith("__") and getattr(each, "__module__", value.__name__) == value.__name__:
                self.say(name)
                self.read(each, f"{value.__name__}.{name}")


def _is_descriptor(value: object) -> bool:
    return inspect.isdatadescriptor(value) and _installed(type(value).__module__)


def _globals_of(code: CodeType) -> set[str]:
    """The names that a function looks up among globals, its inner functions included."""
    found = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= _globals_of(each)
    return found


def _installed(module: str) -> bool:
    """Whether a module is Python's own, of an installed package or of this one; by its name."""
    top = module.partition(".")[0]
    if top == "__main__":
        return False
    if top in sys.stdlib_module_names or top in ("inductive_bias", "builtins"):
        return True
    file = getattr(sys.modules.get(module) or sys.modules.get(top), "__file__", None)
    return file is not None and str(Path(file).resolve()).startswith(_INSTALLED)
