"""Bugs by the syntax tree: what may be changed, and that one thing is and no more; the library they are put into."""

import ast
import io
import tarfile

import numpy as np
import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import InjectedBugs
from inductive_bias.tasks.code import injecting, library
from inductive_bias.tasks.code.injected import changed_functions
from inductive_bias.tasks.code.tokens import tokenise
from inductive_bias.tasks.files import checksum

SOURCE = '''
def plain(a, b):
    """Of two."""
    # a comment
    return a + b * 2


class Of:
    def less(self, low, high):
        global total
        total = low
        return low - high < total

    async def later(self):
        def inside(x):
            """Again."""
            return x
        return inside(1) in [2]
'''


def nodes_of(text):
    return list(ast.walk(ast.parse(text)))


def test_functions_and_methods_are_found_once_and_without_docstrings():
    found = dict(injecting.functions_of(SOURCE))
    assert list(found) == ["plain", "Of.less", "Of.later"]
    assert "Of two" not in ast.unparse(found["plain"])
    assert "Again" not in ast.unparse(found["Of.later"])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a - b", 1),
        ("a - a", 0),
        ("a + b", 0),
        ("a * b", 0),
        ("'%s' % b", 0),
        ("a / (b - 1)", 2),
        ("a < b", 1),
        ("a < b < c", 0),
        ("a == b", 0),
        ("x in y", 1),
        ("x is y", 0),
        ("a << 1", 1),
    ],
)
def test_operands_may_be_swapped_where_it_matters(text, places):
    assert len(injecting.swap_sites(nodes_of(text))) == places


def test_a_variable_is_taken_for_another_one_of_the_function():
    tree = dict(injecting.functions_of(SOURCE))["Of.less"]
    nodes = list(ast.walk(tree))
    assert injecting.local_names(nodes) == ["high", "low"]  # neither self nor what is global
    assert len(injecting.misuse_sites(nodes)) == 3
    assert injecting.misuse_sites(nodes_of("def f(a):\n    return a")) == []


@pytest.mark.parametrize("seed", range(6))
def test_one_thing_is_changed(seed):
    for kind, (sites, change) in injecting.KINDS.items():
        tree = dict(injecting.functions_of(SOURCE))["Of.less"]
        before = ast.unparse(tree)
        nodes = list(ast.walk(tree))
        assert sites(nodes)
        change(nodes, np.random.default_rng(seed))
        after = ast.unparse(tree)
        assert after != before
        one, two = tokenise(before, comments="python"), tokenise(after, comments="python")
        if kind == "misused variable":
            assert sum(a != b for a, b in zip(one, two, strict=True)) == 1
        else:
            assert sorted(set(one)) == sorted(set(two))


def test_half_are_changed_copies_and_long_functions_are_left_out_and_nothing_depends_on_other_modules():
    rng = np.random.default_rng(0)
    texts = [f"def f(x, y):\n    return x - y + {rng.integers(10**6)}" for _ in range(300)]
    modules = {f"m{number}.py": text.encode() for number, text in enumerate(texts)}
    modules["copy.py"] = modules["m7.py"]
    modules["long.py"] = ("def f(x, y):\n    return x - y" + " + 1" * 300).encode()
    modules["none.py"] = b"def f(:"
    modules["latin.py"] = "# coding: latin-1\ndef f(x, ä):\n    return x - ä".encode("latin-1")
    found = changed_functions(modules, length=100)
    assert len(found) == 301  # three hundred, and the one in Latin-1
    assert 0.4 < np.mean([each.label for each in found]) < 0.6
    assert {each.kind for each in found} == {0, 1}
    assert all((each.text != each.original) == bool(each.label) for each in found)
    again = {each.name: each for each in changed_functions({"m3.py": modules["m3.py"]}, length=100)}
    assert again["m3.py:f"].text == next(each.text for each in found if each.name == "m3.py:f")


def library_of(folder, names=("a.py", "b/c.py")):
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(
            "\n".join(f"def f{each}(x, y):\n    return x - y + {number * 100 + each}\n" for each in range(8))
        )


@pytest.fixture
def python(tmp_path, monkeypatch):
    """A library of thirty modules among the data, declared as that of its version."""
    folder = tmp_path / "python_library" / "9.9.9"
    library_of(folder, [f"m{number}.py" for number in range(30)])
    library_of(folder, ["site-packages/x.py", "__pycache__/y.py", "_sysconfigdata_z.py", "config-3/z.py"])
    monkeypatch.setitem(library.DIGESTS, "9.9.9", library.digest_of(library.modules_of(folder)))
    return folder


def test_modules_of_others_and_of_the_build_are_left_out(python):
    assert sorted(library.modules_of(python)) == sorted(f"m{number}.py" for number in range(30))


def test_a_library_is_split_by_module(python, tmp_path):
    task = InjectedBugs(python="9.9.9")
    data = task.load(tmp_path, download=False)
    items = [set(split.slices["item"].tolist()) for split in data.values()]
    assert sum(map(len, items)) == len(set.union(*items)) == 30
    assert data["train"].source == "real:python-9.9.9"
    assert dict(data.sha256) == {"python-9.9.9/Lib": library.DIGESTS["9.9.9"]}
    functions = task.functions(tmp_path)
    assert [each.label for each in functions] == data["test"].labels.tolist()
    decoded = data.vocabulary.decode(data["test"].inputs[0].tolist())
    known = [token if token in data.vocabulary else "<unk>" for token in functions[0].tokens]
    assert decoded[: len(known)] == known


def test_another_library_is_refused_or_named(python, tmp_path):
    (python / "more.py").write_text("def f(x, y):\n    return x - y")
    with pytest.raises(DataError, match=r"is not the public library of Python 9\.9\.9"):
        InjectedBugs(python="9.9.9").load(tmp_path, download=False)
    data = InjectedBugs(python="9.9.9", allow_other=True).load(tmp_path, download=False)
    assert data["test"].source == "own:python-9.9.9"


def test_a_version_that_is_nowhere_is_fetched_and_checked(python, tmp_path, serve, monkeypatch):
    archive = tmp_path / "served" / "Python-9.9.9.tgz"
    with tarfile.open(archive, "w:gz") as opened:
        for name in ("Lib/a.py", "Lib/b/c.py", "Lib/data.txt", "Other/d.py"):
            content = b"def f(x, y):\n    return x - y"
            info = tarfile.TarInfo(f"Python-9.9.9/{name}")
            info.size = len(content)
            opened.addfile(info, io.BytesIO(content))
    monkeypatch.setitem(library.ARCHIVES, "9.9.9", (f"{serve}Python-9.9.9.tgz", checksum(archive)))
    found = library.modules_of(library.fetch_library("9.9.9"))
    assert sorted(found) == ["a.py", "b/c.py"]
    monkeypatch.setitem(library.DIGESTS, "9.9.9", library.digest_of(found))
    assert not library.read_library("9.9.9", (("cache", tmp_path / "cache"),), download=False, allow_other=False).own
    monkeypatch.setitem(library.ARCHIVES, "9.9.9", (f"{serve}Python-9.9.9.tgz", "0" * 64))
    with pytest.raises(DataError, match=r"Python 9\.9\.9"):
        library.fetch_library("9.9.9")


def test_a_version_without_a_digest_and_a_folder_without_modules_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"no digest of Python 1\.2\.3 is declared"):
        InjectedBugs(python="1.2.3").load(tmp_path)
    with pytest.raises(DataError, match="should hold the modules"):
        library.modules_of(tmp_path)
