import gzip

import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.wikipedia import read_wikipedia

TEXT = "= One =\nThe First page. It's short!\nA well-read line\n\n= Two (town) =\nIts 1,000 people.\n"


def put(root, content, name="train.txt"):
    (root / "wikipedia_en").mkdir(parents=True, exist_ok=True)
    path = root / "wikipedia_en" / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_pages_are_sentences_in_lower_case_and_in_the_form_of_wikitext(tmp_path, zipped):
    content = TEXT.encode()
    path = put(tmp_path, gzip.compress(content) if zipped else content, "train.txt.gz" if zipped else "train.txt")
    pages, sha256, own = read_wikipedia(tmp_path, allow_other=True)
    assert [[" ".join(words) for words in page] for page in pages] == [
        ["the first page .", "it 's short !", "a well @-@ read line"],
        ["its 1 @,@ 000 people ."],
    ]
    assert sha256 == {f"wikipedia_en/{path.name}": checksum(path)}
    assert own == (path.name,)


def test_one_word_is_one_string(tmp_path):
    put(tmp_path, b"alpha one.\nalpha two.\n")
    ((first, second),) = read_wikipedia(tmp_path, allow_other=True).pages
    assert first[0] is second[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "no sentence"), (b"= Title =\n", "no sentence"), (b"one\nt\xff\n", "not UTF-8 text: line 2, byte 2")],
    ids=["empty", "headings only", "not UTF-8"],
)
def test_a_bad_file_is_refused(tmp_path, content, message):
    path = put(tmp_path, content)
    with pytest.raises(DataError, match=message) as error:
        read_wikipedia(tmp_path, allow_other=True)
    assert str(path) in str(error.value)


def test_a_missing_file_and_another_text_are_errors_that_say_what_to_do(tmp_path):
    with pytest.raises(DataError, match=r"wikipedia_en/train\.txt\.gz.*not fetched.*allow_other=True"):
        read_wikipedia(tmp_path)
    put(tmp_path, TEXT.encode())
    with pytest.raises(DataError, match=r"is not the public file wikipedia_en/train\.txt"):
        read_wikipedia(tmp_path)
