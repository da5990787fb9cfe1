"""What the start-up benchmark does, never how fast it is."""

import pytest

from inductive_bias.benchmarks import startup
from inductive_bias.benchmarks.base import problems_of
from inductive_bias.errors import SettingError


def test_work_counts_and_waiting_does_not():
    idle = startup.processor_seconds(("-c", "import time; time.sleep(.5)"))
    busy = startup.processor_seconds(("-c", "import time\nwhile time.process_time() < .5: pass"))
    assert busy > 0.5
    assert idle < busy


def test_a_start_that_fails_is_refused():
    with pytest.raises(SettingError, match=r"python -c 1 / 0 fails: .*ZeroDivisionError"):
        startup.processor_seconds(("-c", "1 / 0"))


def test_every_start_is_a_row_over_torch_in_every_repeat(monkeypatch):
    took = {startup.TORCH: 2.0}
    calls = []

    def seconds(arguments):
        calls.append(arguments)
        return took.get(arguments[1], 1.0)

    monkeypatch.setattr(startup, "processor_seconds", seconds)
    table = startup.STARTUP.run(2)
    assert problems_of(table) == []
    assert len(table) == 2 * len(startup.STARTED)
    assert set(table["ratio"]) == {0.5}
    assert len(calls) == 3 * (1 + len(startup.STARTED))  # one start of each is not counted
