"""What the figures of the study draw and the tables beside them print."""

from itertools import product

import pandas as pd

from inductive_bias.studies.formal_models import LSTM, TITLES, mixer_name
from inductive_bias.studies.formal_scores import FAILED, every_seed, gain, mastered, masters, named, positions_right
from inductive_bias.studies.mastery.design import MASTERY_MODELS, MIXER_NAMES, PAIRS, PERIODS_AND_PARITY, TUNING
from inductive_bias.studies.results import Results
from inductive_bias.tasks.batching import sentence_batches
from inductive_bias.tasks.formal import LANGUAGES
from inductive_bias.tasks.formal.task import LONGER as LONGER_BINS

#: Where a position of a longer string lies.
WITHIN, BEYOND = "within the training lengths", "beyond the training lengths"


def scores(results: Results, split: str) -> pd.DataFrame:
    """String accuracy of every judged run; a diverged run has no string right."""
    return named(results.frame("string_accuracy", split=split).fillna({"value": FAILED}), MIXER_NAMES)


def means(results: Results, split: str) -> pd.DataFrame:
    """A row a language, a column a model: the mean of its runs."""
    groups = scores(results, split).groupby(["language", "mixer"], observed=True)["value"]
    return groups.mean().unstack("mixer").rename(index=TITLES)


def reached(results: Results, split: str) -> pd.DataFrame:
    """:func:`means` on longer strings, where training lengths are mastered; elsewhere NaN."""
    return means(results, split).where(masters(means(results, "validation")))


def splits(results: Results) -> list[str]:
    """The bins of longer strings that there are."""
    return [name for name in LONGER_BINS if results.has("string_accuracy", split=name)]


def beyond(results: Results) -> pd.DataFrame:
    """Every run of both twins on languages that both master: ``language, positions, mixer, split, number, value``."""
    parts = []
    languages = results.design.levels(results.scale)["language"]
    for positions, pair in PAIRS.items():
        both = mastered(results, languages, pair)
        for split in splits(results):
            found = scores(results, split)
            parts.append(
                found[
                    found["language"].isin(both)
                    & (found["positions"] == positions)
                    & found["model"].isin([model for model, _ in pair])
                ]
            )
    return pd.concat(parts, ignore_index=True)


def gains(results: Results, positions: str) -> pd.DataFrame:
    """RSA − Attention in longer strings: a row per language that both master, or one of them alone."""
    pair, rows = PAIRS[positions], []
    languages = results.design.levels(results.scale)["language"]
    own, twin = (mastered(results, languages, [told]) for told in pair)
    for name in (name for name in languages if name in {*own, *twin}):
        who = "both" if name in own and name in twin else mixer_name(*pair[0 if name in own else 1])
        differences = {split: str(gain(results, name, "string_accuracy", pair, split)) for split in splits(results)}
        rows.append({"language": TITLES[name], "kind": LANGUAGES[name].family, "mastered by": who} | differences)
    return pd.DataFrame(rows)


def answers(results: Results) -> pd.DataFrame:
    """Share of positions of longer strings right, of every run on the languages of RH; an LSTM is left out.

    Columns ``language, mixer, place, number, value``; ``place`` is :data:`WITHIN` the training lengths or
    :data:`BEYOND` them.
    """
    parts = []
    for language, told, (place, beyond) in product(
        PERIODS_AND_PARITY, MASTERY_MODELS, ((WITHIN, False), (BEYOND, True))
    ):
        if told[0] != LSTM:
            found = positions_right(results, "longer", language, told, beyond=beyond)
            at = {"language": language, "model": told[0], "positions": told[1], "place": place}
            parts.append(found.rename("value").reset_index().assign(**at))
    table = named(pd.concat(parts, ignore_index=True).fillna({"value": FAILED}), MIXER_NAMES)
    return table.assign(mixer=table["mixer"].cat.remove_unused_categories())


def steps(results: Results) -> pd.DataFrame:
    """How long every run was trained: its column ``steps``, and ``value``, its last validation score."""
    evaluated = results.frame("string_accuracy", split="validation", epochs=True)
    last = named(evaluated, MIXER_NAMES).sort_values("epoch").groupby("trial", sort=False).tail(1)
    batches = {
        name: sentence_batches(trial.task.bins["train"].strings, trial.schedule.batch_size)
        for name, (_, _, trial) in results.design.members(results.scale).items()
    }
    return last.assign(steps=last["epoch"].astype(int) * last["trial"].map(batches))


def until(results: Results) -> pd.DataFrame:
    """A row a language, a column a model: the steps after which every run ended, or its last score in brackets."""
    found = steps(results).sort_values("number")
    words = [f"{row.steps}" if masters(row.value) else f"({row.value:.2f})" for row in found.itertuples()]
    groups = found.assign(words=words).groupby(["language", "mixer"], observed=True)["words"]
    table = groups.agg(lambda each: " ".join(each)).unstack("mixer").fillna("")
    return table.rename(index=TITLES).rename_axis(columns=None).reset_index()


def every_run(results: Results, split: str) -> pd.DataFrame:
    """A row a language, a column a model: all runs on longer strings."""
    groups = scores(results, split).sort_values("number").groupby(["language", "mixer"], observed=True)["value"]
    # runs of a cell may stand below one another: on paper six columns of eight are too wide
    table = groups.agg(lambda each: every_seed(each).replace("\u00a0", " ")).unstack("mixer").fillna("")
    return table.rename(index=TITLES).rename_axis(columns=None).reset_index()


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: mean validation score (and mean epochs), a row a model, a column a rate; the chosen one."""
    found = steps(results.search).groupby(["mixer", "learning_rate"], observed=True)
    words = found.agg(value=("value", "mean"), epochs=("epoch", "mean")).apply(
        lambda row: f"{row['value']:.3f} ({row['epochs']:.0f})", axis=1
    )
    table = words.unstack("learning_rate").rename(columns=lambda rate: f"rate {rate:g}").rename_axis(columns=None)
    chosen = named(TUNING.scores(results.search).query("chosen"), MIXER_NAMES).set_index("mixer")["learning_rate"]
    return table.assign(chosen=chosen.map("{:g}".format)).fillna("").reset_index()
