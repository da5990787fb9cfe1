"""Workers on a Ray cluster: work of a node that is lost is done again on another one."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from inductive_bias.errors import SettingError, install_command
from inductive_bias.workers import THREADS, Answer, Given, KilledError

#: How often a piece of work is begun again whose worker or node was lost.
RETRIES = 3
#: Variables of this process whose names begin so are those of the workers too.
OURS = "INDUCTIVE_BIAS_"


class RayWorkers:
    """Processes of a Ray cluster, ``count`` of them at a time.

    Args:
        jobs: how many; None for one a CPU of the cluster, or one a GPU where these are used.
        device: ``auto``, ``cpu``, ``cuda`` …: whether a piece of work asks for a GPU.
        address: of the cluster's head, ``auto`` for the one of this machine; None for what the environment variable
            ``RAY_ADDRESS`` says, and where that says nothing, a cluster of this machine alone.

    Raises:
        SettingError: if Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, jobs: int | None, *, device: str = "auto", address: str | None = None):
        try:
            import ray
        except ImportError as error:
            raise SettingError(f"engine 'ray' needs the cluster extra: {install_command('cluster')}") from error
        self._ray = ray
        if not ray.is_initialized():
            try:
                ray.init(address=address, log_to_driver=False, logging_level="error")
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise SettingError(f"there is no Ray cluster at --address {address}: {error}") from error
        there = ray.cluster_resources()
        cpus, gpus = there.get("CPU", 0.0), there.get("GPU", 0.0)
        wanted = device.startswith("cuda") or (device == "auto" and gpus > 0)
        if wanted and not gpus:
            raise SettingError(
                f"device {device!r} is not available in the Ray cluster: it has {cpus:g} CPUs and no GPU"
            )
        self.count = jobs or max(1, int(gpus if wanted else cpus))
        self._asked = {"num_cpus": 1, "num_gpus": min(1.0, gpus / self.count) if wanted else 0}

    def __enter__(self) -> "RayWorkers":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def answers(
        self, work: Callable[[Given], Answer], pieces: Iterable[Given]
    ) -> Iterator[tuple[Given, Answer | KilledError]]:
        """Each piece and what ``work`` answers to it; see :meth:`inductive_bias.workers.Workers.answers`."""
        ray = self._ray
        told = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
        options: dict[str, Any] = {"runtime_env": {"env_vars": told | dict.fromkeys(THREADS, "1")}}
        remote = ray.remote(max_retries=RETRIES, **self._asked)(work_of).options(**options)
        left, running = iter(pieces), {}
        try:
            while True:
                while len(running) < self.count:
                    try:
                        piece = next(left)
                    except StopIteration:
                        break
                    running[remote.remote(work, piece)] = piece
                if not running:
                    return
                for done in ray.wait(list(running))[0]:
                    piece = running.pop(done)
                    yield piece, self._answer(done)
        finally:
            for each in running:
                ray.cancel(each, force=True)

    def _answer(self, done: Any) -> Any:
        try:
            return self._ray.get(done)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None  # ours, without the way that it came
        except self._ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[0]
            return KilledError(f"its process or node was lost {RETRIES + 1} times ({type(error).__name__}: {reason})")


def work_of(work: Callable[[Given], Answer], piece: Given) -> Answer:
    """What a worker does: Ray takes functions, and ``work`` has arguments bound to it."""
    return work(piece)
