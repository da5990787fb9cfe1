"""Every example of the page *Use your own model, data or claim* runs, in order, in an empty folder with small data."""

import random
import re
import shlex
import sys

import pandas as pd
import pytest
import torch

from inductive_bias import cli, paths

PAGE = paths.home() / "book" / "bring-your-own.md"
#: ``(kind, name of the file or "", text)``
BLOCKS = [
    (match["kind"] or match["plain"], match["file"] or "", match["text"])
    for match in re.finditer(
        r"```(?:\{code-block\} (?P<kind>\w+)\n:caption: (?P<file>\S+)|(?P<plain>\w+))\n(?P<text>.*?)```",
        PAGE.read_text("utf8"),
        flags=re.DOTALL,
    )
]
TEXTS = [text for kind, _, text in BLOCKS if kind == "text"]


def preambles(excerpt):
    """The page's lines, and as many as training needs."""
    draw = random.Random(0)
    nouns = {"singular": ("key", "cat", "tree"), "plural": ("keys", "cats", "trees")}
    made = [excerpt]
    for number in range(160):
        ours, others = ("singular", "plural") if number % 2 else ("plural", "singular")
        between = " near the ".join(draw.choice(nouns[others]) for _ in range(number // 2 % 3))
        words = f"the {' '.join(str(number))} {draw.choice(nouns[ours])}" + (f" near the {between}" if between else "")
        made.append(f"{words}\t{ours}\t{number // 2 % 3}\t{len(words.split()) - len(str(number)) - 1}\n")
    return "".join(made)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory that the page speaks of."""
    excerpt, pairs = TEXTS
    (tmp_path / "my_preambles.tsv").write_text(preambles(excerpt))
    (tmp_path / "my_pairs.tsv").write_text(pairs)
    text = "the dog barks .\nthe dogs bark .\nthe dogs near the cat bark , and the cat sleeps .\n" * 20
    for name in ("train.txt", "validation.txt", "test.txt", "../my_data/tinyshakespeare/input.txt"):
        path = tmp_path / "my_text" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
    return tmp_path


def command(line, monkeypatch, scope):
    trial = scope["speaker"].id if "TRIAL" in line else ""
    monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ").replace("TRIAL", trial)))
    if " check " in line:
        # the page's layer leaks, and the exit status says so
        with pytest.raises(SystemExit, match="1"):
            cli.main()
    else:
        cli.main()


@pytest.mark.slow
def test_every_example_runs(folder, monkeypatch, capsys):
    scope = {"__name__": "page"}
    for kind, file, text in BLOCKS:
        if file:
            (folder / file).write_text(text)
        elif kind == "python":
            exec(compile(text, f"{PAGE.name}: {text[:40]!r}", "exec"), scope)
        elif kind == "console":
            for line in text.splitlines():
                command(line, monkeypatch, scope)
    out = capsys.readouterr().out
    said = out.splitlines()
    assert {line.partition("  ")[0] for line in said if "  fails" in line} == {"sees no future"}
    assert scope["logits"].shape == (3, 5)
    assert "On is there an 8, " in out
    assert set(scope["found"].frame["model"]) == {"RSA", "Transformer"}
    assert scope["tagged"].intervals()["metric"].tolist() == ["accuracy"]
    assert scope["summed"].intervals()["metric"].tolist() == ["mse"]
    assert scope["guessed"].intervals()["metric"].tolist() == ["perplexity"]
    assert scope["eights"].load()["test"].source == "own:test.npz"
    assert len(list((folder / "runs" / "my_text").glob("*/trial.json"))) == 1
    assert (folder / "my_question.ipynb").is_file()
    assert any(line.startswith("M1  ") for line in said)
    assert set(scope["rows"]["data_source"]) == {"own:my_preambles.tsv"}
    assert set(scope["by_attractors"]["attractors"]) == {0, 1, 2}
    assert scope["table"]["row"].tolist() == [2, 3, 4]
    assert scope["table"]["left_out_because"].tolist() == ["", "", "verb out of vocabulary"]
    assert pd.read_csv(folder / "scores.csv")["row"].tolist() == [2, 3, 4]
    assert len(scope["in_memory"]) == 1
    assert len(scope["accuracies"]) == 8
    assert scope["claim"].word(scope["finding"]) in ("confirmed", "refuted", "undecided")
    assert len(list((folder / "runs" / "my_study").glob("*/trial.json"))) == 8


def test_every_row_of_what_was_tried_names_tests_that_are_there():
    rows = [line for line in PAGE.read_text("utf8").partition("## What was tried")[2].splitlines() if line[:1] == "|"][
        2:
    ]
    assert len(rows) > 15
    for row in rows:
        *_, tests, holds, _ = (cell.strip() for cell in row.split("|"))
        named = re.findall(r"`(tests/[^`]+)`", tests)
        assert named, row
        assert [each for each in named if not (paths.home() / each).is_file()] == []
        assert holds == "yes"


def test_the_page_says_what_its_layer_example_is_about():
    """The example's classifier sees the whole sequence, and its padding changes nothing."""
    scope = {}
    exec(next(text for kind, file, text in BLOCKS if kind == "python"), scope)
    model = scope["Reader"](2, 5)
    signal, mask = scope["signal"], scope["mask"]
    other = torch.where(mask[..., None], signal, torch.randn(signal.shape))
    torch.testing.assert_close(model(signal, mask), model(other, mask))
