from pathlib import Path

import pytest

from inductive_bias.tasks.agreement.preambles import VERBS, cut_preambles, refusal
from inductive_bias.tasks.agreement.rows import LABELS, VBP, VBZ, Row

CARD = Path(__file__).parent / "data_card.md"


@pytest.mark.parametrize(
    ("sentence", "rows"),
    [
        ("the cat was old .", [("the cat", VBZ)]),
        ("the cats were old .", [("the cats", VBP)]),
        ("the cat that was old has a tail .", [("the cat that", VBZ), ("the cat that was old", VBZ)]),
        ("they also are here .", [("they also", VBP)]),
        ("the cats have been there .", []),
        ("all were launched in 1914 .", [("all", VBP)]),
        ("songs that were old .", [("songs that", VBP)]),
        ("the ship , now old , was sold .", [("the ship , now old ,", VBZ)]),
        ("", []),
    ],
)
def test_a_preamble_is_what_stands_before_a_form_of_be_or_has(sentence, rows):
    assert cut_preambles([sentence.split()])[0] == [Row(*row) for row in rows]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("the cat is old ?", "question"),
        ('" the cat is old ? "', "question"),
        ("is old .", "nothing before the verb"),
        ("there is a cat .", "there or here before the verb"),
        ("there still are cats .", "there or here before the verb"),
        ("in the garden there were cats .", "there or here before the verb"),
        ("i was old .", "subject I or you"),
        ("as i never was old .", "subject I or you"),
        ("you are old .", "subject I or you"),
        ("the dog is old , as was the cat .", "inversion"),
        ("more cats than are known .", "inversion"),
        ("it is old ; so is the cat .", "inversion"),
        ("rarely is it old .", "inversion"),
        ("it is old and never was it new .", "inversion"),
        ("and is old .", "inversion"),
        ("what was left of it .", "inversion"),
        ("among the dogs was a cat .", "inversion"),
        ("also included are cats .", "inversion"),
        ("if the cat were old .", "subjunctive"),
        ("as it were .", "subjunctive"),
    ],
)
def test_the_last_verb_is_refused_with_its_reason(sentence, reason):
    words = sentence.split()
    place = max(i for i, word in enumerate(words) if word in VERBS)
    first = min(i for i, word in enumerate(words) if word in VERBS)
    assert reason in (refusal(words, place), refusal(words, first))
    assert cut_preambles([words])[1][f"cut from text: {reason}"] >= 1


@pytest.mark.parametrize(
    "sentence",
    ["you were right , the cat is old .", "the family was old .", "in july the cat was old .", "also it is old ."],
)
def test_a_word_that_only_looks_like_a_reason_does_not_refuse(sentence):
    words = sentence.split()
    assert refusal(words, words.index("is" if "is" in words else "was")) is None


def test_world_war_i_and_other_numerals_are_refused_with_the_pronoun():
    assert refusal(["world", "war", "i", "was", "long", "."], 3) == "subject I or you"


def test_the_rules_accept_every_hand_checked_preamble_with_its_label(hand_checked):
    assert len(hand_checked) == 100
    for row in hand_checked:
        words = [*row["preamble"].split(), row["verb"], "so", "."]
        assert Row(row["preamble"], LABELS[row["label"]]) in cut_preambles([words])[0]


def test_three_of_the_hand_checked_labels_are_wrong_and_the_data_card_says_so(hand_checked):
    verdicts = [row["verdict"] for row in hand_checked]
    card = CARD.read_text(encoding="utf-8")
    for verdict, count in (("ok", 95), ("wrong", 3), ("unclear", 2)):
        assert verdicts.count(verdict) == count
        assert f"| {verdict} | {count} |" in card
