"""Numbers that the sentences of the chapter on profiles ask for by name."""

from collections.abc import Callable

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

    def words(*kinds: str) -> str:
        found = repeated_words(results)
        return number(int((found["first"] != found["second"]).sum()) if not kinds else _both(found, *kinds))

    def one_layer(model: str, axis: str) -> str:
        found = profiles(results)[axis]
        return f"{decimals(found[f'{model}, 1 layer'])} instead of {decimals(found[model])}"

    def of_mixers(model: str, axis: str) -> str:
        found = profiles(results)[axis]
        return f"{decimals(found[f'{model}, mixers alone'])} instead of {decimals(found[model])}"

    return {
        "models": lambda: number(len(profiles(results))),
        "recent-attention": lambda: start(Untrained.axis, family=ATTENTION),
        "recent-recurrent": lambda: start(Untrained.axis, family=RECURRENT),
        "order-attention": lambda: start(ORDER_AXIS, family=ATTENTION),
        "order-recurrent": lambda: start(ORDER_AXIS, family=RECURRENT),
        "even": lambda: decimals(_even_share()),
        "words": lambda: number(len(repeated_words(results))),
        "other-words": lambda: words(),
        "contradictions": lambda: words("more", "less"),
        "lstm-state": lambda: one_layer("LSTM", "state tracking"),
        "attention-state": lambda: one_layer("Attention", "state tracking"),
        "rsa-recall": lambda: one_layer("RSA", "recall"),
        "rope-recall": lambda: one_layer("Attention, RoPE", "recall"),
        "linear-state": lambda: of_mixers("Linear RNN", "state tracking"),
    }


def _both(found, first: str, second: str) -> int:
    """How often one half says the first word and the other half the second."""
    there = {first, second}
    return int(((found["first"] != found["second"]) & found["first"].isin(there) & found["second"].isin(there)).sum())


def _even_share() -> float:
    """The recency of a model that listens to all earlier symbols equally."""
    earlier = Untrained.length - 1
    return -(-earlier // RECENT) / earlier
