"""Labelled preambles of one's own: read, cut, trained on, taught, stored and gone on with."""

import gzip
import json
import random

import pandas as pd
import pytest
from pydantic import ValidationError

from inductive_bias.engine import run_missing
from inductive_bias.errors import DataError
from inductive_bias.running import build, protocol_of, run_trial
from inductive_bias.store import Store
from inductive_bias.tasks import OwnPreambles
from inductive_bias.tasks.vocabulary import EOS
from inductive_bias.trials import Trial
from tests.tiny import LSTM, TRANSFORMER, tiny_sentence_trial

NOUNS = {"singular": ("key", "cat", "tree"), "plural": ("keys", "cats", "trees")}


def lines(*, columns=4, count=240):
    """As many preambles, all different, of each number, with 0 to 2 attractors; the distance is that of the words."""
    draw, made = random.Random(0), []
    for number in range(count):
        ours, others = ("singular", "plural") if number % 2 else ("plural", "singular")
        between = [f"near the {draw.choice(NOUNS[others])}" for _ in range(number // 2 % 3)]
        words = " ".join([f"the {' '.join(str(number))} {draw.choice(NOUNS[ours])}", *between])
        made.append("\t".join((words, ours, str(len(between)), str(3 * len(between) + 1))[:columns]))
    return made


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def write(tmp_path):
    def put(rows, name="mine.tsv"):
        content = "".join(f"{row}\n" for row in rows).encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return name

    return put


def words_of(data, name):
    return [" ".join(data.vocabulary.decode(row[row > EOS].tolist())) for row in data[name].inputs]


class TestSplits:
    def test_no_preamble_is_in_two_splits_and_shares_numbers_and_attractors_are_in_proportion(self, write):
        data = OwnPreambles(file=write(lines()), min_count=1).load()
        assert data.names == ("train", "validation", "test", "attractors")
        sizes = {name: len(split) for name, split in data.items()}
        # to within one preamble of each of the six strata
        assert sizes["test"] == pytest.approx(0.2 * 240, abs=6)
        assert sizes["validation"] == pytest.approx(0.1 * 240, abs=6)
        assert sizes["train"] + sizes["validation"] + sizes["test"] == 240
        seen = [set(words_of(data, name)) for name in ("train", "validation", "test")]
        assert not any(one & other for i, one in enumerate(seen) for other in seen[:i])
        for name in ("train", "validation", "test"):
            assert data[name].labels.float().mean() == pytest.approx(0.5, abs=0.1)
            assert set(data[name].slices["attractors"].tolist()) == {0, 1, 2}
        assert sizes["attractors"] == sizes["test"]
        assert {split.source for split in data.values()} == {"own:mine.tsv"}
        assert list(data.sha256) == ["mine.tsv"]

    def test_words_are_lower_case_and_cut_and_numbers_have_several_names(self, write):
        rows = ["Text\tNumber", "The dog's well-kept Keys\tPL", "the key\tVBZ", "", "\tsg", *lines(columns=2)]
        data = OwnPreambles(file=write(rows), min_count=1).load()
        texts = {
            text: label
            for name in ("train", "validation", "test")
            for text, label in zip(words_of(data, name), data[name].labels.tolist(), strict=True)
        }
        assert data.skipped == {"empty line": 1, "empty preamble": 1}
        assert texts["the key"] == 0
        assert any(label == 1 for text, label in texts.items() if "keys" in text)
        assert "@-@" in data.vocabulary or any("<unk>" in text for text in texts)

    @pytest.mark.parametrize(("columns", "slices"), [(2, set()), (3, {"attractors"}), (4, {"attractors", "distance"})])
    def test_slices_are_those_that_are_given(self, write, columns, slices):
        data = OwnPreambles(file=write(lines(columns=columns))).load()
        assert set(data["test"].slices) == slices
        assert ("attractors" in data) == ("attractors" in slices)

    def test_an_empty_cell_is_not_known(self, write):
        rows = [f"{row}\t\t3" if i % 2 else f"{row}\t2" for i, row in enumerate(lines(columns=2))]
        data = OwnPreambles(file=write(rows)).load()
        assert set(data["test"].slices["attractors"].tolist()) == {-1, 2}
        assert set(data["test"].slices["distance"].tolist()) == {-1, 3}
        assert set(data["attractors"].slices["attractors"].tolist()) == {2}

    def test_a_smaller_training_set_has_the_same_words_and_tests(self, write):
        name = write(lines(), "mine.tsv.gz")
        whole, part = (OwnPreambles(file=name, train_size=size).load() for size in (None, 40))
        assert (len(part["train"]), part.vocabulary) == (40, whole.vocabulary)
        assert words_of(part, "test") == words_of(whole, "test")
        assert words_of(OwnPreambles(file=name, split_seed=1).load(), "test") != words_of(whole, "test")


class TestRefusals:
    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ([], "there is none in it"),
            (["the key"], "line 1: expected 2 to 4 columns"),
            (["the key\tsingular\t0\t1\tx"], "found 5"),
            (["the key\tsingular", "the keys\tmany"], "line 2: number should be singular or plural, and is 'many'"),
            (["the key\tsg\t-1"], "attractors should be a whole number of at least 0, or empty .* is '-1'"),
            (["the key\tsg\t0\t0"], "distance should be a whole number of at least 1"),
            (["the key\tsg", "the keys\tpl"], "Nothing is left of the split validation of own:mine.tsv"),
        ],
    )
    def test_a_file_of_another_layout_is_refused_with_its_line(self, write, rows, message):
        with pytest.raises(DataError, match=message):
            OwnPreambles(file=write(rows)).load()

    def test_a_missing_file_when_the_setting_is_made(self):
        with pytest.raises(DataError, match=r"none\.tsv cannot be read"):
            OwnPreambles(file="none.tsv")

    def test_shares_that_leave_nothing(self, write):
        with pytest.raises(ValidationError, match="leave nothing"):
            OwnPreambles(file=write(lines()), test_share=0.5, validation_share=0.5)

    def test_a_changed_file_is_another_trial_and_the_old_one_is_refused(self, write):
        one = tiny_sentence_trial(task=OwnPreambles(file=write(lines())))
        text = one.model_dump_json()
        assert Trial.model_validate_json(text).id == one.id
        write(lines(count=241))
        assert tiny_sentence_trial(task=OwnPreambles(file="mine.tsv")).id != one.id
        with pytest.raises(DataError, match=r"mine\.tsv has changed"):
            Trial.model_validate_json(text)
        with pytest.raises(DataError, match=r"mine\.tsv has changed"):
            one.task.load()


class TestTraining:
    def trials(self, write, **options):
        """A student and its teacher."""
        task = OwnPreambles(file=write(lines(**options)), vocabulary_size=300)
        teacher = tiny_sentence_trial(task=task, model=LSTM)
        return [teacher, tiny_sentence_trial(task=task, model=TRANSFORMER, seed=1, teacher=teacher, distill={})]

    def test_teacher_and_student_are_trained_stored_and_not_trained_again(self, write, tmp_path):
        trials, store = self.trials(write), Store(tmp_path / "runs")
        options = {"device": "cpu", "jobs": 1, "progress": False}
        assert run_missing(trials[:1], store, **options) == 1
        assert run_missing(trials, store, **options) == 1  # goes on after the teacher
        assert run_missing(trials, store, **options) == 0
        for trial in trials:
            rows = store.rows(trial)
            assert set(rows["data_source"]) == {"own:mine.tsv"}
            test = rows[(rows["split"] == "test") & (rows["metric"] == "accuracy")]
            assert set(test["attractors"].dropna()) == {0, 1, 2}
            assert set(test["distance"].dropna()) == {1, 4, 7}
            assert store.record(trial)["data_sha256"] == {"mine.tsv": trial.task.sha256}
            assert json.loads(trial.model_dump_json())["task"]["sha256"] == trial.task.sha256
        assert "logits/attractors" in store.arrays(trials[0])

    def test_without_attractors_there_is_no_accuracy_of_them(self, write):
        trial = self.trials(write, columns=2)[0]
        outcome = run_trial(trial, device="cpu")
        measures = protocol_of(trial, trial.task.load()).measures
        for rows in (outcome.rows, measures.final(build(trial), diverged=True)):
            rows = pd.DataFrame(rows)
            assert "test" in set(rows["split"])
            assert "attractors" not in set(rows["split"])
            assert "a_accuracy" not in set(rows["metric"])
        assert "logits/attractors" not in outcome.arrays


class TestOwnSplits:
    def files(self, write):
        made = lines()
        parts = {"file": made[:200], "validation_file": made[200:210], "test_file": made[210:]}
        return {name: write(rows, f"{name}.tsv") for name, rows in parts.items()}

    def test_files_of_their_own_are_the_splits(self, write):
        data = OwnPreambles(**self.files(write), min_count=1).load()
        assert [len(data[name]) for name in ("train", "validation", "test")] == [200, 10, 30]
        assert data["test"].source == "own:file.tsv+test_file.tsv+validation_file.tsv"
        assert set(data.sha256) == {"file.tsv", "test_file.tsv", "validation_file.tsv"}

    def test_each_file_is_part_of_the_id_by_its_content_alone(self, write, tmp_path):
        named = self.files(write)
        before = tiny_sentence_trial(task=OwnPreambles(**named))
        moved = {name: str((tmp_path / file).rename(tmp_path / f"moved-{file}")) for name, file in named.items()}
        assert tiny_sentence_trial(task=OwnPreambles(**moved)).id == before.id
        (tmp_path / "moved-test_file.tsv").write_text("the key\tsingular\n")
        assert tiny_sentence_trial(task=OwnPreambles(**moved)).id != before.id

    def test_one_of_them_alone_is_refused(self, write):
        with pytest.raises(ValidationError, match="belong together"):
            OwnPreambles(file=write(lines()), test_file="mine.tsv")


class TestOddities:
    def test_one_number_alone_is_refused(self, write):
        file = write([row for row in lines(columns=2) if row.endswith("plural")])
        with pytest.raises(DataError, match=r"mine\.tsv: every verb to learn from is plural"):
            OwnPreambles(file=file).load()

    def test_a_preamble_with_both_numbers_is_said(self, write):
        rows = lines(columns=2)
        file = write([*rows, f"{rows[0].split(chr(9))[0]}\tsingular"])
        with pytest.warns(UserWarning, match=r"1 rows have the preamble .* in line 241 \(as in line 1\)"):
            OwnPreambles(file=file).load()

    def test_a_file_that_was_put_together_three_times_is_said(self, write):
        with pytest.warns(UserWarning, match=r"480 of 720 rows repeat earlier ones"):
            OwnPreambles(file=write(lines() * 3)).load()
