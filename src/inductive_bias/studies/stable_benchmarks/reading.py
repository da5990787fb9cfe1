"""Tables made from the networks that read characters: what they lose with the last words alone, and what each gave."""

import pandas as pd
import torch
from torch import Tensor

from inductive_bias.analysis.influence import bits_by_context, words_of
from inductive_bias.studies.runs import Runs
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.searching import STANDARD
from inductive_bias.studies.stable_benchmarks.design import parts
from inductive_bias.studies.stable_benchmarks.parts import CHARACTERS, FREE, MODELS
from inductive_bias.tasks import TaskData
from inductive_bias.tasks.characters import decode
from inductive_bias.trials import Trial

#: Words before a word that a network may see; and words of a passage that have so many before them. In a pilot (an LSTM
#: of another seed, one epoch) the words beyond the fifth were worth .0001 bits per character.
MOST: dict[Scale, int] = {"smoke": 3, "laptop": 12, "paper": 32}
SCORED: dict[Scale, int] = {"smoke": 4, "laptop": 40, "paper": 40}
#: Passages of the test text, at equal distances, so that nobody chooses them; the one in the middle is shown.
PASSAGES: dict[Scale, int] = {"smoke": 2, "laptop": 50, "paper": 200}


def words_kept(runs: Runs) -> pd.DataFrame:
    """What networks lose with the last words alone: ``trial, context, value`` (bits per character).

    Over the same words of all passages, each of which has :data:`MOST` words before it.
    """
    most, rows = MOST[runs.scale], []
    for trial in readers(runs):
        model, bits, count = runs.model(trial), torch.zeros(most + 1, dtype=torch.float64), 0
        for symbols, words in _passages(runs.data(trial), runs.scale):
            bits += bits_by_context(model, symbols, words, most)[most:].sum(0)
            count += words[-1].stop - words[most].start
        rows += [
            {"trial": trial.id, "context": context, "value": value / count}
            for context, value in enumerate(bits.tolist())
        ]
    return pd.DataFrame(rows, columns=["trial", "context", "value"])


def influence(runs: Runs) -> pd.DataFrame:
    """The passage in the middle, word by word: ``trial, place, word, context, bits``.

    ``bits`` of the word with ``context`` words before it; its fall from one context to the next is what that word gave.
    """
    most, rows = MOST[runs.scale], []
    for trial in first_readers(runs):
        data = runs.data(trial)
        passages = _passages(data, runs.scale)
        symbols, words = passages[len(passages) // 2]
        found = bits_by_context(runs.model(trial), symbols, words, most)
        for place, word in enumerate(words):
            known = {"trial": trial.id, "place": place, "word": decode(symbols[word], data.alphabet).strip()}
            rows += [
                known | {"context": context, "bits": bits}
                for context, bits in enumerate(found[place, : place + 1].tolist())
            ]
    return pd.DataFrame(rows, columns=["trial", "place", "word", "context", "bits"])


def readers(runs: Runs) -> list[Trial]:
    """Free models and chosen stable ones of characters."""
    part = parts(runs.scale).get(CHARACTERS)
    if part is None or not part.seeds:
        return []
    shown = [(model, form) for model in MODELS for form in (FREE, part.stable(model))]
    return [
        trial
        for model, form in shown
        for trial in runs.trials(task=CHARACTERS, model=model, form=form, variant=STANDARD)
    ]


def first_readers(runs: Runs) -> list[Trial]:
    """The first of each of their cells."""
    members = runs.design.members(runs.scale)
    return [trial for trial in readers(runs) if members[trial.id][1] == 0]


def _passages(data: TaskData, scale: Scale) -> list[tuple[Tensor, list[slice]]]:
    """Ids and words of stretches of the test text."""
    symbols, count = data["test"].inputs, MOST[scale] + SCORED[scale]
    words = words_of(decode(symbols, data.alphabet))
    step = (len(words) - count) // PASSAGES[scale]
    found = []
    for first in range(step // 2, step * PASSAGES[scale], step):
        chosen = words[first : first + count]
        begin = chosen[0].start
        moved = [slice(word.start - begin, word.stop - begin) for word in chosen]
        found.append((symbols[begin : chosen[-1].stop + 1], moved))
    return found
