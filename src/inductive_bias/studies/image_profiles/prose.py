"""Numbers that the sentences of the page on image models ask for by name."""

from collections.abc import Callable, Iterable

from inductive_bias.formatting import decimals, number, span
from inductive_bias.studies.image_axes import ARRANGED, INVARIANT
from inductive_bias.studies.image_profiles.design import family
from inductive_bias.studies.image_profiles.figures import fitness_table
from inductive_bias.studies.image_profiles.measures import profiles
from inductive_bias.studies.known_image_models import PERCEPTRON, POOLED, UNPOOLED
from inductive_bias.studies.results import Results
from inductive_bias.tasks.image_probes import UntrainedImages

#: Models by what the page calls them.
GROUPS: dict[str, tuple[str, ...]] = {
    "averaged": (POOLED,),
    "flat": (UNPOOLED,),
    "perceptrons": (PERCEPTRON,),
    "convolutions": (POOLED, UNPOOLED),
    "unaveraged": (PERCEPTRON, UNPOOLED),
}
#: Axes by a short name.
SHORT = {
    "place": "shape over place",
    "texture": "shape over texture",
    "brightness": "shape over brightness",
    "shift": "shift",
    "scale": "scale",
    "rotation": "rotation",
    "invariance": INVARIANT,
    "start": UntrainedImages.axis,
    "pieces": ARRANGED,
    "number": "number",
    "sameness": "sameness",
    "digits": "digits",
}


def images(results: Results, asked: Iterable[str]) -> dict[str, Callable[[], str]]:
    """Numbers of the page: how many models and axes there are, and spans by axis and kind of model.

    Args:
        results: of the study.
        asked: names of spans, ``place-averaged``: an axis of :data:`SHORT` and models of :data:`GROUPS`.
    """

    def of(axis: str, group: str) -> str:
        found = profiles(results)[SHORT[axis]]
        kept = [value for model, value in found.dropna().items() if family(model) in GROUPS[group]]
        return span(kept, decimals)

    def fit() -> str:
        told = fitness_table(results)["tells models apart"]
        return f"{(told == 'yes').sum()} of {len(told)}"

    spans = {name: (lambda name=name: of(*name.rsplit("-", 1))) for name in asked}
    return {"models": lambda: number(len(profiles(results))), "fit": fit, **spans}
