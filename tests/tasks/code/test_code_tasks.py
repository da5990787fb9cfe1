"""Splits of all tasks on code: who is kept together, files read and refused, downloads, answers without a network."""

import gzip
import json
from itertools import combinations

import datasets
import numpy as np
import pytest
import torch
from pydantic import ValidationError
from sklearn.metrics import accuracy_score

from inductive_bias.errors import DataError
from inductive_bias.tasks import Clones, Defects, InjectedBugs, Programs, Repairs, Split
from inductive_bias.tasks.code import BAG, MAJORITY, OF_GROUP, bag_vectors, baseline_scores, baselines, token_files
from inductive_bias.tasks.code import clones as of_clones
from inductive_bias.tasks.code import defects as of_defects
from inductive_bias.tasks.code import programs as of_programs
from inductive_bias.tasks.code import repairs as of_repairs
from inductive_bias.tasks.code.parting import written_alike
from inductive_bias.tasks.code.reading import written
from inductive_bias.tasks.files import cache_folder, checksum

MADE = (
    Defects(data="generated"),
    Clones(data="generated"),
    Clones(data="generated", split="components", fold=1),
    Programs(data="generated", pairs=96, held_out=40),
    Repairs(data="generated"),
    InjectedBugs(data="generated"),
)


def json_lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


@pytest.fixture
def put(tmp_path, monkeypatch):
    def write(name, content, table=None, *, root=None):
        path = (root or tmp_path) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if table is not None:
            monkeypatch.setitem(table, name, (checksum(path),))
        return path

    return write


def defect_records(number=60):
    return of_defects.made_defects(3).content[:number]


@pytest.mark.parametrize("task", MADE, ids=lambda task: f"{task.kind} {getattr(task, 'split', '')}")
def test_made_up_data_have_what_is_promised(task):
    data = task.load()
    assert data.is_sample
    assert data is task.model_copy(update={"batches": 3}).load()  # one in memory
    for name in ("train", "validation", "test"):
        split = data[name]
        assert split.inputs.ndim == task.sides + 1
        assert split.inputs.max() < task.dimensions["vocabulary"]
        assert set(split.labels.tolist()) == {0, 1}
        real = (split.inputs != 0).sum(1)
        assert torch.equal(split.slices["length"], real if task.sides == 1 else real.amax(1))
        assert (split.inputs[:, 0] != 0).all()
        assert ("other" in split.slices) == (task.sides == 2)
        assert ("group" in split.slices) == bool(task.groups)
    assert task.dimensions["sides"] == task.sides


@pytest.mark.parametrize("task", MADE[:1] + MADE[4:], ids=lambda task: task.kind)
def test_no_item_is_in_two_splits(task):
    items = [set(split.slices["item"].tolist()) for split in task.load().values()]
    assert all(not one & two for one, two in combinations(items, 2))


def test_folds_of_defects_test_every_function_once_and_keep_commits_and_copies_together(put, tmp_path):
    records = defect_records()
    records[5] = records[5] | {"func": records[40]["func"].replace(" ", "\n\n")}
    put(of_defects.NAME, json_lines(records[::-1]), of_defects.SHA256)
    tested = []
    for fold in range(of_defects.FOLDS):
        data = Defects(fold=fold).load(tmp_path, download=False)
        assert sum(map(len, data.values())) == len(records)
        items = [set(split.slices["item"].tolist()) for split in data.values()]
        assert sum(map(len, items)) == len(set.union(*items))
        tested += data["test"].slices["item"].tolist()
    commits = {records[place]["commit_id"] for place in (5, 40)}
    assert len(commits) == 2
    assert len(set(tested)) == len({each["commit_id"] for each in records}) - 1
    assert len(tested) == len(records)
    shares = data["test"].labels.double().mean()
    assert 0.3 < shares < 0.7


def test_no_function_of_clones_and_no_copy_is_on_both_sides(put, tmp_path):
    read = of_clones.made_pairs(1)
    functions = [*read.functions[:-1], read.functions[0].replace(" ", "  ")]
    put(
        of_clones.FUNCTIONS,
        json_lines({"func": text, "idx": str(place)} for place, text in enumerate(functions)),
        of_clones.SHA256,
    )
    lines = [f"{one}\t{two}\t{label}\n" for (one, two), label in zip(read.pairs, read.labels, strict=True)]
    put(of_clones.PAIRS, "".join(lines).encode(), of_clones.SHA256)
    found = of_clones.read_pairs((("here", tmp_path),), allow_other=False)
    for task in (Clones(fold=2), Clones(split="components", fold=0)):
        data = task.load(tmp_path, download=False)
        texts = [
            {
                written_alike(found.functions[place])
                for side in ("item", "other")
                for place in split.slices[side].tolist()
            }
            for split in data.values()
        ]
        assert all(not one & two for one, two in combinations(texts, 2))
        known = dict(zip(found.pairs, found.labels, strict=True))
        test = data["test"]
        pairs = zip(test.slices["item"].tolist(), test.slices["other"].tolist(), strict=True)
        assert [known[pair] for pair in pairs] == test.labels.tolist()


def test_components_are_those_of_a_naive_search_and_held_out_whole():
    read = of_clones.made_pairs(0)
    rank = of_clones.components(read)
    near = {place: {place} for place in range(len(read.functions))}
    for (one, two), label in zip(read.pairs, read.labels, strict=True):
        if label or written_alike(read.functions[one]) == written_alike(read.functions[two]):
            near[one].add(two)
            near[two].add(one)
    for one, text in enumerate(read.functions):
        near[one] |= {two for two, other in enumerate(read.functions) if written_alike(text) == written_alike(other)}
    reached = {0}
    while (more := set.union(*(near[each] for each in reached))) != reached:
        reached = more
    assert set(np.flatnonzero(rank == rank[0]).tolist()) == reached
    sizes = np.bincount(rank)
    assert (np.diff(sizes) <= 0).all()
    part = of_clones.parts_of_functions(read, Clones(data="generated", split="components", fold=2))
    assert (part[rank == 2] == 2).all()
    assert (part[(rank < of_clones.COMPONENTS) & (rank != 2)] != 2).all()


def test_pairs_of_programs_are_half_of_one_problem_and_use_all_alike():
    problems = np.repeat(np.arange(6), 20)
    pairs = of_programs.pairs_of(problems, 200, seed=0)
    alike = [problems[one] == problems[two] for one, two in pairs]
    assert sum(alike) == 100
    assert all(one != two for one, two in pairs)
    counts = np.bincount(np.array(pairs)[alike].ravel(), minlength=120)
    assert set(counts.tolist()) == {1, 2}  # the second round was not needed whole
    assert pairs == of_programs.pairs_of(problems, 200, seed=0)
    assert len(of_programs.pairs_of(problems, 31, seed=0)) == 31


def test_problems_of_the_test_are_new_and_so_many_programs_are_sought(put, tmp_path):
    parts = of_programs.made_programs(Programs(data="generated"))
    for name, file in of_programs.NAMES.items():
        put(file, json_lines({**each, "file": "x"} for each in parts[name]), of_programs.SHA256)
    task = Programs(pairs=64, held_out=16, retrieved=5)
    data = task.load(tmp_path, download=False)
    assert [len(data[name]) for name in ("train", "validation", "test", "retrieval")] == [64, 4, 16, 10]
    seen = [{*data[name].slices["item"].tolist(), *data[name].slices["other"].tolist()} for name in ("train", "test")]
    assert not seen[0] & seen[1]
    assert data["retrieval"].labels.bincount().tolist()[-2:] == [5, 5]
    assert torch.equal(data["test"].labels, (data["test"].slices["item"] == data["test"].slices["other"]).long())


def test_tokens_of_programs_are_found_once_on_a_machine(put, tmp_path, monkeypatch):
    sources = ["int main ( ) { return 0 ; }", "", 'puts("größe\\0"); // x', "int main"]
    wanted = [token_files.tokenise(each) for each in sources]
    assert token_files.tokens_of(sources, {"a": "1"}) == wanted
    (kept,) = (cache_folder() / token_files.FOLDER).iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(token_files, "tokenise", None)
        assert token_files.tokens_of(sources, {"a": "1"}) == wanted
    kept.write_bytes(kept.read_bytes()[:-40])
    assert token_files.tokens_of(sources, {"a": "1"}) == wanted
    other = [["other"], [], ["x"], ["y"]]
    assert token_files.tokens_of(["other", "", "x", "y"], {"a": "2"}) == other
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(kept))  # a file: nothing can be written below it
    assert token_files.tokens_of(sources, {"a": "1"}) == wanted


def test_both_methods_of_a_pair_and_their_copies_are_in_one_part(put, tmp_path, serve, monkeypatch):
    pairs = [*of_repairs.made_methods(0).content, *of_repairs.made_methods(1).content[:20]]
    pairs.append((pairs[3][1], "int g ( ) { }"))  # one pair's repair is another's bug
    for name, part in (("valid", pairs[:50]), ("test", pairs[50:])):
        for side, column in (("buggy", 0), ("fixed", 1)):
            lines = "".join(" ".join(pair[column].split()) + " \n" for pair in part)
            file = f"{name}.buggy-fixed.{side}"
            put(file, lines.encode(), root=tmp_path / "served")
            monkeypatch.setitem(
                of_repairs.SHA256, f"{of_repairs.FOLDER}/{file}", (checksum(tmp_path / "served" / file),)
            )
    monkeypatch.setattr(of_repairs, "ADDRESS", serve.rstrip("/"))
    data = Repairs().load()
    assert sum(map(len, data.values())) == 2 * len(pairs)
    assert (cache_folder() / of_repairs.FOLDER / "test.buggy-fixed.fixed").is_file()
    items = [set(split.slices["item"].tolist()) for split in data.values()]
    assert all(not one & two for one, two in combinations(items, 2))
    for split in data.values():
        assert split.labels.double().mean() == 0.5
    assert data["test"].source == "real:code_refinement"


def test_files_of_different_length_are_refused(put, tmp_path):
    for name in of_repairs.SHA256:
        lines = 3 if name.endswith("test.buggy-fixed.fixed") else 4
        put(name, b"int f ( ) ;\n" * lines, of_repairs.SHA256)
    with pytest.raises(DataError, match="has 3 lines, but the file of the other side has 4"):
        Repairs().load(tmp_path, download=False)


def test_a_line_without_a_method_is_refused(put, tmp_path):
    for name in of_repairs.SHA256:
        put(name, b"int f ( ) ;\n" * 4 + b" \n", of_repairs.SHA256)
    with pytest.raises(DataError, match=r"valid\.buggy-fixed\.buggy, line 5: should be a method, but is empty"):
        Repairs().load(tmp_path, download=False)


def test_a_file_without_pairs_is_refused(put, tmp_path):
    put(of_clones.FUNCTIONS, json_lines([{"func": "f", "idx": "1"}]))
    put(of_clones.PAIRS, b"")
    with pytest.raises(DataError, match=r"test_sampled\.txt should hold pairs, two functions and 0 or 1"):
        Clones(allow_other=True).load(tmp_path, download=False)


def test_defects_are_written_from_the_hub_and_checked(monkeypatch, tmp_path):
    records = defect_records()
    rows = [{**each, "target": bool(each["target"]), "id": 7} for each in records]
    asked = []
    monkeypatch.setattr(datasets, "load_dataset", lambda *name, **how: (asked.append((name, how["split"])), rows)[1])
    with pytest.raises(DataError, match="is not the public file"):
        Defects().load()
    (tmp_path / "wanted").write_bytes(written(records))
    monkeypatch.setitem(of_defects.SHA256, of_defects.NAME, ("0" * 64, checksum(tmp_path / "wanted")))
    assert len(Defects().load()["train"]) > 20
    assert asked[0] == (("google/code_x_glue_cc_defect_detection",), "test")
    assert [path.name for path in (cache_folder() / "code_defect").iterdir()] == ["devign_test.jsonl"]
    # the same examples from the file as it circulates, whatever its order
    path = tmp_path / "root" / of_defects.NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(json_lines({**each, "idx": 1} for each in records[::-1]))
    monkeypatch.setitem(of_defects.SHA256, of_defects.NAME, (checksum(path),))
    assert torch.equal(Defects().load(tmp_path / "root")["test"].inputs, Defects().load()["test"].inputs)


def test_without_a_network_the_error_says_what_to_do(monkeypatch):
    def fail(*_, **__):
        raise ConnectionError("no\nnetwork")

    monkeypatch.setattr(datasets, "load_dataset", fail)
    for task in (Defects(fold=1), Programs(pairs=10)):
        with pytest.raises(DataError, match=r"Hugging Face hub \(no network\)") as error:
            task.load()
        assert "\n" not in str(error.value)
    with pytest.raises(DataError, match="Data not found"):
        Clones().load()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there is none in it"),
        (b"{\n", "line 1: should be JSON with project, commit_id, target, func"),
        (b"[1]\n", "line 1: should be JSON"),
        (b'{"target": 0, "target": 1}\n', "line 1: should be JSON .*'target' is there twice"),
        (json_lines([{"project": "qemu", "commit_id": "a", "target": True, "func": "f"}]), "target should be int"),
        (json_lines([{"project": "qemu", "commit_id": "a", "target": 1}]), "line 1: should be JSON"),
        (b"\xff\n", "not UTF-8"),
        (
            json_lines([*defect_records(), {**defect_records()[0], "project": "curl"}]),
            "line 61: project .* FFmpeg or qemu",
        ),
        (json_lines([{**defect_records()[0], "target": 2}]), "line 1: target should be 0 or 1, not 2"),
        (json_lines(defect_records()) + b"\n", "line 61: should be JSON"),
        (json_lines(defect_records(4)), r"the commits of .* should be 5 at least, one for each part, and are 2"),
        (json_lines({**each, "commit_id": "a"} for each in defect_records()), "the commits of .* and are 1"),
        (
            json_lines(defect_records(21)),
            "commits of .* outside fold 0 should be 8 at least, one for each part, and are",
        ),
        (json_lines({**each, "target": 1} for each in defect_records()), "the part train should have both sound and"),
    ],
)
def test_what_is_no_file_of_functions_is_refused(put, tmp_path, content, message):
    put(of_defects.NAME, content, of_defects.SHA256)
    with pytest.raises(DataError, match=message):
        Defects().load(tmp_path, download=False)


def test_pairs_of_unknown_functions_are_refused(put, tmp_path):
    put(of_clones.FUNCTIONS, json_lines([{"func": "f", "idx": "1"}, {"func": "g", "idx": "2"}]), of_clones.SHA256)
    put(of_clones.PAIRS, b"1\t2\t1\n1\t3\t0\n", of_clones.SHA256)
    with pytest.raises(DataError, match="line 2: should be two known functions and 0 or 1"):
        Clones().load(tmp_path, download=False)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1\t1\t1\n", "line 1: a pair should be of two functions, not of 1 with itself"),
        ("1\t2\t1\n2\t3\t0\n2\t1\t0\n", "line 3: a pair should have one label, but 2 and 1 stand above with the other"),
        ("1\t2\t1\n\n", "line 2: should be two known functions"),
        ("1\t2\t1\n2\t1\t1\n", "the functions of own:.* should be 4 at least, one for each part, and are"),
    ],
)
def test_own_pairs_that_contradict_themselves_are_refused(put, tmp_path, lines, message):
    put(of_clones.FUNCTIONS, json_lines({"func": f"f{idx}()", "idx": idx} for idx in "1234"))
    put(of_clones.PAIRS, lines.encode())
    with pytest.raises(DataError, match=message):
        Clones(allow_other=True).load(tmp_path, download=False)


def test_functions_of_one_number_are_refused(put, tmp_path):
    put(of_clones.FUNCTIONS, json_lines({"func": f"f{each}()", "idx": "7"} for each in range(2)))
    put(of_clones.PAIRS, b"")
    with pytest.raises(DataError, match="an idx of its own, but '7' is there again"):
        Clones(allow_other=True).load(tmp_path, download=False)


def test_five_repairs_are_too_few(put, tmp_path):
    for name in of_repairs.SHA256:
        lines = range(3) if "valid" in name else range(3, 5)
        put(name, "".join(f"int f{each} ( ) {{ {name[-5:]} }}\n" for each in lines).encode())
    with pytest.raises(DataError, match=r"the repairs of own:.* should be 10 at least, one for each part, and are 5"):
        Repairs(allow_other=True).load(tmp_path, download=False)


@pytest.mark.parametrize(
    ("split", "records", "message"),
    [
        ("validation", [(5, "a"), (5, "b")], "the programs of validation should be of two problems at least"),
        ("validation", [(5, "a"), (9, "b")], "the programs of validation should be of two problems at least"),
        ("validation", [(0, "a"), (0, "b"), (5, "c")], "no problem should be in two parts, but 0 is in train and"),
        ("test", [(8, "a"), (8, "b"), (9, "c")], "each problem of the test should have two .*, but 9 has one"),
    ],
)
def test_programs_that_cannot_be_paired_are_refused(put, tmp_path, split, records, message):
    parts = of_programs.made_programs(Programs(data="generated"))
    parts[split] = [{"label": label, "code": code} for label, code in records]
    for name, file in of_programs.NAMES.items():
        put(file, json_lines(parts[name]))
    with pytest.raises(DataError, match=message):
        Programs(allow_other=True, pairs=8, held_out=4).load(tmp_path, download=False)


def test_own_defects_that_are_rewritten_are_read_again(put, tmp_path):
    put(of_defects.NAME, json_lines(defect_records()))
    task = Defects(allow_other=True)
    old = task.load(tmp_path, download=False)
    put(of_defects.NAME, json_lines(defect_records(90)))
    assert len(task.load(tmp_path, download=False)["test"]) > len(old["test"])


def test_files_of_your_own_are_read_if_allowed_and_named(put, tmp_path):
    path = put(of_defects.NAME, json_lines(defect_records()))
    path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(DataError, match="is not the public file"):
        Defects().load(tmp_path, download=False)
    assert Defects(allow_other=True).load(tmp_path, download=False)["test"].source == "own:devign_test.jsonl"


@pytest.mark.parametrize(
    ("task", "wrong"),
    [
        (Defects, {"fold": 5}),
        (Clones, {"fold": 3}),
        (Clones, {"split": "components", "fold": 4}),
        (Clones, {"split": "pairs"}),
        (Defects, {"data_seed": 1}),
        (Repairs, {"data": "generated", "allow_other": True}),
        (Programs, {"pairs": 1}),
        (Programs, {"retrieved": 1}),
        (InjectedBugs, {"python": "three"}),
        (Repairs, {"length": 1}),
        (Defects, {"vocabulary_size": 4}),
        (Defects, {"batches": 0}),
    ],
)
def test_settings_that_cannot_be_are_refused(task, wrong):
    with pytest.raises(ValidationError):
        task(**wrong)


def test_counts_of_tokens_against_a_loop():
    inputs = torch.tensor([[4, 5, 4, 0], [6, 0, 0, 0]])
    found = baselines.counts(inputs, 8).toarray()
    wanted = np.zeros((2, 8))
    wanted[0, 4], wanted[0, 5], wanted[1, 6] = np.log(3), np.log(2), np.log(2)
    assert found == pytest.approx(wanted)
    both = torch.stack([inputs, inputs[[1, 1]]], -1)
    bag = baselines.bag(Split(both, torch.zeros(2), "here"), 8).toarray()
    assert bag == pytest.approx(np.hstack([abs(wanted - wanted[[1, 1]]), wanted * wanted[[1, 1]]]))
    assert bag_vectors(inputs, 8).square().sum(1).tolist() == pytest.approx([1, 1])


def test_answers_without_a_network():
    data = MADE[0].load()
    found = baseline_scores(data, vocabulary=4000)
    assert list(found) == [MAJORITY, OF_GROUP, BAG]
    share = data["train"].labels.double().mean().item()
    assert found[MAJORITY].tolist() == pytest.approx([np.log(share / (1 - share))] * len(data["test"]))
    group, labels = data["train"].slices["group"], data["train"].labels
    for place in (0, 1):
        own = labels[group == data["test"].slices["group"][place]]
        wanted = np.log((own.sum().item() + 1) / ((1 - own).sum().item() + 1))
        assert found[OF_GROUP][place] == pytest.approx(wanted)
    assert accuracy_score(data["test"].labels, found[BAG] >= 0) > 0.9  # one token tells
    pairs = baseline_scores(MADE[1].load(), vocabulary=4000)
    assert list(pairs) == [MAJORITY, BAG]
    assert (pairs[MAJORITY] > 0).all()


def test_the_public_files_have_what_is_declared(shared_data_folder):
    for folder in ("code_defect", "code_clone", "code_refinement_small"):
        if not (shared_data_folder / folder).is_dir():
            pytest.skip("the real files are not here")
    data = Defects().load(shared_data_folder, download=False)
    assert sum(map(len, data.values())) == 2732
    assert sum(int(split.labels.sum()) for split in data.values()) == 1255
    assert {split.source for split in data.values()} == {"real:devign"}
    found = of_clones.read_pairs((("here", shared_data_folder),), allow_other=False)
    assert (len(found.functions), len(found.pairs), sum(found.labels)) == (911, 4000, 2000)
    assert np.bincount(of_clones.components(found))[:4].tolist() == [285, 137, 85, 63]
    methods, _ = of_repairs.read_methods((("here", shared_data_folder),), download=False, allow_other=False)
    assert len(methods.content) == 11670
