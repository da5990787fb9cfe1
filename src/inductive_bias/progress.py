"""The bar of a sweep: trials done, and how far those are that are being trained."""

import threading
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from inductive_bias.locks import holder_of
from inductive_bias.trials import Trial

#: Seconds between two looks at how far trials are.
LOOK = 1.0
#: Of a bar with a title: without the rate, so that how far a trial is fits into 80 columns.
SHORT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


class Bar:
    """Trials done of ``total``; steps of a trial that is being trained count as parts of it.

    How far a trial is stands in the note of its lock, in ``locks``, so that it does not matter which process or machine
    trains it. ``title`` stands before it.
    """

    def __init__(self, total: int, done: int, locks: Path, *, shown: bool, title: str = ""):
        self.locks, self.done = locks, done
        self._begun: dict[str, str] = {}
        self._mutex, self._over = threading.Lock(), threading.Event()
        form = {"desc": title, "bar_format": SHORT} if title else {}
        self._bar = tqdm(total=total, initial=done, disable=not shown, unit="trial", **form)
        self._thread = threading.Thread(target=self._follow, name="progress", daemon=True) if shown else None

    def __enter__(self) -> "Bar":
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._bar.close()

    def begin(self, trials: Sequence[Trial]) -> None:
        """Name the trials that are handed to a worker together."""
        with self._mutex:
            more = f" and {len(trials) - 1} more" * (len(trials) > 1)
            self._begun |= {trial.id: trial.label + more for trial in trials}
            self._bar.set_postfix_str(f"now: {trials[0].label}{more}")

    def end(self, trials: Sequence[Trial], *, done: int) -> None:
        """Count the trials of a worker that are ``done``; the others failed, or somebody else is at them."""
        with self._mutex:
            self.done += done
            for trial in trials:
                self._begun.pop(trial.id, None)
            self._bar.n = self.done
            self._bar.refresh()

    def look(self) -> None:
        """Show how far the trials are that are being trained."""
        with self._mutex:
            found = [(label, holder_of(self.locks, name)) for name, label in self._begun.items()]
            known = [(label, each.step, each.steps) for label, each in found if each is not None and each.steps]
            if known:
                parts = sum(min(1.0, step / steps) for _, step, steps in known)
                label, step, steps = known[-1]
                self._bar.n = (100 * self.done + int(100 * parts)) / 100
                self._bar.set_postfix_str(f"now: {label}, step {step:,} of {steps:,}")

    def _follow(self) -> None:
        while not self._over.wait(LOOK):
            self.look()
