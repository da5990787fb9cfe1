"""Ray: what is refused without it, and, where it is installed, two nodes of which one is lost."""

import os
import sys
import threading
import time
import types
from pathlib import Path

import pandas as pd
import pytest

from inductive_bias.cluster import RayWorkers
from inductive_bias.engine import missing, run_missing
from inductive_bias.errors import FailedTrialsError, SettingError, StoreError
from inductive_bias.running import run_trial
from inductive_bias.store import Store, table_of
from inductive_bias.workers import KilledError
from tests.tiny import tiny_sentence_trial, tiny_trial

OPTIONS = {"device": "cpu", "engine": "ray", "progress": False}


class FakeRay(types.ModuleType):
    """As much of Ray as is asked: tasks are run when they are waited for."""

    def __init__(self, resources: dict[str, float], error: Exception | None = None):
        super().__init__("ray")
        self.resources, self.error, self.asked, self.together = resources, error, {}, []
        self.exceptions = types.SimpleNamespace(
            RayTaskError=type("RayTaskError", (Exception,), {}), RayError=type("RayError", (Exception,), {})
        )
        self.initialised: list[dict] = []

    def is_initialized(self):
        return False

    def init(self, **options):
        self.initialised.append(options)
        if self.error:
            raise self.error

    def cluster_resources(self):
        return self.resources

    def remote(self, **asked):
        self.asked = asked
        fake = self

        class Task:
            def __init__(self, function):
                self.function = function

            def options(self, **more):
                fake.asked |= more
                return self

            def remote(self, *given):
                return (self.function, given)

        return Task

    def wait(self, running):
        self.together.append(len(running))
        return running[:1], running[1:]

    def get(self, task):
        function, given = task
        return function(*given)

    def cancel(self, task, force):
        pass


def double(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize(
    ("jobs", "device", "resources", "count", "cpus", "gpus"),
    [
        (None, "cpu", {"CPU": 7.0}, 7, 1, 0),
        (3, "cpu", {"CPU": 7.0}, 3, 1, 0),
        (None, "auto", {"CPU": 64.0}, 64, 1, 0),
        (None, "auto", {"CPU": 64.0, "GPU": 4.0}, 4, 1, 1.0),
        (8, "cuda", {"CPU": 64.0, "GPU": 4.0}, 8, 1, 0.5),
    ],
)
def test_work_is_counted_in_the_cluster_and_not_on_this_machine(
    monkeypatch, jobs, device, resources, count, cpus, gpus
):
    fake = FakeRay(resources)
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setenv("INDUCTIVE_BIAS_DATA", "/data")
    with RayWorkers(jobs, device=device, address="head:6379") as workers:
        assert sorted(workers.answers(double, range(100))) == [(each, 2 * each) for each in range(100)]
    assert fake.initialised[0]["address"] == "head:6379"
    assert max(fake.together) == count
    assert (fake.asked["num_cpus"], fake.asked["num_gpus"]) == (cpus, gpus)
    assert fake.asked["max_retries"] > 0
    assert fake.asked["runtime_env"]["env_vars"]["INDUCTIVE_BIAS_DATA"] == "/data"
    assert fake.asked["runtime_env"]["env_vars"]["OMP_NUM_THREADS"] == "1"


def test_a_lost_process_is_an_answer_and_an_error_of_ours_comes_without_the_way_that_it_came(monkeypatch):
    fake = FakeRay({"CPU": 1.0})
    monkeypatch.setitem(sys.modules, "ray", fake)
    answers = [fake.exceptions.RayError("The node died.\nmore"), fake.exceptions.RayTaskError("far away")]
    answers[1].cause = StoreError("the disk is full")

    def get(task):
        raise answers.pop(0)

    monkeypatch.setattr(fake, "get", get)
    found = RayWorkers(None).answers(double, [1, 2])
    number, answer = next(found)
    assert number == 1
    assert isinstance(answer, KilledError)
    assert str(answer) == "its process or node was lost 4 times (RayError: The node died.)"
    with pytest.raises(StoreError, match="the disk is full") as error:
        next(found)
    assert error.value.__suppress_context__


@pytest.mark.parametrize(
    ("fake", "device", "message"),
    [
        (None, "cpu", r"needs the cluster extra: pip install .*\[cluster\]'"),
        (FakeRay({}, ConnectionError("no answer")), "cpu", "there is no Ray cluster at --address here:1: no answer"),
        (FakeRay({"CPU": 2.0}), "cuda", "device 'cuda' is not available in the Ray cluster: it has 2 CPUs and no GPU"),
    ],
)
def test_a_cluster_that_is_not_there_is_a_sentence(tmp_path, monkeypatch, fake, device, message):
    monkeypatch.setitem(sys.modules, "ray", fake)
    with pytest.raises(SettingError, match=message):
        run_missing([tiny_trial()], Store(tmp_path), **OPTIONS | {"device": device, "address": "here:1"})


def test_an_address_without_a_cluster_is_refused(tmp_path):
    with pytest.raises(SettingError, match="address=auto is that of a Ray cluster: it needs engine 'ray'"):
        run_missing([tiny_trial()], Store(tmp_path), device="cpu", address="auto", progress=False)


def test_a_node_that_does_not_see_the_folder_of_runs_is_found_out(tmp_path, monkeypatch):
    fake = FakeRay({"CPU": 1.0})
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(Store, "save", lambda *_: None)
    with pytest.raises(FailedTrialsError, match=r"its run is not in .* here: every node must see that folder"):
        run_missing([tiny_trial(epochs=1)], Store(tmp_path), **OPTIONS)


@pytest.fixture
def two_nodes(monkeypatch):
    """A cluster of a head that works on nothing, and two nodes with one processor each."""
    pytest.importorskip("ray", reason="the optional cluster extra is not installed")
    import ray
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)]))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.slow
def test_trials_of_a_node_that_is_lost_are_run_again(tmp_path, two_nodes):
    cluster, nodes = two_nodes
    trials = [tiny_sentence_trial(seed=seed, epochs=60) for seed in range(4)]
    store = Store(tmp_path)
    strike = threading.Thread(target=lambda: _lose(cluster, nodes[0], store, trials))
    strike.start()
    assert run_missing(trials, store, address=cluster.address, **OPTIONS) == 4
    strike.join()
    assert missing(trials, store) == []
    for trial in trials[:2]:
        alone = table_of(run_trial(trial, device="cpu").rows)
        pd.testing.assert_frame_equal(store.rows(trial), alone, check_exact=True)


def _lose(cluster, node, store: Store, trials) -> None:
    """Kill a node when both work."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and sum(store.holder(trial) is not None for trial in trials) < 2:
        time.sleep(0.02)
    cluster.remove_node(node, allow_graceful=False)
