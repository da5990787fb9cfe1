"""A tiny folder of data in the layout of the real one."""

import gzip
from pathlib import Path

import pytest

NUMBERS = {"VBZ": "the cat", "VBP": "the cats"}


def write(path, text, *, zipped=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
    return path


def numpred(part, n, tail):
    """``n`` rows, every third one plural, and each tenth preamble twice."""
    rows = []
    for i in range(n):
        label = "VBP" if i % 3 == 0 else "VBZ"
        rows += [f"{label}\t{NUMBERS[label]} {part} {tail} number{i}"] * (2 if i % 10 == 0 else 1)
    return "".join(f"{row}\n" for row in rows)


@pytest.fixture(scope="session")
def hand_checked():
    """The rows of ``hand_checked.tsv``, each a dict by the names of its header."""
    text = (Path(__file__).parent / "hand_checked.tsv").read_text(encoding="utf-8")
    header, *rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return [dict(zip(header, row, strict=True)) for row in rows]


@pytest.fixture
def put():
    return write


@pytest.fixture
def data(tmp_path, declare):
    """``numpred.val`` with 100 preambles (110 rows), five attractor sets of 8 (9 rows), and a small WikiText-2."""
    root = tmp_path / "data"
    folder = root / "linzen_agreement" / "rnn_agr_simple"
    write(folder / "numpred.val.gz", numpred("val", 100, "of the town"), zipped=True)
    for count in range(1, 6):
        write(folder / f"numpred.test.{count}", numpred(f"test{count}", 8, "near the dogs " * count))
    for part, n in (("train", 30), ("valid", 4), ("test", 4)):
        text = " \n = Title = \n \n" + "".join(f" The {part} house {i} is old . They are red . \n" for i in range(n))
        write(root / "wikitext2" / f"{part}.txt", text)
    declare(root)
    return root


@pytest.fixture
def all_data(data, declare):
    """Also the files that only a user of the full download has."""
    folder = data / "linzen_agreement"
    for part in ("train", "test"):
        rows = [f"VBZ\tthe {part} of the cat {i}" for i in range(40)]
        # each of these is in another set too
        rows += ["VBP\tthe cats val of the town number3", "VBP\tthe cats test1 near the dogs  number6", "VBZ\tshared"]
        write(folder / "rnn_agr_simple" / f"numpred.{part}", "\n".join(rows) + "\n")
    header = "sentence\tverb_pos\tverb_index\tn_intervening\tn_diff_intervening\tdistance\n"
    rows = [f"the key {i % 300} to it is\tVBZ\t6\t{i % 3}\t{i % 2}\t4\n" for i in range(600)]
    write(folder / "agr_50_mostcommon_10K.tsv", header + "".join(rows))
    declare(data)
    return data


def wiki_rows(part, n):
    """``n`` sentences with 0, 1, 2, 0, … nouns between, the first of them twice, and one that every part has."""
    subjects = [f"The {part}{i} house" + " of the dogs" * (i % 3) for i in range(n)]
    return [*subjects, subjects[0], "The old house", *ELSEWHERE[part]]


#: Preambles that another set has.
ELSEWHERE = {
    "train": ["The test0 house", "The valid3 house"],
    "valid": ["The test3 house"],
    "test": ["The valid house 3"],
}


@pytest.fixture
def wiki_data(data, declare):
    """Also today's Wikipedia, with preambles that other sets have too."""
    words = set()
    for part, n in (("train", 60), ("valid", 9), ("test", 12)):
        lines = ["label\tn_intervening\tn_attractors\tdistance\tsubj_index\tverb_index\tsentence"]
        for preamble in wiki_rows(part, n):
            words.update(preamble.lower().split())
            between, verb = preamble.count("dogs"), len(preamble.split())
            lines.append(f"VBZ\t{between}\t{between}\t{verb - 2}\t2\t{verb}\t{preamble} is old .")
        write(data / "wiki_agreement" / f"{part}.tsv.gz", "\n".join(lines) + "\n", zipped=True)
    entries = "".join(f"{word}\tNN 9\n" for word in sorted(words))
    write(data / "linzen_agreement_extra" / "wiki.vocab", f" 9\n{entries}")
    declare(data)
    return data
