"""Further tables: how strongly a prediction depends on what was read so many characters before, and word by word."""

import pandas as pd
import torch
from torch import Tensor

from inductive_bias.analysis.influence import bits_by_context, words_of
from inductive_bias.analysis.segment_reach import gradient_by_distance
from inductive_bias.studies.memory_models.design import ATTENTION, BACKBONES, NO_MEMORY, RSA, cell
from inductive_bias.studies.runs import Runs, Table
from inductive_bias.studies.scales import Scale
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.characters import decode
from inductive_bias.tasks.data import IGNORED
from inductive_bias.trials import Trial

#: Words before a word that a model may see, at the laptop's about 200 characters, further back than a segment; and
#: words that have so many before them.
WORDS_BEFORE: dict[Scale, int] = {"smoke": 2, "laptop": 36, "paper": 36}
WORDS_SHOWN: dict[Scale, int] = {"smoke": 3, "laptop": 20, "paper": 20}

#: Models whose reach is measured, one run each.
READERS = ((NO_MEMORY, ATTENTION), *((model, mixer) for model in BACKBONES for mixer in (ATTENTION, RSA)))
#: Segments that are read before a prediction, but not more characters than this; predictions, and those at once.
SEGMENTS_READ, MOST_READ = 4, 2048
PREDICTIONS, PREDICTED_AT_ONCE = 32, 8


def first_runs(runs: Runs) -> list[Trial]:
    """The first run of each of :data:`READERS`."""
    return [trial for each in READERS for trial in runs.trials(**cell(runs.scale, *each))[:1]]


def influence(runs: Runs) -> pd.DataFrame:
    """Bits of every word of a passage with ``context`` words before it: ``trial, place, word, context, bits``.

    The fall from one context to the next is what that word gave. A model begins anew with the first word that it sees:
    so its units begin there, too.
    """
    most, rows = WORDS_BEFORE[runs.scale], []
    for trial in first_runs(runs):
        data = runs.data(trial)
        symbols, words = passage(data, most + WORDS_SHOWN[runs.scale])
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


def reach(runs: Runs) -> pd.DataFrame:
    """Mean size of the loss's gradient by distance: ``trial, distance, value``, and ``share`` of the sum over all.

    A prediction comes after whole segments, four if they are not longer than :data:`MOST_READ`. The predictions lie
    evenly apart in the test text; gradients pass into memory and states. A distance is in characters, 0 for the one
    read last.
    """
    frames = []
    for trial in first_runs(runs):
        model, split = runs.model(trial), runs.data(trial)["test"]
        length = min(SEGMENTS_READ * trial.task.window, MOST_READ)
        known = (split.labels[length - 1 :] != IGNORED).nonzero()[:, 0] + length - 1
        ends = known[:: max(1, len(known) // PREDICTIONS)][:PREDICTIONS]
        found = torch.zeros(length, dtype=torch.float64)
        for some in ends.split(PREDICTED_AT_ONCE):
            stretches = split.inputs[some[:, None] + torch.arange(1 - length, 1)]
            found += len(some) / len(ends) * gradient_by_distance(model, stretches, split.labels[some])
        frames.append(
            pd.DataFrame({"trial": trial.id, "distance": range(length), "value": found, "share": found / found.sum()})
        )
    return pd.concat(frames, ignore_index=True)


TABLES = {
    each.__name__: Table(each, uses=first_runs, group=lambda cell, number: (cell, number))
    for each in (reach, influence)
}
