"""From a text of one's own to scores of minimal pairs, by two commands and without public data."""

import sys

import pandas as pd
import pytest

from inductive_bias import cli
from inductive_bias.language_runs import folder_name, language_trial

TEXT = "The dog barks. The dogs bark!\nThe dogs near the cat bark, and the cat sleeps.\n" * 20
QUICK = ["--layers", "1", "--width", "8", "--epochs", "1", "--quiet", "--device", "cpu"]


@pytest.fixture
def text(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
    (home / "my text.txt").write_text(TEXT)
    return home / "my text.txt"


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["inductive-bias", *map(str, arguments)])
    cli.main()


@pytest.mark.parametrize("model", ["lstm", "universal"])
def test_a_text_becomes_a_model_that_scores_pairs(home, text, monkeypatch, capsys, model):
    call(monkeypatch, "train-lm", text, "--model", model, *QUICK)
    perplexity, run = capsys.readouterr().out.splitlines()
    assert perplexity.startswith("validation perplexity ")
    assert run.startswith(str(home / "runs" / "my-text"))
    pairs = "near,the dog barks .,the dog bark .\nfar,the dogs near the cat bark .,the dogs near the cat barks\n"
    (home / "pairs.csv").write_text(f"UID,good,bad\n{pairs}")
    call(monkeypatch, "score-pairs", run, "pairs.csv", "--output", "scores.csv")
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said[:3]] == ["paradigm", "far", "near"]
    table = pd.read_csv("scores.csv")
    assert table["paradigm"].tolist() == ["near", "far"]
    assert table["tokens_good"].tolist() == [5, 8]
    assert table["tokens_bad"].tolist() == [5, 7]
    by_hand = table["score_good"] / table["tokens_good"] - table["score_bad"] / table["tokens_bad"]
    pd.testing.assert_series_equal(table["difference_per_token"], by_hand, check_names=False, rtol=1e-4, atol=1e-6)
    assert table["correct_per_token"].tolist() == (table["difference_per_token"] > 0).astype(float).tolist()


def test_the_vocabulary_is_as_large_as_the_text_has_words(text):
    assert language_trial(text, layers=1, width=8).task.vocabulary_size == 4 + len(
        {"the", "dog", "dogs", "barks", "bark", ".", "!", "near", "cat", ",", "and", "sleeps"}
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "gru"], "should be one of lstm, transformer, universal"),
        (["--model", "transformer", "--width", "6"], "--width 6 should be a multiple of 4"),
        (["--layers", "0"], "layers: Input should be greater"),
        (["--vocabulary", "2"], "vocabulary_size: Input should be greater"),
    ],
)
def test_settings_that_do_not_fit_are_refused(text, monkeypatch, capsys, options, words):
    with pytest.raises(SystemExit, match="2"):
        call(monkeypatch, "train-lm", text, *options)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("path", "name"), [("a/my text.txt", "my-text"), ("été", "été"), ("…/…", "folder")])
def test_a_folder_of_runs_has_a_name_that_is_one(path, name, tmp_path):
    found = folder_name(tmp_path / path)
    assert found == name or (name == "folder" and len(found) == 8)
