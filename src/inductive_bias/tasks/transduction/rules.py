"""What is to be answered about a string: seven tasks of Delétang et al. (2023), by the memory that they need.

Regular tasks need a finite state, context-free ones a stack, context-sensitive ones a tape (their table 1). Beside each
stands how often the best answer is right that knows the length of a string and the place of an answer alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int64, Integer

RuleName = Literal[
    "even_pairs",
    "modular_arithmetic",
    "parity",
    "cycle_navigation",
    "reverse_string",
    "duplicate_string",
    "bucket_sort",
]
RULE_NAMES: tuple[RuleName, ...] = get_args(RuleName)
Level = Literal["regular", "context-free", "context-sensitive"]

#: Places of the circle, and what arithmetic is modulo.
MODULUS = 5
#: Symbols of the arithmetic: digits, and after them the operators.
PLUS, TIMES, MINUS = range(MODULUS, MODULUS + 3)


@dataclass(frozen=True, eq=False)
class Rule:
    """One task.

    Attributes:
        title: as in the paper.
        level: of the hierarchy.
        symbols: of the alphabet.
        classes: of an answer.
        outputs: from the length of a string to how many answers there are.
        answer: from strings of one length ``[n, t]`` to their answers ``[n, o]``.
        constant: from a length to how often the best constant answer is right, at every place ``[o]``, exactly.
        expressions: whether strings are digits with operators between them, so that lengths are odd.
    """

    title: str
    level: Level
    symbols: int
    classes: int
    outputs: Callable[[int], int]
    answer: Callable[[Int64[np.ndarray, "n t"]], Int64[np.ndarray, "n o"]]
    constant: Callable[[int], Float[np.ndarray, " o"]]
    expressions: bool = False

    def fitting(self, length: int) -> int:
        """The length of a string where one of ``length`` is asked for: an even expression is one symbol shorter."""
        return length - 1 if self.expressions and length % 2 == 0 else length

    def drawn(self, uniform: Float[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
        """Strings from numbers in [0, 1), at every place each symbol that may stand there as often as another."""
        if not self.expressions:
            return (uniform * self.symbols).astype(np.int64)
        operators = np.arange(uniform.shape[1]) % 2
        return MODULUS * operators + (uniform * np.where(operators, self.symbols - MODULUS, MODULUS)).astype(np.int64)


def parity(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n 1"]:
    """Whether the number of ones is odd."""
    return strings.sum(axis=1, keepdims=True) % 2


def even_pairs(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n 1"]:
    """Whether the number of 01 and 10 is odd: the last symbol is then another than the first."""
    return (strings[:, :1] != strings[:, -1:]).astype(np.int64)


def cycle_navigation(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n 1"]:
    """The place on a circle of five, from place 0, where 0 is a step back, 1 none and 2 a step ahead."""
    return (strings - 1).sum(axis=1, keepdims=True) % MODULUS


def modular_arithmetic(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n 1"]:
    """The value of an expression modulo five; products come before sums."""
    total, term = np.zeros(len(strings), np.int64), strings[:, 0]
    for operator, digit in zip(strings[:, 1::2].T, strings[:, 2::2].T, strict=True):
        product = operator == TIMES
        total = np.where(product, total, total + term) % MODULUS
        term = np.where(product, term * digit, np.where(operator == PLUS, digit, -digit)) % MODULUS
    return ((total + term) % MODULUS)[:, None]


def reverse_string(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """The string from its end."""
    return strings[:, ::-1].copy()


def duplicate_string(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n o"]:
    """The string, and once more."""
    return np.tile(strings, 2)


def bucket_sort(strings: Integer[np.ndarray, "n t"]) -> Int64[np.ndarray, "n t"]:
    """Symbols of a string from the lowest to the highest."""
    return np.sort(strings, axis=1)


def _alike(outputs: Callable[[int], int]) -> Callable[[int], Float[np.ndarray, " o"]]:
    """Two answers, one as probable as the other at every place."""
    return lambda length: np.full(outputs(length), 0.5)


def _of_pairs(length: int) -> Float[np.ndarray, " 1"]:
    """The first symbol is the last one of a string of one."""
    return np.array([0.5 if length > 1 else 1.0])


def _of_walks(length: int) -> Float[np.ndarray, " 1"]:
    at = np.eye(MODULUS)[0]
    for _ in range(length):
        at = (np.roll(at, 1) + at + np.roll(at, -1)) / 3
    return at.max(keepdims=True)


def _of_expressions(length: int) -> Float[np.ndarray, " 1"]:
    """By the chances of every value of the finished terms, and of the term that is being read."""
    digits = np.arange(MODULUS)
    now = np.zeros((MODULUS, MODULUS))
    now[0] = 1 / MODULUS
    for _ in range(length // 2):
        after = np.zeros_like(now)
        for total, term in np.ndindex(now.shape):
            chance = now[total, term] / (3 * MODULUS)
            # a sum or a difference begins a term, which is each of five as often; a product goes on with it
            after[(total + term) % MODULUS] += 2 * chance
            np.add.at(after[total], term * digits % MODULUS, chance)
        now = after
    values = np.zeros(MODULUS)
    np.add.at(values, np.add.outer(digits, digits) % MODULUS, now)
    return values.max(keepdims=True)


def _of_sorted(length: int) -> Float[np.ndarray, " t"]:
    """The i-th lowest symbol is at most s where at least i of the symbols are: a binomial distribution."""
    several = np.arange(length + 1)
    log_factorial = np.log(np.maximum(several, 1)).cumsum()
    log_ways = log_factorial[-1] - log_factorial - log_factorial[::-1]
    below = [np.zeros(length)]
    for share in np.arange(1, MODULUS) / MODULUS:
        counts = np.exp(log_ways + several * np.log(share) + several[::-1] * np.log1p(-share))
        below.append(1 - counts.cumsum()[:-1])
    return np.diff([*below, np.ones(length)], axis=0).max(axis=0)


def _one(length: int) -> int:
    return 1


def _as_many(length: int) -> int:
    return length


def _twice(length: int) -> int:
    return 2 * length


_REGULAR, _FREE, _SENSITIVE = get_args(Level)
#: In the order of the paper's table.
RULES: dict[RuleName, Rule] = {
    "even_pairs": Rule("Even Pairs", _REGULAR, 2, 2, _one, even_pairs, _of_pairs),
    "modular_arithmetic": Rule(
        "Modular Arithmetic",
        _REGULAR,
        MODULUS + 3,
        MODULUS,
        _one,
        modular_arithmetic,
        _of_expressions,
        expressions=True,
    ),
    "parity": Rule("Parity Check", _REGULAR, 2, 2, _one, parity, _alike(_one)),
    "cycle_navigation": Rule("Cycle Navigation", _REGULAR, 3, MODULUS, _one, cycle_navigation, _of_walks),
    "reverse_string": Rule("Reverse String", _FREE, 2, 2, _as_many, reverse_string, _alike(_as_many)),
    "duplicate_string": Rule("Duplicate String", _SENSITIVE, 2, 2, _twice, duplicate_string, _alike(_twice)),
    "bucket_sort": Rule("Bucket Sort", _SENSITIVE, MODULUS, MODULUS, _as_many, bucket_sort, _of_sorted),
}
