"""Frames and tables of the ladder, on a toy study whose numbers are known by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from inductive_bias.studies import Results, Study
from inductive_bias.studies.agreement import design, factors, figures, training_sets
from inductive_bias.studies.runs import COLUMNS

NAN = float("nan")
#: Accuracy on the natural test, two seeds.
LEVEL = {"Transformer": (0.80, 0.84), "Sequential Transformer": (0.85, 0.87), "LSTM": (0.90, NAN),
         "Sequential Universal Transformer": (0.88, 0.88), "Universal Transformer": (0.81, 0.85)}  # fmt: skip
TRAINED = {"": 40_000, "natural": 12_000, "attractor-rich": 28_000, "4,000 preambles": 4_000, "grammar 300": 300,
           "grammar 3,000": 3_000, "grammar 3,000, 50% with attractors": 3_000}  # fmt: skip
HARDER = {1: 0.1, 2: 0.3}
REAL = {"test": 0.0, "wikitext": 0.05, "attractors": 0.2}


def row(cell, seed, split, metric, value, *, source="real:linzen", x=NAN):
    known = {"study": "toy", "scale": "laptop", "trial": f"{cell}{seed}", "model": "m", "teacher": "", "epoch": NAN}
    return known | {"cell": cell, "seed": seed, "split": split, "metric": metric, "value": float(value), "x": float(x),
                    "data_source": source}  # fmt: skip


def rows_of(cell, seed, level, n, source="real:linzen", splits=REAL):
    yield row(cell, seed, "train", "n", n, source=source)
    for split, drop in splits.items():
        for metric in ("accuracy", "balanced_accuracy", "nll", "brier", "ece_20", "ece_1e6", "a_accuracy"):
            if metric != "a_accuracy" or split == "attractors":
                yield row(cell, seed, split, metric, level - drop, source=source)
        yield row(cell, seed, split, "share_of_class_0", 0.7 if split == "test" else 0.2, source=source)
        for x, count in ((0.5, 30), (0.9, 70)):
            yield row(cell, seed, split, "reliability_count", count, source=source, x=x)
    for count, drop in HARDER.items():
        for metric in ("accuracy", "balanced_accuracy"):
            yield row(cell, seed, "attractors", f"{metric} by attractors", level - drop, source=source, x=count)
        yield row(cell, seed, "attractors", "n by attractors", 60 // count, source=source, x=count)


def toy(*, generated_only: bool = False) -> Results:
    rows = []
    for model, levels in LEVEL.items():
        for suffix, n in TRAINED.items():
            if suffix and (generated_only or model == "Universal Transformer"):
                continue
            cell = f"{model}, {suffix}" if suffix else model
            generated = generated_only or suffix.startswith("grammar")
            source = "generated:agreement grammar" if generated else "real:linzen"
            splits = {name: drop for name, drop in REAL.items() if not generated or name != "wikitext"}
            shift = 0.05 if "with attractors" in suffix else 0.0
            for seed, level in enumerate(levels):
                rows += rows_of(cell, seed, level + shift, n, source, splits)
    study = Study("toy", "?", cells=lambda scale: {}, tables={}, claims=())
    return Results(study, "laptop", pd.DataFrame(rows)[COLUMNS], complete_publication=False)


@pytest.fixture(scope="module")
def results() -> Results:
    return toy()


def whole(text):
    return text.replace(" ", "\u00a0")


class TestLadder:
    def test_a_scale_shows_the_measures_and_sets_that_it_has(self, results):
        assert figures.measures(results) == figures.MEASURES
        assert figures.sets(results) == figures.SETS
        assert list(figures.sets(results, natural=True)) == ["test", "wikitext"]
        generated = toy(generated_only=True)
        assert list(figures.measures(generated)) == ["accuracy, natural test", "A-acc"]
        assert list(figures.sets(generated)) == ["test", "attractors"]

    def test_every_seed_is_kept_a_diverged_one_too(self, results):
        table = figures.measured(results, design.LADDER, ("attractors", "a_accuracy"))
        assert list(dict.fromkeys(table["cell"])) == list(design.LADDER)
        np.testing.assert_allclose(table.loc[table["cell"] == "LSTM", "value"], [0.7, NAN])
        assert len(figures.on_natural_tests(results, ["LSTM"], "ece_20")) == 4
        with pytest.raises(ValueError, match="cell 'GRU' has no accuracy on 'test'"):
            figures.measured(results, ["GRU"], ("test", "accuracy"))

    def test_the_papers_marks_are_keyed_as_the_plot_wants_them(self):
        marks = figures.paper_marks(design.MODELS, ("test", "accuracy"))
        assert marks[("natural test", "Transformer")] == 0.9541
        assert ("natural test", "Universal Transformer") not in marks
        assert figures.paper_marks(design.LADDER, ("wikitext", "accuracy")) == {}

    def test_our_numbers_stand_beside_the_papers(self, results):
        table = figures.beside_paper(results, design.LADDER, figures.measures(results))
        assert len(table) == 3 * 4
        first = table.iloc[0]
        assert (first["here"], first["paper"]) == (whole("0.820 ± 0.0283"), whole("0.954 ± 0.0016"))
        assert table.iloc[3].tolist()[1:] == ["LSTM", "0.900", whole("0.977 ± 0.0001"), whole("0.900 –")]
        assert (table.loc[table["measure"] == "accuracy, WikiText-2", "paper"] == "–").all()

    def test_an_unknown_deviation_of_the_paper_is_not_written(self, results):
        table = figures.calibration(results, ["LSTM"])
        assert table["paper, 10⁶ bins"].tolist() == ["0.028", "–"]
        assert table["test set"].tolist() == ["natural test", "WikiText-2"]


class TestAttractors:
    def test_the_natural_test_stands_at_zero(self, results):
        table = figures.attractor_curves(results, "accuracy", ["Transformer"])
        assert table["attractors"].tolist() == [0, 1, 2] * 2
        np.testing.assert_allclose(table["value"], [0.8, 0.7, 0.5, 0.84, 0.74, 0.54])
        assert figures.attractor_counts(results) == {0: 100, 1: 60, 2: 30}

    def test_a_test_that_begins_at_zero_is_taken_as_it_is(self, results):
        extra = [row("Transformer", seed, "attractors", f"{name} by attractors", 0.6, x=0)
                 for seed in (0, 1) for name in ("accuracy", "n")]  # fmt: skip
        longer = Results(results.study, "laptop", pd.concat([results.rows, pd.DataFrame(extra)[COLUMNS]]), False)
        table = figures.attractor_curves(longer, "accuracy", ["Transformer"])
        assert table.loc[table["attractors"] == 0, "value"].tolist() == [0.6, 0.6]
        assert figures.attractor_counts(longer)[0] == 0

    def test_an_unknown_metric_and_unequal_tests_are_refused(self, results):
        with pytest.raises(ValueError, match="cell 'LSTM' has no f1 by attractors"):
            figures.attractor_curves(results, "f1", ["LSTM"])
        wrong = results.rows.copy()
        wrong.loc[(wrong["metric"] == "n by attractors") & (wrong["seed"] == 1), "value"] += 1
        with pytest.raises(ValueError, match="different numbers of examples"):
            figures.attractor_counts(Results(results.study, "laptop", wrong, False))

    def test_always_the_frequent_answer_is_right_as_often_as_it_is_frequent(self, results):
        assert figures.majority_share(results, "test") == pytest.approx(0.7)
        assert figures.majority_share(results, "attractors") == pytest.approx(0.8)

    def test_the_table_has_a_row_a_count_and_a_column_a_model(self, results):
        table = figures.attractor_table(results, ["Transformer", "Sequential Transformer"])
        assert table.columns.tolist() == ["attractors", "n", "T", "T-seq"]
        assert table.loc[2].tolist() == [2, 30, whole("0.520 ± 0.0283"), whole("0.560 ± 0.0141")]


class TestSpread:
    def test_it_is_the_sample_standard_deviation_with_the_papers_beside_it(self, results):
        table = figures.spread(results, ["Transformer"], {"accuracy": ("test", "accuracy")}, samples=200)
        found = table.loc[0]
        np.testing.assert_allclose(found["std"], np.std(LEVEL["Transformer"], ddof=1))
        assert found["low"] <= found["std"] <= found["high"]
        assert found["paper"] == 0.0016

    def test_the_table_shows_what_is_not_known_as_a_dash(self, results):
        place = {"accuracy": ("wikitext", "accuracy")}
        shown = figures.spread_table(figures.spread(results, ["Transformer"], place, samples=50)).loc[0]
        assert (shown["std"], shown["paper"]) == ("0.0283", "–")
        assert shown["bootstrap interval"] == whole("0.0000 to 0.0283")


class TestTrainingSets:
    def test_a_learning_curve_has_more_of_the_same_data_and_nothing_else(self, results):
        table = training_sets.learning_curves(results, ("test", "accuracy"), ["Transformer"])
        sizes = table.groupby("source")["n"].unique().map(list).to_dict()
        assert sizes == {training_sets.GENERATED: [300, 3_000], training_sets.REAL: [4_000, 40_000]}
        assert set(table["cell"]) == {"Transformer"}
        assert len(table) == 4 * 2

    def test_the_universal_transformer_is_not_a_variant_of_another_model(self, results):
        assert training_sets.variants(results, "Universal Transformer") == {"": "Universal Transformer"}
        assert set(training_sets.variants(results, "Transformer")) == set(TRAINED)

    def test_a_table_by_size_is_sorted_by_source_and_size(self, results):
        table = training_sets.learning_table(results, {"accuracy": ("test", "accuracy")})
        assert table["sentences"].tolist() == ["300", "3,000", "4,000", "40,000"]
        assert table.columns.tolist()[-1] == "LSTM"
        assert set(table["LSTM"]) == {"0.900"}

    def test_regimes_are_ordered_from_least_to_most_attractors(self, results):
        table = training_sets.regimes(results, ("attractors", "a_accuracy"))
        assert [words.split("\n")[-1] for words in dict.fromkeys(table["regime"])] == ["12,000", "40,000", "28,000"]
        assert len(table) == 3 * 4 * 2

    def test_a_scale_without_regimes_has_its_main_set_alone(self):
        table = training_sets.regimes(toy(generated_only=True), ("test", "accuracy"))
        assert set(table["regime"]) == {"main training set\n40,000"}

    def test_enrichment_is_compared_with_equally_many_sentences_of_the_natural_mix(self, results):
        table = training_sets.enrichment(results, {"accuracy": ("test", "accuracy")}, ["Transformer"])
        low, high = stats.ttest_ind([0.85, 0.89], [0.80, 0.84], equal_var=False).confidence_interval()
        assert table.loc[0, "enriched"] == whole("0.870 ± 0.0283")
        assert table.loc[0, "gain"] == whole(f"+0.050 [{low:+.3f}, {high:+.3f}]").replace("-", "−")

    def test_without_an_enriched_set_the_table_is_empty(self):
        table = training_sets.enrichment(toy(generated_only=True), {"accuracy": ("test", "accuracy")})
        assert table.empty
        assert "gain" in table.columns


class TestFactors:
    def test_the_four_transformers_are_every_combination_of_two_choices(self):
        assert set(factors.FACTORS) == set(design.MODELS) - {"LSTM"}
        assert len(set(factors.FACTORS.values())) == 4
        for name, (attention, blocks) in factors.FACTORS.items():
            spec = design.SIZES["laptop"].models[name]
            assert spec.causal == (attention == factors.LEFT_TO_RIGHT)
            assert spec.shared == (blocks == factors.SHARED)

    def test_effects_are_contrasts_of_means(self, results):
        found = factors.factor_effects(results, {"accuracy": ("test", "accuracy")}).set_index("effect")["accuracy"]
        own, seq, shared, both = (np.mean(LEVEL[name]) for name in factors.FACTORS)
        want = {
            "reading left to right": (seq + both - own - shared) / 2,
            "sharing one block": (shared + both - own - seq) / 2,
            "interaction": (both - shared) - (seq - own),
        }
        assert {name: text.split("\u00a0")[0] for name, text in found.items()} == {
            name: f"{value:+.3f}".replace("-", "−") for name, value in want.items()
        }

    def test_every_seed_of_the_four_is_there(self, results):
        table = factors.factor_rows(results, ("test", "accuracy"))
        assert table.groupby(["attention", "blocks"]).size().tolist() == [2] * 4
