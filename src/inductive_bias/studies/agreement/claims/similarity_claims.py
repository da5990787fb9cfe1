"""What is asked of final representations beside the way to a teacher: do trials agree, does self-distillation matter?

Runs are compared with those of their block, see :mod:`~inductive_bias.studies.agreement.measures`: what is drawn anew
is a block. The text sees both in a map and prints no number, so that the margin is our own. The data were known when
these rules were written.
"""

from inductive_bias import verdicts
from inductive_bias.formatting import short
from inductive_bias.studies.agreement.design import LADDER, SEQUENTIAL, SHARED, STRONG, WEAK
from inductive_bias.studies.agreement.measures import UNLIKE, nearness
from inductive_bias.studies.claims import Finding, in_words
from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.representations import FORMS
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import Contrast

#: A similarity counts as another from a twentieth of the way between *nothing alike* (0) and *the same* (1).
APART = 0.05
#: The form that decides, see ``FORMS``.
CENTRED = "centred"


def trials_vary(results: Results) -> Finding:
    """Likeness of two LSTMs that learnt alone minus that of two bidirectional Transformers, by block."""
    found = {(model, form): _more_alike(results, model, form) for model, form in _looks()}
    judgement = verdicts.exceeds(found[WEAK, CENTRED], APART)
    return Finding(judgement, note=in_words(*found.values(), units=True))


def _looks() -> list[tuple[str, str]]:
    """What is looked at: first what decides, then the other Transformers, then the other measures."""
    return [(model, CENTRED) for model in (WEAK, SEQUENTIAL, SHARED)] + [
        (WEAK, form) for form in FORMS if form != CENTRED
    ]


def _more_alike(results: Results, model: str, form: str) -> Contrast:
    alike = (nearness(results.table("similarity"), each, each, NO_TEACHER, form) for each in (STRONG, model))
    name = f"{short(STRONG)}s − {short(model)}s"
    return verdicts.paired(*alike, name=name, unit=f"similarity of two runs ({form})", failed_value=UNLIKE)


def self_distillation_leaves_them(results: Results) -> Finding:
    """Likeness to models that learnt alone: of models that their own kind taught, minus of each other, by block."""
    changes = {model: _changed(results, model) for model in LADDER}
    decide = [changes[model] for model in (WEAK, STRONG)]
    judgement = verdicts.all_of([verdicts.equivalent(each, APART) for each in decide])
    return Finding(judgement, note=in_words(*changes.values(), units=True))


def _changed(results: Results, model: str) -> Contrast:
    kinds = (nearness(results.table("similarity"), model, model, teacher) for teacher in (model, NO_TEACHER))
    name, unit = f"{short(model)} by its own kind − alone", f"similarity ({CENTRED}) to {short(model)}s"
    return verdicts.unpaired(*kinds, name=name, unit=unit, failed_value=UNLIKE)
