"""What a claim's rule asked at every commit: its margins and the kinds of rule, read from the source.

A rule is the function that a ``Claim`` names, with all functions and constants of its module that it reaches. Its
*margins* are the numbers of these constants, its *kinds* the calls of the language of verdicts. Names, comments, words
for readers and the order of lines do not count.
"""

import ast
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HOME = Path(__file__).parents[1]
STUDIES = "src/inductive_bias/studies"
#: Calls that make a rule what it is. Two ways to write a precondition are one kind.
KINDS = {
    name: name
    for name in (
        *("exceeds", "falls_below", "equivalent", "ordered", "exists", "opposed", "any_of", "not_", "some_run"),
        *("every_run", "spread", "rank", "difference_of", "half_of", "after_looks"),
    )
} | {"given": "precondition", "untestable": "precondition"}
#: Values of runs that diverge, guess or go right altogether: no margins.
ENDS = (0.0, 1.0)


@dataclass(frozen=True)
class Rule:
    """What is asked at one commit."""

    margins: tuple[float, ...]
    kinds: tuple[str, ...]


def git(*words: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=HOME, capture_output=True, text=True, check=True).stdout


def has_history() -> bool:
    """Whether this is a whole clone: a release archive or a shallow clone knows nothing of the past."""
    if not (HOME / ".git").exists():
        return False
    return git("rev-parse", "--is-shallow-repository").strip() == "false"


def rules_in(source: str) -> dict[str, Rule]:
    """The rules of all claims that a module declares, by id; a claim whose id is computed is left out."""
    tree = ast.parse(source)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    constants = {name: value for node in tree.body for name, value in _assigned(node)}
    found = {}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _name(node.func) == "Claim"):
        fields = dict(zip(("id", "page", "source", "statement", "paper", "rule"), call.args, strict=False))
        fields |= {each.arg: each.value for each in call.keywords}
        if isinstance(fields.get("id"), ast.Constant) and "rule" in fields:
            reached = _reached(fields["rule"], functions)
            found[fields["id"].value] = Rule(_margins(reached, constants), _kinds(reached))
    return found


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from ((each.id, part) for each, part in zip(target.elts, value.elts, strict=True))


def _reached(rule: ast.expr, functions: dict[str, ast.FunctionDef]) -> list[ast.AST]:
    """The rule and every function of the module that it calls, directly or not."""
    known, waiting = {}, [("", rule)]
    while waiting:
        name, node = waiting.pop()
        known[name] = node
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        waiting += [(each, functions[each]) for each in names & functions.keys() - known.keys()]
    return list(known.values())


def _margins(reached: list[ast.AST], constants: dict[str, ast.expr]) -> tuple[float, ...]:
    names = {each.id for node in reached for each in ast.walk(node) if isinstance(each, ast.Name)}
    parts = [constants[name] for name in names & constants.keys() if name.isupper()]
    return tuple(sorted({float(each.value) for part in parts for each in ast.walk(part) if _is_number(each)} - {*ENDS}))


def _kinds(reached: list[ast.AST]) -> tuple[str, ...]:
    calls = (_name(each.func) for node in reached for each in ast.walk(node) if isinstance(each, ast.Call))
    return tuple(sorted({KINDS[name] for name in calls if name in KINDS}))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def versions(path: str) -> Iterator[tuple[str, dict[str, Rule]]]:
    """Every commit of this branch that changed a module, the oldest first, with its rules then."""
    for commit in git("log", "--reverse", "--format=%H", "--", path).split():
        try:
            yield commit, rules_in(git("show", f"{commit}:{path}"))
        except (subprocess.CalledProcessError, SyntaxError):  # the commit that removed it
            continue


@lru_cache
def first_published(study: str) -> str:
    """The commit with which a study was first published; empty if it never was."""
    path = f"data/results/{study}/manifest.json"
    for commit in git("log", "--reverse", "--format=%H", "--", path).split():
        if "laptop" in json.loads(git("show", f"{commit}:{path}")):
            return commit
    return ""


@lru_cache
def places() -> dict[str, int]:
    """Every commit of this branch by its place in time, parents before their children."""
    return {commit: place for place, commit in enumerate(git("rev-list", "--reverse", "--topo-order", "HEAD").split())}


def at_first_publication(path: str, study: str) -> dict[str, Rule]:
    """What every claim of a module asked when it was first published; none of a study that never was.

    A claim that came later counts from its first version on; one that was gone by then was never published.
    """
    published = places().get(first_published(study))
    if published is None:
        return {}
    found: dict[str, Rule] = {}
    for commit, rules in versions(path):
        if places()[commit] <= published:
            found = rules
        else:
            found |= {name: rule for name, rule in rules.items() if name not in found}
    return found
