"""Numbers that the sentences of the chapter on profiles ask for by name."""

from collections.abc import Callable

import pandas as pd

from inductive_bias.formatting import decimals, number, span
from inductive_bias.protocols.measures.untrained import RECENT
from inductive_bias.studies.known_models import ATTENTION, RECURRENT
from inductive_bias.studies.profile_axes import ORDER_AXIS
from inductive_bias.studies.profiles.figures import before_training
from inductive_bias.studies.profiles.measures import profiles, repeated_words
from inductive_bias.studies.results import Results
from inductive_bias.tasks.probes import Untrained


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

    return {
        "models": lambda: number(len(profiles(results))),
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
    }


def even_share() -> float:
    """The recency of a model that listens to all earlier symbols equally."""
    earlier = Untrained.length - 1
    return -(-earlier // RECENT) / earlier
