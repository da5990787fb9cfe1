"""A text of which one word is looked at: what every word before it was worth, and what is left of that after a cut."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from inductive_bias.plotting.heat import CHANGES
from inductive_bias.plotting.interactive.base import Choice, PageWidget, Slider, page_widget, rounded

#: Red and blue of the book's maps of changes.
WORSE, BETTER = map(to_hex, mpl.colormaps[CHANGES]([0.1, 0.9]))
#: Words before the chosen one that a network may see at first.
KEPT = 4


def influence_widget(data: pd.DataFrame, *, instead: str, kept: int = KEPT) -> PageWidget:
    """Two sliders over a text: which word is looked at, and how many words before it the network may see.

    Args:
        data: columns ``model, place, word, context, bits``: of every model, what the word at a place costs with
            ``context`` words before it, for every context from 0 to the most, or to the beginning of the text.
        instead: a sentence for who has no JavaScript.
        kept: words that are seen at first.

    Raises:
        ValueError: if models do not read the same words, contexts have gaps, or no word has as many before it as the
            longest context.
    """
    models = list(dict.fromkeys(data["model"]))
    texts = [data[data["model"] == model].drop_duplicates("place").sort_values("place") for model in models]
    words = texts[0]["word"].tolist()
    if any(text["word"].tolist() != words for text in texts):
        raise ValueError("all models must read the same words")
    most = int(data["context"].max())
    if not 0 < kept <= most:
        raise ValueError(f"kept must be from 1 to {most}, not {kept}")
    if len(words) <= most:
        raise ValueError(f"no word of {len(words)} has {most} before it")
    tables = [
        [_of_word(rows.sort_values("context"), min(place, most)) for place, (_, rows) in enumerate(each)]
        for each in (data[data["model"] == model].groupby("place") for model in models)
    ]
    gains = [table[0] - table[-1] for table in tables[0][most:]]
    return page_widget(
        "influence",
        {
            "models": models,
            "words": words,
            "most": most,
            "bits": [[[rounded(value) for value in row] for row in table] for table in tables],
        },
        controls=[
            Choice("model", "network", models, open=True),
            Slider("word", "word", most, len(words) - 1, most + int(np.argmax(gains))),
            Slider("kept", "words before it that are kept", 0, most, kept),
        ],
        pictures={"text": "Framed: the word. Blue: an earlier word that makes it easier. Red: harder. Grey: cut off."},
        text="Interactive text: what every word before a chosen one was worth to a network, and where it is cut.",
        instead=instead,
        colours=(BETTER, WORSE),
    )


def _of_word(rows: pd.DataFrame, last: int) -> list[float]:
    """Bits by context, from none on."""
    if rows["context"].tolist() != list(range(last + 1)):
        raise ValueError(f"contexts of {rows['word'].iloc[0]!r} must be 0 to {last} without a gap")
    return rows["bits"].tolist()
