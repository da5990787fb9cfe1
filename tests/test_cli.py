import os
import subprocess
import sys

import pytest

from inductive_bias import cli
from inductive_bias.studies import STUDIES
from tests.studies.conftest import TINY, outcome_of


@pytest.fixture
def call(home, monkeypatch, capsys):
    """Run the command line in this process; returns exit code, stdout, stderr."""
    monkeypatch.setitem(STUDIES, "tiny", TINY)

    def run(*arguments: str):
        monkeypatch.setattr(sys, "argv", ["inductive-bias", *arguments])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        answer = capsys.readouterr()
        return code, answer.out, answer.err

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "visoin"), "unknown study 'visoin'; choose one of vision"),
        (("run", "tiny", "--scale", "huge"), "unknown scale 'huge'; choose one of smoke, laptop, paper"),
        (("run", "tiny", "--device", "cuda:77"), "device 'cuda:77' is not available here"),
        (("run", "tiny", "--jobs", "0"), "jobs=0 must be at least 1"),
        (("publish", "tiny", "--scale", "smoke"), "never published"),
        (("publish", "tiny", "--scale", "laptop"), "8 of 8 trials of tiny at scale laptop have not been run"),
        (("render", "--scale", "huge"), "unknown scale 'huge'"),
        (("render", "nothing.ipynb"), "there is no notebook nothing.ipynb"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_name_or_value_is_one_paragraph_exit_code_2_and_nothing_written(call, home, arguments, message):
    code, out, err = call(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("inductive-bias: ")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert not (home / "runs" / "tiny").exists()
    assert not (home / "data").exists()


def test_an_unknown_option_is_refused(call):
    code, _, err = call("run", "tiny", "--sclae", "smoke")
    assert code == 2
    assert "--sclae" in err


def test_run_status_and_publish_tell_what_they_did(call, home):
    assert call("run", "tiny", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu") == (
        0, "tiny, laptop: 8 trials run, 8 complete\n", "",
    )  # fmt: skip
    assert call("run", "tiny", "--scale", "laptop", "--quiet")[1] == "tiny, laptop: 0 trials run, 8 complete\n"
    code, _, err = call("publish", "tiny")  # these eight were trained on the sample
    assert code == 2
    assert "not real data" in err
    for trial in TINY.trials("laptop"):
        TINY.store().folder(trial).rename(home / trial.id)
        TINY.store().save(trial, outcome_of(trial))
    code, out, _ = call("publish", "tiny")
    assert code == 0
    assert "laptop.parquet" in out
    code, out, _ = call("status")
    line = next(line.split() for line in out.splitlines() if line.startswith("tiny") and " laptop " in line)
    assert line[:6] == ["tiny", "laptop", "8", "0", "8", "real:mnist"]
    assert any(line.startswith("vision") for line in out.splitlines())


def test_a_failure_while_writing_is_an_error_too(call, home):
    (home / "runs").write_text("in the way")
    code, _, err = call("run", "tiny", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu")
    assert code == 2
    assert "cannot write in" in err


def test_the_installed_command_exits_with_2_as_well(home):
    answer = subprocess.run(
        [sys.executable, "-m", "inductive_bias.cli", "run", "nothing"],
        capture_output=True, text=True, env=os.environ | {"INDUCTIVE_BIAS_HOME": str(home)}, timeout=120, check=False,
    )  # fmt: skip
    assert answer.returncode == 2
    assert answer.stderr.startswith("inductive-bias: unknown study 'nothing'")
