"""The design: sixteen formal languages × what mixes the tokens × how attention is told positions."""

from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.formal_models import (
    ALIBI,
    ATTENTION,
    LANGUAGE_ORDER,
    MODELS,
    NONE,
    POSITIONS,
    SINUSOIDAL,
    SIZES,
    Told,
    cell_label,
    mixer_name,
)
from inductive_bias.studies.scales import Scale

#: Who is told positions, and how; every model is also there without.
POSITIONED: tuple[Told, ...] = ((ATTENTION, SINUSOIDAL), (ATTENTION, ALIBI))
#: On the pages, in their order: recurrent, attention, and both.
MIXERS: tuple[Told, ...] = tuple(
    (model, positions)
    for model in MODELS
    for positions in POSITIONS
    if positions == NONE or (model, positions) in POSITIONED
)
MIXER_NAMES = tuple(mixer_name(*told) for told in MIXERS)


def cells(scale: Scale) -> Cells:
    """Every mixer on every language; trials of a language follow one another, as they share its strings."""
    sizes = SIZES[scale]
    for language in (name for name in LANGUAGE_ORDER if name in sizes.languages):
        for model, positions in MIXERS:
            runs = [sizes.trial(language, model, positions, seed=seed) for seed in range(sizes.seeds)]
            yield {"language": language, "model": model, "positions": positions}, runs


DESIGN = Design(cells, ("language", "model", "positions"), label=cell_label)
