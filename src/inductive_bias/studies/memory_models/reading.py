"""A passage of the test text, word by word: what every word before it is worth to a model."""

import pandas as pd
from torch import Tensor

from inductive_bias.analysis.influence import bits_by_context, words_of
from inductive_bias.studies.memory_models.design import ATTENTION, BACKBONES, NO_MEMORY, RSA, cell
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.characters import decode
from inductive_bias.trials import Trial

#: Words before a word that a model may see, at the laptop's about 200 characters, further back than a segment; and
#: words that have so many before them.
MOST: dict[Scale, int] = {"smoke": 2, "laptop": 36, "paper": 36}
LOOKED_INTO: dict[Scale, int] = {"smoke": 3, "laptop": 20, "paper": 20}

#: Models whose reach is looked at, one run each.
LOOKED_AT = ((NO_MEMORY, ATTENTION), *((model, mixer) for model in BACKBONES for mixer in (ATTENTION, RSA)))


def first_runs(runs: Runs) -> list[Trial]:
    """Those that are looked at."""
    return [trial for each in LOOKED_AT for trial in runs.trials(**cell(runs.scale, *each))[:1]]


def influence(runs: Runs) -> pd.DataFrame:
    """``trial, place, word, context, bits``: of a word with ``context`` words before it.

    The fall from one context to the next is what that word gave. A model begins anew with the first word that it sees:
    so its units begin there, too.
    """
    most, rows = MOST[runs.scale], []
    for trial in first_runs(runs):
        data = runs.data(trial)
        symbols, words = passage(data, most + LOOKED_INTO[runs.scale])
        found = bits_by_context(runs.model(trial), symbols, words, most)
        for place, word in enumerate(words):
            known = {"trial": trial.id, "place": place, "word": decode(symbols[word], data.alphabet).strip()}
            rows += [
                known | {"context": context, "bits": bits}
                for context, bits in enumerate(found[place, : place + 1].tolist())
            ]
    return pd.DataFrame(rows)


def passage(data: TaskData, count: int) -> tuple[Tensor, list[slice]]:
    """Ids and words of the middle of the test text, where nobody chose it."""
    symbols = data["test"].inputs
    words = words_of(decode(symbols, data.alphabet))
    first = (len(words) - count) // 2
    chosen = words[first : first + count]
    begin = chosen[0].start
    return symbols[begin : chosen[-1].stop + 1], [slice(word.start - begin, word.stop - begin) for word in chosen]
