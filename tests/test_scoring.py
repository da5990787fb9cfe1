"""Pairs of one's own, scored by the language model that a run left."""

import gzip
import io
import json
import math
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from inductive_bias import cli, plugins
from inductive_bias.errors import DataError, SettingError, StoreError
from inductive_bias.plugins import OwnModel
from inductive_bias.protocols.measures import log_likelihoods, pair_rows
from inductive_bias.running import build, run_trial
from inductive_bias.scoring import COLUMNS, score_file, score_pairs, summary
from inductive_bias.store import RECORD, WEIGHTS, Store, read_run
from inductive_bias.tasks import LanguageModelling
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.pairs import minimal_pairs
from inductive_bias.tasks.pairs.grammar import grammar_pairs
from inductive_bias.trials import canonical, id_of
from tests.tiny import LANGUAGE, tiny_language_trial, tiny_student, tiny_trial

VERB_UNKNOWN, WORD_UNKNOWN = "verb out of vocabulary", "differing word out of vocabulary"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The store that holds the run of a language model and one of an image classifier."""
    store = Store(tmp_path_factory.mktemp("runs"))
    for trial in (tiny_language_trial(), tiny_trial(epochs=1)):
        store.save(trial, run_trial(trial, device="cpu"))
    return store


@pytest.fixture
def run(runs, tmp_path):
    """A copy of the language model's run that may be damaged."""
    return shutil.copytree(runs.folder(tiny_language_trial()), tmp_path / "run")


@pytest.fixture(scope="module")
def sentences():
    """Right and wrong sentences of the grammar, the wrong one of the third with a word that it does not have."""
    made = [(" ".join(pair.good), " ".join(pair.bad)) for pair in grammar_pairs(0).pairs[:12]]
    return [*made[:2], (made[2][0], f"xylophone {made[2][1]}"), *made[3:]]


@pytest.fixture
def file(tmp_path, sentences):
    path = tmp_path / "mine.tsv"
    path.write_text("".join(f"{good}\t{bad}\n" for good, bad in [("good", "bad"), *sentences]))
    return path


@pytest.mark.parametrize("by", ["sentence", "verb"])
class TestTable:
    def test_scores_are_those_of_every_pair_and_left_out_ones_keep_their_row(self, run, file, sentences, by):
        table = score_file(run, file, by=by, device="cpu")
        assert tuple(table.columns) == COLUMNS
        assert table["row"].tolist() == list(range(2, 14))  # the first line is the header
        assert list(zip(table["good"], table["bad"], strict=True)) == sentences
        left_out = table["left_out_because"] != ""
        assert table.loc[table["row"] == 4, "left_out_because"].item() in (WORD_UNKNOWN, VERB_UNKNOWN)
        assert (table[["score_good", "score_bad", "difference", "correct"]].isna().all(axis=1) == left_out).all()
        trial, weights, _ = read_run(run)
        model, vocabulary = build(trial, weights), trial.task.load().vocabulary
        for line in table[~left_out].itertuples():
            right, wrong = (
                minimal_pairs([(line.good, line.bad)], vocabulary, by=by).good,
                minimal_pairs([(line.good, line.bad)], vocabulary, by=by).bad,
            )
            at = int((right != wrong)[0].nonzero()[0]) - 1
            part = slice(at, at + 1) if by == "verb" else slice(None)
            want = [float(log_likelihoods(model, side)[0, part].sum()) for side in (right, wrong)]
            # float32: some thirty values of about 5
            assert [line.score_good, line.score_bad] == pytest.approx(want, abs=1e-4)
            assert line.difference == pytest.approx(want[0] - want[1], abs=2e-4)
            assert line.correct == (1.0 if line.difference > 0 else 0.0)

    def test_the_accuracy_is_that_of_the_trial_s_own_rows(self, run, sentences, by):
        trial, weights, _ = read_run(run)
        model, vocabulary = build(trial, weights), trial.task.load().vocabulary
        pairs = minimal_pairs(sentences, vocabulary, by=by)
        rows = pd.DataFrame(pair_rows(model, pairs))
        table = score_pairs(model, pairs)
        whole = rows[(rows["metric"] == "accuracy") & (rows.get("template", math.nan) != 0)]
        assert table["correct"].mean() == pytest.approx(whole["value"].iloc[0])


def test_a_set_that_is_not_one_s_own_is_scored_without_its_text(run):
    trial, weights, _ = read_run(run)
    pairs = trial.task.load_pairs(trial.task.load().vocabulary)["grammar"]
    table = score_pairs(build(trial, weights), pairs)
    assert len(table) == len(pairs) + len(pairs.left_out)
    assert set(table["good"]) == {""}


def test_a_summary_counts_what_was_left_out(run, file, sentences):
    table = score_file(run, file, device="cpu")
    line = summary(table)
    assert f"of 12 left out ({WORD_UNKNOWN}: " in line
    assert "\n" not in line
    kept = table[table["left_out_because"] == ""]
    assert summary(kept) == f"{kept['correct'].mean():.3f} of {len(kept)} pairs correct; none left out"


def test_blimp_s_lines_give_the_same_numbers(run, file, sentences, tmp_path):
    lines = [json.dumps({"sentence_good": good, "sentence_bad": bad, "UID": "x"}) for good, bad in sentences]
    zipped = tmp_path / "mine.jsonl.gz"
    zipped.write_bytes(gzip.compress("\n".join(lines).encode()))
    one, other = (score_file(run, each, device="cpu") for each in (file, zipped))
    assert (other["row"] + 1).tolist() == one["row"].tolist()
    named = ["row", "paradigm"]
    pd.testing.assert_frame_equal(one.drop(columns=named), other.drop(columns=named))
    assert (set(one["paradigm"]), set(other["paradigm"])) == ({"mine"}, {"x"})


class TestRefusals:
    def refused(self, run, file, error, match):
        with pytest.raises(error, match=match):
            score_file(run, file, device="cpu")

    @pytest.mark.parametrize("name", [RECORD, WEIGHTS])
    def test_a_folder_without_record_or_weights(self, run, file, name):
        (run / name).unlink()
        self.refused(run, file, StoreError, rf"is not the folder of a run: it has no {name}")

    def test_rows_and_arrays_are_not_needed(self, run, file):
        for path in run.glob("*"):
            if path.name not in (RECORD, WEIGHTS):
                path.unlink()
        assert len(score_file(run, file, device="cpu")) == 12

    def test_damaged_weights(self, run, file):
        (run / WEIGHTS).write_bytes((run / WEIGHTS).read_bytes()[:-1])
        self.refused(run, file, StoreError, r"weights\.safetensors is damaged")

    @pytest.mark.parametrize(
        ("change", "match"),
        [
            ({"files": {}}, r"trial\.json is unreadable \(KeyError"),
            ({"trial": {"task": {"kind": "telepathy"}}}, r"is no trial of this version of the package: task"),
            ({"id": "0" * 16}, r"says trial 0000000000000000, but its settings are those of"),
            ({"data_sha256": None}, "is unreadable"),
        ],
        ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
    )
    def test_a_record_that_says_something_else(self, run, file, change, match):
        record = json.loads((run / RECORD).read_text())
        (run / RECORD).write_text(json.dumps(record | change))
        self.refused(run, file, StoreError, match)

    def test_weights_of_another_model(self, run, file):
        save_file({"w": torch.ones(2)}, run / WEIGHTS)
        self.sign(run)
        self.refused(run, file, StoreError, "do not fit LSTM, seed 0")

    def test_a_run_that_diverged(self, run, file):
        weights = load_file(run / WEIGHTS)
        weights["bias"][0] = torch.nan
        save_file(weights, run / WEIGHTS)
        self.sign(run)
        self.refused(run, file, SettingError, "diverged")

    def sign(self, run):
        record = json.loads((run / RECORD).read_text())
        record["files"][WEIGHTS] = checksum(run / WEIGHTS)
        (run / RECORD).write_text(json.dumps(record))

    def test_a_classifier(self, runs, file):
        self.refused(runs.folder(tiny_trial(epochs=1)), file, SettingError, "'mnist': only language models score pairs")

    def test_data_that_are_not_there(self, file, tmp_path, monkeypatch):
        monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("INDUCTIVE_BIAS_DATA", raising=False)
        monkeypatch.setattr(
            "inductive_bias.tasks.downloads.download_wikitext",
            lambda *_: (_ for _ in ()).throw(DataError("no network")),
        )
        self.refused(self.stored(tmp_path, LanguageModelling()), file, DataError, "no network")

    def test_other_data_than_those_it_was_trained_on(self, run, file):
        record = json.loads((run / RECORD).read_text())
        record["data_sha256"]["words.txt"] = "00"
        (run / RECORD).write_text(json.dumps(record))
        assert len(score_file(run, file, device="cpu")) == 12  # what is not read here says nothing

    def test_another_text_of_the_same_name(self, file, tmp_path):
        one, other = tmp_path / "one", tmp_path / "other"
        for place, animal in ((one, "dog"), (other, "cat")):
            (place / "wikitext2").mkdir(parents=True)
            for name in ("train", "valid", "test"):
                words = "dog" if name != "train" else animal
                (place / "wikitext2" / f"{name}.txt").write_text(f"the {words} barks . the {words}s bark .\n" * 3)
        task = LanguageModelling(vocabulary_size=200, allow_other=True, pairs=())
        folder = self.stored(tmp_path, task, one)
        with pytest.raises(DataError, match=r"was trained on another wikitext2/train\.txt than the one found here"):
            score_file(folder, file, root=other, device="cpu")

    def stored(self, tmp_path, task, data=None):
        """A run of the tiny language model on another task; its weights are untrained where there are no data."""
        trial = tiny_language_trial(task=task)
        if data is None:
            folder = tmp_path / "untrained"
            folder.mkdir()
            save_file(build(trial).state_dict(), folder / WEIGHTS)
            record = {"id": trial.id, "trial": json.loads(trial.model_dump_json()), "files": {}, "data_sha256": {}}
            (folder / RECORD).write_text(json.dumps(record))
            self.sign(folder)
            return folder
        store = Store(tmp_path / "store")
        store.save(trial, run_trial(trial, device="cpu", root=data))
        return store.folder(trial)


class TestOwnCode:
    """A folder from somebody else may name a program."""

    @pytest.fixture
    def own(self, tmp_path, monkeypatch):
        """The run of a model of one's own, whose file leaves a trace where it is run."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "mine.py").write_text(
            "from pathlib import Path\nfrom inductive_bias.models import LSTMSpec\n\n"
            "Path('trace').write_text('run')\n\n"
            "def build(**dimensions):\n    return LSTMSpec(layers=1, width=8).build(**dimensions)\n"
        )
        trial = tiny_language_trial(model=OwnModel("mine.py:build", causal=True), epochs=0)
        folder = tmp_path / "runs" / trial.id
        folder.mkdir(parents=True)
        save_file(build(trial).state_dict(), folder / WEIGHTS)
        record = {"id": trial.id, "trial": canonical(trial), "data_sha256": {}}
        record["files"] = {WEIGHTS: checksum(folder / WEIGHTS)}
        (folder / RECORD).write_text(json.dumps(record))
        plugins._module.cache_clear()
        (tmp_path / "trace").unlink()
        return folder

    def refused(self, own, match, error=SettingError, **options):
        with pytest.raises(error, match=match):
            read_run(own, **options)
        assert not Path("trace").exists()

    def test_a_program_is_run_only_if_that_is_allowed(self, own):
        self.refused(own, r"a program of its own, mine\.py:build, which would be run: .*--allow-own-code")
        trial, _, _ = read_run(own, allow_own_code=True)
        assert trial.model.name == "build"
        assert Path("trace").exists()

    def test_a_program_that_has_changed_is_refused_before_it_is_run(self, own):
        Path("mine.py").write_text(Path("mine.py").read_text() + "\n")
        self.refused(own, r"mine\.py has changed", allow_own_code=True)

    @pytest.mark.parametrize("change", ["id", "seed", "sha256"])
    def test_settings_that_are_not_those_of_the_id_are_refused_before_a_program_is_run(self, own, change):
        record = json.loads((own / RECORD).read_text())
        match change:
            case "id":
                record["id"] = "0" * 16
            case "seed":
                record["trial"]["seed"] = 7
            case "sha256":
                record["trial"]["model"]["sha256"] = None
        (own / RECORD).write_text(json.dumps(record))
        self.refused(own, "says trial .*, but its settings are those of", StoreError, allow_own_code=True)

    def test_weights_are_compared_before_a_program_is_run(self, own):
        (own / WEIGHTS).write_bytes(b"nonsense")
        self.refused(own, "is damaged", StoreError, allow_own_code=True)

    def test_the_command_asks_for_it(self, own, file, monkeypatch, capsys):
        call = TestCommand().call
        code, _, err = call(monkeypatch, capsys, own, file)
        assert code == 2
        assert "--allow-own-code" in err
        assert not Path("trace").exists()
        assert call(monkeypatch, capsys, own, file, "--allow-own-code")[0] == 0


@pytest.mark.parametrize(
    "trial", [tiny_language_trial(), tiny_trial(), tiny_student()], ids=["words", "digits", "taught"]
)
def test_an_id_is_that_of_the_settings_as_they_are_stored(trial):
    assert id_of(json.loads(json.dumps(canonical(trial)))) == trial.id


class TestCommand:
    def call(self, monkeypatch, capsys, *arguments):
        monkeypatch.setattr(sys, "argv", ["inductive-bias", "score-pairs", *map(str, arguments), "--device", "cpu"])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    def test_the_table_goes_to_a_file_or_to_standard_output(self, run, file, tmp_path, monkeypatch, capsys):
        output = tmp_path / "scores.csv"
        code, out, err = self.call(monkeypatch, capsys, run, file, "--by", "verb", "--output", output)
        assert (code, err) == (0, "")
        assert out == f"{summary(score_file(run, file, by='verb', device='cpu'))}\n"
        code, printed, err = self.call(monkeypatch, capsys, run, file, "--by", "verb")
        assert (code, err) == (0, out)
        assert printed == output.read_text()
        assert tuple(pd.read_csv(io.StringIO(printed)).columns) == COLUMNS

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("nowhere", "file"), "has no trial.json"),
            (("run", "none.tsv"), "none.tsv cannot be read"),
            (("run", "file", "--output", "no/such/folder.csv"), "cannot be written"),
            (("run", "file", "--data", "nowhere"), "--data nowhere is not a folder"),
        ],
    )
    def test_what_is_missing_is_one_paragraph(self, run, file, arguments, message, monkeypatch, capsys):
        here = {"run": run, "file": file}
        code, out, err = self.call(monkeypatch, capsys, *(here.get(each, each) for each in arguments))
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_the_grammar_s_pairs_have_the_rows_of_the_split():
    assert [pair.row for pair in grammar_pairs(LANGUAGE.data_seed).pairs[:3]] == [1, 2, 3]
