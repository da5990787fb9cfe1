"""Verdicts from numbers of seeds: contrasts, the rules over them, and the correction for their number.

It knows nothing of studies: pandas and numbers go in, a :class:`Judgement` comes out. A rule has two sides, *holds* and
*fails*, each with a p-value; whichever is below :data:`ALPHA` is the verdict, so that a true null becomes *not
reproduced* with enough seeds.
"""

from inductive_bias.verdicts.contrast import Contrast
from inductive_bias.verdicts.contrasts import (
    average,
    crossed,
    difference_of,
    of_items,
    paired,
    rank,
    relative,
    resampled,
    single,
    spread,
    unpaired,
)
from inductive_bias.verdicts.hypothesis import Asked
from inductive_bias.verdicts.judgement import DECIDED, OWN_WORDS, VERDICTS, Judgement, Side, Verdict
from inductive_bias.verdicts.multiplicity import corrected
from inductive_bias.verdicts.rules import (
    HalfOf,
    after_looks,
    all_of,
    any_of,
    at_look,
    equivalent,
    exceeds,
    exists,
    falls_below,
    given,
    given_all,
    half_of,
    not_,
    opposed,
    ordered,
    untestable,
)
from inductive_bias.verdicts.runs import every_run, some_run
from inductive_bias.verdicts.seeds import partners
from inductive_bias.verdicts.test_statistics import ALPHA, POWER

__all__ = [
    "ALPHA",
    "DECIDED",
    "OWN_WORDS",
    "POWER",
    "VERDICTS",
    "Asked",
    "Contrast",
    "HalfOf",
    "Judgement",
    "Side",
    "Verdict",
    "after_looks",
    "all_of",
    "any_of",
    "at_look",
    "average",
    "corrected",
    "crossed",
    "difference_of",
    "equivalent",
    "every_run",
    "exceeds",
    "exists",
    "falls_below",
    "given",
    "given_all",
    "half_of",
    "not_",
    "of_items",
    "opposed",
    "ordered",
    "paired",
    "partners",
    "rank",
    "relative",
    "resampled",
    "single",
    "some_run",
    "spread",
    "unpaired",
    "untestable",
]
