"""Docstrings can be read alone and say what is raised; signatures say the shapes of tensors; losses have a unit."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import jaxtyping
import pytest

import inductive_bias

SOURCE = Path(inductive_bias.__file__).parent
#: First words that point to something outside the line: a preposition, a pronoun, a conjunction, *see there*.
POINTING = re.compile(
    r"""(?: Of|From|For|By|In|At|On|With|Within|Without|Around|After|Before|Besides
        | As|So|And|But|Or|Also|Too|Then|Those|These|This|That|They|Their|It|Its|Both|Same|Such|Here|There|Whose
        | Others?|Another|Only|Likewise|See|The\ (?:same|others?|former|latter|rest|like|ones?)
        | All\ (?:of\ (?:them|these|those)|those|two|three|four|five|six|others)|One\ of\ (?:them|these|those)
    )\b""",
    re.VERBOSE,
)
#: What only says that code is not finished, or that it is wrong.
UNTOLD = {"NotImplementedError", "AssertionError"}
UNITS = re.compile(r"\b(?:nats?|bits?)\b")
AVERAGED = re.compile(r"\b(?:mean|sum|summed)\b", re.IGNORECASE)

#: Rooms in which an annotation says the shape of a tensor, and what may take any: it is asked to refuse wrong ones.
SHAPED = ("layers", "protocols")
ANY_SHAPE = {"layers/checks.py:tensor_of", "layers/heads.py:check_tokens", "layers/heads.py:check_memory"}

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Described:
    """A module, or a public class, function or method."""

    name: str
    node: ast.Module | Definition
    around: str = ""

    @property
    def text(self) -> str:
        return ast.get_docstring(self.node) or ""

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef)


def room_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return ".".join(parts[: 2 if parts[0] == "studies" and len(parts) > 2 else 1][: len(parts) - 1]) or "top"


FILES = sorted(SOURCE.rglob("*.py"))
ROOMS = sorted({room_of(path) for path in FILES})


def public(node: ast.Module | ast.ClassDef, prefix: str, around: str) -> Iterator[Described]:
    """Public definitions of a module or class, those of a class behind it; ``around`` is the class's docstring."""
    for child in node.body:
        if isinstance(child, Definition) and not child.name.startswith("_"):
            yield Described(f"{prefix}{child.name}", child, around)
            if isinstance(child, ast.ClassDef):
                yield from public(child, f"{prefix}{child.name}.", ast.get_docstring(child) or "")


def described(source: str, module: str = "module") -> list[Described]:
    tree = ast.parse(source)
    return [Described(module, tree), *public(tree, f"{module}:", "")]


@lru_cache
def all_of(room: str) -> list[Described]:
    files = {path.relative_to(SOURCE).as_posix(): path.read_text("utf8") for path in FILES if room_of(path) == room}
    return [each for name, text in files.items() for each in described(text, name)]


def raised(node: ast.AST, caught: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names of what a body raises itself; of an error that a function makes, an empty name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definition | ast.Lambda):
            continue
        if isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call | ast.IfExp):
            named = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            name = ast.unparse(named).rpartition(".")[2] if isinstance(named, ast.Name | ast.Attribute) else ""
            if name not in caught | UNTOLD:
                yield name if name[:1].isupper() else ""
        elif isinstance(child, ast.Try):
            handled = {each.id for one in child.handlers for each in ast.walk(one.type) if isinstance(each, ast.Name)}
            for part in child.body:
                yield from raised(ast.Module([part], []), caught | handled)
            for part in (*child.handlers, *child.orelse, *child.finalbody):
                yield from raised(part, caught)
        else:
            yield from raised(child, caught)


def untold(each: Described) -> set[str]:
    """What a function raises and neither its docstring nor that of its class has under *Raises*."""
    told = "".join(text.partition("Raises:\n")[2] for text in (each.text, each.around))
    return {name for name in raised(each.node) if (name not in told if name else not told)}


def is_bare(annotation: ast.AST | None) -> bool:
    """Whether an annotation has a tensor outside brackets, where jaxtyping says its type and shape."""
    match annotation:
        case None:
            return False
        case ast.Constant(value=str(text)):
            return is_bare(ast.parse(text, mode="eval").body)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "Tensor"
        case ast.Subscript(value=ast.Name(id=name)) if hasattr(jaxtyping, name):
            return False
    return any(is_bare(child) for child in ast.iter_child_nodes(annotation))


def without_shape(function: ast.FunctionDef) -> list[str]:
    """Names of the arguments whose tensors have no shape, and ``return``."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    return [each.arg for each in every if is_bare(each.annotation)] + ["return"] * is_bare(function.returns)


@pytest.mark.parametrize("room", ROOMS)
def test_a_first_line_can_be_read_alone(room):
    assert [(each.name, each.first_line) for each in all_of(room) if POINTING.match(each.first_line)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_function_raises_is_in_its_docstring(room):
    found = {each.name: untold(each) for each in all_of(room) if each.is_function}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_loss_says_its_unit_and_whether_it_is_a_mean_or_a_sum():
    losses = [each for each in all_of("losses") if each.is_function]
    assert losses
    for each in losses:
        assert UNITS.search(each.text), each.name
        assert AVERAGED.search(each.text), each.name


@pytest.mark.parametrize("room", SHAPED)
def test_tensors_have_shapes(room):
    found = {each.name: without_shape(each.node) for each in all_of(room) if each.is_function}
    assert {name: names for name, names in found.items() if names and name not in ANY_SHAPE} == {}


@pytest.mark.parametrize(
    ("annotation", "bare"),
    [
        ("Tensor", True),
        ("torch.Tensor | None", True),
        ("'Tensor'", True),
        ("dict[str, Tensor]", True),
        ("Callable[[Tensor], int]", True),
        ("Float[Tensor, 'b t']", False),
        ("tuple[Bool[Tensor, ' n'], int] | None", False),
        ("nn.Module", False),
    ],
)
def test_a_tensor_without_a_shape_is_found(annotation, bare):
    function = ast.parse(f"def function(x: {annotation}, y=1, *, z: int) -> {annotation}: ...").body[0]
    assert without_shape(function) == ["x", "return"] * bare


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("Of every class the share that was found.", True),
        ("The same with more.", True),
        ("As on the pages.", True),
        ("Its splits.", True),
        ("All three measures.", True),
        ("See the class.", True),
        ("Offset of a place.", False),
        ("The other name's initial letter.", True),
        ("Itself a tensor.", False),
        ("All losses of a run.", False),
    ],
)
def test_a_line_that_points_elsewhere_is_found(line, points):
    assert bool(POINTING.match(line)) == points


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("raise ValueError('x')", {"ValueError"}),
        ("if x: raise errors.DataError('x')", {"DataError"}),
        ("raise missing('x')", {""}),
        ("raise", set()),
        ("raise NotImplementedError", set()),
        ("raise NotImplementedError('x')", set()),
        ("def inner(): raise ValueError('x')", set()),
        ("try:\n  raise ValueError('x')\n except ValueError as error:\n  raise KeyError('y') from error", {"KeyError"}),
    ],
)
def test_what_is_raised_and_not_told_is_found(body, wanted):
    source = f"def function():\n '''Text.'''\n {body}\n"
    (function,) = described(source)[1:]
    assert untold(function) == wanted
    told = source.replace("Text.", "Text.\n\n Raises:\n  ValueError, DataError, KeyError: x")
    (function,) = described(told)[1:]
    assert untold(function) == set()


def test_what_a_class_says_of_raising_holds_for_its_methods():
    source = "class A:\n '''A.\n\n Raises:\n  ValueError: x\n '''\n def forward(self):\n  raise ValueError('x')\n"
    assert untold(described(source)[-1]) == set()
