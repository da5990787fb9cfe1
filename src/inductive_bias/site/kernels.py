"""Jupyter kernels that are forked from one process in which everything heavy has been imported.

Half of the time of rendering the book went into the imports of a fresh kernel for each notebook. Here a server imports
them once (``preloaded``), and every kernel is a fork of it: a process of its own with nothing in it but these imports.
The server is that of the standard library's ``multiprocessing``; it has one thread and does nothing but fork. Jupyter
takes it as a *kernel provisioner*, which ``pyproject.toml`` registers as ``forked``, so that nbval has it too::

    JUPYTER_DEFAULT_PROVISIONER_NAME=forked pytest --nbval …

Source: https://jupyter-client.readthedocs.io/en/stable/provisioning.html.
"""

import atexit
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

#: The name among the entry points ``jupyter_client.kernel_provisioners`` of ``pyproject.toml``.
FORKED = "forked"
#: How Jupyter starts a plain kernel of this interpreter; the kernel's own arguments follow.
PLAIN = [sys.executable, "-m", "ipykernel_launcher"]
#: Bytes that Linux allows for the path of a socket (``sun_path`` of ``unix(7)``, without the closing zero).
LONGEST_SOCKET = 107


class ForkedProvisioner(LocalProvisioner):
    """Forks kernels of this interpreter on Linux; every other kernel is started as a program, as Jupyter does.

    A kernel on Linux listens at sockets in a folder of its own, not at TCP ports. Jupyter looks for free ports and
    releases them, and the kernel binds them seconds later. In these seconds another program can take a port, and the
    kernel dies at its start ("Kernel died before replying to kernel_info").
    """

    #: The folder of the kernel's sockets; None where it listens at TCP ports.
    sockets: tempfile.TemporaryDirectory | None = None

    async def pre_launch(self, **kwargs: object) -> dict[str, object]:
        """Give the kernel a folder for its sockets, where the path of a socket is short enough for the system."""
        manager = self.parent
        if manager is not None and self.sockets is None and sys.platform == "linux" and manager.transport == "tcp":
            folder = tempfile.TemporaryDirectory(prefix="kernel-", ignore_cleanup_errors=True)
            if len(os.fsencode(folder.name)) + len("/socket-99999") <= LONGEST_SOCKET:
                self.sockets = folder
                manager.transport, manager.cache_ports, manager.ip = "ipc", False, f"{folder.name}/socket"
            else:
                folder.cleanup()
        return await super().pre_launch(**kwargs)

    async def cleanup(self, restart: bool = False) -> None:
        """Remove the folder of the sockets, once the kernel has ended for good."""
        await super().cleanup(restart)
        if self.sockets is not None and not restart:
            self.sockets.cleanup()
            self.sockets = None

    async def send_signal(self, signum: int) -> None:
        """Send a signal, but no interrupt to a kernel that is being shut down.

        Jupyter interrupts a kernel before it asks it to end. Papermill does so as soon as it has the reply to its last
        request, which the kernel may still be handling: the kernel then wrote "KeyboardInterrupt caught in kernel" to
        the terminal. A kernel that is busy and does not end by itself still gets SIGTERM and then SIGKILL.
        """
        if signum != signal.SIGINT or self.parent is None or not self.parent.shutting_down:
            await super().send_signal(signum)

    async def launch_kernel(self, cmd: list[str], **kwargs: object) -> KernelConnectionInfo:
        """Start the kernel; a server that was killed costs only the time that it would have saved."""
        # on macOS a process that has imported all this must not fork: the system's libraries have threads
        if cmd[: len(PLAIN)] != PLAIN or sys.platform != "linux":
            return await super().launch_kernel(cmd, **kwargs)
        folder = str(kwargs.get("cwd") or os.getcwd())
        try:
            self.process = ForkedKernel(cmd[len(PLAIN) :], folder, kwargs["env"])
        except (OSError, EOFError):
            return await super().launch_kernel(cmd, **kwargs)
        # to be asked of the kernel only once it has made itself the leader of its group
        self.pid = self.pgid = self.process.pid
        self.cwd = folder
        return self.connection_info


class ForkedKernel:
    """A forked kernel with the interface of ``subprocess.Popen``, as far as Jupyter uses it."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: Sequence[str], folder: str, environment: Mapping[str, str]):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["inductive_bias.site.preloaded"])
        given = (list(arguments), folder, dict(environment))
        self._process = context.Process(target=become_kernel, args=given, name=FORKED)
        self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """The exit code, or None while the kernel runs."""
        return self._process.exitcode

    def wait(self) -> int | None:
        """The exit code, once the kernel has ended."""
        self._process.join()
        return self.poll()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the kernel has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the kernel."""
        self.send_signal(signal.SIGKILL)


def become_kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """What a fork does: it is a kernel until it is shut down, with everything of its own that a new process has."""
    import numpy as np
    import torch
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()  # Ctrl-C is for who renders, who then ends the kernels
    threading.Thread(target=_end_with_renderer, daemon=True).start()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    # as in every new process; Python's own generator sees to that by itself
    np.random.seed()  # noqa: NPY002
    torch.default_generator.seed()
    sys.argv = [PLAIN[-1], *arguments]
    # the server's id, for the kernel to end with it; no word on the terminal about TCP without encryption
    options = [f"--IPKernelApp.parent_handle={os.getppid()}", "--IPKernelApp.log_level=ERROR"]
    IPKernelApp.launch_instance([*arguments, *options])
    atexit._run_exitfuncs()  # multiprocessing leaves them out, and the notebook's temporary folders would stay


def _end_with_renderer() -> None:
    multiprocessing.parent_process().join()
    os._exit(1)


@contextmanager
def forked_by_default() -> Iterator[None]:
    """Context in which kernels whose specification names no provisioner are forked; none outlives it.

    They are plain where the installed metadata of the package is older than the entry point (``make env`` renews it).
    """
    factory = KernelProvisionerFactory.instance()
    before = factory.default_provisioner_name
    if FORKED in factory.get_provisioner_entries():
        factory.default_provisioner_name = FORKED
    try:
        yield
    finally:
        factory.default_provisioner_name = before
        for child in multiprocessing.active_children():
            if child.name == FORKED:
                child.kill()
