"""What a claim's rule asked at every commit: its margins and the kinds of rule, read from the source.

A rule is the function that a ``Claim`` names, with all functions and constants that it reaches in its module, and in
the modules of studies from which that one imports them (but for designs). Its *margins* are the numbers of these
constants, its *kinds* the calls of the language of verdicts. Names, comments, words for readers and the order of lines
do not count, nor do guards against cells that have no run yet: an exception does their work now.
"""

import ast
import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path

HOME = Path(__file__).parents[1]
STUDIES = "src/inductive_bias/studies"
#: Calls that make a rule what it is. Three ways to write a precondition are one kind.
KINDS = {
    name: name
    for name in (
        *("exceeds", "falls_below", "equivalent", "ordered", "exists", "opposed", "any_of", "not_", "some_run"),
        *("every_run", "spread", "rank", "difference_of", "half_of", "after_looks"),
    )
} | {"given": "precondition", "given_all": "precondition", "untestable": "precondition"}
#: Values of runs that diverge, guess or go right altogether: no margins.
ENDS = (0.0, 1.0)
#: From the path of a module of studies to its source; None if there is none.
Source = Callable[[str], str | None]
#: Functions and names with which rules asked whether a cell had a run, before an exception said so.
GUARDS = {"lacking", "absent", "no_runs_yet", "has_judged"}
#: Modules whose constants say what is run, and not what is asked.
NO_RULES = {"design", "searching", "scales", "tables"}
#: Where modules of claims stood before, by where they stand now; a folder stands for all that is in it.
MOVED = {
    f"{STUDIES}/shift": f"{STUDIES}/automata/shift",
    f"{STUDIES}/supervision": f"{STUDIES}/automata/supervision",
    f"{STUDIES}/automata/claims/depth.py": f"{STUDIES}/automata/claims.py",
    f"{STUDIES}/automata/claims/speed.py": f"{STUDIES}/automata/speed/claims.py",
    f"{STUDIES}/automata/claims/explanation.py": f"{STUDIES}/automata/explanation/claims.py",
    f"{STUDIES}/agreement/claims/__init__.py": f"{STUDIES}/agreement/claims.py",
    f"{STUDIES}/mastery": f"{STUDIES}/regular_languages/mastery",
    f"{STUDIES}/elsewhere": f"{STUDIES}/signal_vs_samples/elsewhere",
}


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


def nothing(path: str) -> None:
    """Of no module is the source known."""


def rules_in(source: str, known: Source = nothing) -> dict[str, Rule]:
    """The rules of all claims that a module declares, by id; a claim whose id is computed is left out.

    Args:
        source: of the module.
        known: from the path of another module of studies to its source; None if there is none.
    """
    module = Module(source, known)
    found = {}
    for call in (node for node in ast.walk(module.tree) if isinstance(node, ast.Call) and _name(node.func) == "Claim"):
        fields = dict(zip(("id", "page", "source", "statement", "paper", "rule"), call.args, strict=False))
        fields |= {each.arg: each.value for each in call.keywords}
        if isinstance(fields.get("id"), ast.Constant) and "rule" in fields:
            reached = _reached(fields["rule"], module)
            found[fields["id"].value] = Rule(_margins(reached), _kinds(reached))
    return found


class Module:
    """A module without guards: what it defines, and what it imports from other modules of studies."""

    def __init__(self, source: str, known: Source):
        self._known = known
        self.tree = WithoutGuards().visit(ast.parse(source))
        self._own = {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef)}
        self._own |= {name: value for node in self.tree.body for name, value in _assigned(node)}
        self._imported = {
            each.asname or each.name: (node.module, each.name)
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and node.module
            for each in node.names
        }
        self._others: dict[str, Module | None] = {}

    def found(self, name: str) -> tuple["Module", ast.AST] | None:
        """The function or constant of that name, with the module that defines it."""
        if name in self._own:
            return self, self._own[name]
        module, name = self._imported.get(name, ("", name))
        there = self._other(module)
        return there.found(name) if there else None

    def found_in(self, module: str, name: str) -> tuple["Module", ast.AST] | None:
        """The function or constant ``module.name``, where this module imports that one as a whole."""
        there = self._other(".".join(self._imported.get(module, ())))
        return there.found(name) if there else None

    def _other(self, module: str) -> "Module | None":
        parts = module.split(".")
        if parts[:2] != ["inductive_bias", "studies"] or len(parts) < 3 or parts[-1] in NO_RULES:
            return None
        if module not in self._others:
            path = f"src/{'/'.join(parts)}"
            source = self._known(f"{path}.py") or self._known(f"{path}/__init__.py")
            self._others[module] = Module(source, self._known) if source else None
        return self._others[module]


class WithoutGuards(ast.NodeTransformer):
    """Takes out what asks whether a cell has a run."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """What follows a guard stays."""
        self.generic_visit(node)
        asked = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
        refuses = any(
            _name(each.func) == "untestable"
            for part in node.body
            for each in ast.walk(part)
            if isinstance(each, ast.Call)
        )
        return (node.orelse or ast.Pass()) if asked & GUARDS and refuses else node


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            yield from ((each.id, part) for each, part in zip(target.elts, value.elts, strict=True))


def _reached(rule: ast.expr, module: Module) -> list[tuple[str, ast.AST]]:
    """The rule, and every function and constant that it uses, directly or not, each with its name."""
    known, waiting, found = set(), [("", module, rule)], []
    while waiting:
        name, where, node = waiting.pop()
        found.append((name, node))
        names = {(each.id, "") for each in ast.walk(node) if isinstance(each, ast.Name)}
        names |= {
            (each.attr, each.value.id)
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
        }
        for each, of in names:
            there = where.found_in(of, each) if of else where.found(each)
            if there and id(there[1]) not in known:
                known.add(id(there[1]))
                waiting.append((each, *there))
    return found


def _margins(reached: list[tuple[str, ast.AST]]) -> tuple[float, ...]:
    parts = [node for name, node in reached if name.isupper()]
    return tuple(sorted({float(each.value) for part in parts for each in ast.walk(part) if _is_number(each)} - {*ENDS}))


def _kinds(reached: list[tuple[str, ast.AST]]) -> tuple[str, ...]:
    calls = (_name(each.func) for _, node in reached for each in ast.walk(node) if isinstance(each, ast.Call))
    return tuple(sorted({KINDS[name] for name in calls if name in KINDS}))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@cache
def at(commit: str, path: str) -> str | None:
    """A file at a commit; None if there was none."""
    try:
        return git("show", f"{commit}:{path}")
    except subprocess.CalledProcessError:
        return None


def on_disk(path: str) -> str | None:
    """A file as it is now; None if there is none."""
    return (HOME / path).read_text("utf8") if (HOME / path).is_file() else None


def before_it_moved(path: str) -> str | None:
    """Where a module stood before; None if it has always stood there."""
    return next((path.replace(now, before) for now, before in MOVED.items() if path.startswith(now)), None)


def versions(path: str, *, alone: bool) -> Iterator[tuple[str, dict[str, Rule]]]:
    """Every commit of this branch that changed a module, the oldest first, with its rules then.

    Args:
        path: of the module.
        alone: whether what it imports does not count.
    """
    for place in filter(None, (before_it_moved(path), path)):
        for commit in git("log", "--reverse", "--format=%H", "--", place).split():
            source = at(commit, place)
            try:
                if source is not None:  # the commit that removed it
                    yield commit, rules_in(source, nothing if alone else partial(at, commit))
            except SyntaxError:
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


def at_first_publication(path: str, study: str, *, alone: bool = True) -> dict[str, Rule]:
    """What every claim of a module asked when it was first published; none of a study that never was.

    A claim that came later counts from its first version on; one that was gone by then was never published.
    """
    published = places().get(first_published(study))
    if published is None:
        return {}
    found: dict[str, Rule] = {}
    for commit, rules in versions(path, alone=alone):
        if places()[commit] <= published:
            found = rules
        else:
            found |= {name: rule for name, rule in rules.items() if name not in found}
    return found


def changed_since(path: str, study: str) -> dict[str, tuple[Rule, Rule | None]]:
    """The rules of a module that are not what they were when first published: then, and now.

    A rule is the same if its module alone says the same, or its module and what it imports do: a helper may have moved
    into another module, and another study may have widened a helper that it shares.
    """
    found = []
    for alone in (True, False):
        before, source = at_first_publication(path, study, alone=alone), on_disk(path) or ""
        now = rules_in(source, nothing if alone else on_disk)
        found.append({name: (rule, now.get(name)) for name, rule in before.items() if now.get(name) != rule})
    return {name: rules for name, rules in found[0].items() if name in found[1]}
