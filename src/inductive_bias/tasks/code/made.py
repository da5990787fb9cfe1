"""Made-up functions that stand in for real ones in small runs: short loops in C or Python, some with a bug."""

import numpy as np

#: What a loop does to ``acc`` with an element ``x``: its start and its step, a problem each.
PROBLEMS = (
    ("0", "acc + {x}"),
    ("1", "acc * {x}"),
    ("0", "{x} > acc ? {x} : acc"),
    ("99", "{x} < acc ? {x} : acc"),
    ("0", "acc + ({x} % 2)"),
    ("0", "acc + {x} * {x}"),
    ("0", "acc ^ {x}"),
    ("0", "acc * 10 + {x}"),
)
_NAMES = ("acc", "sum", "res", "out", "total", "value")
_INDICES = ("i", "j", "k", "n")
#: Groups of made-up functions, as real ones have projects.
GROUPS = ("one", "two")


def made_function(rng: np.random.Generator, problem: int, *, bug: bool = False) -> str:
    """A function in C that solves one of the :data:`PROBLEMS`; with a ``bug`` it goes one step too far."""
    start, step = PROBLEMS[problem]
    name, index = rng.choice(_NAMES), rng.choice(_INDICES)
    step = step.format(x=f"a[{index}]").replace("acc", str(name))
    lines = [
        f"int f{rng.integers(9)}(int *a, int size) {{",
        f"int {name} = {start};",
        *[f"int {other} = {rng.integers(5)};" for other in ("left", "right", "step")[: rng.integers(4)]],
        f"for (int {index} = 0; {index} {'<=' if bug else '<'} size; {index}++)",
        f"{name} = {step};",
        f"return {name}; }}",
    ]
    return "\n".join(lines)


def made_module(rng: np.random.Generator, number: int) -> str:
    """A module in Python with functions that compare and subtract."""
    lines = []
    for each in range(number):
        first, second, third = rng.choice(("low", "high", "start", "stop", "size", "step"), 3, replace=False)
        lines += [
            f"def f{each}({first}, {second}, {third}={rng.integers(9)}):",
            f"    total = {first} - {second}",
            f"    while {second} < {first}:",
            f"        {second} = {second} + {third} * {rng.integers(1, 9)}",
            f"    return total + {second}",
        ]
    return "\n".join(lines)
