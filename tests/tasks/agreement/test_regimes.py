from collections import Counter
from itertools import combinations

import pytest

from inductive_bias.tasks.agreement.regimes import gather
from inductive_bias.tasks.agreement.rows import LABELS, UNKNOWN, Row, preambles
from inductive_bias.tasks.files import places

NAMES = ("train", "validation", "test", "attractors", "wikitext")
REGIMES = ("natural", "wikitext", "attractor-rich", "official", "tsv")
OF_WIKIPEDIA = ("wiki_agreement", "wikipedia")


def gathered(root, regime, share=0.25):
    return gather(regime, places(root), download=False, attractor_share=share)


@pytest.mark.parametrize("regime", REGIMES)
def test_no_preamble_is_in_two_splits_but_attractors_taken_from_a_test(all_data, regime):
    splits = gathered(all_data, regime).splits
    assert tuple(splits) == NAMES
    for first, second in combinations(NAMES, 2):
        if (regime, first, second) not in {("official", "test", "attractors"), ("tsv", "test", "attractors")}:
            assert not preambles(splits[first]) & preambles(splits[second]), (first, second)


@pytest.mark.parametrize("regime", OF_WIKIPEDIA)
def test_a_preamble_of_wikipedia_is_in_one_split_only(wiki_data, regime):
    out = gathered(wiki_data, regime)
    assert tuple(out.splits) == (*NAMES, "wikipedia")
    for first, second in combinations(out.splits, 2):
        assert not preambles(out.splits[first]) & preambles(out.splits[second]), (first, second)
    # "the old house" is in every part, the others in one besides
    assert out.skipped["train: preamble also in validation or a test"] == 3
    assert out.skipped["wikipedia: preamble also in another test or Linzen's validation"] == 1
    assert out.skipped["validation: preamble also in another set"] == 2
    assert out.sources["wikipedia"] == "real:wiki_agreement"


def test_the_mixture_has_all_that_its_parts_train_on_and_the_tests_are_shared(wiki_data):
    natural, text, alone, mixed = (gathered(wiki_data, r).splits for r in ("natural", "wikitext", *OF_WIKIPEDIA))
    assert mixed["test"] == alone["test"] == natural["test"]
    assert mixed["wikitext"] == alone["wikitext"] == natural["wikitext"]
    rich = gathered(wiki_data, "attractor-rich").splits["train"]
    held_back = [row for row in rich if row.attractors > 0]
    assert Counter(mixed["attractors"]) == Counter(natural["attractors"]) + Counter(held_back)
    tests = preambles(*(rows for name, rows in mixed.items() if name != "train"))
    own = [row for row in alone["train"] if row.preamble not in tests]
    assert mixed["train"] == own + [row for row in text["train"] if row.preamble not in tests]
    size = len(natural["validation"])
    assert mixed["validation"][:size] == natural["validation"]
    assert {row.intervening for row in mixed["wikipedia"]} == {0, 1, 2}


def test_the_first_three_regimes_share_their_tests_and_their_natural_training(data):
    natural, text, rich = (gathered(data, regime).splits for regime in REGIMES[:3])
    for name in NAMES[1:]:
        assert natural[name] == text[name] == rich[name]
    size = len(natural["train"])
    assert natural["train"] == text["train"][:size] == rich["train"][:size]
    assert all("house" in row.preamble or row.preamble == "they" for row in text["train"][size:])
    assert all(row.attractors > 0 for row in rich["train"][size:])


def test_the_full_training_file_keeps_its_rows_and_the_tests_lose_them(all_data):
    official = gathered(all_data, "official")
    assert len(official.splits["train"]) == 43
    assert official.skipped["test: preamble also in train or validation"] == 3
    assert official.skipped["validation: preamble also in train"] == 1
    assert len(official.splits["test"]) == 40


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_the_share_of_the_attractor_sets_for_training_is_met(data, share):
    rich = gathered(data, "attractor-rich", share).splits
    assert abs(sum(row.attractors > 0 for row in rich["train"]) - share * 45) <= 2
    assert sum(row.attractors > 0 for row in rich["train"]) + len(rich["attractors"]) == 45


def test_a_preamble_with_both_labels_stays_in_one_split(data, put, declare):
    path = data / "linzen_agreement" / "rnn_agr_simple" / "numpred.val.gz"
    put(path, "".join(f"{label}\tthe sheep {i}\n" for i in range(40) for label in LABELS), zipped=True)
    declare(data)
    splits = gathered(data, "natural").splits
    for name in ("train", "validation", "test"):
        both = Counter(row.preamble for row in splits[name])
        assert set(both.values()) == {2}


def test_the_real_files_give_the_stated_numbers_and_the_hand_checked_sample(shared_data_folder, hand_checked):
    for part in ("linzen_agreement", "wikitext2"):
        if not (shared_data_folder / part).is_dir():
            pytest.skip(f"the real files are not here: no {part}/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    out = gathered(shared_data_folder, "wikitext")
    assert out.skipped["attractors: preamble also in numpred.val"] == 498
    sizes = {name: len(rows) for name, rows in out.splits.items()}
    assert sizes == {"train": 57_649, "validation": 1_026, "test": 2_838, "attractors": 48_189, "wikitext": 8_468}
    counts = Counter(row.attractors for row in out.splits["attractors"])
    assert counts == {1: 39_092, 2: 7_018, 3: 1_539, 4: 421, 5: 119}
    known = {(row.preamble, row.label) for rows in out.splits.values() for row in rows}
    assert {(row["preamble"], LABELS[row["label"]]) for row in hand_checked} <= known
    assert Row("the type and only species", LABELS["VBZ"], UNKNOWN) in (
        out.splits["train"] + out.splits["validation"] + out.splits["test"]
    )


@pytest.mark.slow
def test_the_real_files_of_wikipedia_give_the_stated_numbers(shared_data_folder):
    for part in ("linzen_agreement", "linzen_agreement_extra", "wiki_agreement", "wikitext2"):
        if not (shared_data_folder / part).is_dir():
            pytest.skip(f"the real files are not here: no {part}/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    out = gathered(shared_data_folder, "wikipedia")
    sizes = {name: len(rows) for name, rows in out.splits.items()}
    assert sizes == {
        "train": 150_387,
        "validation": 3_146,
        "test": 2_838,
        "attractors": 64_252,
        "wikitext": 8_468,
        "wikipedia": 15_390,
    }
    assert out.skipped["train: preamble also in validation or a test"] == 52_194
    counts = Counter(row.attractors for row in out.splits["attractors"])
    assert counts == {1: 52_101, 2: 9_380, 3: 2_051, 4: 561, 5: 159}
