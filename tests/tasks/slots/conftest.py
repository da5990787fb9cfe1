"""Small sets of tagged sentences in the public layouts."""

import gzip

import pytest

TRAIN = (("fly to new york", "O O B-to I-to"), ("fly to boston today", "O O B-to B-day"), ("boston", "B-to"))
VALID = (("fly on monday", "O O B-day"),)
# an unknown word, and a kind of slot that training does not have
TEST = (("delta to boston", "B-airline O B-to"), ("new york new york", "B-to I-to B-to I-to"))
SETS = {"train": TRAIN, "valid": VALID, "test": TEST}
ATIS = {
    "train": "atis/atis-2.train.w-intent.iob",
    "valid": "atis/atis-2.dev.w-intent.iob",
    "test": "atis/atis.test.w-intent.iob",
}


def framed(sentences):
    return "".join(f"BOS {words} EOS\tO {tags} atis_flight\n" for words, tags in sentences)


def public_files(sets=SETS):
    """The content of every file by name, of both sets."""
    found = {ATIS[part]: framed(sentences) for part, sentences in sets.items()}
    for part, sentences in sets.items():
        for name, column in (("seq.in", 0), ("seq.out", 1)):
            found[f"snips/{part}/{name}"] = "".join(f"{pair[column]} \n" for pair in sentences)
    return {name: text.encode() for name, text in found.items()}


@pytest.fixture
def put(tmp_path):
    """``put(name, content)`` writes a file, zipped if its name ends so."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def root(tmp_path, put, declare):
    """A folder with both sets, which the package takes for the public ones."""
    for name, content in public_files().items():
        put(name, content)
    declare(tmp_path)
    return tmp_path
