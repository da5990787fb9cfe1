"""The design as it is to be: every model is trained until it masters its training lengths, or for long.

Of the published runs of 800 steps RSA and its twin master few languages both, and a comparison on longer strings means
little elsewhere. Here training ends once 99 % of the validation strings are right after two epochs in a row, and after
eight times as many steps at the latest. Beside RSA without positions stands RSA that is told them, for attention that
is told them to have a twin: without any it cannot know how many equal symbols it has read, as (aa)* asks.

The rules, before any of these runs: R9 and RH as they are, on these runs alone. R9-told, beside R9: RSA with sinusoidal
positions against attention with them, on the regular languages whose training lengths both master, by R9's margin and
preconditions.

These cells wait until they have runs, since whoever opened the page would train them::

    inductive-bias run regular_languages --scale laptop --planned mastery
"""

from dataclasses import replace

from inductive_bias.studies.regular_languages.claims import MASTERED
from inductive_bias.studies.regular_languages.design import RSA, SINUSOIDAL, SIZES, TOLD, Sizes, design_of
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import FormalLanguage

#: How many times as long training may go on, and how many runs there are.
LONGER, SEEDS = 8, 8


def _until_mastered(scale: Scale) -> Sizes:
    sizes = SIZES[scale]
    # all validation strings are looked at, or those that are not would decide whether they are mastered
    watched = sizes.task.get("validation_size", FormalLanguage.model_fields["validation_size"].default)
    task = {**sizes.task, "mastered": MASTERED, "watched": watched}
    seeds = sizes.seeds if scale == "smoke" else SEEDS
    return replace(sizes, epochs=LONGER * sizes.epochs, seeds=seeds, task=task, told=(*TOLD, (RSA, SINUSOIDAL)))


MASTERY = design_of({scale: _until_mastered(scale) for scale in SIZES})
