"""The frames that the figures draw, from made-up rows whose numbers are known."""

import math

import pandas as pd
import pytest

from inductive_bias.studies.regular_languages import STUDY, figures
from inductive_bias.studies.regular_languages.design import (
    MODELS,
    REM,
    RSA,
    TITLES,
    TRANSFORMER,
    cell_of,
    cells,
    languages_of,
)
from inductive_bias.studies.study import Results

SCALE = "smoke"
SEEDS = (0, 1)


def score(model, language, seed, split):
    """A number that tells where it came from."""
    place = MODELS.index(model) / 10 + languages_of(SCALE).index(language) / 100
    return place + seed / 1000 + {"validation": 0.0, "longer": 0.0001, "longest": 0.0002}[split]


def rows_of(model, language, trial):
    def made(split, metric, value, *, x=math.nan, epoch=math.nan):
        return {"cell": cell_of(model, language), "trial": trial.id, "seed": trial.seed, "split": split,
                "metric": metric, "epoch": epoch, "x": x, "value": value}  # fmt: skip

    for split in ("validation", "longer", "longest"):
        value = score(model, language, trial.seed, split)
        for metric in ("string_accuracy", "position_accuracy"):
            yield made(split, metric, value)
            yield from (made(split, metric, value + step, epoch=epoch) for epoch, step in ((1, 0.5), (2, -0.5)))
        for x in (5.5, 15.5):
            yield made(split, "position_accuracy by position", x / 100, x=x)
        yield made(split, "string_accuracy by length", 1.0 if split == "validation" else 0.0, x=15.5)
        yield made(split, "n by length", 30.0 if split == "validation" else 10.0, x=15.5)
    yield made("train", "parameters", 100.0 + languages_of(SCALE).index(language))
    if model in (RSA, REM):
        for epoch, shift in ((0, 0.0), (math.nan, -0.1)):
            for head, (kind, value) in enumerate([("real", 0.9), ("cos", 0.8), ("real", -0.7)]):
                yield made("layer 1", f"decay, {kind}", value + shift, x=float(head), epoch=epoch)
            if model == RSA:
                yield made("layer 1", "gate", 0.5 + shift - trial.seed / 10, x=0.0, epoch=epoch)


@pytest.fixture(scope="module")
def results():
    found = cells(SCALE)
    rows = [
        row
        for model in MODELS
        for language in languages_of(SCALE)
        for trial in found[cell_of(model, language)]
        for row in rows_of(model, language, trial)
    ]
    return Results(STUDY, SCALE, pd.DataFrame(rows), complete_publication=True)


def test_a_map_of_scores_has_the_mean_of_every_language_and_model(results):
    table = figures.score_map(results, "longer")
    assert table.shape == (len(languages_of(SCALE)), len(MODELS))
    wanted = sum(score(RSA, "aa", seed, "longer") for seed in SEEDS) / 2
    assert table.loc["(aa)*", RSA] == pytest.approx(wanted)


def test_a_language_without_the_bin_is_an_empty_cell(results):
    rows = results.rows[~(results.rows["cell"].str.endswith("Parity") & (results.rows["split"] == "longest"))]
    fewer = Results(STUDY, SCALE, rows, complete_publication=True)
    assert figures.score_map(fewer, "longest").loc["Parity"].isna().all()
    assert figures.seed_table(fewer, "longest").set_index("language").loc["Parity", RSA] == ""
    assert "Parity" not in figures.beside_paper(fewer, "longest")["language"].tolist()
    assert set(figures.by_position(fewer, "parity", [RSA])["position"]) == {5.5, 15.5}


def test_every_seed_is_in_the_table(results):
    same = f"{score(TRANSFORMER, 'parity', 0, 'validation'):.2f}"
    assert figures.seed_table(results, "validation").set_index("language").loc["Parity", TRANSFORMER] == same
    rows = results.rows.copy()
    rows.loc[(rows["cell"] == cell_of(TRANSFORMER, "parity")) & (rows["seed"] == SEEDS[-1]), "value"] = 0.75
    table = figures.seed_table(Results(STUDY, SCALE, rows, complete_publication=True), "validation")
    wanted = "\u00a0".join([*[same] * (len(SEEDS) - 1), "0.75"])
    assert table.set_index("language").loc["Parity", TRANSFORMER] == wanted


def test_bins_are_named_by_their_lengths(results):
    assert figures.bin_words(results) == {"validation": "1–12", "longer": "13–24", "longest": "25–36"}


def test_accuracy_along_a_string_is_one_line_a_seed_and_model(results):
    table = figures.by_position(results, "aa", [TRANSFORMER, RSA])
    assert table.groupby(["cell", "seed"]).size().tolist() == [2, 2, 2, 2]
    assert set(zip(table["position"], table["value"], strict=True)) == {(5.5, 0.055), (15.5, 0.155)}


def test_lengths_that_two_bins_share_are_weighed_by_their_strings(results):
    table = figures.by_length(results, "aa", [RSA])
    assert table["value"].tolist() == pytest.approx([0.6, 0.6])  # 30 strings right, 20 not


def test_gains_are_differences_to_the_twin(results):
    table = figures.gain_table(results).set_index("language")
    difference = (MODELS.index(RSA) - MODELS.index(TRANSFORMER)) / 10
    assert f"+{difference:.3f}" in table.loc["(aa)*", "strings"]
    assert table.loc["(aa)*", "positions gain > 0.05"] == "yes"
    against_itself = figures.gain_table(results, RSA, RSA)
    assert set(against_itself["positions gain > 0.05"]) == {"no"}


def test_the_best_epoch_is_that_of_the_history(results):
    found = figures.best_epoch(results, cell_of(RSA, "aa"), "longer")
    assert found == pytest.approx([score(RSA, "aa", seed, "longer") + 0.5 for seed in SEEDS])


def test_published_scores_stand_beside_ours(results):
    table = figures.beside_paper(results, "longer").set_index("language")
    assert table.loc["D₂", "paper (best epoch)"] == "0.03"
    assert table.loc["Flip-flop", "paper (best epoch)"] == "–"


def test_gates_and_decays_before_and_after(results):
    gates = figures.gates(results)
    assert list(dict.fromkeys(gates["language"])) == [TITLES[name] for name in languages_of(SCALE)]
    assert (gates["before"] - gates["after"]).round(6).unique().tolist() == [0.1]
    assert set(gates["block"]) == {"block 1"}
    decays = figures.decays(results)
    assert len(decays) == 3 * len(SEEDS) * len(languages_of(SCALE))
    strongest = figures.strongest_alternation(results)
    assert set(strongest["cell"]) == {REM, RSA}
    assert strongest["after"].round(6).unique().tolist() == [-0.8]


def test_parameters_are_given_as_a_range_where_languages_differ(results):
    table = figures.parameter_table(results).set_index("model")
    assert table.loc[RSA, "parameters"] == "100\u00a0to\u00a0105"
