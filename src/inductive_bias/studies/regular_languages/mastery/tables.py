"""From the rows of the study to what its figures draw and the tables beside them print."""

from itertools import product

import pandas as pd

from inductive_bias.studies.frames import by_rate
from inductive_bias.studies.regular_languages.design import LSTM, TITLES, mixer_name
from inductive_bias.studies.regular_languages.mastery.design import ASKED, MODELS, PAIRS, PLANS
from inductive_bias.studies.regular_languages.scores import FAILED, Told, gain, mastered, masters, positions_right
from inductive_bias.studies.regular_languages.tables import every_seed
from inductive_bias.studies.results import Results
from inductive_bias.studies.searching import STANDARD, TUNING
from inductive_bias.tasks.batching import sentence_batches
from inductive_bias.tasks.formal import LANGUAGES
from inductive_bias.tasks.formal.task import LONGER as LONGER_BINS

#: Where a position of a longer string lies.
WITHIN, BEYOND = "within the training lengths", "beyond the training lengths"
#: Names of all models, in the order of the pages.
NAMES = tuple(mixer_name(*told) for told in MODELS)


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """With the column ``mixer``: model and positions as one name, in the order of the pages."""
    names = [mixer_name(*pair) for pair in zip(frame["model"], frame["positions"], strict=True)]
    return frame.assign(mixer=pd.Categorical(names, [name for name in NAMES if name in names], ordered=True))


def scores(results: Results, split: str) -> pd.DataFrame:
    """String accuracy of every judged run; a diverged run has no string right."""
    return named(results.frame("string_accuracy", split=split, variant=STANDARD).fillna({"value": FAILED}))


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
        both = mastered(results, languages, pair, variant=STANDARD)
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
    own, twin = (mastered(results, languages, [told], variant=STANDARD) for told in pair)
    for name in (name for name in languages if name in {*own, *twin}):
        who = "both" if name in own and name in twin else mixer_name(*pair[0 if name in own else 1])
        differences = {
            split: str(gain(results, name, "string_accuracy", pair, split, variant=STANDARD))
            for split in splits(results)
        }
        rows.append({"language": TITLES[name], "kind": LANGUAGES[name].family, "mastered by": who} | differences)
    return pd.DataFrame(rows)


def answers(results: Results) -> pd.DataFrame:
    """Share of positions of longer strings right, of every run on the languages of RH; an LSTM is left out.

    Columns ``language, mixer, place, number, value``; ``place`` is :data:`WITHIN` the training lengths or
    :data:`BEYOND` them.
    """
    parts = []
    for language, told, (place, beyond) in product(ASKED, MODELS, ((WITHIN, False), (BEYOND, True))):
        if told[0] != LSTM:
            found = positions_right(results, "longer", language, told, beyond=beyond, variant=STANDARD)
            at = {"language": language, "model": told[0], "positions": told[1], "place": place}
            parts.append(found.rename("value").reset_index().assign(**at))
    table = named(pd.concat(parts, ignore_index=True).fillna({"value": FAILED}))
    return table.assign(mixer=table["mixer"].cat.remove_unused_categories())


def steps(results: Results, variant: str = STANDARD) -> pd.DataFrame:
    """How long every run was trained: its column ``steps``, and ``value``, its last validation score."""
    looks = results.frame("string_accuracy", split="validation", epochs=True, variant=variant)
    last = named(looks).sort_values("epoch").groupby("trial", sort=False).tail(1)
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


def searched(results: Results) -> pd.DataFrame:
    """What the search for rates found: a row a model and factor, its mean validation score and mean epochs."""
    found = steps(results, TUNING)
    groups = found.groupby(["model", "positions", "rate"], observed=True)
    return named(groups.agg(value=("value", "mean"), epochs=("epoch", "mean")).reset_index())


def best_rates(results: Results) -> dict[Told, float]:
    """The factor of every model with the highest mean score; of equal ones that with the fewest epochs."""
    ordered = searched(results).sort_values(["value", "epochs"], ascending=[False, True])
    best = ordered.groupby(["model", "positions"], observed=True).head(1)
    return {(row.model, row.positions): float(row.rate) for row in best.itertuples()}


def grid(results: Results) -> pd.DataFrame:
    """The same for people, a column a factor."""
    found = searched(results)
    table = by_rate(
        found.assign(value=[f"{row.value:.3f} ({row.epochs:.0f})" for row in found.itertuples()]), ["mixer"]
    )
    chosen = {mixer_name(*told): f"× {factor:g}" for told, factor in PLANS[results.scale].factors.items()}
    return table.assign(chosen=table["mixer"].map(lambda name: chosen.get(name, "× 1"))).fillna("")
