import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from inductive_bias import __version__, cli
from inductive_bias.profile import CHECKS
from inductive_bias.studies import NAMES, STUDIES
from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.scales import SCALES
from tests.studies.conftest import outcome_of
from tests.studies.toy import STUDY as TOY

#: As of a checkout whose designs are counted: a project folder of a test has no such table.
COUNTED = {(name, scale): 1 for name in NAMES for scale in SCALES}


@pytest.fixture
def call(home, monkeypatch, capsys):
    """Run the command line in this process; returns exit code, stdout, stderr."""
    monkeypatch.setitem(STUDIES, "toy", TOY)
    for module in (
        "inductive_bias.store",
        "inductive_bias.studies.run_provenance",
        "inductive_bias.studies.publishing",
    ):
        monkeypatch.setattr(f"{module}.commit", lambda: "a" * 40)  # whatever is being changed around these tests

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
        (("run", "toy", "--scale", "huge"), "unknown scale 'huge'; choose one of smoke, laptop, paper"),
        (("run", "toy", "--device", "cuda:77"), "device 'cuda:77' is not available here"),
        (("run", "toy", "--device", "meta"), "device 'meta' is not available here"),
        (("run", "toy", "--data", "/nowhere"), "--data /nowhere is not a folder"),
        (("run", "toy", "--jobs", "0"), "jobs=0 must be at least 1"),
        (("run", "toy", "--jobs", "-2"), "jobs=-2 must be at least 1"),
        (("run", "toy", "--data", "nowhere"), "--data nowhere is not a folder"),
        (("publish", "toy", "--data", "nowhere"), "--data nowhere is not a folder"),
        (("publish", "toy", "--scale", "smoke"), "never published"),
        (("publish", "toy", "--scale", "laptop"), "8 of 8 trials of toy at scale laptop have not been run"),
        (("fetch", "vision"), "nothing says where published tables are"),
        (("fetch", "visoin", "--source", "."), "unknown study 'visoin'"),
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
    assert not (home / "runs" / "toy").exists()
    assert not (home / "data").exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("none.py:STUDY", "none.py cannot be read"),
        ("mine.py:nothing", "mine.py:nothing should be a Study, not NoneType"),
        ("mine.py:TAKEN", "the name 'vision' is that of a study of the package"),
        ("mine.py", "the name 'vision' is that of a study of the package"),
    ],
)
def test_a_study_from_outside_that_is_none_is_refused(call, home, monkeypatch, source, message):
    monkeypatch.chdir(home)
    (home / "mine.py").write_text("from inductive_bias.studies import STUDIES\nTAKEN = STUDIES['vision']\n")
    code, out, err = call("run", source)
    assert (code, out) == (2, "")
    assert message in err


def test_an_unknown_option_is_refused(call):
    code, _, err = call("run", "toy", "--sclae", "smoke")
    assert code == 2
    assert "--sclae" in err


def test_run_status_and_publish_tell_what_they_did(call, home, monkeypatch):
    assert call("run", "toy", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu") == (
        0,
        "toy, laptop: 8 trials run, 8 complete\n",
        "",
    )
    assert call("run", "toy", "--scale", "laptop", "--quiet")[1] == "toy, laptop: 0 trials run, 8 complete\n"
    code, _, err = call("publish", "toy")  # these eight were trained on the sample
    assert code == 2
    assert "not real data" in err
    for trial in TOY.trials("laptop"):
        TOY.store().folder(trial).rename(home / trial.id)
        TOY.store().save(trial, outcome_of(trial))
    code, out, _ = call("publish", "toy")
    assert code == 0
    assert "laptop.parquet" in out
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    code, out, _ = call("status")
    line = next(line.split() for line in out.splitlines() if line.startswith("toy") and " laptop " in line)
    assert line[:6] == ["toy", "laptop", "8", "0", "8", "real:mnist"]
    assert line[7] == "a" * 10
    assert line[8][0].isdigit()
    assert any(line.startswith("vision") for line in out.splitlines())


def test_of_all_studies_one_that_cannot_be_published_stops_no_other(call, home, monkeypatch):
    monkeypatch.setattr("inductive_bias.studies.STUDIES", {"first": replace(TOY, name="first"), "toy": TOY})
    for trial in TOY.trials("laptop"):
        TOY.store().save(trial, outcome_of(trial))
    code, out, err = call("publish", "all")
    assert code == 2
    assert "8 of 8 trials of first at scale laptop have not been run" in err
    assert "toy/laptop.parquet" in out.replace("\\", "/")


def test_a_run_ends_with_what_diverged_and_the_verdict_of_every_claim(call, home, monkeypatch):
    for trial in TOY.trials("laptop"):
        found = outcome_of(trial)
        if trial.seed == 2:
            found.rows[0] |= {"value": 1.0, "epoch": 3}
        TOY.store().save(trial, found)
    code, out, _ = call("run", "toy", "--scale", "laptop")
    assert code == 0
    trial = next(each for each in TOY.trials("laptop") if each.seed == 2)
    assert out.splitlines() == [
        "toy, laptop: 0 trials run, 8 complete",
        f"diverged in epoch 3: MLP, seed 2 ({trial.id})",
        "toy, laptop (tiny; 712 digits):",
        "  T1  undecided: An MLP lends to an MLP.",
    ]


def test_a_claim_that_cannot_be_judged_takes_no_other_along(call, home, monkeypatch):
    for trial in TOY.trials("smoke"):
        TOY.store().save(trial, outcome_of(trial, splits=("test",)))
    code, out, _ = call("run", "toy")
    assert code == 0
    assert "decides nothing" in out
    assert out.splitlines()[-1].startswith("  T1  cannot be judged (")


def test_a_trial_that_fails_is_named_here_and_by_status_and_stops_no_other_study(call, home, monkeypatch):
    from inductive_bias import engine

    def run(trial, **options):
        if trial.seed == 0:
            raise RuntimeError("no luck")
        return outcome_of(trial)

    monkeypatch.setattr(engine, "run_trial", run)
    monkeypatch.setattr(cli, "_studies", lambda name: [TOY, TOY])
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    monkeypatch.setitem(STUDIES, "toy", TOY)
    code, out, err = call("run", "toy", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu")
    assert code == 1
    assert out.splitlines() == ["toy, laptop: 6 trials run, 2 have no run", "toy, laptop: 0 trials run, 2 have no run"]
    assert err.startswith("inductive-bias: 2 of 8 trials have no run; the others are complete.")
    assert "MLP, seed 0" in err
    assert "RuntimeError: no luck" in err
    assert "Traceback (" not in err
    code, out, _ = call("status")
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("failed: ")]
    assert line.startswith("failed: toy: MLP, seed 0 (")
    assert "): RuntimeError: no luck [" in line
    monkeypatch.setattr(engine, "run_trial", lambda trial, **options: outcome_of(trial))
    assert call("run", "toy", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu")[0] == 0
    assert "failed:" not in call("status")[1]


@pytest.fixture
def published(call, home):
    for trial in TOY.trials("laptop"):
        TOY.store().save(trial, outcome_of(trial))
    assert call("publish", "toy")[0] == 0
    return home / "data" / "results" / "toy"


def test_a_broken_manifest_is_named(call, published, monkeypatch):
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    (published / "manifest.json").write_text("{")
    code, out, err = call("status")
    assert (code, out) == (2, "")
    assert "manifest.json is not JSON" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"laptop": 3}, "at laptop: it must be a JSON object, not 3"),
        ({"laptop": {"published": None}}, "at laptop: published must be text, not None"),
        ({"laptop": {"trials": True}}, "at laptop: trials must be a whole number, not True"),
        ({"laptop": {"minutes": "3"}}, "at laptop: minutes must be a number, not '3'"),
        ({"laptop": {"devices": [{}]}}, "at laptop: devices must list names"),
        ({"laptop": {"versions": {"torch": 2}}}, "at laptop: versions must be text by package"),
        ({"laptop": {"versions": {}}}, "at laptop: versions must be text by package, torch among them"),
    ],
    ids=str,
)
def test_an_entry_of_a_manifest_that_is_none_is_named(call, published, monkeypatch, change, message):
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    path = published / "manifest.json"
    manifest = json.loads(path.read_text())
    ((scale, fields),) = change.items()
    path.write_text(json.dumps({scale: manifest[scale] | fields if isinstance(fields, dict) else fields}))
    code, out, err = call("status")
    assert (code, out) == (2, "")
    assert f"{path} is damaged {message}" in err


def test_a_manifest_with_a_key_twice_is_named(call, published, monkeypatch):
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    path = published / "manifest.json"
    entry = json.dumps(json.loads(path.read_text())["laptop"])
    path.write_text(f'{{"laptop": {entry}, "laptop": {entry}}}')
    code, _, err = call("status")
    assert code == 2
    assert f"{path} is not JSON (the key 'laptop' is there twice)" in err


def test_a_manifest_nested_without_end_is_named(call, published, monkeypatch):
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    (published / "manifest.json").write_text("[" * 10_000)
    code, _, err = call("status")
    assert code == 2
    assert "manifest.json is not JSON" in err


def test_status_looks_past_a_file_where_the_folder_of_runs_should_be(call, home, monkeypatch):
    monkeypatch.setattr("inductive_bias.studies.status.trials_of_designs", lambda: COUNTED)
    (home / "runs").write_text("in the way")
    code, out, err = call("status")
    assert (code, err) == (0, "")
    assert any(line.startswith("toy") for line in out.splitlines())


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_computed(call, home, monkeypatch):
    (home / "data").write_text("in the way")
    monkeypatch.setattr("inductive_bias.studies.publishing.missing", lambda *_: pytest.fail("something was computed"))
    code, _, err = call("publish", "toy")
    assert code == 2
    assert f"{home / 'data' / 'results' / 'toy'} cannot be written: {home / 'data'}: Not a directory" in err


def test_a_home_that_is_no_folder_is_refused(call, home, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_HOME", str(home / "nowhere"))
    code, _, err = call("status")
    assert code == 2
    assert "is not a folder; make it, or name another one" in err


def test_a_table_that_cannot_be_kept_is_an_error_and_leaves_what_is_published(call, published, home, monkeypatch):
    before = (published / "laptop-seeds.parquet").read_bytes()

    def full(table, path, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pandas.DataFrame.to_parquet", full)
    code, _, err = call("publish", "toy")
    assert code == 2
    assert "could not be written" in err
    assert "No space left on device" in err
    assert (published / "laptop-seeds.parquet").read_bytes() == before
    assert [path.name for path in published.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(("commit", "warned"), [("a" * 40, False), ("a" * 40 + "+changes", True)])
def test_runs_that_cannot_be_published_are_warned_of_before_they_begin(call, published, monkeypatch, commit, warned):
    monkeypatch.setattr("inductive_bias.provenance.commit", lambda: commit)
    code, _, err = call("run", "toy", "--extend", "--quiet")
    assert code == 0
    assert ("runs made now cannot be published" in err) == warned


def test_publishing_again_with_extend_keeps_what_is_here(call, published):
    before = (published / "laptop.parquet").read_bytes()
    assert call("publish", "toy", "--extend")[0] == 0
    assert (published / "laptop.parquet").read_bytes() == before
    assert read_manifest("toy")["laptop"]["trials"] == 8


def test_help_comes_without_what_is_heavy():
    code = (
        "import sys; sys.argv = ['inductive-bias', '--help']\n"
        "from inductive_bias import cli\n"
        "try: cli.main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'pandas', 'scipy', 'matplotlib') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.splitlines()[-1] == "[]"
    assert "publish" in answer.stdout


def test_a_failure_while_writing_is_an_error_too(call, home):
    (home / "runs").write_text("in the way")
    code, _, err = call("run", "toy", "--scale", "laptop", "--jobs", "1", "--quiet", "--device", "cpu")
    assert code == 2
    assert "cannot write in" in err


@pytest.mark.parametrize("module", ["inductive_bias", "inductive_bias.cli"])
def test_run_as_a_module_it_is_the_same_command_line(home, module):
    answer = subprocess.run(
        [sys.executable, "-m", module, "run", "nothing"],
        capture_output=True,
        text=True,
        env=os.environ | {"INDUCTIVE_BIAS_HOME": str(home)},
        timeout=120,
        check=False,
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith("inductive-bias: unknown study 'nothing'")


class TestCheck:
    @pytest.fixture
    def layer(self, tmp_path):
        path = tmp_path / "mine.py"
        path.write_text(
            "import torch\nfrom torch import nn\n\n"
            "def same(width, bias=True):\n    return nn.Linear(width, width, bias)\n\n"
            "class Leaks(nn.Linear):\n"
            "    def __init__(self, width):\n        super().__init__(width, width)\n\n"
            "    def forward(self, x):\n        return super().forward(x.flip(1))\n"
        )
        return path

    def test_every_check_is_a_line_and_the_exit_status_says_whether_one_fails(self, call, layer):
        code, out, err = call("check", f"{layer}:same", "--width", "6", "--arguments", '{"bias": false}')
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert len(lines) == len(CHECKS)
        assert [line for line in lines if line.startswith("sees no future")] == [f"{'sees no future':<30}  passes"]
        code, out, _ = call("check", f"{layer}:Leaks")
        assert code == 1
        assert "sees no future                  fails: in training mode its outputs at position" in out
        assert out.splitlines()[-1] == f"1 of {len(CHECKS)} checks fail"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--arguments", "heads=2"], "--arguments must be JSON such as '{\"heads\": 2}', not 'heads=2'"),
            (["--arguments", "[2]"], "--arguments must be a JSON object"),
            (["--arguments", '{"colour": 1}'], "same cannot be built: TypeError"),
        ],
    )
    def test_arguments_that_are_none_are_refused(self, call, layer, arguments, message):
        code, _, err = call("check", f"{layer}:same", *arguments)
        assert code == 2
        assert message in err


def test_the_version_is_printed(call):
    assert call("--version") == (0, f"inductive-bias {__version__}\n", "")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp932"])
def test_a_terminal_without_some_sign_shows_a_question_mark(tmp_path, encoding):
    told = os.environ | {"PYTHONIOENCODING": encoding, "INDUCTIVE_BIAS_HOME": str(tmp_path)}
    code = "from inductive_bias.cli import main, app; app.cli = lambda **_: print('β – …'); main()"
    done = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == "β – …\n".encode(encoding, errors="replace")


def test_who_reads_no_further_ends_the_command_without_a_word(tmp_path):
    code = (
        "from inductive_bias.cli import main, app; app.cli = lambda **_: [print('line') for _ in range(10**5)]; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    ) as child:
        assert child.stdout.readline() == b"line\n"
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0
