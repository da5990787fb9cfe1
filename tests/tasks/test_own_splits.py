"""Splits from files of one's own, of every task that cuts a public file; what is wrong is said by file and line."""

import json
from itertools import combinations

import numpy as np
import pytest
import torch

from inductive_bias.errors import DataError
from inductive_bias.tasks import CharacterModelling, Clones, Defects, Forecasting, Heartbeats, Proteins, Repairs, Stocks
from inductive_bias.tasks.characters import CharacterStream, decode
from inductive_bias.tasks.code.defects import made_defects
from inductive_bias.tasks.files import places
from inductive_bias.tasks.heartbeats.files import BEATS, OWN_VALIDATION, PATIENTS, TEST_TEXT, TRAIN
from inductive_bias.tasks.own_splits import SPLITS, find_own_splits, name_of
from inductive_bias.tasks.stocks.files import TICKERS
from tests.tasks.forecasting import test_forecasting_task as tables
from tests.tasks.heartbeats import test_heartbeats as beats
from tests.tasks.proteins import test_proteins as proteins
from tests.tasks.stocks import test_stocks as shares


@pytest.fixture
def put(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def loaded(task, root):
    """The task's data with files of one's own."""
    return task.model_copy(update={"allow_other": True}).load(root, download=False)


def test_a_split_is_part_of_the_name_and_files_may_be_zipped(tmp_path, put):
    assert name_of("ett/ETTh1.csv", "train") == "ett/ETTh1.train.csv"
    assert name_of("text8/text8", "test") == "text8/text8.test"
    found = [put(f"ett/ETTh1.{split}.csv{'.gz' * (split == 'test')}", "") for split in SPLITS]
    assert list(find_own_splits("ett/ETTh1.csv", places(tmp_path), allow_other=True).values()) == found
    assert find_own_splits("ett/ETTh2.csv", places(tmp_path), allow_other=True) is None
    assert find_own_splits("ett/ETTh1.csv", places(tmp_path), allow_other=False) is None


def test_one_of_three_alone_is_refused(tmp_path, put):
    there = put("ett/ETTh1.validation.csv", "")
    with pytest.raises(DataError, match=r"should have ETTh1.train.csv, ETTh1.test.csv as well") as refusal:
        find_own_splits("ett/ETTh1.csv", places(tmp_path), allow_other=True)
    assert str(there) in str(refusal.value)


TEXTS = {"train": "abcde" * 40, "validation": "edcba" * 8, "test": "ace" * 10}


class TestCharacters:
    def test_each_file_is_its_split(self, tmp_path, put):
        for split, text in TEXTS.items():
            put(f"tinyshakespeare/input.{split}.txt", text)
        put("tinyshakespeare/input.txt", "never read")
        data = loaded(CharacterModelling(window=4), tmp_path)
        assert decode(data["train"].inputs, data.alphabet) == TEXTS["train"][:-1]
        assert decode(data["test"].inputs.flatten(), data.alphabet) == TEXTS["test"][:28]
        assert data["test"].source == "own:input.test.txt+input.train.txt+input.validation.txt"
        assert set(data.sha256) == {f"tinyshakespeare/input.{split}.txt" for split in SPLITS}
        stream = loaded(CharacterStream(window=4, characters=50), tmp_path)
        assert (len(stream["train"].inputs), len(stream["validation"].inputs)) == (49, 39)

    @pytest.mark.parametrize(
        ("split", "text", "message"),
        [
            ("validation", "abc", r"input\.validation\.txt: the validation text of 3 characters is no longer"),
            ("test", "xyz" * 9, r"input\.test\.txt: 27 of the 27 characters of the test text are not in the training"),
            ("train", b"ab\n\xffb", r"input\.train\.txt is not UTF-8 text: line 2, byte 1"),
            ("train", "".join(map(chr, range(40, 120))), r"input\.train\.txt: the training text has 80 different"),
        ],
    )
    def test_the_file_is_named(self, tmp_path, put, split, text, message):
        for each, content in (TEXTS | {split: text}).items():
            put(f"tinyshakespeare/input.{each}.txt", content)
        with pytest.raises(DataError, match=message):
            loaded(CharacterModelling(window=4), tmp_path)


class TestForecasting:
    TASK = Forecasting(data="WTH", past=4, horizon=2)
    ENDS = (50, 70, 100)

    def cut(self, put, changed=None):
        """One table of 100 rows as three files, some of them with other lines."""
        header, *rows = tables.written("WTH", tables.random_values("WTH")).decode().strip().split("\n")
        for split, first, last in zip(SPLITS, (0, *self.ENDS), self.ENDS, strict=False):
            lines = rows[first:last]
            put(f"time_series/WTH.{split}.csv", "\n".join([header, *(changed or {}).get(split, lines), ""]))
        return rows

    def test_each_table_is_its_split(self, tmp_path, put):
        self.cut(put)
        data = loaded(self.TASK, tmp_path)
        values = tables.random_values("WTH")
        scaled = (values - values[:50].mean(0)) / values[:50].std(0)
        # a window before each row that is asked for: the first ones look back into the split before
        for split, first, last in zip(SPLITS, (4, 50, 70), self.ENDS, strict=True):
            wanted = [scaled[row : row + 2] for row in range(first, last - 1)]
            torch.testing.assert_close(data[split].labels, torch.tensor(np.array(wanted)).float())
        assert data["test"].source == "own:WTH.test.csv+WTH.train.csv+WTH.validation.csv"

    def test_the_file_and_line_are_named(self, tmp_path, put):
        rows = self.cut(put)
        self.cut(put, {"validation": rows[51:70]})
        with pytest.raises(
            DataError, match=r"WTH\.validation\.csv, line 2: should go on 60 minutes after .*WTH\.train"
        ):
            loaded(self.TASK, tmp_path)
        self.cut(put, {"test": [*rows[70:80], "noon,1", *rows[81:]]})
        with pytest.raises(DataError, match=r"WTH\.test\.csv, line 12: should be a date"):
            loaded(self.TASK, tmp_path)
        self.cut(put, {"test": rows[70:71]})
        with pytest.raises(DataError, match="has 1 rows to validate or test on, fewer than 2"):
            loaded(self.TASK, tmp_path)


class TestStocks:
    ENDS = (40, 55, 80)

    def cut(self, put, changed=None, tickers=TICKERS):
        """80 days of every share as three files."""
        for seed, ticker in enumerate(tickers):
            header, *rows = shares.written(seed=seed).decode().strip().split("\n")
            for split, first, last in zip(SPLITS, (0, *self.ENDS), self.ENDS, strict=False):
                lines = (changed or {}).get((ticker, split), rows[first:last])
                put(f"stocks/{ticker}.{split}.csv", "\n".join([header, *lines, ""]))
        return rows

    def test_each_file_is_its_split(self, tmp_path, put):
        self.cut(put)
        data = loaded(Stocks(past=3), tmp_path)
        assert [len(data[split]) for split in SPLITS] == [4 * (39 - 3), 4 * 15, 4 * 25]
        assert data["test"].source.startswith("own:AAPL.test.csv+AAPL.train.csv+")
        # scaled by the days to learn from, which are the first 39 returns
        returns = data["train"].labels.view(-1, 4)
        assert 0.7 < float(returns.std()) < 1.4

    def test_the_file_and_line_are_named(self, tmp_path, put):
        rows = self.cut(put)
        self.cut(put, {("GOOG", "test"): rows[54:]})
        with pytest.raises(DataError, match=r"GOOG\.test\.csv, line 2: days should follow those of GOOG\.validation"):
            loaded(Stocks(past=3), tmp_path)
        self.cut(put, {("MSFT", "validation"): [rows[40], "today,1"]})
        with pytest.raises(DataError, match=r"MSFT\.validation\.csv, line 3: should have a Date and numbers"):
            loaded(Stocks(past=3), tmp_path)

    def test_all_shares_have_the_same_days_in_the_same_split(self, tmp_path, put):
        self.cut(put)
        rows = self.cut(put, tickers=("MSFT",))
        self.cut(put, {("MSFT", "train"): rows[:39], ("MSFT", "validation"): rows[39:55]}, tickers=("MSFT",))
        with pytest.raises(DataError, match="MSFT should have a file of each split, with the days that AAPL has in it"):
            loaded(Stocks(past=3), tmp_path)


def lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


class TestCode:
    def parts(self, number=90):
        """Made-up functions in three parts, no commit in two of them."""
        records = made_defects(3).content[:number]
        return {"train": records[:60], "validation": records[60:75], "test": records[75:]}

    def test_defects(self, tmp_path, put):
        for split, records in self.parts().items():
            put(f"code_defect/devign_test.{split}.jsonl", lines(records))
        data = loaded(Defects(), tmp_path)
        assert [len(data[split]) for split in SPLITS] == [60, 15, 15]
        assert data["test"].source == (
            "own:devign_test.test.jsonl+devign_test.train.jsonl+devign_test.validation.jsonl"
        )
        with pytest.raises(DataError, match="fold=2 is none"):
            loaded(Defects(fold=2), tmp_path)
        path = put("code_defect/devign_test.test.jsonl", lines(self.parts()["test"]) + "{\n")
        with pytest.raises(DataError, match=r"devign_test\.test\.jsonl, line 16: should be JSON") as refusal:
            loaded(Defects(), tmp_path)
        assert str(path) in str(refusal.value)

    def test_a_commit_in_two_splits_is_refused(self, tmp_path, put):
        parts = self.parts()
        parts["test"] = [*parts["test"], parts["train"][0]]
        for split, records in parts.items():
            put(f"code_defect/devign_test.{split}.jsonl", lines(records))
        with pytest.raises(DataError, match=r"no commit, .* should be in two splits, but 1 are"):
            loaded(Defects(), tmp_path)

    def methods(self, put, number=12):
        for part, first in (("train", 0), ("valid", number), ("test", 2 * number)):
            for side in ("buggy", "fixed"):
                methods = [f"int m{place} ( ) {{ return {side} ; }}\n" for place in range(first, first + number)]
                put(f"code_refinement_small/{part}.buggy-fixed.{side}", "".join(methods))

    def test_repairs(self, tmp_path, put):
        self.methods(put)
        data = loaded(Repairs(), tmp_path)
        assert [len(data[split]) for split in SPLITS] == [24, 24, 24]
        path = put("code_refinement_small/train.buggy-fixed.fixed", "int a ;\n\n" * 6)
        with pytest.raises(DataError, match=r"line 2: should be a method, but is empty") as refusal:
            loaded(Repairs(), tmp_path)
        assert str(path) in str(refusal.value)
        self.methods(put)
        put("code_refinement_small/test.buggy-fixed.fixed", "int m0 ( ) { return fixed ; }\n" * 12)
        with pytest.raises(DataError, match=r"no pair with a method of another pair should be in two splits"):
            loaded(Repairs(), tmp_path)

    def clones(self, put, changed=None):
        """Six functions a split, three of each kind, and all their pairs."""
        names = {split: [f"{split}{place}" for place in range(6)] for split in SPLITS}
        functions = [
            {"idx": name, "func": f"int {name}() {{ return {name}; }}"} for each in names.values() for name in each
        ]
        put("code_clone/data.jsonl", lines(functions))
        for split, each in (names | (changed or {})).items():
            pairs = [
                f"{one}\t{two}\t{int((place < 3) == (other < 3))}\n"
                for (place, one), (other, two) in combinations(enumerate(each), 2)
            ]
            put(f"code_clone/test_sampled.{split}.txt", "".join(pairs))
        return names

    def test_clones(self, tmp_path, put):
        names = self.clones(put)
        data = loaded(Clones(), tmp_path)
        assert [len(data[split]) for split in SPLITS] == [15, 15, 15]
        assert [int(data[split].labels.sum()) for split in SPLITS] == [6, 6, 6]
        with pytest.raises(DataError, match="fold=1 is none"):
            loaded(Clones(fold=1), tmp_path)
        self.clones(put, {"test": [*names["test"][:5], names["train"][0]]})
        with pytest.raises(DataError, match="no function, and no copy of one, should be in two splits, but 1 are"):
            loaded(Clones(), tmp_path)
        self.clones(put, {"validation": [*names["validation"][:5], "nobody"]})
        with pytest.raises(DataError, match=r"test_sampled\.validation\.txt, line 5: should be two known functions"):
            loaded(Clones(), tmp_path)


def test_signalp_may_have_proteins_that_choose(tmp_path, put):
    parts = {"train": proteins.some(30), "valid": proteins.some(7, seed=1), "test": proteins.some(9, seed=2)}
    for name, content in parts.items():
        put(f"protein/signalP_binary.{name}.csv", proteins.written(content))
    data = loaded(Proteins(), tmp_path)
    assert [len(data[split]) for split in SPLITS] == [30, 7, 9]
    put("protein/signalP_binary.valid.csv", proteins.written([*parts["valid"], ("M1", 0)]))
    with pytest.raises(DataError, match=r"signalP_binary\.valid\.csv, line 9: should be a protein"):
        loaded(Proteins(), tmp_path)


def test_ecg5000_may_have_beats_that_choose(tmp_path, put):
    sizes = {TRAIN: 20, OWN_VALIDATION: 10, TEST_TEXT: 5}
    for seed, (name, size) in enumerate(sizes.items()):
        put(name, beats.ecg5000(size, seed))
    data = loaded(Heartbeats(data="ecg5000"), tmp_path)
    assert [len(data[split]) for split in SPLITS] == [20, 10, 5]
    assert data["train"].source == "own:ECG5000_TEST_4499.txt+ECG5000_TRAIN.txt+ECG5000_VALIDATION.txt"
    put(OWN_VALIDATION, beats.ecg5000(3) + b"1 2\n")
    with pytest.raises(DataError, match=r"ECG5000_VALIDATION\.txt, line 4: should be a class and 140 numbers"):
        loaded(Heartbeats(data="ecg5000"), tmp_path)


def test_a_list_of_patients_may_say_who_is_in_which_split(tmp_path, put):
    put(BEATS, beats.packed())
    chosen = dict.fromkeys(beats.RECORDS, "train") | {101: "validation", 100: "test", 202: "test", 102: "neither"}
    rows = [f"{record},60,F,{split}" for record, split in chosen.items()]
    put(PATIENTS, "\n".join(["record,age,sex,split", *rows, ""]))
    data = loaded(Heartbeats(left_out=()), tmp_path)
    who = {name: set(split.slices["record"].tolist()) for name, split in data.items()}
    assert who["validation"] == {101}
    assert who["test"] == {100, 202}
    assert who["train"] == set(beats.RECORDS) - {101, 100, 202, 102}


def test_public_files_are_cut_as_before(tmp_path, put):
    """Without ``allow_other`` no file of a split is looked at."""
    put("ett/ETTh1.train.csv", "nonsense")
    assert find_own_splits("ett/ETTh1.csv", places(tmp_path), allow_other=False) is None
    with pytest.raises(DataError, match="Data not found"):
        Forecasting().load(tmp_path, download=False)
