"""Made-up requests for flights: what stands in for real ones in small runs."""

import numpy as np

from inductive_bias.tasks.slots.files import OUTSIDE, Request

SOURCE = "generated:flight requests"

_CITIES = ("boston", "denver", "dallas", "atlanta", "new york", "san francisco", "new orleans", "salt lake city")
_DAYS = ("monday", "tuesday", "friday", "sunday")
#: What may stand in a slot.
FILLERS: dict[str, tuple[str, ...]] = {
    "fromloc.city_name": _CITIES,
    "toloc.city_name": _CITIES,
    "depart_date.day_name": _DAYS,
    "return_date.day_name": _DAYS,
    "depart_time.period_of_day": ("morning", "afternoon", "late evening"),
    "airline_name": ("delta", "lufthansa", "united airlines", "air canada"),
}
#: Requests, slots in braces. Whether the first city of two of them is where the flight begins or ends is only told by
#: the word after it.
PATTERNS = (
    "show me flights from {fromloc.city_name} to {toloc.city_name} on {depart_date.day_name}",
    "flights on {depart_date.day_name} {depart_time.period_of_day} from {fromloc.city_name} to {toloc.city_name}",
    "i want to fly to {toloc.city_name} on {airline_name} please",
    "what is the cheapest fare from {fromloc.city_name} to {toloc.city_name} with {airline_name}",
    "{fromloc.city_name} to {toloc.city_name} on {depart_date.day_name} returning on {return_date.day_name}",
    "{toloc.city_name} flights with {airline_name} in the {depart_time.period_of_day}",
)


def _filled(pattern: str, fillers: dict[str, str]) -> Request:
    words, tags = [], []
    for part in pattern.split():
        kind = part[1:-1] if part.startswith("{") else None
        found = fillers[kind].split() if kind else [part]
        words += found
        tags += [OUTSIDE] if kind is None else [f"B-{kind}", *(f"I-{kind}" for _ in found[1:])]
    return Request(tuple(words), tuple(tags))


def requests(rng: np.random.Generator, number: int, *, every_tag: bool = False) -> list[Request]:
    """A ``number`` of random requests; with ``every_tag`` the first ones together have all tags."""
    last = {kind: words[-1] for kind, words in FILLERS.items()}  # the longest of each kind
    first = [_filled(pattern, last) for pattern in PATTERNS] if every_tag else []
    drawn = [
        _filled(str(rng.choice(PATTERNS)), {kind: str(rng.choice(words)) for kind, words in FILLERS.items()})
        for _ in range(number - len(first))
    ]
    return (first + drawn)[:number]


def all_words() -> set[str]:
    """Every word that a request can have."""
    fixed = {part for pattern in PATTERNS for part in pattern.split() if not part.startswith("{")}
    return fixed | {word for words in FILLERS.values() for filler in words for word in filler.split()}


def all_tags() -> set[str]:
    """Every tag that a word can have."""
    return {
        tag for request in requests(np.random.default_rng(0), len(PATTERNS), every_tag=True) for tag in request.tags
    }
