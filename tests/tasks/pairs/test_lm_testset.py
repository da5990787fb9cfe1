import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import places
from inductive_bias.tasks.pairs.lm_testset import FOLDER, STEM, read_lm_testset

TEXT = ["the dogs of the town bark . <eos>", "he `` is '' . <eos>"]
GOLD = ["5\tbark\tbarks\t1", "2\tis\tare\t0"]
EVAL = ["5", "2"]


@pytest.fixture
def read(write):
    def read_files(text=TEXT, gold=GOLD, places_=EVAL):
        for part, lines in (("text", text), ("gold", gold), ("eval", places_)):
            root = write(f"{FOLDER}/{STEM}.{part}", lines)
        return read_lm_testset(places(root), download=False, allow_other=True)

    return read_files


def test_sentences_lose_their_end_mark_and_keep_their_attractors(read):
    made = read()
    assert [" ".join(pair.good) for pair in made.pairs] == ["the dogs of the town bark .", 'he " is " .']
    assert [" ".join(pair.bad) for pair in made.pairs] == ["the dogs of the town barks .", 'he " are " .']
    assert [pair.slices["attractors"] for pair in made.pairs] == [1, 0]
    assert made.left_out == {}
    assert [pair.row for pair in made.pairs] == [1, 2]
    assert list(made.sha256) == [f"{STEM}.text", f"{STEM}.gold", f"{STEM}.eval"]


def test_another_token_than_the_gold_form_is_listed_with_its_line(read):
    made = read(gold=[GOLD[0], "2\tIs\tAre\t0"])
    assert made.left_out == {2: "token is not the gold form"}
    assert len(made.pairs) == 1


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"text": TEXT[:1]}, "they have 1, 2 and 2"),
        ({"gold": [GOLD[0], "2\tis\tare"]}, "line 2: should be: position"),
        ({"gold": [GOLD[0], "two\tis\tare\t0"]}, "line 2: should be: position"),
        ({"gold": [GOLD[0], "2\tis\tare\tx"]}, "line 2: should be: position"),
        ({"places_": ["5", "3"]}, "line 2: the position is 2, but .eval says '3'"),
        ({"gold": [GOLD[0], "5\tis\tare\t0"], "places_": ["5", "5"]}, "in 0..4, not 5"),
    ],
)
def test_files_that_do_not_fit_are_refused_with_the_line(read, files, message):
    with pytest.raises(DataError, match=message):
        read(**files)
