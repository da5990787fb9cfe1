"""The sets of minimal pairs: accuracy by attractors and by construction, what was left out, and what was unknown."""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.studies.study import Results
from inductive_bias.studies.vision.figures import mean_std
from inductive_bias.tasks.pairs.blimp import AGREEMENT_TEMPLATES, REFLEXIVE_TEMPLATES

#: Words for the sets of pairs.
SETS = {
    "pairs:linzen-lm": "Linzen et al. (linzen-lm)",
    "pairs:wiki-dev": "Wikipedia (wiki-dev)",
    "pairs:wiki-test": "Wikipedia (wiki-test)",
    "pairs:marvin-linzen": "Marvin & Linzen",
    "pairs:grammar": "generated grammar",
}
#: Words for the templates of Marvin & Linzen, the subject beside its verb first, reflexives last.
TEMPLATES = {
    "simple_agrmt": "simple agreement",
    "sent_comp": "in a sentential complement",
    "vp_coord": "short VP coordination",
    "long_vp_coord": "long VP coordination",
    "prep_anim": "across a prepositional phrase, animate",
    "prep_inanim": "across a prepositional phrase, inanimate",
    "subj_rel": "across a subject relative",
    "obj_rel_across_anim": "across an object relative, animate",
    "obj_rel_across_inanim": "across an object relative, inanimate",
    "obj_rel_no_comp_across_anim": "across a reduced relative, animate",
    "obj_rel_no_comp_across_inanim": "across a reduced relative, inanimate",
    "obj_rel_within_anim": "within an object relative, animate",
    "obj_rel_within_inanim": "within an object relative, inanimate",
    "obj_rel_no_comp_within_anim": "within a reduced relative, animate",
    "obj_rel_no_comp_within_inanim": "within a reduced relative, inanimate",
    "simple_reflexives": "simple reflexive",
    "reflexive_sent_comp": "reflexive in a sentential complement",
    "reflexives_across": "reflexive across a relative",
}
#: Template of each code of the slice ``template``: the codes are places in the sorted names.
TEMPLATE_NAMES = tuple(sorted(AGREEMENT_TEMPLATES + REFLEXIVE_TEMPLATES))


def by_attractors(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Accuracy by number of attractors: ``cell, seed, attractors, accuracy``, on the set of pairs that counts them."""
    rows = results.final("accuracy by attractors")
    rows = rows[rows["split"].isin(SETS) & rows["cell"].isin(cells)]
    table = rows.assign(attractors=rows["x"].astype(int), accuracy=rows["value"])
    table = table.sort_values(["seed", "attractors"], kind="stable")
    table = table.sort_values("cell", key=lambda names: names.map(list(cells).index), kind="stable")
    return table[["cell", "seed", "attractors", "accuracy"]].reset_index(drop=True)


def attractor_table(results: Results, cells: Sequence[str]) -> pd.DataFrame:
    """Mean ± standard deviation over seeds, one row a number of attractors, with how many pairs it has."""
    curves = by_attractors(results, cells)
    table = curves.groupby(["attractors", "cell"])["accuracy"].apply(mean_std).unstack()[list(cells)]
    counts = results.final("n by attractors", cell=cells[0]).drop_duplicates(["split", "x"])
    counts = counts[counts["split"].isin(SETS)].set_index("x")["value"].astype(int)
    table.columns.name = None
    table.insert(0, "pairs", [int(counts[float(number)]) for number in table.index])
    return table.reset_index()


def by_construction(results: Results, cells: Sequence[str], *, spread: bool = False) -> pd.DataFrame:
    """Mean accuracy over seeds, one row a template of Marvin & Linzen (as in `TEMPLATES`) and one column a cell.

    With ``spread`` the entries are text, mean ± standard deviation. The generated grammar has no templates; there the
    rows are numbers of attractors.
    """
    combined = mean_std if spread else "mean"
    rows = results.final("accuracy by template")
    if rows.empty:
        means = by_attractors(results, cells).groupby(["attractors", "cell"])["accuracy"].agg(combined).unstack()
        means.index = [f"{number} attractor{'s' * (number != 1)}" for number in means.index]
    else:
        names = rows["x"].astype(int).map(dict(enumerate(TEMPLATE_NAMES)))
        means = rows.assign(template=names).groupby(["template", "cell"])["value"].agg(combined).unstack()
        means = means.loc[[name for name in TEMPLATES if name in means.index]].rename(index=TEMPLATES)
    means.columns.name = means.index.name = None
    return means[list(cells)]


def pair_counts(results: Results) -> pd.DataFrame:
    """One row a set of pairs: how many were read, scored and left out, why, and the share of unknown words.

    Raises:
        ValueError: if trials of the study scored different pairs.
    """
    rows = results.rows[results.rows["split"].isin(SETS) & results.rows["x"].isna()]
    kept = rows[rows["metric"].isin(["n", "unknown_share"]) | rows["metric"].str.startswith("skipped: ")]
    numbers = kept.groupby(["split", "metric"], sort=False)["value"].agg(["min", "max"])
    if (numbers["min"] != numbers["max"]).any():
        raise ValueError(f"trials scored different pairs: {numbers[numbers['min'] != numbers['max']].index.tolist()}")
    table = []
    for split in (name for name in SETS if name in set(kept["split"])):
        known = numbers.loc[split, "max"]
        skipped = {name.removeprefix("skipped: "): int(n) for name, n in known.items() if name.startswith("skipped: ")}
        scored, out = int(known["n"]), sum(skipped.values())
        table.append(
            {"set": SETS[split], "read": scored + out, "scored": scored, "left out": out,
             "unknown words": f"{known['unknown_share']:.1%}" if "unknown_share" in known else "–",
             "why left out": "; ".join(f"{why}: {n:,}" for why, n in skipped.items()) or "–"}
        )  # fmt: skip
    return pd.DataFrame(table)


def corpus_table(results: Results) -> pd.DataFrame:
    """One row a held-out text: predicted tokens, and the share of them that are ``<unk>``."""
    table = []
    for split in ("validation", "test"):
        tokens, unknown = (results.final(name, split=split)["value"].iloc[0] for name in ("tokens", "unknown_share"))
        table.append({"text": split, "tokens": f"{int(tokens):,}", "unknown words": f"{unknown:.1%}"})
    return pd.DataFrame(table)
