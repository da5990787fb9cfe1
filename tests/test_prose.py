"""The book's prose: what a page promises its readers, held by tests so that it stays true of new pages."""

import json
import re
from pathlib import Path

import pytest

from inductive_bias import paths
from inductive_bias.record.chapters import chapters

BOOK = paths.home() / "book"
NOTEBOOKS = sorted(path for path in BOOK.rglob("[!.]*.ipynb") if "_build" not in path.parts)
CHAPTERS = [BOOK / f"{page.path}.ipynb" for page in chapters() if "/" in page.path]
#: What is no number of a result: roles, code, formulas, links, and claims by their ids.
NAMES = re.compile(r"\{[a-z:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$|\[[^\]]*\]\([^)]*\)")
#: A result: decimals, shares in percent, and what has a sign or a spread.
RESULT = re.compile(r"(?<![\w.])[−+-]?\d*\.\d+(?: ?%)?|\d+(?:\.\d+)? ?%|±")
#: *One a seed*, where readers of other languages look for *per*.
RATE = re.compile(
    r"\b(?:numbers|points?|panels?|seconds|minutes|hours|tokens|sentences|trials|rows?|one|memory)\s+an?\s+"
    r"(?:seed|head|layer|token|run|trial|step|core|second|student|channel|figure|network)\b(?! (?:has|is|that)\b)",
    re.IGNORECASE,
)


def of(path: Path) -> str:
    return path.relative_to(BOOK).with_suffix("").as_posix()


def cells(path: Path, kind: str) -> list[dict]:
    return [cell for cell in json.loads(path.read_text("utf8"))["cells"] if cell["cell_type"] == kind]


def figures(path: Path) -> dict[str, tuple[str, str]]:
    """Caption and words for who cannot see it, by a figure's name."""
    found = [cell["metadata"]["mystnb"] for cell in cells(path, "code") if "mystnb" in cell["metadata"]]
    found = [each for each in found if "figure" in each]
    return {each["figure"]["name"]: (each["figure"]["caption"], each["image"]["alt"]) for each in found}


@pytest.mark.parametrize("path", CHAPTERS, ids=of)
def test_a_chapter_begins_with_what_came_out(path):
    first, *others = ["".join(cell["source"]) for cell in cells(path, "markdown")]
    assert re.match(r"# .+\n\n\*\*In short\.\*\* \S", first)
    short = first.split("**In short.**")[1]
    assert 15 <= len(short.split()) <= 60
    assert re.search(r"\d|\{glue:", short)
    assert any(text.startswith("## The question") for text in others)


def numbers_shown(path: Path) -> list[str]:
    """Numbers that a page prints: in tables, claims and lines. Those of figures and of parts to touch are none."""
    outputs = [
        output
        for cell in cells(path, "code")
        for output in cell["outputs"]
        if "image/png" not in output.get("data", {})
    ]
    texts = ["".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in outputs]
    return [number.replace(",", "") for text in texts for number in re.findall(r"\d[\d,]*\.?\d*|\.\d+", text)]


def stands_there(result: str, shown: list[str]) -> bool:
    """Whether a result is a number that is shown, or one that it is rounded from; a share may be shown in per cent."""
    digits = re.sub(r"[^\d.]", "", result)
    places = len(digits.partition(".")[2])
    near = 0.5 * 10**-places + 1e-9
    scales = (1, 100) if "%" in result else (1,)
    return any(abs(float(number) * scale - float(digits)) <= near for number in shown for scale in scales)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=of)
def test_a_result_in_a_sentence_is_one_that_its_page_prints(path):
    shown = numbers_shown(path)
    for cell in cells(path, "markdown"):
        text = "".join(cell["source"])
        if "reading" in cell["metadata"].get("tags", []) or "**In short.**" in text:
            results = [result for result in RESULT.findall(NAMES.sub("", text)) if result != "±"]
            assert [result for result in results if not stands_there(result, shown)] == []


def told(path: Path) -> set[str]:
    """Names of the numbers that a notebook's cells give to its sentences."""
    outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
    return {output["metadata"]["scrapbook"]["name"] for output in outputs if "scrapbook" in output.get("metadata", {})}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=of)
def test_a_number_in_a_sentence_is_one_that_the_page_has_computed_and_each_is_used(path):
    text = "\n".join("".join(cell["source"]) for cell in cells(path, "markdown"))
    assert set(re.findall(r"\{glue:text\}`([^`]*)`", text)) == told(path)


@pytest.mark.parametrize("path", CHAPTERS, ids=of)
def test_a_number_of_a_sentence_has_a_digit_and_is_finite(path):
    outputs = [output for cell in cells(path, "code") for output in cell["outputs"]]
    glued = [output for output in outputs if "scrapbook" in output.get("metadata", {})]
    words = {output["metadata"]["scrapbook"]["name"]: "".join(*output["data"].values()) for output in glued}
    assert {
        name: said for name, said in words.items() if not re.search(r"\d", said) or re.search("nan|inf", said)
    } == {}


@pytest.mark.parametrize("path", [*NOTEBOOKS, *sorted(BOOK.glob("*.md"))], ids=lambda path: path.name)
def test_a_rate_says_per(path):
    texts = [path.read_text("utf8")]
    if path.suffix == ".ipynb":
        texts = ["".join(cell["source"]) for cell in cells(path, "markdown")]
        texts += [words for both in figures(path).values() for words in both]
    assert [found for text in texts for found in RATE.findall(text)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=of)
def test_a_caption_is_short_and_the_words_for_who_cannot_see_are_others(path):
    for name, (caption, alt) in figures(path).items():
        assert len(caption.split()) < 50, name
        assert alt
        assert alt != caption, name


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("by .3 or so", [".3"]),
        ("95 % of it", ["95 %"]),
        ("9.5 % of it", ["9.5 %"]),
        ("with 3,000 sentences", []),
        ("0.5 and −1.2", ["0.5", "−1.2"]),
    ],
)
def test_a_typed_result_is_found(text, found):
    assert RESULT.findall(text) == found


@pytest.mark.parametrize(
    ("result", "shown", "there"),
    [
        (".82", ["0.8216"], True),
        ("82 %", ["0.8216"], True),
        ("−.12", ["0.1234"], True),
        ("1.4", ["1.39"], True),
        (".83", ["0.8216", "83"], False),
        ("83 %", ["0.8216"], False),
        ("8.2", ["0.8216"], False),
    ],
)
def test_a_result_that_is_nowhere_shown_is_found(result, shown, there):
    assert stands_there(result, shown) == there


@pytest.mark.parametrize(
    ("text", "found"), [("one a seed", True), ("numbers a head has", False), ("one per seed", False)]
)
def test_a_rate_without_per_is_found(text, found):
    assert bool(RATE.findall(text)) == found
