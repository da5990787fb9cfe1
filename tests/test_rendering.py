import ast
import json

import nbformat
import papermill
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from papermill.exceptions import PapermillExecutionError

from inductive_bias import paths
from inductive_bias.errors import SettingError
from inductive_bias.notebook import refuse_unknown
from inductive_bias.site import rendering
from tests.notebooks import names_with_two_meanings


def parameters_cell(source='scale: str = "laptop"  # smoke, laptop or paper\ndevice: str = "auto"'):
    return new_code_cell(source, metadata={"tags": ["parameters"]})


@pytest.fixture
def notebook(tmp_path):
    """Writes a notebook with the given code cells after its parameters; returns its path."""

    def write(*cells, parameters=parameters_cell):
        path = tmp_path / "chapter.ipynb"
        first = [parameters()] if parameters else []
        node = new_notebook(cells=[new_markdown_cell("# Why?"), *first, *map(new_code_cell, cells)])
        node.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(node, path)
        return path

    return write


@pytest.mark.slow
def test_rendering_keeps_outputs_and_counts_and_strips_what_changes(notebook):
    path = notebook("print(scale)")
    rendering.render([path], parameters={"scale": "laptop", "device": "auto"})
    first = path.read_bytes()
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [1, 2]
    assert cells[-1].outputs[0].text == "laptop\n"
    assert b"papermill" not in first
    assert b'execution"' not in first
    rendering.render([path], parameters={"scale": "laptop", "device": "auto"})
    assert path.read_bytes() == first


def test_other_parameters_are_injected_and_another_folder_leaves_the_book_alone(notebook, tmp_path):
    path = notebook("print(scale, device)")
    before = path.read_bytes()
    (target,) = rendering.render([path], parameters={"scale": "smoke", "device": "cpu"}, output=tmp_path / "out")
    assert nbformat.read(target, as_version=4).cells[-1].outputs[0].text == "smoke cpu\n"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xb3\x00\xff",
        b"[1, 2]",
        b"{}",
        b'{"cells": 3, "nbformat": 4}',
        b'{"cells": [], "nbformat": 3}',
        b"[" * 10**5,
    ],
    ids=lambda content: content.decode("latin-1")[:30],
)
def test_a_file_that_is_no_notebook_is_named_with_what_was_expected(tmp_path, content):
    path = tmp_path / "chapter.ipynb"
    path.write_bytes(content)
    with pytest.raises(SettingError, match=r"chapter\.ipynb is no notebook: JSON of format 4 with cells"):
        rendering.render([path], parameters={})
    assert path.read_bytes() == content


@pytest.mark.parametrize("kernel", [{"name": "julia-9"}, {"name": "../x y"}, {}])
def test_a_kernel_that_is_not_installed_is_named_with_those_that_are(notebook, kernel):
    path = notebook("print(scale)")
    node = json.loads(path.read_text())
    node["metadata"]["kernelspec"] = kernel
    path.write_text(json.dumps(node))
    with pytest.raises(SettingError, match=r"wants the kernel .*, which is not installed; there is .*python3"):
        rendering.render([path], parameters={})


def test_a_failing_cell_leaves_the_notebook_as_it_was(notebook, tmp_path):
    path = notebook("1 / 0")
    before = path.read_bytes()
    with pytest.raises(SettingError, match=r"chapter\.ipynb fails in cell 2: ZeroDivisionError"):
        rendering.render([path], parameters={"scale": "laptop"})
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["chapter.ipynb"]


@pytest.mark.parametrize(
    ("parameters", "given", "message"),
    [
        (None, {"scale": "smoke"}, "no cell tagged 'parameters'"),
        (parameters_cell, {"sclae": "smoke"}, "no parameter sclae; it has scale, device"),
        (parameters_cell, {"scale": "huge"}, "unknown scale 'huge'"),
    ],
)
def test_what_papermill_would_run_past_is_refused(notebook, parameters, given, message):
    path = notebook("print(1)", parameters=parameters)
    before = path.read_bytes()
    with pytest.raises(SettingError, match=message):
        rendering.render([path], parameters=given)
    assert path.read_bytes() == before


def test_a_notebook_refuses_parameters_that_it_does_not_know():
    fine = {"scale": "smoke", "device": "cpu", "_dh": ["x"], "In": [""], "Out": {}, "rendering": rendering}
    refuse_unknown(fine)
    with pytest.raises(SettingError, match="unknown parameter sclae='paper'; this notebook knows scale, device"):
        refuse_unknown(fine | {"sclae": "paper"})


LOAD = """from inductive_bias.notebook import open_study
results = open_study("vision", globals(), scale=scale, device=device)"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sclae": "paper"}, "unknown parameter sclae='paper'"),
        ({"scale": "huge"}, "unknown scale 'huge'; choose one of smoke, laptop, paper"),
        ({"scale": "smoke", "device": "cuda:77"}, "device 'cuda:77' is not available here"),
    ],
)
def test_a_bad_parameter_fails_through_plain_papermill_too(notebook, tmp_path, home, given, message):
    path = notebook(LOAD)
    with pytest.raises(PapermillExecutionError, match=message):
        papermill.execute_notebook(str(path), str(tmp_path / "out.ipynb"), parameters=given, progress_bar=False)
    assert not (home / "runs").exists()


def test_the_readme_s_picture_is_a_stored_output_of_the_book():
    found = [
        picture for path in rendering.contents() if (picture := rendering.hero_of(nbformat.read(path, as_version=4)))
    ]
    assert found == [rendering.hero_picture().read_bytes()]
    assert "book/images/hero.png" in (paths.home() / "README.md").read_text()


@pytest.mark.parametrize("path", rendering.contents(), ids=lambda path: path.stem)
class TestEveryNotebook:
    def test_has_annotated_parameters_that_papermill_finds(self, path):
        rendering.check_parameters(path, {"scale": "smoke", "device": "cpu"})

    def test_has_been_run_from_top_to_bottom(self, path):
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
        assert not [out for cell in cells for out in cell.outputs if out.output_type == "error"]
        assert not any("injected-parameters" in cell.metadata.get("tags", []) for cell in cells)

    def test_shows_a_missing_number_as_an_empty_cell(self, path):
        outputs = [out for cell in nbformat.read(path, as_version=4).cells for out in cell.get("outputs", [])]
        pages = [out.data["text/html"] for out in outputs if "text/html" in out.get("data", {})]
        assert not [page for page in pages if ">nan<" in page.lower()]

    def test_names_no_place_of_the_machine_it_was_made_on(self, path):
        text = path.read_text()
        assert not [word for word in ("/work/", "/root/", "/home/", "/tmp/") if word in text]

    def test_gives_no_name_two_meanings_that_later_cells_read(self, path):
        cells = nbformat.read(path, as_version=4).cells
        assert names_with_two_meanings(cell.source for cell in cells if cell.cell_type == "code") == {}

    def test_has_no_long_cell(self, path):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                # statements, not lines: how a call is broken into lines is up to the formatter
                statements = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.stmt)]
                assert len(statements) <= 20, cell.source

    def test_shows_every_table_that_it_makes(self, path):
        """A table is returned: as a statement inside a loop or before the end of a cell it would be lost."""
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                *before, last = ast.parse(cell.source).body or [ast.Pass()]
                lost = [node for top in before for node in ast.walk(top)]
                lost += [node for node in ast.walk(last) if node is not last]
                calls = [node.value for node in lost if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
                assert not [call for call in calls if ast.unparse(call.func).endswith("display_table")], cell.source


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["x = 1", "print(x)", "x = 2", "print(x)"], {"x": [0, 2]}),
        (["x = 1", "print(x)", "x = 2\nprint(x)"], {}),  # its own
        (["x = 1", "x = 2", "print(x)", "print(x)"], {}),  # the first is never read
        (["x = 1", "x = x + 1", "print(x)"], {"x": [0, 1]}),
        (["x = 1", "x += 1", "print(x)"], {"x": [0, 1]}),
        (["x = 1", "print(x)", "for x in 'ab':\n    print(x)", "[x for x in 'ab']", "(lambda x: x)(1)"], {}),
        (["import x", "x.a", "from a import b as x", "[x for _ in y]"], {"x": [0, 2]}),
        (["y = 1", "def f(a, *, b=1):\n    z = a\n    return z + b + y", "y = 2", "f(y)"], {"y": [0, 2]}),
        (["x, *y = 1, 2", "x", "with a as (x, z):\n    pass", "{x: 1 for k in z}"], {"x": [0, 2]}),
    ],
)
def test_names_with_two_meanings_are_found(cells, found):
    assert names_with_two_meanings(cells) == found
