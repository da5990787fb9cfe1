"""What the figures of the study draw and the tables beside them print."""

import pandas as pd

from inductive_bias.studies.formal_models import ATTENTION, LSTM, NONE, RSA, TITLES
from inductive_bias.studies.formal_scores import UNITS, gain, mastered, named
from inductive_bias.studies.frames import table_of
from inductive_bias.studies.regular_languages.design import MIXER_NAMES
from inductive_bias.studies.regular_languages.measures import ANSWERS, STRINGS, by_length
from inductive_bias.studies.results import Results
from inductive_bias.tasks.formal import LANGUAGES


def scores(results: Results) -> pd.DataFrame:
    """Share of whole strings right of every run and split, with the column ``mixer``."""
    return named(results.frame("string_accuracy"), MIXER_NAMES)


def parameters(results: Results) -> pd.DataFrame:
    """The fewest and the most parameters of every mixer, over all languages."""
    found = named(results.trials, MIXER_NAMES).groupby("mixer", observed=True)["parameters"]
    return found.agg(fewest="min", most="max").astype(int).rename_axis(None)


def along(results: Results, languages: tuple[str, ...]) -> pd.DataFrame:
    """Whole strings right by length, and answers right by place, of three models: ``what, length, mixer, value``."""
    shown = {"model": (LSTM, ATTENTION, RSA), "positions": NONE, "language": languages}
    split = "longest" if results.has("position_accuracy", split="longest", language=languages) else "longer"
    answers = results.frame("position_accuracy", split=split, by="position", **shown)
    parts = {STRINGS: by_length(results, **shown), ANSWERS: answers.rename(columns={"position": "length"})}
    both = pd.concat([rows.assign(what=what) for what, rows in parts.items()], ignore_index=True)
    return named(both, MIXER_NAMES)


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
    last = named(
        results.frame("string_accuracy", split=split, model=(LSTM, ATTENTION, RSA), positions=NONE), MIXER_NAMES
    )
    watched = results.frame("string_accuracy", split=split, model=ATTENTION, positions=NONE, epochs=True)
    best = watched.groupby(["language", "seed"], observed=True)["value"].max().reset_index()
    table = table_of(pd.concat([last, best.assign(mixer="best epoch")]), "language", "mixer", 2)
    paper = results.paper[results.paper["split"] == split].set_index("language")["mean"]
    names = table["language"].astype(str)
    table = table.assign(language=names.map(TITLES), **{"paper (best epoch)": names.map(paper)})
    return table[["language", ATTENTION, "best epoch", "paper (best epoch)", LSTM, RSA]]
