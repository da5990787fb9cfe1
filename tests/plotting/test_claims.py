"""Boxes and chips of claims: what they say, where they lead, and that nothing of a claim can break the page."""

import xml.etree.ElementTree as ET

import pytest

from inductive_bias.plotting import ShownClaim, claim_boxes, seen_at, verdict_chips

FIRST = ShownClaim("V1", "a < b & c", "reproduced", "+.1", "+0.2 [0, 1]", "a paper", "why", "Part", "vision/one.html")
OPEN = ShownClaim("A2", "statement", "undecided", "–", "–", part="Other", page="two.html")
OWN = ShownClaim("A3", "question?", "refuted", "–", "–", part="Part", page="a.html", regime="width 1", own=True)
WEAK = ShownClaim("A4", "weak.", "not reproduced", "–", "–", part="Part", regime="at the paper's size", fragile=True)


def parsed(page):
    return ET.fromstring(f"<div>{page.html}</div>")


def test_every_claim_is_a_box_with_an_anchor_and_what_a_list_chooses_by():
    boxes = parsed(claim_boxes([FIRST, OPEN])).findall(".//section")
    found = [(box.get("id"), box.get("data-verdict"), box.get("data-part")) for box in boxes]
    assert found == [("claim-V1", "reproduced", "Part"), ("claim-A2", "undecided", "Other")]
    assert "".join(boxes[0].find("p[@class='claim-statement']").itertext()) == "a < b & c"
    assert boxes[0].find(".//dd/a").get("href") == "vision/one.html#claim-V1"
    assert [box.find("details") is None for box in boxes] == [False, True]


def test_a_chapter_s_own_boxes_do_not_lead_to_it():
    alone = ShownClaim("V1", "s", "reproduced", "", "+1")
    box = parsed(claim_boxes([alone])).find(".//section")
    assert box.find(".//a") is None
    assert [word.text for word in box.iter("dt")] == ["Here"]
    assert parsed(verdict_chips([alone])).find(".//a").get("href") == "#claim-V1"


def test_a_verdict_has_its_size_beside_it():
    head = parsed(claim_boxes([OWN])).find(".//p[@class='claim-head']")
    assert [word.text for word in head.iter("span")] == ["A3", "refuted", "seen at: width 1", "· a question of our own"]
    words = "A3: question? refuted (seen at: width 1)"
    assert parsed(verdict_chips([OWN])).find(".//a").get("title") == words.removeprefix("A3: ")
    assert seen_at("at the paper's size: 3 layers") == "seen at the paper's size: 3 layers"
    assert seen_at("") == ""


def test_chips_stand_in_lines_that_end_with_the_size_of_their_verdicts():
    other = ShownClaim("A5", "s", "undecided", "–", "–", regime="width 1")
    lines = parsed(verdict_chips([OWN, WEAK, other, OPEN])).findall("p")
    assert [[chip.text for chip in line.iter("a")] for line in lines] == [
        ["A3 refuted", "A5 undecided"],
        ["A4 not reproduced†"],
        ["A2 undecided"],
    ]
    sizes = [[span.text for span in line.iter("span")] for line in lines]
    assert sizes == [["seen at: width 1"], ["seen at the paper's size"], []]
    words = "A3 refuted · A5 undecided (seen at: width 1)\nA4 not reproduced† (seen at the paper's size)\nA2 undecided"
    assert verdict_chips([OWN, WEAK, other, OPEN]).text == words


def test_a_verdict_that_the_correction_leaves_open_is_marked_in_words_and_by_a_sign():
    words = "not decided after the correction for the number of claims"
    boxes = parsed(claim_boxes([FIRST, WEAK]))
    assert [mark.text for mark in boxes.iter("span") if mark.get("class") == "fragile"] == [f"† {words}"]
    assert WEAK.judged == f"not reproduced (seen at the paper's size; {words})"


def test_what_few_runs_mean_is_said_in_the_box():
    few = ShownClaim("V1", "s", "reproduced", "", "+1", note="why", few="With three runs …")
    assert parsed(claim_boxes([few])).find(".//p[@class='claim-few']").text == "With three runs …"
    assert parsed(claim_boxes([FIRST])).find(".//p[@class='claim-few']") is None


def test_a_verdict_that_is_none_is_refused():
    with pytest.raises(KeyError, match="maybe"):
        claim_boxes([ShownClaim("V1", "s", "maybe", "", "")])
