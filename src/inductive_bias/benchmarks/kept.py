"""What it saves that freed memory stays with a process: epochs of training before and after it is told so."""

import copy
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import torch

from inductive_bias.allocation import keep_freed_memory
from inductive_bias.benchmarks.base import ratio_row
from inductive_bias.benchmarks.loops import package_epoch
from inductive_bias.protocols import protocol_of
from inductive_bias.running import build
from inductive_bias.trials import Trial


def memory_rows(trials: Mapping[str, Trial], repeats: int) -> Iterator[dict]:
    """*memory* of every model: a process of its own for each repeat, since none can be told to forget it."""
    measured = partial(examples_a_second, trials, torch.get_num_threads())
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes:
        for repeat, found in enumerate(processes.map(measured, range(repeats))):
            for name, (kept, untold, source) in found.items():
                about = {"repeat": repeat, "unit": "examples a second", "data_source": source}
                yield ratio_row("memory", name, "freed memory kept", value=kept, reference=untold, **about)


def examples_a_second(trials: Mapping[str, Trial], threads: int, seed: int) -> dict[str, tuple[float, float, str]]:
    """By model: with freed memory kept, without, and the source of the data; this process keeps it from then on."""
    torch.set_num_threads(threads)
    ready = {}
    for name, trial in trials.items():
        data = trial.task.load()
        ready[name] = trial, protocol_of(trial, data), build(trial), data["train"].source

    def epochs() -> dict[str, float]:
        found = {}
        for name, (trial, protocol, model, _) in ready.items():
            epoch = package_epoch(trial, protocol, copy.deepcopy(model), seed=seed)
            found[name] = epoch.sentences / epoch.seconds
        return found

    epochs()  # untimed: the first calls of a process choose kernels and fill the caches
    untold = epochs()
    keep_freed_memory()
    kept = epochs()
    return {name: (kept[name], untold[name], source) for name, (*_, source) in ready.items()}
