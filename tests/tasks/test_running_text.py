import gzip
import re
from difflib import SequenceMatcher

import pytest

from inductive_bias.tasks.running_text import ABBREVIATIONS, BEFORE_NUMBERS, as_wikitext


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ""),
        (
            "Amy's well-read, e.g. Mr. King's 1,000 pages; she didn't stop.",
            "Amy 's well @-@ read , e.g. Mr. King 's 1 @,@ 000 pages ; she didn 't stop .",
        ),
        ("12,345,678 or 3.5% (of $1.25)", "12 @,@ 345 @,@ 678 or 3 @.@ 5 % ( of $ 1 @.@ 25 )"),
        ("from 2007-08, a 12-year-old", "from 2007 – 08 , a 12 @-@ year @-@ old"),
        ("a dash - here--and -- too, pre- and post-war", "a dash – here – and – too , pre – and post @-@ war"),
        ("the members' 'share' of '90s l'état", "the members ' ' share ' of ' 90s l 'état"),
        ('He said "No." Then left.', 'He said " No . " Then left .'),
        (
            "In the U.S. Army, J. K. Smith et al. fought in St. Louis.",
            "In the U.S. Army , J. K. Smith et al. fought in St. Louis .",
        ),
        ("approx. two. Three", "approx. two . Three"),
        ("Wait... what?! At 5:30 and/or [so]", "Wait ... what ? ! At 5 : 30 and / or [ so ]"),
        ("''Than tuong ''(Idol) a_b", "Than tuong ( Idol ) a b"),
        ("One.\nTwo.\n\n= Title =", "One .\nTwo .\n\n = Title ="),
    ],
)
def test_tokens_are_those_of_wikitext(text, tokens):
    made = as_wikitext(text)
    assert [line.split() for line in made.split("\n")] == [line.split() for line in tokens.split("\n")]


@pytest.mark.parametrize("word", ABBREVIATIONS)
def test_an_abbreviation_keeps_its_full_stop_and_a_word_that_ends_like_it_does_not(word):
    assert as_wikitext(f"x {word}. Y").split() == ["x", f"{word}.", "Y"]
    assert as_wikitext(f"qx{word}. Y").split() == [f"qx{word}", ".", "Y"]


def test_nothing_but_spaces_and_marks_is_added_or_lost():
    text = "\"It's 1,000.5-6!\" (the U.S.' [2nd] 'self-made' man -- etc.); a/b: 5% & $3 #4 + ... e-mail*"
    bare = re.sub(r"\s|(?<=\s)@(?=.@\s)|@(?=\s)", "", as_wikitext(text))
    assert bare.replace("@", "").replace("–", "-") == re.sub(r"\s", "", text).replace("--", "-")


@pytest.mark.parametrize("word", BEFORE_NUMBERS)
def test_a_word_that_is_short_for_a_number_keeps_it_before_one(word):
    assert as_wikitext(f"x {word}. 7 {word}. Y").split() == ["x", f"{word}.", "7", word, ".", "Y"]


@pytest.mark.parametrize("text", ["a", ".", "'", "-", "...", "@", "\n", "1,", ",1", "a-", "Mr."])
def test_cutting_twice_is_cutting_once(text):
    once = " ".join(as_wikitext(text).split())
    assert " ".join(as_wikitext(once).split()) == once


def written_out(line):
    """A line of WikiText as one would write it."""
    line = re.sub(r" @(.)@ ", r"\1", line.strip())
    line = re.sub(r" ([,.;:!?)\]%])(?!\.)", r"\1", line)
    line = re.sub(r" '(?=\w)", "'", re.sub(r"([(\[$£#]) ", r"\1", line))
    pieces = line.split('"')
    made = pieces[0]
    for number, piece in enumerate(pieces[1:]):
        made = made.rstrip() + ('"' if number % 2 else ' "') + (piece if number % 2 else piece.lstrip())
    return made


def test_wikitext_itself_written_out_and_cut_again_has_its_own_tokens(shared_data_folder):
    path = shared_data_folder / "wikitext2" / "valid.txt.gz"
    if not path.is_file():
        pytest.skip("the real files are not here: no wikitext2/")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = [line for line in file if line.strip() and not line.strip().startswith("=")]
    # an unknown word may have been a number, and a compound of two numbers (2 @-@ 0) is written like a range (2 – 0)
    lines = [line.replace("<unk>", "Unknown") for line in lines if not re.search(r"\d @-@ \d|> @[,.]|[,.]@ <", line)]
    total = wrong = 0
    for line in lines:
        theirs, ours = line.split(), as_wikitext(written_out(line)).split()
        total += len(theirs)
        if theirs != ours:
            matches = SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
            wrong += len(theirs) - sum(match.size for match in matches)
    assert total > 150_000
    assert wrong / total < 0.001
