"""Numbers that the sentences of the two chapters on profiles ask for by name."""

import math
from collections.abc import Callable
from functools import partial
from itertools import product

import pandas as pd

from inductive_bias.formatting import decimals, number, percent, span, with_interval
from inductive_bias.protocols.measures.untrained import RECENT
from inductive_bias.studies.claims import Finding
from inductive_bias.studies.known_models import ATTENTION, BY_NAME, RECURRENT
from inductive_bias.studies.profile_axes import ORDER_AXIS
from inductive_bias.studies.profile_comparison import CANNOT_TELL, LESS, MORE, NOTHING
from inductive_bias.studies.profile_distances import distance
from inductive_bias.studies.profiles import claims, design
from inductive_bias.studies.profiles.design import TUNED, population, student, usual_runs
from inductive_bias.studies.profiles.figures import before_training, moved, student_table
from inductive_bias.studies.profiles.measures import (
    distances,
    final_rows,
    first_runs,
    profile_scores,
    profiles,
    repeated_words,
    taught,
)
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import PROBES, Extrapolation, Preference, Untrained

FREE, WINDOW = "Free Toeplitz", "MLP on a window"
RECURRENT_MODELS = tuple(name for name, member in BY_NAME.items() if member.family == RECURRENT)
#: Numbers of sentences that are one score, or the span of several models' scores, on an axis.
SCORES: dict[str, tuple[tuple[str, ...], str]] = {
    "recency-small": (("LSTM, small",), "recency"),
    "recency-usual": (("LSTM",), "recency"),
    "recency-large": (("LSTM, large",), "recency"),
    "recency-rsa": (("RSA",), "recency"),
    "recency-rotary": (("Attention, RoPE, 1 layer", "Attention, RoPE, large"), "recency"),
    "recency-rotary-large": (("Attention, RoPE, large",), "recency"),
    "state-rsa": (("RSA",), "state tracking"),
    "state-attention": (("Attention",), "state tracking"),
    "length-rsa": (("RSA",), "length"),
    "length-attention": (("Attention",), "length"),
    "recall-rsa": (("RSA",), "recall"),
    "recall-lstm": (("LSTM",), "recall"),
    "counting-rsa": (("RSA",), "counting"),
    "counting-attention": (("Attention",), "counting"),
    "counting-lstm": (("LSTM",), "counting"),
    "recall-alibi": (("Attention, ALiBi",), "recall"),
    "recall-relative": (("Attention, RoPE", "Attention, Transformer-XL"), "recall"),
    "recall-recurrent": (RECURRENT_MODELS, "recall"),
    "state-gated": (
        (
            *(f"LSTM{form}" for form in ("", ", 1 layer", ", mixers alone", ", small", ", large")),
            *("plain LSTM", "plain GRU", "plain tanh RNN"),
        ),
        "state tracking",
    ),
    # the linear RNN without feed-forward layers is told of by itself
    "state-others": (
        (
            *(f"{mixer}{form}" for mixer in ("Linear RNN", "RSA") for form in ("", ", 1 layer", ", small", ", large")),
            *("RSA, sinusoidal", "TCN", "Gated CNN"),
        ),
        "state tracking",
    ),
}
#: Axes and models of the scores that the sentences on students name.
STUDENT_SCORES: tuple[tuple[str, str], ...] = (
    *product(("recall",), ("lstm", "attention-own", "attention-taught", "lstm-taught")),
    *product(
        ("first noun", "recency", "content", "counting"),
        ("lstm-own", "lstm-taught", "attention-own", "attention-taught"),
    ),
    *product(("length",), ("attention", "lstm-own", "lstm-taught")),
    *product(("state tracking",), ("attention", "attention-own", "attention-taught", "lstm-own", "lstm-taught")),
)
#: The same of one probe of an axis.
STUDENT_PROBES: tuple[tuple[str, str, str], ...] = (
    *product(("length",), ("recall",), ("attention-own",)),
    *product(("state tracking",), ("parity", "permutations", "flip-flop"), ("lstm-taught",)),
    *product(("calibration",), ("recall",), ("attention-own", "attention-taught")),
)


def architectures(results: Results) -> dict[str, Callable[[], str]]:
    """Numbers of the chapter on what architectures prefer."""

    def start(axis: str, *, family: str) -> str:
        table = before_training(results)
        table = table[table["model"] != "Attention, window"]  # what it does not see it cannot listen to
        return span(table.loc[table["family"] == family, axis], decimals)

    def other_words() -> pd.DataFrame:
        words = repeated_words(results)
        return words[words["first"] != words["second"]]

    def contradictions() -> int:
        both = other_words()[["first", "second"]]
        return int(both.isin(["more", "less"]).all(axis=1).sum())

    def beside(model: str, variant: str, axis: str) -> str:
        found = profiles(results)[axis]
        return f"{decimals(found[f'{model}, {variant}'])} instead of {decimals(found[model])}"

    def score(models: tuple[str, ...], axis: str) -> str:
        return span(profiles(results).loc[list(models), axis], decimals)

    def apart(one: str, other: str) -> str:
        found = profiles(results)
        return decimals(distance(found.loc[one], found.loc[other]))

    def later(probe: str, axis: str) -> pd.Series:
        """Mean over runs on one axis of a probe that came later, by model; without models that did not learn it."""
        found = first_runs(results)
        found = found[(found["probe"] == probe) & (found["axis"] == axis)]
        return found.groupby("model", observed=True)["value"].mean().dropna()

    def later_score(probe: str, axis: str, *models: str) -> str:
        return span(later(probe, axis)[list(models)], decimals)

    noise = partial(later_score, "white noise", Extrapolation.axis)
    decay = partial(later_score, "decay or period", "decay")
    fading = partial(later_score, "fading sum", "length")

    def effect(rule: Callable[[Results], Finding], *, interval: bool = False) -> str:
        found = rule(results).effect
        return with_interval(found.estimate, *found.interval(), 3) if interval else decimals(found.estimate, 3)

    def higher() -> str:
        found = TUNED.table[(TUNED.table["scale"] == results.scale) & TUNED.table["chosen"].astype(bool)]
        found = found[found["model"].isin(population(results.scale))]
        return f"{(found['learning_rate'] == found['learning_rate'].max()).sum()} of {len(found)}"

    return {
        "higher-rate": higher,
        "models": lambda: number(len(profiles(results))),
        "decay-free": lambda: decay(FREE),
        "decay-small": lambda: decay("Linear RNN, small"),
        "decay-window": lambda: decay(WINDOW),
        "decay-others": lambda: span(
            later("decay or period", "decay").drop([FREE, WINDOW, "Linear RNN, small"]), decimals
        ),
        "fading-recurrent": lambda: fading(*RECURRENT_MODELS),
        "fading-rsa": lambda: fading("RSA"),
        "fading-sinusoidal": lambda: fading("Attention, sinusoidal"),
        "fading-rotary": lambda: fading("Attention, RoPE"),
        "fading-relative": lambda: fading("Attention, ALiBi", "Attention, Transformer-XL"),
        "noise-attention": lambda: noise("Attention"),
        "noise-rsa": lambda: noise("RSA"),
        "noise-lstm": lambda: noise("LSTM"),
        "noise-plain": lambda: noise("plain GRU", "plain tanh RNN"),
        "noise-convolutions": lambda: noise("TCN", "Gated CNN"),
        "recent-attention": lambda: start(Untrained.axis, family=ATTENTION),
        "recent-recurrent": lambda: start(Untrained.axis, family=RECURRENT),
        "order-attention": lambda: start(ORDER_AXIS, family=ATTENTION),
        "order-recurrent": lambda: start(ORDER_AXIS, family=RECURRENT),
        "even": lambda: decimals(even_share()),
        "words": lambda: number(len(repeated_words(results))),
        "other-words": lambda: number(len(other_words())),
        "contradictions": lambda: number(contradictions()),
        "lstm-state": lambda: beside("LSTM", "1 layer", "state tracking"),
        "attention-state": lambda: beside("Attention", "1 layer", "state tracking"),
        "rsa-recall": lambda: beside("RSA", "1 layer", "recall"),
        "rope-recall": lambda: beside("Attention, RoPE", "1 layer", "recall"),
        "linear-state": lambda: beside("Linear RNN", "mixers alone", "state tracking"),
        "families-apart": lambda: effect(claims.families_cluster),
        "families-apart-interval": lambda: effect(claims.families_cluster, interval=True),
        "other-mixer": lambda: effect(claims.size_matters_less),
        "other-mixer-interval": lambda: effect(claims.size_matters_less, interval=True),
        "other-mixer-large": lambda: effect(claims.larger_size_matters_less),
        "other-mixer-large-interval": lambda: effect(claims.larger_size_matters_less, interval=True),
        "rsa-nearer": lambda: effect(claims.lies_between, interval=True),
        "lstm-recency": lambda: effect(claims.follows_the_last_symbol, interval=True),
        "same-words": lambda: percent(claims.words_repeat(results).effect.estimate),
        "stable-convolution": lambda: apart("stable LSTM", "Gated CNN"),
        "stable-lstm": lambda: apart("stable LSTM", "LSTM"),
        **{name: partial(score, *asked) for name, asked in SCORES.items()},
    }


def teachers(results: Results) -> dict[str, Callable[[], str]]:
    """Numbers of the chapter on what a teacher moves."""
    attention, lstm = design.teachers(results.scale)
    names = {
        "attention": attention,
        "lstm": lstm,
        "attention-own": student(attention, attention),
        "attention-taught": student(attention, lstm),
        "lstm-own": student(lstm, lstm),
        "lstm-taught": student(lstm, attention),
    }

    def effect(rule: Callable[[Results], Finding]) -> str:
        found = rule(results).effect
        return with_interval(found.estimate, *found.interval(), 3)

    def apart(model: str, teacher: str) -> str:
        return decimals(float(distances(taught(results), [(names[model], names[teacher])]).mean()))

    def recency_pairs() -> str:
        """The largest difference in recency between the two students of the LSTM's kind with one number."""
        table = taught(results)
        wide = table[table["axis"] == "recency"].pivot(index="number", columns="model", values="value")
        return decimals((wide[names["lstm-own"]] - wide[names["lstm-taught"]]).abs().max())

    def cannot_tell() -> str:
        found = [each.word for pair in ((attention, lstm), (lstm, attention)) for each in moved(results, *pair)]
        return f"{found.count(CANNOT_TELL)} of {len(found)}"

    def score(model: str, axis: str) -> str:
        return decimals(student_table(results).loc[names[model], axis])

    def score_of_probes(axis: str, probes: tuple[str, ...], model: str) -> str:
        found = profile_scores(results)
        found = found[(found["model"] == names[model]) & found["probe"].isin(probes) & (found["axis"] == axis)]
        return decimals(found.loc[found["number"] < usual_runs(results.scale), "value"].mean())

    def part(axis: str, own: str, other: str, teacher: str) -> str:
        """What one axis adds to the difference of two students in their distance to a teacher."""
        table = taught(results)
        on_axis = table[table["axis"] == axis]
        nearer = [distances(on_axis, [(names[model], names[teacher])]).mean() for model in (own, other)]
        return decimals((nearer[0] - nearer[1]) / table["axis"].nunique(), 3)

    def sure() -> str:
        """The least probability that a run of a teacher gives to the right answers of a preference (geometric mean)."""
        found = final_rows(results)
        found = found[found["model"].isin(design.teachers(results.scale)) & (found["metric"] == "nll")]
        found = found[(found["number"] < usual_runs(results.scale)) & (found["split"] == "test")]
        preferences = [name for name in design.taught_probes(results.scale) if isinstance(PROBES[name], Preference)]
        return decimals(math.exp(-found.loc[found["probe"].isin(preferences), "value"].max()), 3)

    def words(kind: str, teacher: str) -> str:
        """How many axes another teacher moves, of those that have a word."""
        found = [each.word for each in moved(results, kind, teacher) if each.word != NOTHING]
        return f"{sum(word in (MORE, LESS) for word in found)} of {len(found)}"

    return {
        "lstm-moves": lambda: effect(partial(claims.moves, teacher=1)),
        "attention-moves": lambda: effect(partial(claims.moves, teacher=0)),
        "preferences-pass": lambda: effect(claims.preferences_pass_on),
        "teachers-sure": sure,
        "teachers-apart": lambda: apart("attention", "lstm"),
        "attention-words": lambda: words(attention, lstm),
        "lstm-words": lambda: words(lstm, attention),
        **{
            f"{model}-apart": partial(apart, model, "lstm" if model.startswith("attention") else "attention")
            for model in names
            if model not in ("attention", "lstm")
        },
        "attention-kind-apart": lambda: apart("attention-taught", "attention"),
        "lstm-kind-apart": lambda: apart("lstm-taught", "lstm"),
        **{f"{axis}-{model}".replace(" ", "-"): partial(score, model, axis) for axis, model in STUDENT_SCORES},
        **{
            f"{axis}-{probe}-{model}".replace(" ", "-"): partial(score_of_probes, axis, (probe,), model)
            for axis, probe, model in STUDENT_PROBES
        },
        **{
            f"length-without-recall-{model}": partial(score_of_probes, "length", ("flip-flop", "brackets"), model)
            for model in ("attention-own", "attention-taught")
        },
        "recall-part": partial(part, "recall", "attention-own", "attention-taught", "lstm"),
        "state-tracking-part": partial(part, "state tracking", "lstm-own", "lstm-taught", "attention"),
        "recency-pairs": recency_pairs,
        "cannot-tell": cannot_tell,
    }


def even_share() -> float:
    """The recency of a model that listens to all earlier symbols equally."""
    earlier = Untrained.length - 1
    return -(-earlier // RECENT) / earlier
