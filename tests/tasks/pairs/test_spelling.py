import pytest

from inductive_bias.tasks.pairs.spelling import as_in_wikitext, tokenise


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("Amy's well-read; she didn't.", "amy 's well @-@ read ; she didn 't ."),
        ("the  authors laugh", "the authors laugh"),
        ("Was it 'so', Zoë?", "was it 'so ' , zoë ?"),
        ("a <unk> @-@ word", "a <unk> @-@ word"),
        ("it’s – here", "it 's – here"),
        ("", ""),
        (" . ", "."),
    ],
)
def test_running_text_is_cut_as_in_wikitext(sentence, tokens):
    assert tokenise(sentence) == tokens.split()


def test_treebank_marks_are_replaced_one_for_one():
    assert as_in_wikitext(["``", "all", "''", "--", "-lrb-", "NNP"]) == ['"', "all", '"', "–", "(", "NNP"]
