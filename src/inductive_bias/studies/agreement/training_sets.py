"""Frames of the ladder after other training data: fewer sentences, other text, sentences with attractors."""

import re
from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from inductive_bias.names import short_name
from inductive_bias.studies.agreement.claims import SHORT
from inductive_bias.studies.agreement.design import LADDER, REGIMES
from inductive_bias.studies.agreement.figures import Place
from inductive_bias.studies.claims import signed
from inductive_bias.studies.comparisons import gain
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.study import Results

#: What the cells of a learning curve are called besides the model alone, which has the main training set.
_SIZED = re.compile(r"grammar [\d,]+|[\d,]+ preambles")
_ENRICHED = re.compile(r"(grammar [\d,]+), \d+% with attractors")
_COMPARED = ("as they come", "enriched")
REAL, GENERATED = "real preambles", "generated grammar"
#: Words under the axis for the training sets of design.REGIMES and for the main one, from least to most attractors.
REGIME_WORDS = {REGIMES[0]: "Linzen's text", "": "with WikiText-2\n(main)", REGIMES[1]: "with attractor\nsets"}


def variants(results: Results, model: str) -> dict[str, str]:
    """The cells of a model without a teacher: from what follows the model's name to the name of the cell."""
    cells = dict.fromkeys(results.rows["cell"])
    names = {cell: cell.removeprefix(model).removeprefix(", ") for cell in cells if cell.split(", ")[0] == model}
    return {suffix: cell for cell, suffix in names.items()}


def training_size(results: Results, cell: str) -> int:
    """Sentences in the training set of a cell."""
    return int(results.values(cell, "train", "n")[0])


def learning_curves(results: Results, place: Place, models: Sequence[str] = LADDER) -> pd.DataFrame:
    """A measure over the size of the training set: ``cell, source, seed, n, value``.

    ``cell`` is the model, ``source`` real preambles or the generated grammar. Other regimes and enriched sets are other
    data, not more of the same, and are left out.
    """
    split, metric = place
    parts = []
    for model in models:
        for suffix, cell in variants(results, model).items():
            if suffix and not _SIZED.fullmatch(suffix):
                continue
            rows = results.final(metric, split=split, cell=cell)
            source = rows["data_source"].str.startswith("generated").map({True: GENERATED, False: REAL})
            parts.append(rows.assign(cell=model, source=source, n=training_size(results, cell)))
    table = pd.concat(parts).sort_values(["source", "n", "seed"], kind="stable")
    return table[["cell", "source", "seed", "n", "value"]].reset_index(drop=True)


def learning_table(results: Results, places: Mapping[str, Place], models: Sequence[str] = LADDER) -> pd.DataFrame:
    """Mean ± standard deviation by size, one row a source × size × measure and one column a model."""
    parts = [learning_curves(results, place, models).assign(measure=words) for words, place in places.items()]
    groups = pd.concat(parts).groupby(["source", "n", "measure", "cell"], sort=False)["value"].apply(mean_std)
    table = groups.unstack().reindex(columns=list(models)).sort_index(level=["source", "n"])
    table.columns = [SHORT[model] for model in models]
    table = table.reset_index().rename(columns={"n": "sentences"})
    return table.assign(sentences=table["sentences"].map("{:,}".format))


def regimes(results: Results, place: Place, models: Sequence[str] = LADDER) -> pd.DataFrame:
    """A measure after each of the named training sets: ``cell, regime, seed, value``; ``cell`` is the model.

    Where there is only the main set (at the scale ``smoke``) it is called just that.
    """
    split, metric = place
    there = {name: words for name, words in REGIME_WORDS.items() if name in variants(results, models[0])}
    there = there if len(there) > 1 else {"": "main training set"}
    parts = []
    for name, words in there.items():
        n = training_size(results, variants(results, models[0])[name])
        for model in models:
            rows = results.final(metric, split=split, cell=variants(results, model)[name]).sort_values("seed")
            parts.append(rows.assign(cell=model, regime=f"{words}\n{n:,}"))
    return pd.concat(parts)[["cell", "regime", "seed", "value"]].reset_index(drop=True)


def enrichment(results: Results, places: Mapping[str, Place], models: Sequence[str] = LADDER) -> pd.DataFrame:
    """Equally many generated sentences, with more attractors or without; one row a model × measure.

    The gain is a difference of means with its 95 % Welch interval. Empty at a scale that has no enriched set.
    """
    rows = []
    for model in models:
        cells = variants(results, model)
        pairs = [(cells[match[1]], cell) for suffix, cell in cells.items() if (match := _ENRICHED.fullmatch(suffix))]
        for (plain, cell), (words, place) in product(pairs, places.items()):
            means = {
                name: mean_std(results.values(of, *place)) for name, of in zip(_COMPARED, (plain, cell), strict=True)
            }
            row = {"model": short_name(model), "measure": words} | means
            rows.append(row | {"gain": signed(gain(results, cell, plain, *place))})
    return pd.DataFrame(rows, columns=["model", "measure", *_COMPARED, "gain"])
