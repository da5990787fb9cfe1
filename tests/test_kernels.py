"""Kernels that are forked are as fresh as plain ones, and go when they are to go."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from inductive_bias.errors import SettingError
from inductive_bias.site import rendering
from inductive_bias.site.kernels import forked_by_default

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")


@pytest.fixture
def write(tmp_path):
    """Writes a notebook with one cell after its parameters; returns its path."""

    def notebook(source, name="chapter"):
        parameters = new_code_cell('scale: str = "laptop"\ndevice: str = "auto"', metadata={"tags": ["parameters"]})
        node = new_notebook(cells=[parameters, new_code_cell(source)])
        node.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(node, path)
        return path

    return notebook


@pytest.fixture
def answers(write):
    """Renders a notebook for each source, one after the other; returns what each prints, which is JSON."""

    def ask(*sources):
        paths = [write(source, f"chapter{number}") for number, source in enumerate(sources)]
        rendering.render(paths, parameters={"scale": "laptop"})
        outputs = [nbformat.read(path, as_version=4).cells[-1].outputs for path in paths]
        return [json.loads("".join(each.get("text", "") for each in cell)) for cell in outputs]

    return ask


def gone(*processes, within=10.0):
    """Whether all of them end in time; a zombie has ended, though nobody has asked for its exit code."""

    def alive(number):
        try:
            return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    end = time.monotonic() + within
    while (left := any(alive(number) for number in processes)) and time.monotonic() < end:
        time.sleep(0.05)
    return not left


def test_kernels_are_forks_of_one_server_that_is_not_this_process(answers):
    (first, server), (second, same) = answers(*["import os; print([os.getpid(), os.getppid()])"] * 2)
    assert first != second
    assert server == same != os.getpid()


def test_nothing_that_a_notebook_changes_is_there_in_the_next(answers):
    change = """import os, sys
import matplotlib, numpy, torch, inductive_bias
inductive_bias.left = matplotlib.rcParams["figure.dpi"] = 7
os.environ["LEFT"] = "7"; sys.path.append("/left"); os.chdir("/")
torch.manual_seed(7); torch.set_default_dtype(torch.float64)
print(7)"""
    look = """import json, os, sys
import matplotlib, torch, inductive_bias
found = [hasattr(inductive_bias, "left"), matplotlib.rcParams["figure.dpi"], os.environ.get("LEFT"), os.getcwd(),
         "/left" in sys.path, torch.initial_seed() == 7, str(torch.get_default_dtype())]
print(json.dumps(found))"""
    before, _, after = answers(look, change, look)
    assert before == after


def test_numbers_drawn_without_a_seed_differ_as_in_new_processes(answers):
    draw = "import random, numpy, torch; print([random.random(), numpy.random.rand(), torch.rand(1).item()])"
    first, second = answers(draw, draw)
    assert [one for one, other in zip(first, second, strict=True) if one == other] == []


STATE = """import json, multiprocessing, os, signal, sys, warnings
import matplotlib.pyplot as plt, numpy as np, pandas as pd, seaborn, torch
figure = plt.figure()
ours, groups = {"JPY_PARENT_PID", "PYTEST_CURRENT_TEST"}, {"html", "unicode"}
print(json.dumps({
    "folder": os.getcwd(),
    "environment": sorted((name, value) for name, value in os.environ.items() if name not in ours),
    "arguments": [os.path.basename(sys.argv[0]).removesuffix(".py"), *sys.argv[1:2], *sys.argv[3:]],
    "main": [__name__, sorted(vars(sys.modules["__main__"])) == sorted(globals())],
    "rcParams": {name: repr(value) for name, value in plt.rcParams.items()},
    "plots": [plt.get_backend(), plt.isinteractive(), seaborn.plotting_context()["font.size"], figure.number],
    "torch": [torch.get_num_threads(), str(torch.get_default_dtype())],
    "numpy": repr(np.get_printoptions()),
    "pandas": [str(pd.get_option("display." + name)).lower() for name in dir(pd.options.display) if name not in groups],
    "signals": [repr(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)],
    "may start processes": not multiprocessing.current_process().daemon,
    "leads its group": os.getpgid(0) == os.getpid(),
    "shell": type(get_ipython()).__name__,
    "formatters": sorted(map(str, get_ipython().display_formatter.formatters["image/png"].type_printers)),
    "events": {name: len(calls) for name, calls in get_ipython().events.callbacks.items()},
    "products": [(np.ones((300, 300)) @ np.ones((300, 300))).sum(), torch.ones(300, 300).matrix_power(2).sum().item()],
}))"""


@pytest.mark.slow
def test_a_fork_begins_as_a_new_process_does(answers, monkeypatch):
    (forked,) = answers(STATE)
    monkeypatch.setattr(sys, "platform", "elsewhere")
    (plain,) = answers(STATE)
    assert forked == plain


def test_elsewhere_kernels_are_children_of_their_own(answers, monkeypatch):
    monkeypatch.setattr(sys, "platform", "elsewhere")
    assert answers("import os; print(os.getppid())") == [os.getpid()]


def test_the_server_has_one_thread_whenever_it_forks(answers):
    count = "import os; print(len(os.listdir(f'/proc/{os.getppid()}/task')))"
    assert answers(count, count) == [1, 1]


def test_a_notebook_s_temporary_folder_goes_with_its_kernel(answers):
    (folder,) = answers("import json, tempfile; kept = tempfile.TemporaryDirectory(); print(json.dumps(kept.name))")
    assert not Path(folder).exists()


def test_a_kernel_that_is_killed_is_told_in_a_sentence(write, tmp_path):
    path = write("import os; os.kill(os.getpid(), 9)")
    before = path.read_bytes()
    with pytest.raises(SettingError, match=r"the kernel of chapter\.ipynb has died"):
        rendering.render([path], parameters={"scale": "laptop"})
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["chapter.ipynb"]


@pytest.mark.slow
def test_a_server_that_is_killed_takes_its_kernel_along_and_has_a_successor(write, answers, tmp_path):
    told = tmp_path / "told"
    source = f"""import os, pathlib, time
pathlib.Path({str(told)!r}).write_text(f"{{os.getpid()}} {{os.getppid()}}")
os.kill(os.getppid(), 9); time.sleep(60)"""
    with pytest.raises(SettingError, match="has died"):
        rendering.render([write(source)], parameters={"scale": "laptop"})
    assert gone(*map(int, told.read_text().split()))
    assert answers("print(5)") == [5]


def test_nothing_is_forked_by_default_outside_and_no_kernel_is_left():
    from jupyter_client.manager import start_new_kernel
    from jupyter_client.provisioning import KernelProvisionerFactory

    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    with forked_by_default():
        manager, client = start_new_kernel(kernel_name="python3")
        client.stop_channels()
        number = manager.provisioner.pid
        assert manager.is_alive()
    assert factory.default_provisioner_name == before != "forked"
    assert gone(number)
    manager.cleanup_resources()


def test_no_other_program_can_take_the_kernel_s_place_before_it_listens(monkeypatch):
    # Jupyter chose five free TCP ports, and in the seconds until the kernel bound them any other program could
    from jupyter_client.manager import KernelManager
    from jupyter_client.provisioning import KernelProvisionerFactory

    monkeypatch.setattr(KernelProvisionerFactory.instance(), "default_provisioner_name", "forked")
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    folder = Path(manager.ip).parent
    try:
        assert manager.get_connection_info()["transport"] == "ipc"
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        # nobody else may read the sockets
        assert folder.stat().st_mode & 0o777 == 0o700
        client.stop_channels()
    finally:
        manager.shutdown_kernel(now=True)
    assert not folder.exists()


def test_where_sockets_would_have_too_long_a_path_the_kernel_listens_at_ports(answers, monkeypatch, tmp_path):
    import tempfile

    long = tmp_path / ("folder" * 20)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    assert answers("print(5)") == [5]
    assert list(long.glob("kernel-*")) == []


@pytest.mark.slow
def test_a_kernel_that_still_handles_the_last_request_ends_without_a_word(write):
    # papermill shuts the kernel down at this reply; Jupyter's shutdown begins with an interrupt
    slow = """import time
session = type(get_ipython().kernel.session)
send = session.send
def send_and_linger(self, stream, message, *rest, **named):
    sent = send(self, stream, message, *rest, **named)
    if message == "kernel_info_reply":
        time.sleep(1)
    return sent
session.send = send_and_linger"""
    command = [sys.executable, "-m", "inductive_bias.cli", "render", str(write(slow))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_cell_can_be_interrupted(monkeypatch):
    from jupyter_client.manager import start_new_kernel
    from jupyter_client.provisioning import KernelProvisionerFactory

    monkeypatch.setattr(KernelProvisionerFactory.instance(), "default_provisioner_name", "forked")
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        client.execute("print('begun'); import time; time.sleep(100)")
        while client.get_iopub_msg(timeout=60)["msg_type"] != "stream":
            pass
        manager.interrupt_kernel()
        assert client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_who_stops_rendering_stops_kernels_and_server(write, tmp_path, number):
    paths = []
    for name in ("one", "two"):
        source = f"""import os, pathlib, time
pathlib.Path({str(tmp_path / name)!r}).write_text(f"{{os.getpid()}} {{os.getppid()}}")
time.sleep(60)"""
        paths.append(write(source, name))
    command = [sys.executable, "-m", "inductive_bias.cli", "render", *map(str, paths), "--jobs", "2"]
    # tests that run in the background of a shell are told to ignore Ctrl-C, and so would be what they start
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True, **heard) as renderer:
        end = time.monotonic() + 100
        while not all(told.is_file() and told.read_text() for told in (tmp_path / "one", tmp_path / "two")):
            assert renderer.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        os.killpg(renderer.pid, number)  # as a terminal does
        assert renderer.wait(30) != 0
    begun = {int(each) for name in ("one", "two") for each in (tmp_path / name).read_text().split()}
    assert len(begun) == 3
    assert gone(*begun)
    if number == signal.SIGINT:
        assert not list(tmp_path.glob(".draft-*"))
