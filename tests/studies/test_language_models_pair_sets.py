"""What is shown of the sets of minimal pairs, on rows written by hand."""

import pandas as pd
import pytest

from inductive_bias.studies.language_models import pair_sets
from inductive_bias.tasks.pairs.blimp import AGREEMENT_TEMPLATES, REFLEXIVE_TEMPLATES
from tests.studies.test_language_models_figures import results_of, row

CELLS = ["LSTM", "Transformer"]
PREPOSITION = pair_sets.TEMPLATE_NAMES.index("prep_anim")
SIMPLE = pair_sets.TEMPLATE_NAMES.index("simple_agrmt")


def toy_rows(templates=True):
    for cell, level in zip(CELLS, (0.9, 0.7), strict=True):
        for seed in (0, 1):
            for split, read in (("validation", 900.0), ("test", 1_000.0)):
                yield row(cell, seed, split, "tokens", read)
                yield row(cell, seed, split, "unknown_share", 0.08)
            for count in (0, 1):
                accuracy = level - 0.1 * count + 0.02 * seed
                yield row(cell, seed, "pairs:linzen-lm", "accuracy by attractors", accuracy, x=float(count))
                yield row(cell, seed, "pairs:linzen-lm", "n by attractors", 50.0 - 20 * count, x=float(count))
            yield row(cell, seed, "pairs:linzen-lm", "n", 80.0)
            yield row(cell, seed, "pairs:linzen-lm", "unknown_share", 0.125)
            yield row(cell, seed, "pairs:linzen-lm", "skipped: verb out of vocabulary", 15.0)
            yield row(cell, seed, "pairs:linzen-lm", "skipped: token is not the gold form", 5.0)
            yield row(cell, seed, "pairs:wiki-dev", "n", 7.0)
            if templates:
                yield row(cell, seed, "pairs:marvin-linzen", "accuracy by template", level, x=float(PREPOSITION))
                yield row(cell, seed, "pairs:marvin-linzen", "accuracy by template", 1.0, x=float(SIMPLE))


@pytest.fixture
def results():
    return results_of(toy_rows())


def test_every_template_has_words_of_its_own_and_the_number_it_has_in_the_data():
    assert sorted(pair_sets.TEMPLATES) == list(pair_sets.TEMPLATE_NAMES)
    assert len(set(pair_sets.TEMPLATES.values())) == len(pair_sets.TEMPLATES) == 18
    # tasks.pairs.encoding numbers the templates of a file by their sorted names
    assert tuple(sorted({*AGREEMENT_TEMPLATES, *REFLEXIVE_TEMPLATES})) == pair_sets.TEMPLATE_NAMES


def test_accuracy_by_attractors_keeps_every_seed_in_the_order_asked_for(results):
    table = pair_sets.by_attractors(results, ["Transformer", "LSTM"])
    assert table["cell"].tolist() == ["Transformer"] * 4 + ["LSTM"] * 4
    assert table["attractors"].tolist() == [0, 1] * 4
    assert table["accuracy"].tolist() == pytest.approx([0.7, 0.6, 0.72, 0.62, 0.9, 0.8, 0.92, 0.82])


def test_the_table_by_attractors_says_how_many_pairs_there_are(results):
    table = pair_sets.attractor_table(results, CELLS)
    assert table["attractors"].tolist() == [0, 1]
    assert table["pairs"].tolist() == [50, 30]
    assert table["LSTM"].tolist() == ["0.910\u00a0±\u00a00.0141", "0.810\u00a0±\u00a00.0141"]


def test_codes_of_templates_become_words_the_simplest_first(results):
    table = pair_sets.by_construction(results, CELLS)
    assert table.index.tolist() == ["simple agreement", "across a prepositional phrase, animate"]
    assert table.loc["across a prepositional phrase, animate"].tolist() == pytest.approx([0.9, 0.7])
    spread = pair_sets.by_construction(results, CELLS, spread=True)
    assert spread.iloc[0].tolist() == ["1.000\u00a0±\u00a00.0000"] * 2


def test_without_templates_the_constructions_are_numbers_of_attractors():
    table = pair_sets.by_construction(results_of(toy_rows(templates=False)), CELLS)
    assert table.index.tolist() == ["0 attractors", "1 attractor"]
    assert table["LSTM"].tolist() == pytest.approx([0.91, 0.81])


def test_pairs_that_were_left_out_are_counted_with_their_reasons(results):
    table = pair_sets.pair_counts(results).set_index("set")
    found = table.loc["Linzen et al. (linzen-lm)"]
    assert found[["read", "scored", "left out"]].tolist() == [100, 80, 20]
    assert found["unknown words"] == "12.5%"
    assert found["why left out"] == "verb out of vocabulary: 15; token is not the gold form: 5"
    assert table.loc["Wikipedia (wiki-dev)"].tolist() == [7, 7, 0, "–", "–"]


def test_trials_that_scored_different_pairs_are_refused():
    rows = [*toy_rows(), row("LSTM", 2, "pairs:linzen-lm", "n", 79.0)]
    with pytest.raises(ValueError, match=r"trials scored different pairs: .*linzen-lm"):
        pair_sets.pair_counts(results_of(rows))


def test_the_text_has_its_tokens_and_unknown_words(results):
    expected = pd.DataFrame(
        {"text": ["validation", "test"], "tokens": ["900", "1,000"], "unknown words": ["8.0%", "8.0%"]}
    )
    pd.testing.assert_frame_equal(pair_sets.corpus_table(results), expected)
