"""Every example of the two pages on one's own work runs, in order, in an empty folder with small data."""

import re
import shlex
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from inductive_bias import cli, paths
from inductive_bias.profile.groups import GROUPS
from inductive_bias.profile.population import add_to_population
from inductive_bias.studies.profile_budget import Budget

BOOK = paths.home() / "book"
PAGE, LAYERS = BOOK / "bring-your-own.md", BOOK / "own-layers.md"
CODE = re.compile(
    r"```(?:\{code-block\} (?P<kind>\w+)\n:caption: (?P<file>\S+)|(?P<plain>\w+))\n(?P<text>.*?)```", re.DOTALL
)


def blocks(page):
    """``(kind, name of the file or "", text)`` of each example of a page."""
    found = CODE.finditer(page.read_text("utf8"))
    return [(match["kind"] or match["plain"], match["file"] or "", match["text"]) for match in found]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory that the page speaks of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(tmp_path))
    monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
    return tmp_path


#: Added to the page's own options: a profile of all probes takes minutes.
SHORT = {"profile": ["--probes", "parity", "--runs", "2", "--population", "known.parquet", "--jobs", "1", "--quiet"]}


@pytest.fixture
def short_profile(folder, monkeypatch):
    """A population of made scores, and trainings of a few steps."""
    axes, numbers = ("state tracking", "length", "calibration"), np.random.default_rng(0)
    rows = [
        {"model": f"model {n}", "axis": axis, "probe": "parity", "number": number, "value": numbers.uniform()}
        for n in range(6)
        for axis in axes
        for number in range(4)
    ]
    add_to_population(folder / "known.parquet", pd.DataFrame(rows))
    budget = Budget(rates=(3e-3, 1e-2), hundreds=1, batch_size=4, warmup=10, test_size=8)
    monkeypatch.setitem(GROUPS, "sequences", replace(GROUPS["sequences"], budget=budget))


def command(line, monkeypatch, scope):
    trial = scope["speaker"].id if "TRIAL" in line else ""
    words = shlex.split(line.removeprefix("$ ").replace("TRIAL", trial))
    monkeypatch.setattr(sys, "argv", words + SHORT.get(words[1], []))
    if words[1] == "check":
        # the page's layer leaks, and the exit status says so
        with pytest.raises(SystemExit, match="1"):
            cli.main()
    else:
        cli.main()


def run(page, folder, monkeypatch):
    """All examples of a page in their order; what its Python has defined."""
    scope = {"__name__": "page"}
    for kind, file, text in blocks(page):
        if file:
            (folder / file).write_text(text)
        elif kind == "python":
            exec(compile(text, f"{page.name}: {text[:40]!r}", "exec"), scope)
        elif kind == "console":
            for line in text.splitlines():
                command(line, monkeypatch, scope)
    return scope


def test_every_example_on_layers_runs(folder, monkeypatch, capsys):
    scope = run(LAYERS, folder, monkeypatch)
    said = capsys.readouterr().out.splitlines()
    assert {line.partition("  ")[0] for line in said if "  fails" in line} == {"sees no future"}
    assert scope["logits"].shape == (3, 5)


@pytest.mark.slow
def test_every_example_runs(folder, short_profile, monkeypatch, capsys):
    scope = run(PAGE, folder, monkeypatch)
    out = capsys.readouterr().out
    said = out.splitlines()
    assert (folder / "profile.html").is_file()
    assert "On two 8s, " in out
    assert set(scope["found"].frame["model"]) == {"RSA", "Transformer"}
    assert scope["tagged"].intervals()["metric"].tolist() == ["accuracy"]
    assert scope["summed"].intervals()["metric"].tolist() == ["mse"]
    assert scope["guessed"].intervals()["metric"].tolist() == ["perplexity"]
    assert scope["eights"].load()["test"].source == "own:test.npz"
    characters = "own:input.test.txt+input.train.txt+input.validation.txt"
    assert scope["characters"].load("my_data")["test"].source == characters
    assert len(list((folder / "runs" / "my_text").glob("*/trial.json"))) == 1
    assert (folder / "my_question.ipynb").is_file()
    assert any(line.startswith("M1  ") for line in said)
    assert set(scope["rows"]["data_source"]) == {"own:my_preambles.tsv"}
    assert set(scope["by_attractors"]["attractors"]) > {0, 1}
    assert scope["table"]["row"].tolist() == [*range(2, 13)]
    assert scope["table"]["left_out_because"].iloc[-1] == "verb out of vocabulary"
    assert (scope["table"]["left_out_because"] == "").sum() >= 3
    assert pd.read_csv(folder / "scores.csv")["row"].tolist() == [*range(2, 13)]
    assert len(scope["in_memory"]) >= 3
    assert len(scope["accuracies"]) == 8
    assert scope["claim"].word(scope["finding"]) in ("confirmed", "refuted", "undecided")
    assert len(list((folder / "runs" / "my_study").glob("*/trial.json"))) == 8


def test_every_row_of_what_was_tried_names_tests_that_are_there():
    table = LAYERS.read_text("utf8").partition("## What was tried")[2].splitlines()
    rows = [line for line in table if line[:1] == "|"][2:]
    assert len(rows) > 15
    for row in rows:
        _, _, _, reported, tests, holds, _ = (cell.strip() for cell in row.split("|"))
        assert re.sub(r"\[[\w-]+ \d+\]\(https://github\.com/[\w-]+/[\w-]+/(issues|pull)/\d+\)(, )?", "", reported) == ""
        for name, number, link in re.findall(r"\[([\w-]+) (\d+)\]\((\S+)\)", reported):
            assert link.split("/")[4] == name
            assert link.endswith(f"/{number}")
        named = re.findall(r"`(tests/[^`]+)`", tests)
        assert named, row
        assert [each for each in named if not (paths.home() / each).is_file()] == []
        assert holds == "yes"


def test_the_page_says_what_its_layer_example_is_about():
    """The example's classifier sees the whole sequence, and its padding changes nothing."""
    scope = {}
    exec(next(text for kind, file, text in blocks(LAYERS) if kind == "python"), scope)
    model = scope["Reader"](2, 5)
    signal, mask = scope["signal"], scope["mask"]
    other = torch.where(mask[..., None], signal, torch.randn(signal.shape))
    torch.testing.assert_close(model(signal, mask), model(other, mask))
