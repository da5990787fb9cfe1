"""Models and tasks from outside the package: a file and a name in it, ``my_model.py:build``.

The file is part of a trial's identity by its SHA-256, and is run from the very bytes that were hashed. It should stand
on its own: what it imports from files beside it is not seen by the hash.
"""

import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Literal, no_type_check

import torch
from pydantic import Field, JsonValue, PrivateAttr, model_validator
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.fingerprints import digest
from inductive_bias.seeding import seeded
from inductive_bias.settings import Setting
from inductive_bias.tasks import TaskData

#: What a class of tasks must say of itself.
TASK_PARTS = ("dimensions", "load", "generated", "protocol")
#: Begins the source of what was given as an object of Python, and has no file.
PYTHON = "python:"
#: Begins the source of what is in a module of an installed package: ``module:package.part:Name``.
INSTALLED = "module:"


class Own(Setting):
    """Something made by a file of one's own.

    Attributes:
        source: ``path/to/file.py:name``; a relative path starts in the working directory. The path is no part of a
            trial's id: the content is, by ``sha256``.
        arguments: keyword arguments for what has that name.
        sha256: of the file, filled in when the setting is made.

    Raises:
        SettingError: if the file cannot be read or run, has changed, or has nothing of that name to call.
    """

    source: str
    arguments: dict[str, JsonValue] = Field(default={})
    sha256: str | None = None

    def __init__(self, source: str | None = None, **values: object):
        super().__init__(**({} if source is None else {"source": source}), **values)

    def __hash__(self) -> int:
        return hash((type(self), self.source, self.sha256, self._arguments_text))

    @model_validator(mode="after")
    def _is_there(self) -> "Own":
        self._verify()
        return self

    def _verify(self) -> None:
        """Read the file; what was given as an object has none. A subclass cannot replace the validator itself."""
        object.__setattr__(self, "sha256", load(self.source, self.sha256)[1])

    @property
    def _arguments_text(self) -> str:
        return json.dumps(self.arguments, sort_keys=True)

    @property
    def target(self) -> Callable[..., object]:
        """What the file has under the name."""
        return load(self.source, self.sha256)[0]


@no_type_check  # torch.compile records it, and cannot record the checks of types that tests add
def plain_answer(answer: object) -> Tensor:
    """Find the tensor in what a model answers: a tensor, an output object with ``logits``, or a tuple with one tensor.

    In a tuple, numbers such as a loss and nested tuples such as an LSTM's state do not count.

    Raises:
        ValueError: if it is not plain which tensor is meant.
    """
    if isinstance(answer, Tensor):
        return answer
    named = answer.get("logits") if isinstance(answer, Mapping) else getattr(answer, "logits", None)
    if isinstance(named, Tensor):
        return named
    each = (
        [part for part in answer if isinstance(part, Tensor) and part.ndim] if isinstance(answer, tuple | list) else []
    )
    if len(each) == 1:
        return each[0]
    of = f" of {len(each)} tensors {[tuple(part.shape) for part in each]}" if each else ""
    raise ValueError(
        f"forward must answer a tensor, an object with logits or a tuple with one tensor, not a {type(answer).__name__}"
        f"{of}: return the logits alone"
    )


class OwnModel(Own):
    """A model that ``source`` builds: a function, or a class of ``torch.nn.Module``, of keyword arguments.

    It is called with the ``arguments`` and with those of the task's dimensions that it takes (``classes``, ``image``,
    ``vocabulary`` …), and must answer as the task's protocol wants. A ``features`` method is needed only for what
    compares representations.

    Attributes:
        l1: weight of the sum of absolute weights in the loss.
        l2: weight of the sum of squared weights in the loss.
        causal: whether no output sees a later input; only such models can predict the next word or character.
        name: for people; that in ``source`` unless given.
    """

    kind: Literal["own"] = "own"
    l1: float = Field(default=0.0, ge=0)
    l2: float = Field(default=0.0, ge=0)
    causal: bool = False
    name: str = ""

    def __init__(self, source: str | None = None, **values: object):
        super().__init__(source, **values)  # spelt out for type checkers, which know of no inherited one

    @model_validator(mode="after")
    def _is_named(self) -> "OwnModel":
        object.__setattr__(self, "name", self.name or self.source.rpartition(":")[2])
        return self

    @property
    def inputs(self) -> tuple[frozenset[str], ...]:
        """The dimensions that it cannot do without: what has no default and is not among the arguments."""
        needed = {name for name, each in self._parameters.items() if each.default is each.empty}
        return (frozenset(needed - set(self.arguments)),)

    @property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return {n: each for n, each in inspect.signature(self.target).parameters.items() if each.kind in named}

    def build(self, **dimensions: object) -> nn.Module:
        """A freshly initialised model.

        Raises:
            SettingError: if building fails, or what is built is not a model with weights.
        """
        every = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(self.target).parameters.values())
        taken = {name: size for name, size in dimensions.items() if every or name in self._parameters}
        model = _called(self, {**taken, **self.arguments})
        if not isinstance(model, nn.Module) or not any(True for _ in model.parameters()):
            raise SettingError(
                f"{self.source} must build a torch.nn.Module with parameters, not {type(model).__name__}"
            )
        model.register_forward_hook(lambda module, inputs, answer: plain_answer(answer))
        return model


class OwnTask(Own):
    """A task that ``source`` makes: a class of keyword arguments with what the package's tasks have.

    ``dimensions``: what a model needs to know to be built. ``load(root)``: its :class:`TaskData`. ``generated``:
    whether its data are made rather than real. ``protocol``: the kind of one of the package's tasks (``mnist``), or a
    subclass of :class:`inductive_bias.protocols.Protocol`.

    Attributes:
        content: SHA-256 of the data, if the task says it (``digest``, as those of :mod:`~inductive_bias.tasks.tensors`
            do): other data are then another trial.
    """

    kind: Literal["own"] = "own"
    content: str | None = None

    def __init__(self, source: str | None = None, **values: object):
        super().__init__(source, **values)  # spelt out for type checkers, which know of no inherited one

    def _verify(self) -> None:
        super()._verify()
        if missing := [part for part in TASK_PARTS if not hasattr(self.made, part)]:
            raise SettingError(f"{self.source}: a task must have {', '.join(missing)}")
        found = getattr(self.made, "digest", None)
        if self.content not in (None, found):
            raise SettingError(f"{self.source}: its data have changed; a trial belongs to the data it was made with")
        object.__setattr__(self, "content", found)

    @property
    def made(self) -> object:
        """The task itself."""
        return _made(self)

    @property
    def dimensions(self) -> dict[str, object]:
        """What a model needs to know to be built."""
        return dict(self.made.dimensions)

    @property
    def generated(self) -> bool:
        """Whether its data are made by a generator rather than real."""
        return bool(self.made.generated)

    def load(self, root: Path | str | None = None) -> TaskData:
        """Splits of the task, as its file makes them.

        Raises:
            SettingError: if the file has changed, or its ``load`` fails or returns something else.
        """
        load(self.source, self.sha256)
        data = _guarded(self, lambda: self.made.load(root))
        if not isinstance(data, TaskData):
            raise SettingError(f"{self.source}: load must return TaskData, not {type(data).__name__}")
        return data


class GivenModel(OwnModel):
    """A model given as an object of Python: a class of ``torch.nn.Module``, or a function that builds one.

    Its ``sha256`` is of what it does (:mod:`inductive_bias.fingerprints`), and takes the place of a file's. It travels
    with its setting to other processes. A record of a run names it, but cannot bring it back.

    Args:
        target: what builds the model.
        causal: see :class:`OwnModel`.

    Raises:
        SettingError: if it is a model that is built already, or has no content that could be told apart.
    """

    _target: Callable[..., object] = PrivateAttr()

    def __init__(self, target: Callable[..., object], *, causal: bool = False):
        name = getattr(target, "__name__", None) or getattr(getattr(target, "func", target), "__name__", "model")
        if isinstance(target, nn.Module):
            raise SettingError(
                f"{type(target).__name__} is a model that is built already, and every seed needs fresh weights: give "
                f"the class, or a function that builds it: lambda: {type(target).__name__}(…)"
            )
        if not callable(target):
            raise SettingError(f"a model should be a class or a function that builds one, not {target!r}")
        super().__init__(f"{PYTHON}{name}", sha256=digest(target), causal=causal)
        self._target = target

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenModel) and (self.sha256, self.causal) == (other.sha256, other.causal)

    __hash__ = Own.__hash__

    def _verify(self) -> None:
        pass

    @property
    def target(self) -> Callable[..., object]:
        """What builds the model."""
        return self._target

    @property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        # what a partial function has been given stays as it is
        settled = getattr(self._target, "keywords", {}) if isinstance(self._target, functools.partial) else {}
        return {name: each for name, each in super()._parameters.items() if name not in settled}


class GivenTask(OwnTask):
    """A task given as an object of Python, with what :class:`OwnTask` asks for and a ``digest`` of its data.

    Args:
        task: such as those of :mod:`inductive_bias.tasks.tensors`.

    Raises:
        SettingError: if a part is missing.
    """

    _task: object = PrivateAttr()

    def __init__(self, task: object):
        if missing := [part for part in (*TASK_PARTS, "digest") if not hasattr(task, part)]:
            raise SettingError(f"{type(task).__name__}: a task must have {', '.join(missing)}")
        super().__init__(f"{PYTHON}{getattr(task, 'name', type(task).__name__)}", sha256=task.digest)
        self._task = task

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GivenTask) and self.sha256 == other.sha256

    __hash__ = Own.__hash__

    def _verify(self) -> None:
        pass

    @property
    def made(self) -> object:
        """The task itself."""
        return self._task

    def load(self, root: Path | str | None = None) -> TaskData:
        """Splits of the task.

        Raises:
            SettingError: if its ``load`` fails or returns something else.
        """
        data = _guarded(self, lambda: self._task.load(root))
        if not isinstance(data, TaskData):
            raise SettingError(f"{self.source}: load must return TaskData, not {type(data).__name__}")
        return data


def dimensions_for(model: Setting, task: Setting) -> dict[str, object]:
    """Dimensions of a task that a model is built for: all, but of an own task those alone that a package's model takes.

    Raises:
        SettingError: if the task has another token for padding than the package's models, 0.
    """
    dimensions = dict(task.dimensions)
    if isinstance(model, OwnModel) or not isinstance(task, OwnTask):
        return dimensions
    if dimensions.get("padding", 0) != 0:
        raise SettingError(
            f"{task.source}: models of the package take token 0 for padding, and here padding is "
            f"{dimensions['padding']}: shift the tokens by one, and leave 0 to padding"
        )
    taken = inspect.signature(model.build).parameters
    return {name: size for name, size in dimensions.items() if name in taken}


def load(source: str, sha256: str | None = None) -> tuple[Callable[..., object], str]:
    """What ``path:name`` names and can be called, and the SHA-256 of the file.

    Raises:
        SettingError: if the file cannot be read or run, is not the one with ``sha256``, or has nothing of that name.
    """
    target, found = named(source, sha256)
    if not callable(target):
        path, _, name = source.rpartition(":")
        raise SettingError(f"{source}: {path} has no function or class {name!r}")
    return target, found


def named(source: str, sha256: str | None = None) -> tuple[object, str]:
    """What ``path:name`` names, None if the file has nothing of that name, and the SHA-256 of the file.

    Raises:
        SettingError: if the file cannot be read or run, or is not the one with ``sha256``.
    """
    path, name, content = _read(source)
    found = _refused_if_other(source, content, sha256)
    if path.startswith(INSTALLED):
        return getattr(_imported(path.removeprefix(INSTALLED), found), name, None), found
    return getattr(_module(str(Path(path).resolve()), content), name, None), found


def refuse_changed(source: str, sha256: str) -> None:
    """Refuse a file that is not the one with ``sha256``; nothing of it is run.

    Raises:
        SettingError: if it is not, or cannot be read.
    """
    _refused_if_other(source, _read(source)[2], sha256)


def _read(source: str) -> tuple[str, str, bytes]:
    """The path and the name of ``path:name``, and what the file holds."""
    if source.startswith(PYTHON):
        raise SettingError(
            f"{source.removeprefix(PYTHON)} was given as an object of Python, and no file holds it: give it again, as "
            "for the run; or keep it in a file, and name it my_file.py:name"
        )
    path, _, name = source.rpartition(":")
    if not path or not name:
        raise SettingError(f"{source!r} must be a file and a name in it: my_file.py:name")
    return path, name, _content(_module_file(path) if path.startswith(INSTALLED) else path, source)


def _refused_if_other(source: str, content: bytes, sha256: str | None) -> str:
    found = hashlib.sha256(content).hexdigest()
    if sha256 not in (None, found):
        raise SettingError(
            f"{source}: {source.rpartition(':')[0]} has changed: its SHA-256 is {found[:12]}…, not {sha256[:12]}…; a "
            "trial belongs to the file that it was made with"
        )
    return found


def module_of(path: str) -> ModuleType:
    """The module of a file, run once a process as long as the file is the same.

    Raises:
        SettingError: if the file cannot be read or run.
    """
    return _module(str(Path(path).resolve()), _content(path, path))


def _content(path: str, source: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SettingError(f"{source}: {path} cannot be read: {error.strerror}") from error


def _module_file(path: str) -> str:
    """The file of an installed module, of which nothing is run, nor of the packages that it is in."""
    module, place, found = path.removeprefix(INSTALLED), None, None
    for depth, part in enumerate(parts := module.split("."), start=1):
        full = ".".join(parts[:depth])
        try:
            found = importlib.util.find_spec(part) if place is None else PathFinder.find_spec(full, place)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise SettingError(f"{module}: there is no module {full} in this environment")
        place = found.submodule_search_locations or []
    if not found.has_location or not str(found.origin).endswith(".py"):
        raise SettingError(f"{module}: it has no source file, by whose SHA-256 runs could be told apart")
    return str(found.origin)


#: SHA-256 of the file of every installed module that was asked for, when it was imported.
_imports: dict[str, str] = {}


def _imported(module: str, sha256: str) -> ModuleType:
    """An installed module, as an import statement would have it: it may import others of its package."""
    try:
        found = importlib.import_module(module)
    except Exception as error:
        raise SettingError(f"{module} cannot be imported: {type(error).__name__}: {error}") from error
    if _imports.setdefault(module, sha256) != sha256:
        raise SettingError(f"{module}: its file has changed since this process imported it: start a new one")
    return found


@lru_cache(maxsize=64)
def _module(path: str, content: bytes) -> ModuleType:
    """The file's module, run once a process."""
    name = f"_outside_{hashlib.sha256(path.encode() + content).hexdigest()}"
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        exec(compile(content, path, "exec"), module.__dict__)
    except Exception as error:
        del sys.modules[name]
        raise SettingError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def refuse_unbuildable(model: Setting, task: Setting) -> None:
    """Build the model once a process, so that no trial waits for its turn with one that cannot be built.

    Raises:
        SettingError: if building fails, naming what has come from outside.
    """
    key = (model, repr(task.dimensions))
    if key not in _built:
        own = next(each for each in (model, task) if isinstance(each, Own))
        with seeded(0, torch.device("cpu")):
            _guarded(own, lambda: model.build(**dimensions_for(model, task)))
        _built.add(key)


#: Models, and the dimensions that they have been built of.
_built: set[tuple[Setting, str]] = set()


@lru_cache(maxsize=64)
def _made(task: OwnTask) -> object:
    return _called(task, task.arguments)


def _called(own: Own, arguments: Mapping[str, object]) -> object:
    return _guarded(own, lambda: own.target(**arguments))


def _guarded(own: Own, call: Callable[[], object]) -> object:
    """What ``call`` returns; whatever goes wrong in the file names the file."""
    try:
        return call()
    except SettingError:
        raise
    except Exception as error:
        raise SettingError(f"{own.source}: {type(error).__name__}: {error}") from error
