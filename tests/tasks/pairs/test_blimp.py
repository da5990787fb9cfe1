import gzip
import json

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import places
from inductive_bias.tasks.pairs.blimp import TEMPLATES, read_blimp, read_marvin_linzen, read_paradigms
from inductive_bias.tasks.pairs.paradigms import PHENOMENA


def line(good="The dog barks.", bad="The dog bark.", **more):
    return json.dumps({"sentence_good": good, "sentence_bad": bad, **more})


def test_sentences_are_cut_into_tokens_and_constructions_named(write):
    root = write("own.jsonl", [line(), line(UID="agreement_1"), line(template="simple", case="sing", UID="x")])
    made = read_blimp(root / "own.jsonl")
    assert made.pairs[0].good == ("the", "dog", "barks", ".")
    assert made.pairs[0].bad == ("the", "dog", "bark", ".")
    assert [pair.template for pair in made.pairs] == ["own", "agreement_1", "simple"]
    assert [pair.case for pair in made.pairs] == ["", "", "sing"]
    assert list(made.sha256) == ["own.jsonl"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"sentence_good": "a', r"line 2: not a JSON object \(Unterminated string"),
        ("", "line 2: not a JSON object"),
        ('{"sentence_good": "a", "sentence_good": "b"}', "line 2: the key 'sentence_good' is there twice"),
        ("[1, 2]", "line 2: should be a JSON object with sentence_good and sentence_bad, not '.1, 2.'"),
        ('{"sentence_good": "a"}', "line 2: should have a text as sentence_bad, but has None"),
        ('{"sentence_good": 1, "sentence_bad": "a"}', "line 2: should have a text as sentence_good, but has 1"),
    ],
)
def test_a_line_of_another_format_is_refused_with_its_number(write, second, message):
    root = write("own.jsonl", [line(), second])
    with pytest.raises(DataError, match=message):
        read_blimp(root / "own.jsonl")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_blimp(tmp_path / "none.jsonl")


def test_marvin_and_linzens_templates_are_read_from_one_file_each(write):
    for template in TEMPLATES:
        root = write(f"marvin_linzen/{template}.jsonl", [line(template=template, case="sing")])
    made = read_marvin_linzen(places(root), allow_other=True)
    assert sorted(pair.template for pair in made.pairs) == sorted(TEMPLATES)
    assert len(made.sha256) == 18
    assert [pair.row for pair in made.pairs] == list(range(1, 19))
    (root / "marvin_linzen" / "sent_comp.jsonl").unlink()
    with pytest.raises(DataError, match=r"marvin_linzen/sent_comp\.jsonl.*leave 'marvin-linzen' out"):
        read_marvin_linzen(places(root), allow_other=True)


def test_blimps_paradigms_are_read_from_one_file_each(write):
    for paradigm in PHENOMENA:
        root = write(f"blimp/{paradigm}.jsonl", [line(UID=paradigm)])
    made = read_paradigms(places(root), allow_other=True)
    assert [pair.template for pair in made.pairs] == sorted(PHENOMENA)
    assert len(made.sha256) == len(made.own) == 61
    with pytest.raises(DataError, match=r"is not the public file blimp/adjunct_island\.jsonl"):
        read_paradigms(places(root))
    (root / "blimp" / "wh_island.jsonl").unlink()
    with pytest.raises(DataError, match=r"blimp/wh_island\.jsonl.*leave 'blimp' out"):
        read_paradigms(places(root), allow_other=True)


def test_a_paradigm_has_one_phenomenon():
    assert len(PHENOMENA) == 61
    assert len({*PHENOMENA.values()}) == 12


def test_the_public_paradigms_have_a_thousand_pairs_of_the_phenomenon_that_they_name(shared_data_folder):
    if not (shared_data_folder / "blimp").is_dir():
        pytest.skip("the real files are not here: no blimp/")
    read = read_paradigms(places(shared_data_folder))
    assert (len(read.pairs), list(read.own)) == (61_000, [])
    with gzip.open(shared_data_folder / "blimp" / "wh_island.jsonl.gz", "rt") as file:
        assert json.loads(next(file))["linguistics_term"] == PHENOMENA["wh_island"]
