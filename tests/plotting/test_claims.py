"""Boxes, chips and tiles of claims: what they say, where they lead, and that nothing of a claim can break the page."""

import xml.etree.ElementTree as ET

import pytest

from inductive_bias.plotting import ShownClaim, claim_boxes, mosaic, verdict_chips

FIRST = ShownClaim("V1", "a < b & c", "reproduced", "+.1", "+0.2 [0, 1]", "a paper", "why", "Part", "vision/one.html")
OPEN = ShownClaim("A2", "statement", "undecided", "–", "–", part="Other", page="two.html")
OWN = ShownClaim("A3", "question", "refuted", "–", "–", part="Part", page="vision/one.html")


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


def test_tiles_stand_by_parts_and_say_sentence_and_verdict():
    page = mosaic([FIRST, OPEN, OWN])
    sections = parsed(page).findall(".//section")
    names = {section.find("h3").text: [tile.text for tile in section.iter("a")] for section in sections}
    assert names == {"Part": ["V1", "A3"], "Other": ["A2"]}
    tile = sections[0].find(".//a")
    assert tile.get("aria-label") == "V1: a < b & c reproduced"
    assert "verdict-reproduced" in tile.get("class")
    key = [each.text for each in parsed(page).findall(".//p[@class='mosaic-key']/span")]
    assert key == ["reproduced", "undecided", "refuted"]


def test_a_verdict_that_is_none_is_refused():
    with pytest.raises(KeyError, match="maybe"):
        claim_boxes([ShownClaim("V1", "s", "maybe", "", "")])
