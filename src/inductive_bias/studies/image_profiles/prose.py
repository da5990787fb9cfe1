"""Numbers that the sentences of the page on image models ask for by name."""

from collections.abc import Callable, Iterable

from inductive_bias.formatting import decimals, number, span
from inductive_bias.studies.image_axes import ARRANGED, INVARIANT
from inductive_bias.studies.image_profiles.design import TUNED, family
from inductive_bias.studies.image_profiles.figures import fitness_table
from inductive_bias.studies.image_profiles.measures import profiles
from inductive_bias.studies.known_image_models import PERCEPTRON, POOLED, UNPOOLED
from inductive_bias.studies.results import Results
from inductive_bias.tasks.image_probes import UntrainedImages

#: Families and models by what the page calls them.
GROUPS: dict[str, tuple[str, ...]] = {
    "averaged": (POOLED,),
    "flat": (UNPOOLED,),
    "perceptrons": (PERCEPTRON,),
    "convolutions": (POOLED, UNPOOLED),
    "unaveraged": (PERCEPTRON, UNPOOLED),
    "attention": ("Attention, patches",),
    "rsa": ("RSA, patches",),
    "lstm": ("LSTM, patches",),
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
    """Numbers of the page: models, axes that tell them apart, cells with the higher rate, and spans by axis and kind.

    Args:
        results: of the study.
        asked: names of spans, ``place-averaged``: an axis of :data:`SHORT` and what :data:`GROUPS` names.
    """

    def of(axis: str, group: str) -> str:
        found = profiles(results)[SHORT[axis]]
        kept = [value for model, value in found.dropna().items() if {model, family(model)} & {*GROUPS[group]}]
        return span(kept, decimals)

    def fit() -> str:
        told = fitness_table(results)["tells models apart"]
        return f"{(told == 'yes').sum()} of {len(told)}"

    def higher() -> str:
        found = TUNED.table[(TUNED.table["scale"] == results.scale) & TUNED.table["chosen"].astype(bool)]
        return f"{(found['learning_rate'] == found['learning_rate'].max()).sum()} of {len(found)}"

    spans = {name: (lambda name=name: of(*name.rsplit("-", 1))) for name in asked}
    return {"models": lambda: number(len(profiles(results))), "fit": fit, "higher-rate": higher, **spans}
