"""The command line: ``inductive-bias run | tune | status | check | score-pairs | publish | render | …``.

Whatever is heavy (torch, pandas) is imported by the command that needs it: help comes at once.
"""

import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Annotated, Literal

from inductive_bias import __version__
from inductive_bias.errors import FailedTrialsError, MissingExtraError, SettingError, UserError, extras_named

try:
    with extras_named():
        import tyro
except MissingExtraError as error:  # the entry point is this module: nobody is there yet to catch it
    print(f"inductive-bias: {error}", file=sys.stderr)
    sys.exit(2)

#: What ``--help`` begins with.
DESCRIPTION = (
    "Train, publish and render the studies of the book. inductive-bias COMMAND --help lists the options of a command."
)
#: In place of the name of a study: every study.
ALL = "all"
app = tyro.extras.SubcommandApp()
StudyName = Annotated[str, tyro.conf.Positional]


@app.command
def run(
    study: StudyName,
    *,
    scale: str = "smoke",
    device: str = "auto",
    jobs: int | None = None,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    together: bool = False,
    data: Path | None = None,
    quiet: bool = False,
    extend: bool = False,
) -> None:
    """Train whatever a study misses; a repeated call goes on where the last one stopped.

    A trial that fails stops no other: the exit status is then 1, and the next call tries it again.

    Args:
        study: name of a study, "all", or a study of your own: my_study.py:STUDY.
        scale: smoke, laptop or paper.
        device: auto, cpu, cuda …
        jobs: trials at a time (default: one a CPU core, or one on a GPU).
        engine: worker processes of this machine, or of a Ray cluster. All nodes of a cluster must see the folders of
            runs and data, and the working folder, under the same names.
        address: of the Ray cluster, HOST:PORT, or auto for the one that was started on this machine (default: what
            RAY_ADDRESS says, else a cluster of this machine alone).
        together: train the seeds of small models as one stack: a half to a third of the time.
        data: folder of the data sets (default: the environment variable INDUCTIVE_BIAS_DATA, then the user cache).
        quiet: no progress bar, and no verdicts at the end.
        extend: train only what is not published yet, and its teachers: for publish --extend.
    """
    from inductive_bias.provenance import CHANGED, commit
    from inductive_bias.studies.after_run import report

    _refuse_missing(data)
    if extend and commit().endswith(CHANGED):
        print("warning: the package differs from its commit: runs made now cannot be published", file=sys.stderr)
    failed = False
    for each in _studies(study):
        options = {"device": device, "root": data, "jobs": jobs}
        try:
            ran = each.run(
                scale, progress=not quiet, extend=extend, engine=engine, address=address, together=together, **options
            )
        except FailedTrialsError as error:
            failed = True
            print(f"{each.name}, {scale}: {error.ran} trials run, {len(error.failed)} have no run")
            print(f"inductive-bias: {error}", file=sys.stderr)
            continue
        print(f"{each.name}, {scale}: {ran} trials run, {len(each.trials(scale))} complete")
        for line in () if quiet else report(each, scale, **options):
            print(line)
    if failed:
        sys.exit(FailedTrialsError.exit_status)


@app.command
def tune(
    study: StudyName,
    *,
    scale: str = "smoke",
    device: str = "auto",
    jobs: int | None = None,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    together: bool = False,
    data: Path | None = None,
    quiet: bool = False,
) -> None:
    """Choose the settings of a study: run its grid, let it grow where the best is at an edge, write tuned.csv.

    Args:
        study: name of a study that searches, or of your own: my_study.py:STUDY.
        scale: smoke, laptop or paper.
        device: auto, cpu, cuda …
        jobs: trials at a time (default: one a CPU core, or one on a GPU).
        engine: worker processes of this machine, or of a Ray cluster. All nodes of a cluster must see the folders of
            runs and data, and the working folder, under the same names.
        address: of the Ray cluster, HOST:PORT, or auto for the one that was started on this machine (default: what
            RAY_ADDRESS says, else a cluster of this machine alone).
        together: train the seeds of small models as one stack.
        data: folder of the data sets.
        quiet: no progress bar.
    """
    _refuse_missing(data)
    options = {"device": device, "root": data, "jobs": jobs, "engine": engine, "address": address, "together": together}
    for each in _studies(study):
        found = each.tune(scale, progress=not quiet, **options)
        print(found[found["chosen"]].to_string(index=False))
        print(each.tuning.tuned.path)


@app.command
def verdict(study: StudyName, *, scale: str = "smoke") -> None:
    """Say what a study found: every claim with its verdict, its effect and its interval. Nothing is trained.

    Args:
        study: name of a study, or a study of your own: my_study.py.
        scale: smoke, laptop or paper.
    """
    from inductive_bias.studies.judging import verdict_lines

    for each in _studies(study):
        for line in verdict_lines(each, scale):
            print(line)


@app.command(name="new-study")
def new_study(name: Annotated[str, tyro.conf.Positional]) -> None:
    """Write a study of your own to start from, NAME.py, and the notebook of its page, NAME.ipynb; both run as they are.

    Args:
        name: of the study: letters, digits and _, first a letter.
    """
    from inductive_bias.studies.outside import write_new

    for path in write_new(name, Path()):
        print(path)


@app.command
def status(studies: Annotated[tuple[str, ...], tyro.conf.Positional] = ()) -> None:
    """Every study × scale: trials done here, trials published, and what the published ones ran on.

    Args:
        studies: studies of your own, my_study.py (default: those of the package, and other folders of runs).
    """
    from inductive_bias.studies import study_named
    from inductive_bias.studies.status import COLUMNS, failure_lines
    from inductive_bias.studies.status import status as rows_of_status

    lines = [COLUMNS, *rows_of_status([study_named(each) for each in studies])]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        print("  ".join(value.ljust(width) for value, width in zip(line, widths, strict=True)).rstrip())
    for line in failure_lines():
        print(line)


@app.command
def check(source: Annotated[str, tyro.conf.Positional], *, width: int = 24, arguments: str = "{}") -> None:
    """Check a token-mixing layer of your own without training: leaks of the future, padding, steps, bfloat16.

    A model of tokens, which is built from vocabulary and outputs, and one of images, which is built from image and
    classes, have checks of their own. The exit status is 1 if a check fails. What each check asks is on the page
    "Use a layer in your own model".

    Args:
        source: my_layer.py:MyMixer, a class or function that builds a layer [b, t, width] → [b, t, width]; or
            my_model.py:build, a function of vocabulary and outputs that returns a model from tokens to logits, or of
            image and classes that returns one from images to logits.
        width: numbers of a token.
        arguments: further keyword arguments of it, as JSON: '{"heads": 2}'.

    Raises:
        SettingError: if the arguments are no JSON object, or the layer cannot be built.
    """
    _check(source, arguments, width=width)


def _check(source: str, arguments: str, width: int = 24) -> None:
    from inductive_bias.profile.contract import FAILS, check_layer
    from inductive_bias.profile.image_contract import check_image_model
    from inductive_bias.profile.subject import image_subject_of, subject_of, token_subject_of
    from inductive_bias.profile.token_contract import check_token_model

    given = _json_object(arguments)
    if (of_images := image_subject_of(source, arguments=given)) is not None:
        found = check_image_model(of_images)
    elif (of_tokens := token_subject_of(source, arguments=given)) is not None:
        found = check_token_model(of_tokens)
    else:
        found = check_layer(subject_of(source, width=width, arguments=given))
    longest = max(len(each.name) for each in found)
    for each in found:
        print(f"{each.name.ljust(longest)}  {each.state}{': ' if each.lines else ''}{'; '.join(each.lines)}")
    if failed := sum(each.state == FAILS for each in found):
        print(f"{failed} of {len(found)} checks fail")
        sys.exit(1)


@app.command(name="train-lm")
def train_lm(
    text: Annotated[Path, tyro.conf.Positional],
    *,
    model: str = "lstm",
    layers: int = 2,
    width: int = 128,
    dropout: float = 0.1,
    vocabulary: int = 10_000,
    epochs: int = 10,
    batch_size: int = 32,
    learning_rate: float = 1e-3,
    seed: int = 0,
    name: str | None = None,
    device: str = "auto",
    quiet: bool = False,
) -> None:
    """Train a language model of words on a text of your own; its run can then score minimal pairs.

    Args:
        text: a folder with train.txt, validation.txt and test.txt; or one text, which is cut into three.
        model: lstm, transformer, universal (one block applied again and again), or your own: my_model.py:build.
        layers: of the model.
        width: of its states.
        dropout: in training.
        vocabulary: words, the most frequent ones; four ids are special.
        epochs: passes over the training text.
        batch_size: sentences a step.
        learning_rate: at the start.
        seed: of weights, order and dropout.
        name: of the folder below runs/ (default: that of the text).
        device: auto, cpu, cuda …
        quiet: no progress bar.

    Raises:
        SettingError: if a setting does not fit.
    """
    from inductive_bias.language_runs import folder_name, language_trial, perplexities, train_language_model

    options = {"layers": layers, "width": width, "dropout": dropout, "vocabulary": vocabulary, "epochs": epochs}
    options |= {"batch_size": batch_size, "learning_rate": learning_rate, "seed": seed}
    trial = language_trial(text, model=model, **options)
    run = train_language_model(trial, name or folder_name(text), device=device, progress=not quiet)
    print(", ".join(f"{split} perplexity {value:.1f}" for split, value in perplexities(run).items()))
    print(run)


@app.command
def profile(
    source: Annotated[str, tyro.conf.Positional],
    *,
    quick: bool = False,
    full: bool = False,
    minutes: float | None = None,
    probes: str = "",
    runs: int | None = None,
    check: bool = False,
    kind: Literal["auto", "layer", "model"] = "auto",
    weights: int = 20_000,
    layers: int = 2,
    positions: Literal["none", "sinusoidal"] = "none",
    arguments: str = "{}",
    taught_by: str = "",
    population: Path | None = None,
    add: Path | None = None,
    baseline: Path | None = None,
    fail_on: tuple[str, ...] = (),
    out: Path = Path("profile"),
    device: str = "auto",
    jobs: int | None = None,
    quiet: bool = False,
) -> None:
    """Ask which rules your layer or model prefers, what it learns and how far that carries, beside known models.

    Writes profile.html, profile.json and profile.csv. A repeated call goes on where the last one stopped. The exit
    status is 1 if a word of --fail-on holds, and 2 if something is wrong.

    Args:
        source: my_layer.py:MyMixer, a layer [b, t, width] → [b, t, width]; or my_model.py:build, a function of
            vocabulary and outputs that returns a model from tokens to logits, or of image and classes that returns
            one from images to logits.
        quick: fewer probes, two runs each.
        full: all probes, four runs each; the default is three.
        minutes: at most about so many: fewer runs, never fewer probes.
        probes: names with commas between them, such as "recall,flip-flop"; one of your own is my_probe.py:MyProbe (a
            subclass of inductive_bias.tasks.probes.Skill or Preference), or has the name of an entry point of the group
            inductive_bias.probes.
        runs: of every probe.
        check: only the contract tests, without training (the command check).
        kind: whether the source is a layer or a model; auto takes what has the argument vocabulary or image for a
            model.
        weights: of the model that a layer is put into.
        layers: blocks of that model.
        positions: added to its embeddings.
        arguments: further keyword arguments of the source, as JSON.
        taught_by: a known model that teaches, such as LSTM: the student is put beside the model that learnt alone.
        population: a parquet file of models to stand beside, in place of the published ones; an older profile of this
            model in it does not count.
        add: a parquet file to which these scores are added: a population of your own.
        baseline: a profile.json of before, beside which the model is put too; --fail-on then compares with it.
        fail_on: an axis and a word, "state tracking: less"; several are allowed.
        out: the files' name without ending.
        device: auto, cpu, cuda …
        jobs: runs at a time (default: one a CPU core, or one on a GPU).
        quiet: no progress bar.

    Raises:
        SettingError: if an option does not fit, or the source cannot be trained.
    """
    if check:
        _check(source, arguments)
        return
    if quick and full:
        raise SettingError("give --quick or --full, not both")
    from inductive_bias.profile.groups import RUNS, group_of
    from inductive_bias.profile.model import model_spec
    from inductive_bias.profile.own import described, rows_of, sources_of
    from inductive_bias.profile.population import add_to_population, others_in, published_population, refuse_no_place
    from inductive_bias.profile.profiling import profile as make
    from inductive_bias.profile.profiling import refuse_other_teachers
    from inductive_bias.profile.report import (
        Report,
        read_report,
        refuse_axes_not_asked,
        refuse_other_words,
        refuse_unwritable,
        words_that_hold,
    )

    # what cannot be written is said before minutes of training
    refuse_unwritable(out)
    refuse_no_place(add)
    length = "quick" if quick else "full" if full else "default"
    spec = model_spec(
        source, kind=kind, weights=weights, layers=layers, positions=positions, arguments=_json_object(arguments)
    )
    group = group_of(spec)
    refuse_other_teachers(taught_by, group)
    chosen = tuple(name.strip() for name in probes.split(",")) if probes else group.lengths[length]
    own_probes = described(sources_of(chosen, group), group.budget.test_size)
    refuse_other_words(fail_on, rows_of(own_probes))
    known = others_in(population, spec.name) if population else published_population(group)
    if not own_probes:  # one of one's own may be about any axis
        refuse_axes_not_asked(fail_on, chosen, known)
    before = read_report(baseline, known) if baseline else None
    options = {"device": device, "jobs": jobs, "progress": not quiet}
    asked = {"probes": chosen, "runs": RUNS[length] if runs is None else runs, "minutes": minutes, "population": known}

    def made(**further: str) -> Report:
        try:
            return make(spec, **asked, **options, **further)
        except FailedTrialsError as error:  # its status is 1, and here 1 says that a word holds
            raise SettingError(str(error)) from error

    report = made()
    print(report)
    if before:
        print(f"\nBeside {baseline}:")
        print("\n".join(report.axis_lines(beside=before)))
    if taught_by:
        student = made(taught_by=taught_by)
        print(f"\nWhat a teacher ({taught_by}) moved:")
        print("\n".join(student.lines(beside=report)))
    saved = report.save(out)
    if taught_by:
        saved += student.save(out.with_name(f"{out.name}-taught"))
    for file in saved:
        print(file)
    if add:
        count = add_to_population(add, report.scores)
        print(f"{add} (now {count} model{'s' * (count > 1)})")
    if found := words_that_hold(report, fail_on, before):
        print(f"fails: {'; '.join(found)}")
        sys.exit(1)


@app.command(name="score-pairs")
def score_pairs(
    checkpoint: Annotated[Path, tyro.conf.Positional],
    file: Annotated[Path, tyro.conf.Positional],
    *,
    by: Literal["sentence", "verb"] = "sentence",
    output: Path | None = None,
    data: Path | None = None,
    device: str = "auto",
    allow_own_code: bool = False,
) -> None:
    """Score minimal pairs of your own with a trained language model: a CSV with one row a pair, and a line of summary.

    Args:
        checkpoint: folder of the run, runs/STUDY/TRIAL.
        file: pairs: JSON lines as BLiMP has them, or .tsv or .csv with the columns good and bad.
        by: compare whole sentences, or the one word in which they differ.
        output: file for the table (default: standard output; the summary then goes to standard error).
        data: folder of the data sets; those of the trial must be there, for its vocabulary.
        device: auto, cpu, cuda …
        allow_own_code: run the program that a trial with a model or task of your own names: read it first.

    Raises:
        SettingError: if the file of the table cannot be written.
    """
    from inductive_bias.scoring import by_paradigm, score_file, summary

    _refuse_missing(data)
    table = score_file(checkpoint, file, by=by, root=data, device=device, allow_own_code=allow_own_code)
    said = summary(table)
    if table["paradigm"].nunique() > 1:
        said = f"{by_paradigm(table).to_string(index=False, float_format='{:.3f}'.format)}\n{said}"
    if output is None:
        print(table.to_csv(index=False), end="")
        print(said, file=sys.stderr)
        return
    try:
        table.to_csv(output, index=False)
    except OSError as error:
        raise SettingError(f"--output {output} cannot be written: {error}") from error
    print(said)


@app.command
def publish(
    study: StudyName, *, scale: str = "laptop", data: Path | None = None, mixed: bool = False, extend: bool = False
) -> None:
    """Write the tables of a complete study to data/results/.

    Of "all", one that cannot be published stops no other: the exit status is then 2.

    Args:
        study: name of a study, or "all".
        scale: laptop or paper.
        data: folder of the data sets.
        mixed: allow runs of several commits or versions in one table; the manifest names them.
        extend: keep what was published of trials that are not here.
    """
    from inductive_bias.studies.publishing import publish as publish_study

    _refuse_missing(data)
    failed = None
    for each in _studies(study):
        try:
            for path in publish_study(each, scale, root=data, mixed=mixed, extend=extend):
                print(path)
        except UserError as error:
            if study != ALL:
                raise
            failed = error
            print(f"inductive-bias: {error}", file=sys.stderr)
    if failed:
        sys.exit(failed.exit_status)


@app.command
def fetch(studies: Annotated[tuple[str, ...], tyro.conf.Positional], *, source: str = "") -> None:
    """Get the published tables of studies into data/results/, where a notebook finds them.

    Args:
        studies: names of studies, or the word benchmarks: the tables of the speed measurements.
        source: an address, https://HOST/…/data/results, or a folder of this machine (default: the environment variable
            INDUCTIVE_BIAS_RESULTS). Where that variable is set, a notebook fetches by itself what it reads.

    Raises:
        SettingError: if no source is named, or there is no such study.
    """
    from inductive_bias.studies import study_named
    from inductive_bias.studies.fetching import fetch as fetch_tables
    from inductive_bias.studies.published import BENCHMARKS

    for name in studies:
        for path in fetch_tables(name if name == BENCHMARKS else study_named(name).name, source):
            print(path)


@app.command
def render(
    notebooks: Annotated[tuple[Path, ...], tyro.conf.Positional] = (),
    *,
    scale: str | None = None,
    device: str = "auto",
    output: Path | None = None,
    jobs: int = 2,
) -> None:
    """Run notebooks through papermill; by default all of the book's, in place.

    Args:
        notebooks: which (default: every notebook of the table of contents); my_study.py stands for the notebooks of its
            pages, which lie beside it.
        scale: smoke, laptop or paper (default: what the notebook says); what is neither published nor run yet is
            trained.
        device: auto, cpu, cuda …
        output: folder for the results (default: in place).
        jobs: notebooks at a time.
    """
    from inductive_bias.site.rendering import render as render_notebooks
    from inductive_bias.studies import NAMES
    from inductive_bias.studies.outside import notebooks_of

    chosen = [page for path in notebooks for page in (notebooks_of(path, NAMES) if path.suffix == ".py" else [path])]
    parameters = {"device": device} | ({"scale": scale} if scale else {})
    for path in render_notebooks(chosen, parameters=parameters, output=output, jobs=jobs):
        print(path)


@app.command
def pdf(*, output: Path | None = None) -> None:
    """Print the built site as one PDF, with headless Chromium.

    Args:
        output: the file (default: book/_build/book.pdf).
    """
    from inductive_bias.site.printing import print_site, site_folder

    print(print_site(site_folder(), output or site_folder().parent / "book.pdf"))


@app.command
def tables() -> None:
    """Write what is made from the studies: tables of two pages, the table of contents, the largest p that survives."""
    from inductive_bias.record import write_tables

    for path in write_tables():
        print(path)


@app.command
def bench(name: Annotated[str, tyro.conf.Positional], *, repeats: int = 5, publish: bool = False) -> None:
    """Measure what the package costs, as ratios within one run; keep the machine quiet meanwhile.

    Args:
        name: of the benchmark: training, seeds, attention, rivals, speed or startup.
        repeats: measurements of every ratio, in turns; their median is shown.
        publish: write table and manifest to data/results/benchmarks/ (real data only).
    """
    from inductive_bias.benchmarks import benchmark_named, measure_and_publish, summary

    benchmark = benchmark_named(name)
    table, written = measure_and_publish(benchmark, repeats) if publish else (benchmark.run(repeats), [])
    print(summary(table).to_string(index=False, float_format="{:.3f}".format, na_rep="–"))
    print("data:", ", ".join(sorted(table["data_source"].unique())))
    for path in written:
        print(path)


def _refuse_missing(data: Path | None) -> None:
    if data is not None and not data.is_dir():
        raise SettingError(f"--data {data} is not a folder")


def _json_object(text: str) -> dict[str, object]:
    from inductive_bias.strict_json import strict_json

    try:
        found = strict_json(text)
    except ValueError as error:
        raise SettingError(f"--arguments must be JSON such as '{{\"heads\": 2}}', not {text!r}: {error}") from error
    if not isinstance(found, dict):
        raise SettingError(f"--arguments must be a JSON object such as '{{\"heads\": 2}}', not {text!r}")
    return found


def _studies(name: str):
    from inductive_bias.studies import STUDIES, study_named

    return list(STUDIES.values()) if name == ALL else [study_named(name)]


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Entry point: an error that the user can mend is one paragraph on stderr and exit code 2.

    A terminal that has no sign for some character shows ``?`` in its place; who reads no further ends the command.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a captured stream has none
            stream.reconfigure(errors="replace")
    if sys.argv[1:] == ["--version"]:
        print(f"inductive-bias {__version__}")
        return
    if not {"--help", "-h"} & set(sys.argv):
        try:
            os.getcwd()
        except OSError:  # libraries that load others from there would end the process without a word of ours
            print("inductive-bias: the working directory is no longer there; go to another one", file=sys.stderr)
            sys.exit(2)
    signal.signal(signal.SIGTERM, _stop)  # so that worker processes are ended in good order
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        with extras_named():
            app.cli(prog="inductive-bias", description=DESCRIPTION)
        sys.stdout.flush()
    except UserError as error:
        print(f"inductive-bias: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        # what reads, such as head, has seen enough; else the interpreter would complain when it flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("inductive-bias: stopped; finished trials are kept, the same command goes on", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
