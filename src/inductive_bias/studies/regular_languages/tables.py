"""From tidy frames to what the figures draw and the tables beside them print."""

from collections.abc import Iterable

import pandas as pd

from inductive_bias.studies.frames import listed, table_of
from inductive_bias.studies.regular_languages.design import ATTENTION, LSTM, MIXERS, NONE, RSA, TITLES, mixer_name
from inductive_bias.studies.regular_languages.scores import UNITS, gain, mastered
from inductive_bias.studies.results import Results
from inductive_bias.tasks.formal import LANGUAGES


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """With the column ``mixer``: model and positions as one name, in the order of the pages."""
    names = [mixer_name(*pair) for pair in zip(frame["model"], frame["positions"], strict=True)]
    return frame.assign(mixer=pd.Categorical(names, [name for name in MIXERS if name in names], ordered=True))


def lengths(results: Results) -> dict[str, str]:
    """The lengths of each held-out bin, ``51–100``; where languages differ, the shortest and the longest of any."""
    bins = [trials[0].task.bins for trials in results.cells.values()]
    found = {}
    for split, own in {"validation": "train", "longer": "longer", "longest": "longest"}.items():
        if ends := [each[own] for each in bins if own in each]:
            found[split] = f"{min(each.shortest for each in ends)}–{max(each.longest for each in ends)}"
    return found


def every_seed(values: Iterable[float]) -> str:
    """All seeds side by side, once what all of them share."""
    text = listed(values, 2)
    first, *others = dict.fromkeys(text.split("\u00a0"))
    return text if others else first


def by_length(results: Results, **levels: object) -> pd.DataFrame:
    """String accuracy by length, all bins together: lengths that two bins share are weighed by their strings."""
    rows = results.frame(("string_accuracy", "n"), by="length", **levels)
    keys = ["language", "model", "positions", "seed", "length"]
    wide = rows.pivot(index=[*keys, "split"], columns="metric", values="value").eval("right = string_accuracy * n")
    sums = wide.groupby(keys, observed=True)[["right", "n"]].sum()
    return sums.eval("right / n").rename("value").reset_index()


def gains(results: Results) -> pd.DataFrame:
    """RSA − Attention on the longer strings: one row a language."""
    languages = results.design.levels(results.scale)["language"]
    both = mastered(results, languages)
    return pd.DataFrame(
        [
            {"language": TITLES[name], "kind": LANGUAGES[name].family, "both master": "yes" if name in both else "no"}
            | {words: str(gain(results, name, metric)) for metric, words in UNITS.items()}
            for name in languages
        ]
    )


def beside_paper(results: Results, split: str) -> pd.DataFrame:
    """String accuracy of Attention, last and best epoch (chosen on the bin itself), beside the published one."""
    last = named(results.frame("string_accuracy", split=split, model=(LSTM, ATTENTION, RSA), positions=NONE))
    watched = results.frame("string_accuracy", split=split, model=ATTENTION, positions=NONE, epochs=True)
    best = watched.groupby(["language", "seed"], observed=True)["value"].max().reset_index()
    table = table_of(pd.concat([last, best.assign(mixer="best epoch")]), "language", "mixer", 2)
    paper = results.paper[results.paper["split"] == split].set_index("language")["mean"]
    names = table["language"].astype(str)
    table = table.assign(language=names.map(TITLES), **{"paper (best epoch)": names.map(paper)})
    return table[["language", ATTENTION, "best epoch", "paper (best epoch)", LSTM, RSA]]
