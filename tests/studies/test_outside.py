"""A study of one's own, from its first file to a page that is rendered."""

import nbformat
import pytest

from inductive_bias.errors import SettingError
from inductive_bias.notebook import claim_boxes, verdict_chips
from inductive_bias.site.rendering import check_parameters
from inductive_bias.studies import NAMES, outside, study_named
from inductive_bias.studies.judging import verdict_lines
from inductive_bias.studies.scales import SCALES
from inductive_bias.studies.status import status


@pytest.fixture
def folder(home, monkeypatch):
    """The working directory, and a new study in it."""
    monkeypatch.chdir(home)
    monkeypatch.setattr(outside, "OPENED", {})
    outside.write_new("mine", home)
    return home


def test_a_new_study_is_judged_once_it_has_run(folder):
    study = study_named("mine.py")
    with pytest.raises(SettingError, match="4 of 4 trials of mine at scale smoke have not been run"):
        list(verdict_lines(study, "smoke"))
    study.run("smoke", device="cpu", jobs=1, progress=False)
    first, reason, provenance = verdict_lines(study, "smoke")
    assert first.startswith("M1  ")
    assert first.partition(": ")[0].split()[1] in ("confirmed", "refuted", "undecided")
    assert "LSTM − Transformer" in reason
    assert "reproduced" not in reason
    assert "mine, scale smoke: 4 trials" in provenance


def test_its_page_shows_its_claims(folder):
    results = study_named("mine.py:STUDY").results("smoke", device="cpu", jobs=1)
    assert "An LSTM agrees better than a Transformer." in claim_boxes(results, "mine").html
    assert "64 generated sentences" in claim_boxes(results, "mine").html
    assert "M1" in verdict_chips(results, "mine").html


def test_its_notebook_is_whole_and_has_its_parameters(folder):
    (path,) = outside.notebooks_of(folder / "mine.py", ())
    check_parameters(path, {"scale": "smoke", "device": "cpu"})
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            compile(cell.source, str(path), "exec")


@pytest.mark.slow
def test_its_page_is_rendered(folder):
    from inductive_bias.site.rendering import render

    (path,) = render(outside.notebooks_of(folder / "mine.py", ()), parameters={"device": "cpu"})
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert "mine, scale smoke" in cells[-1].outputs[0].text


def test_it_is_known_by_name_once_it_was_opened(folder):
    with pytest.raises(SettingError, match=r"unknown study 'mine'.* or your own by its file: my_study\.py"):
        study_named("mine")
    assert study_named("mine.py") is study_named("mine")


def test_status_knows_it_and_counts_folders_of_other_runs(folder, monkeypatch):
    study = study_named("mine.py")
    assert [row[:4] for row in status([study])] == [
        ("mine", "smoke", "0", "4"),
        ("mine", "laptop", "0", "10"),
        ("mine", "paper", "0", "20"),
    ]
    study.run("smoke", device="cpu", jobs=1, progress=False)
    counted = {(name, scale): 1 for name in NAMES for scale in SCALES}
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: counted)
    assert status()[-1][:3] == ("mine", "–", "4")


@pytest.mark.parametrize("name", ["", "../evil", "a-b", "1st", "with space", "a" * 61])
def test_a_name_that_no_file_of_python_can_have_is_refused(home, name):
    with pytest.raises(SettingError, match="a new study's name is 1 to 60 letters"):
        outside.write_new(name, home)
    assert list(home.iterdir()) == []


def test_nothing_is_written_over(folder):
    before = (folder / "mine.py").read_text()
    (folder / "mine.ipynb").unlink()
    with pytest.raises(SettingError, match="is there already"):
        outside.write_new("mine", folder)
    assert (folder / "mine.py").read_text() == before
    assert not (folder / "mine.ipynb").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "should have one Study, and has 0; name one"),
        ("from mine2 import *", "cannot be imported"),
        (
            "import copy\nfrom pathlib import Path\nexec(Path('mine.py').read_text())\nOTHER = copy.copy(STUDY)",
            "and has 2",
        ),
    ],
)
def test_a_file_without_one_study_is_refused(folder, text, words):
    (folder / "odd.py").write_text(text)
    with pytest.raises(SettingError, match=words):
        study_named("odd.py")


def test_a_page_without_a_notebook_is_named(folder):
    (folder / "mine.ipynb").unlink()
    with pytest.raises(SettingError, match=r"there is no notebook .*mine\.ipynb; inductive-bias new-study"):
        outside.notebooks_of(folder / "mine.py", ())
