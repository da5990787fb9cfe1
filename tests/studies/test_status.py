"""What stands where, without waiting for torch."""

import subprocess
import sys

import pytest

from inductive_bias import paths
from inductive_bias.studies import NAMES, STUDIES, manifest
from inductive_bias.studies import status as module
from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.scales import SCALES
from tests.studies.toy import STUDY as TOY


@pytest.fixture
def counted(home, monkeypatch):
    """The toy study alone, with a table that counts its trials."""
    monkeypatch.setattr(module, "STUDIES", {"toy": TOY})
    path = manifest.designs_path()
    path.parent.mkdir(parents=True)
    path.write_text("study,scale,cells,trials\n" + "".join(f"toy,{scale},2,{9}\n" for scale in SCALES))
    return path


def test_it_neither_imports_torch_and_pandas_nor_any_study():
    unwanted = ("torch", "pandas", "numpy", *(f"inductive_bias.studies.{name}" for name in NAMES))
    code = (
        "import inductive_bias.studies.status as module, sys; module.status();"
        f"print([name for name in {unwanted} if name in sys.modules])"
    )
    if paths.runs("").is_dir():
        pytest.skip("there are local runs here, and a study is imported to count them")
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_a_run_of_one_study_imports_no_other():
    code = (
        "import sys; from inductive_bias.studies import NAMES, study_named; study_named('sharing');"
        "print([n for n in NAMES if 'inductive_bias.studies.' + n in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "['sharing']"


def test_counts_come_from_the_table_until_there_are_local_runs(counted):
    assert [row[2:4] for row in module.status()] == [("0", "9")] * len(SCALES)
    TOY.run("smoke", progress=False, jobs=1)
    # the toy study has equal trials at every scale
    assert [row[2:4] for row in module.status()] == [("8", "0")] * len(SCALES)


def test_without_the_table_trials_are_counted(counted):
    counted.unlink()
    assert [row[2:4] for row in module.status()] == [("0", "8")] * 3


def test_what_is_published_stands_beside_it():
    rows = {(row[0], row[1]): dict(zip(module.COLUMNS, row, strict=True)) for row in module.status()}
    assert len(rows) == len(STUDIES) * len(SCALES)
    entry = read_manifest("sharing")["laptop"]
    row = rows["sharing", "laptop"]
    assert (row["published"], row["data"]) == (str(entry["trials"]), "generated:last_parity")
    assert rows["sharing", "paper"]["published"] == "–"
