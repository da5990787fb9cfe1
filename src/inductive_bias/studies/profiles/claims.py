"""What the study tests, and the rule by which each sentence is judged; written before the runs of the population.

Pilots were seen when the rules were written: one seed (1) of six models with two blocks of width 32, at both rates. An
LSTM followed the last symbol in .72 and .81 of the conflicts, attention in none (P1), and RSA had an answer by place
where an LSTM and attention without positions looked for the marker (which speaks against P2). Of P3 and P4 nothing was
seen. These four know 22 models, nine probes and four runs, which were looked at once.

P5 was declared on 28 November 2026, with eight further models, the probe of untrained models and runs 4 to 7 of eight
models, before any of these ran. It compares runs 0 to 3 of these eight with their runs 4 to 7, each model beside the
other seven. What was seen before: of the first publication's 198 words from runs 0 and 1, 158 were the words from runs
2 and 3. Four runs on each side say more than two, so that nine of ten is asked. P1 to P4 are not judged again.

P6 was declared on 30 November 2026, with four models of about 100,000 weights, before any run of these. It asks the
question of P4 between 20,000 and 100,000 weights, with the probes, the run numbers and the margin of P4, and is looked
at once. What was known: the published result of P4 (+.140 [+.110, +.170] in the distance of profiles), and all runs of
the models with 20,000 weights, which P6 reads as well.

P7 to P9 were declared on 30 November 2026, with the students of two models, before any run of a student. They are
looked at once, with the nine probes, the four run numbers and the margin of P2. A student's distance to its teacher's
run is compared with that of a student of its own kind, so that learning from probabilities is on both sides. P7 asks it
of attention that an LSTM taught, P8 of an LSTM that attention taught, both on all axes. P9 asks it on the axes of
preferences alone, mean of both directions: there the labels leave open what a teacher could decide. What was known: all
runs of the two models themselves. No student of any model had been profiled on these probes.

Changed on 30 November 2026, when all data were known: P3, P4 and P6 are sentences about models or mixers in general, so
that these are what is sampled, as in P5. Their rules before took four runs of the same models as the sample, and said
*confirmed*; what these runs say is told beside the verdict. P1, P2, P7 and P8 name their models, and there runs are the
sample. P9 looks at one pair of models: its sentence says so now, and its rule is as before.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import combinations
from typing import TypeVar

import pandas as pd

from inductive_bias.errors import NoRunsError
from inductive_bias.studies.claims import Claim, Finding, in_words
from inductive_bias.studies.known_models import ATTENTION, RECURRENT
from inductive_bias.studies.profiles.design import (
    FIRST_MODELS,
    cell,
    family,
    repeated_models,
    student,
    teachers,
    usual_runs,
)
from inductive_bias.studies.profiles.measures import (
    PREFERENCES,
    distances,
    first_publication,
    on_first_probes,
    repeated_words,
    taught,
)
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import CONFLICT
from inductive_bias.verdicts import Contrast, exceeds, of_items, paired, single, untestable

PAGE, TEACHERS_PAGE = "profiles/architectures", "profiles/teachers"
OWN = "a question of our own"
#: P1: a share of answers.
MORE_RECENT = 0.2
#: P2 to P4, and P6 to P9: a distance between profiles, in shares, see :func:`~.measures.distance`.
NEARER, DISTANCE = 0.05, "distance of profiles"
#: P5: a share of axes.
SAME_WORDS = 0.9
#: P9: two profiles without a common axis are as far apart as two answers by chance.
NO_AXIS = 0.5
T = TypeVar("T")
#: P4 and P6: mixers that the population has at three sizes; each at its usual size and at a smaller or a larger one.
MIXERS = ("Attention, RoPE", "RSA", "Linear RNN", "LSTM")
SMALLER = tuple((name, f"{name}, small") for name in MIXERS)
LARGER = tuple((name, f"{name}, large") for name in MIXERS)


def follows_the_last_symbol(results: Results) -> Finding:
    """P1: the share of conflicts that an LSTM decides by the last symbol, less attention's."""
    last = usual_runs(results.scale) - 1
    lstm, attention = (
        results.values("preference", split=CONFLICT, **cell(name, "recency or majority")).loc[:last]
        for name in ("LSTM", "Attention")
    )
    # a run that decides no conflict by either rule prefers none of them
    contrast = paired(lstm, attention, name="LSTM − attention", unit="share of conflicts", failed_value=0.5)
    return Finding(exceeds(contrast, MORE_RECENT), contrast)


def lies_between(results: Results) -> Finding:
    """P2: attention's distance to the LSTM less RSA's."""
    attention, rsa = (distances(first_publication(results), [(name, "LSTM")]) for name in ("Attention", "RSA"))
    contrast = paired(attention, rsa, name="attention to LSTM − RSA to LSTM", unit=DISTANCE)
    return Finding(exceeds(contrast, NEARER), contrast)


def families_cluster(results: Results) -> Finding:
    """P3: the mean distance between families less that within, of attention and recurrent models, over models.

    The sentence is about families, so that the models are what is sampled. The note says what the runs of these models
    say alone.
    """
    table = first_publication(results)
    models = [name for name in table["model"].unique() if family(name) in (ATTENTION, RECURRENT)]

    def apart(chosen: Sequence[str]) -> pd.Series:
        pairs = list(combinations(chosen, 2))
        between, within = (
            distances(table, [(a, b) for a, b in pairs if (family(a) != family(b)) == wanted])
            for wanted in (True, False)
        )
        return between - within

    same = single(apart(models), name=f"the runs of these {len(models)} models alone", unit=DISTANCE)
    # a family of one is gone when its model is left out
    if min(Counter(map(family, models)).values()) < 2:
        return Finding(untestable("a family of one model says nothing of families"), same)
    contrast = _over(models, apart, name="between − within families", item="models")
    return Finding(exceeds(contrast, NEARER), contrast, in_words(same, units=True))


def _over(items: Sequence[T], difference: Callable[[Sequence[T]], pd.Series], *, name: str, item: str) -> Contrast:
    """A mean difference with the items as a sample: each is left out once (jackknife).

    Args:
        items: models, or mixers.
        difference: of the runs, with some of the items.
        name: of the contrast.
        item: the word for them.
    """
    n, whole = len(items), float(difference(items).mean())
    without = [float(difference([other for other in items if other != left]).mean()) for left in items]
    values = pd.Series([n * whole - (n - 1) * rest for rest in without])
    return of_items(single(values, name=f"{name}, {n} {item} as a sample", unit=DISTANCE), item)


def size_matters_less(results: Results) -> Finding:
    """P4: the mean distance between mixers of one size less that between two sizes of one mixer, over four mixers."""
    return _mixer_against_size(first_publication(results), SMALLER)


def larger_size_matters_less(results: Results) -> Finding:
    """P6: the same as P4, between the usual and a larger size."""
    models = {name for pair in LARGER for name in pair}
    return _mixer_against_size(on_first_probes(results, models), LARGER)


def _mixer_against_size(table: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> Finding:
    """The mean distance between mixers of the usual size less that between the two sizes of each pair.

    The sentence is about mixers, so that these are what is sampled. The note says what the runs of these mixers say
    alone.
    """

    def more(chosen: Sequence[tuple[str, str]]) -> pd.Series:
        return distances(table, combinations([usual for usual, _ in chosen], 2)) - distances(table, chosen)

    same = single(more(pairs), name=f"the runs of these {len(pairs)} mixers alone", unit=DISTANCE)
    contrast = _over(pairs, more, name="other mixer − other size", item="mixers")
    return Finding(exceeds(contrast, NEARER), contrast, in_words(same, units=True))


def moves(results: Results, *, teacher: int) -> Finding:
    """P7, P8: what the student of this one of the two models is nearer to it than the student of its own kind."""
    first, second = teachers(results.scale)
    kind, other = (first, second) if teacher else (second, first)
    return _nearer_to_teacher(taught(results), [(kind, other)])


def preferences_pass_on(results: Results) -> Finding:
    """P9: the same as P7 and P8 on the axes of preferences, mean of both directions."""
    first, second = teachers(results.scale)
    table = taught(results)
    return _nearer_to_teacher(table[table["axis"].isin(PREFERENCES)], [(first, second), (second, first)])


def _nearer_to_teacher(table: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> Finding:
    """Mean over pairs of a kind and its teacher: the distance of the own kind's student to it less the student's."""
    own = distances(table, [(student(kind, kind), teacher) for kind, teacher in pairs])
    other = distances(table, [(student(kind, teacher), teacher) for kind, teacher in pairs])
    contrast = paired(
        own, other, name="own kind’s student − student, to the teacher", unit=DISTANCE, failed_value=NO_AXIS
    )
    return Finding(exceeds(contrast, NEARER), contrast)


def words_repeat(results: Results) -> Finding:
    """P5: the share of axes on which the two halves of a model's runs say the same word, over models.

    The models are what is sampled: a share has no number for every run, so that more runs decide nothing.
    """
    words = repeated_words(results)
    shares = words.assign(same=words["first"] == words["second"]).groupby("model", sort=False)["same"].mean()
    contrast = of_items(single(shares, name="axes with the same word", unit="share of axes"), "models")
    return Finding(exceeds(contrast, SAME_WORDS), contrast)


def weights_of(results: Results, models: Collection[str]) -> str:
    """The usual number of weights of some models, rounded to thousands.

    Raises:
        NoRunsError: if none of them has a run.
    """
    trials = results.trials
    trials = trials[trials["model"].isin(models)]
    if trials.empty:
        raise NoRunsError(f"no run of {', '.join(models)} yet")
    return f"{round(trials['parameters'].median(), -3):,.0f}"


def size_of_models(results: Results, more: str = "", *, weights: str = "") -> str:
    """Weights (those of the first models if no others are given), steps and usual runs, with words at the end."""
    steps = results.trials["optimiser_steps"].max()
    told = f"{steps:,.0f} steps, " if pd.notna(steps) else ""  # they are known of published runs
    weights = weights or weights_of(results, FIRST_MODELS)
    return f"about {weights} weights, {told}{usual_runs(results.scale)} runs{more}"


def size_of_families(results: Results) -> str:
    """:func:`size_of_models`, and how many models P3 is about: it says nothing of others."""
    families = [family(name) for name in first_publication(results)["model"].unique()]
    counts = [f"{families.count(each)} {words}" for each, words in ((ATTENTION, "attention"), (RECURRENT, "recurrent"))]
    return size_of_models(results, f" of {' and '.join(counts)} models")


def size_of_mixers(results: Results) -> str:
    """:func:`size_of_models`, and how many mixers P4 is about."""
    return size_of_models(results, f" of {len(MIXERS)} mixers at two sizes")


def size_of_larger_mixers(results: Results) -> str:
    """:func:`size_of_models` with both sizes of P6, and how many mixers it is about."""
    usual, large = (weights_of(results, models) for models in zip(*LARGER, strict=True))
    return size_of_models(results, f" of {len(MIXERS)} mixers", weights=f"{usual} and {large}")


def size_of_students(results: Results) -> str:
    """:func:`size_of_models` of the two models that teach."""
    return size_of_models(results, " of each student", weights=weights_of(results, teachers(results.scale)))


def size_of_repeats(results: Results) -> str:
    """:func:`size_of_models`, and how many models P5 is about."""
    said = f" on either side of {repeated_words(results)['model'].nunique()} models"
    return size_of_models(results, said, weights=weights_of(results, repeated_models(results.scale)))


_claim = partial(Claim, page=PAGE, source=OWN, paper="not asked", own=True)
CLAIMS = (
    _claim(
        id="P1",
        statement="Where the last symbol and the most frequent one disagree, an LSTM follows the last one more often "
        "than attention does.",
        rule=follows_the_last_symbol,
        regime=size_of_models,
    ),
    _claim(
        id="P2",
        statement="The profile of attention with recurrence (RSA) is nearer to that of an LSTM than attention's is.",
        rule=lies_between,
        regime=size_of_models,
    ),
    _claim(
        id="P3",
        statement="Recurrent models have profiles like each other, and so have attention models: models of one family "
        "are nearer to each other than to the other family.",
        rule=families_cluster,
        regime=size_of_families,
    ),
    _claim(
        id="P4",
        statement="What mixes the tokens matters more for a profile than whether a model has 5,000 or 20,000 weights.",
        rule=size_matters_less,
        regime=size_of_mixers,
    ),
    _claim(
        id="P5",
        statement="Two profiles of one model, from four other runs each, say the same word on at least nine of ten "
        "axes.",
        rule=words_repeat,
        regime=size_of_repeats,
    ),
    _claim(
        id="P6",
        statement="What mixes the tokens matters more for a profile than whether a model has 20,000 or 100,000 "
        "weights.",
        rule=larger_size_matters_less,
        regime=size_of_larger_mixers,
    ),
    _claim(
        id="P7",
        page=TEACHERS_PAGE,
        statement="An LSTM moves the profile of attention with rotary positions: its student is nearer to it than a "
        "student of another such attention is.",
        rule=partial(moves, teacher=1),
        regime=size_of_students,
    ),
    _claim(
        id="P8",
        page=TEACHERS_PAGE,
        statement="Attention with rotary positions moves the profile of an LSTM: its student is nearer to it than a "
        "student of another LSTM is.",
        rule=partial(moves, teacher=0),
        regime=size_of_students,
    ),
    _claim(
        id="P9",
        page=TEACHERS_PAGE,
        statement="An LSTM and attention with rotary positions pass on to each other which rule they prefer where the "
        "training data fit two rules: on these axes a student is nearer to its teacher than a student of its own kind "
        "is, in the mean of both.",
        rule=preferences_pass_on,
        regime=size_of_students,
    ),
)
