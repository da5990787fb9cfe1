"""Splits by length, ids and shared beginnings against loops; baselines against scikit-learn; files refused."""

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from sklearn.metrics import roc_auc_score

from inductive_bias.errors import DataError
from inductive_bias.tasks import Proteins
from inductive_bias.tasks.files import checksum
from inductive_bias.tasks.proteins import BASELINES, baseline_scores, files
from inductive_bias.tasks.proteins.baselines import at_positions, composition
from inductive_bias.tasks.proteins.files import LETTERS
from inductive_bias.tasks.proteins.made import made_proteins

MADE = Proteins(data="generated")


def written(proteins, *, swapped=False):
    """A file of proteins; the columns of one of the public ones stand the other way round."""
    if swapped:
        return "\n".join(["label,seq", *(f"{label},{residues}" for residues, label in proteins), ""]).encode()
    return "\n".join(["seq,label", *(f"{residues},{label}" for residues, label in proteins), ""]).encode()


def some(n, longest=30, seed=0):
    return [(each.residues, each.label) for each in made_proteins(np.random.default_rng(seed), n, longest)]


@pytest.fixture
def put(tmp_path, monkeypatch):
    def write(data, split, content, *, declared=True, folder=None):
        name = f"{files.FOLDER}/{files.NAMES[data][split]}"
        path = (folder or tmp_path) / (name if folder is None else files.NAMES[data][split])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        if declared:
            monkeypatch.setitem(files.SHA256, name, (checksum(path),))
        return path

    return write


def test_ids_labels_lengths_and_who_begins_alike(put, tmp_path):
    beginning = "M" + "ACDEFGHIKL" * 3
    train = [(beginning + "WW", 1), ("BUXZ" * 10, 0), *some(30)]
    put("signalp", "train", written(train, swapped=True))
    put("signalp", "test", written([(beginning + "YYY", 0), *some(9, seed=1)], swapped=True))
    data = Proteins().load(tmp_path, download=False)
    split = data["test"]
    assert split.inputs.shape[1] == 34
    ids = {letter: number + 1 for number, letter in enumerate(LETTERS)}
    for row, (residues, label) in enumerate([(beginning + "YYY", 0), *some(9, seed=1)]):
        assert split.inputs[row, : len(residues)].tolist() == [ids[letter] for letter in residues]
        assert (split.inputs[row, len(residues) :] == 0).all()
        assert (split.labels[row], split.slices["length"][row]) == (label, len(residues))
    assert split.slices["shared"].tolist() == [1] + [0] * 9
    assert (len(data["train"]), len(data["validation"])) == (29, 3)
    assert "long" not in data
    assert split.source == "real:signalp"


def test_longer_proteins_are_neither_learnt_from_nor_do_they_choose(put, tmp_path):
    parts = {"train": some(60, 60), "validation": some(30, 60, seed=1), "test": some(30, 60, seed=2)}
    for split, proteins in parts.items():
        put("profet", split, written(proteins))
    data = Proteins(data="profet", longest=40).load(tmp_path, download=False)
    for split, proteins in parts.items():
        short = [label for residues, label in proteins if len(residues) <= 40]
        assert data[split].labels.tolist() == short
        assert data[split].slices["length"].max() <= 40
    long = [(len(residues), label) for each in parts.values() for residues, label in each if len(residues) > 40]
    assert list(zip(data["long"].slices["length"].tolist(), data["long"].labels.tolist(), strict=True)) == long


def test_a_tenth_of_signalp_chooses_with_both_labels_in_proportion():
    data = Proteins(data="generated", proteins=200).load()
    assert {name: len(split) for name, split in data.items()}["validation"] == 40
    assert set(data) == {"train", "validation", "test", "long"}
    assert data.is_sample
    assert data["long"].slices["length"].min() > MADE.length
    assert MADE.dimensions == {"outputs": 2, "vocabulary": 25}
    assert (Proteins().length, Proteins(data="profet").length, Proteins(longest=50).length) == (70, 200, 50)


def test_files_are_fetched_into_the_cache_and_checked(put, tmp_path, serve, monkeypatch):
    for split in ("train", "test"):
        put("signalp", split, written(some(40)), folder=tmp_path / "served")
    monkeypatch.setattr(files, "ADDRESS", serve.rstrip("/"))
    assert len(Proteins().load()["test"]) == 40
    put("signalp", "test", written(some(40, seed=1)), folder=tmp_path / "served", declared=False)
    assert len(Proteins(weights="root").load()["test"]) == 40  # from the cache


def test_files_of_your_own_are_read_if_allowed_and_named(put, tmp_path):
    put("signalp", "train", written(some(40)))
    put("signalp", "test", written(some(20)), declared=False)
    with pytest.raises(DataError, match="is not the public file"):
        Proteins().load(tmp_path, download=False)
    data = Proteins(allow_other=True).load(tmp_path, download=False)
    assert data["train"].source == "own:signalP_binary.test.csv"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"seq,label\n", "there is none in it"),
        (b"", "there is none in it"),
        (b"seq,label\nMKL,2\n", "line 2: should be a protein"),
        (b"seq,label\nMKL,1\nMJL,0\n", "line 3: should be a protein"),
        (b"seq,label\n,0\n", "line 2: should be a protein"),
        (b"seq,label\nMKL,0\n" + b"M" * 200_000 + b",1\n", "line 3: a field should have at most 131,072 characters"),
        (b"seq,label\n\nMJL,0\n", "line 3: should be a protein"),
        (b"sequence,label\nMKL,0\n", "line 2: should be a protein"),
        (b"seq,label\nMKL\n", "line 2: should be a protein"),
        (b"seq,label\nMK\xff,0\n", "not UTF-8"),
        (b"seq,label\nMKL,0\n", "test has not both labels"),
    ],
)
def test_what_is_no_file_of_proteins_is_refused(put, tmp_path, content, message):
    put("signalp", "train", written(some(40)))
    put("signalp", "test", content)
    with pytest.raises(DataError, match=message):
        Proteins().load(tmp_path, download=False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"longest": 5},
        {"data_seed": 1},
        {"proteins": 50},
        {"data": "generated", "allow_other": True},
        {"batches": 0},
        {"data": "pfam"},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValidationError):
        Proteins(**wrong)


def test_compositions_and_positions_against_loops():
    split = MADE.load()["long"]
    shares, first, places = composition(split), composition(split, 30), at_positions(split, 7)
    for row in (0, 3):
        length = int(split.slices["length"][row])
        residues = [LETTERS[number - 1] for number in split.inputs[row, :length].tolist()]
        assert shares[row].tolist() == pytest.approx([residues.count(letter) / length for letter in LETTERS])
        assert first[row].tolist() == pytest.approx([residues[:30].count(letter) / 30 for letter in LETTERS])
        assert places[row].reshape(7, -1).argmax(1).tolist() == [LETTERS.index(letter) for letter in residues[:7]]
    beyond = at_positions(split, 100).reshape(len(split), 100, -1).sum(2)
    assert beyond.sum(1).tolist() == split.slices["length"].tolist()


def test_made_up_signals_are_found_by_what_stands_where():
    data = MADE.load()
    found = baseline_scores(data, length=40)
    assert tuple(found) == BASELINES
    share = data["train"].labels.double().mean().item()
    assert found[BASELINES[0]][0] == pytest.approx(np.log(share / (1 - share)))
    areas = {name: roc_auc_score(data["test"].labels, scores) for name, scores in found.items()}
    assert areas[BASELINES[0]] == 0.5
    assert areas["residue at every position"] > 0.9
    assert baseline_scores(data, length=40, split="long")["composition"].shape == (len(data["long"]),)


def test_the_public_files_have_what_is_declared(shared_data_folder):
    if not (shared_data_folder / files.FOLDER).is_dir():
        pytest.skip("the real files are not here")
    data = Proteins(data="profet").load(shared_data_folder, download=False)
    counts = {name: (len(split), int(split.labels.sum())) for name, split in data.items()}
    assert counts == {"train": (1384, 727), "validation": (143, 86), "test": (169, 89), "long": (1671, 1413)}
    signalp = Proteins().load(shared_data_folder, download=False)["test"]
    assert (len(signalp), int(signalp.labels.sum()), int(signalp.slices["shared"].sum())) == (4152, 674, 116)
    assert torch.equal(signalp.slices["length"], (signalp.inputs != 0).sum(1))
