"""Locks, their notes, and holders that are gone."""

import errno
import json
import os
import subprocess
import sys
import time

import filelock
import pytest

from inductive_bias import locks
from inductive_bias.locks import STALE, STALE_IF_ENDED, Holder, LockedError, held, holder_of


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(locks, "BEAT", 0.01)
    monkeypatch.setattr(locks, "_beats", locks._Beats())


def note(folder, **changes):
    """Change what is written about the holder of ``a``."""
    path = folder / "a.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


def silent_for(path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_a_lock_says_who_holds_it_and_nothing_when_it_is_free(tmp_path):
    with held(tmp_path, "a") as ours:
        with pytest.raises(LockedError, match=rf"a is held by process {os.getpid()} on \S+ since 2\d+-") as error:
            held(tmp_path, "a").__enter__()
        assert error.value.holder == ours
        with held(tmp_path, "b"):
            pass
    assert holder_of(tmp_path, "a") is None
    with held(tmp_path, "a"):
        pass


def test_how_far_the_work_is_stands_in_the_note(tmp_path, quick):
    with held(tmp_path, "a") as ours:
        ours.step, ours.steps = 3, 8
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and (found := holder_of(tmp_path, "a")) != ours:
            time.sleep(0.01)
        assert (found.step, found.steps) == (3, 8)


def test_a_holder_that_lives_keeps_its_note_young(tmp_path, quick):
    with held(tmp_path, "a"):
        silent_for(tmp_path / "a.json", 2 * STALE)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and (tmp_path / "a.json").stat().st_mtime < time.time() - STALE:
            time.sleep(0.01)
        with pytest.raises(LockedError):
            held(tmp_path, "a").__enter__()


@pytest.mark.parametrize(
    ("changes", "silent", "free"),
    [
        ({"host": "elsewhere"}, STALE + 60, True),
        ({"host": "elsewhere"}, STALE_IF_ENDED + 60, False),
        ({"pid": 2**22 + 1}, STALE_IF_ENDED + 60, True),  # no process has so high a number
        ({"pid": 2**22 + 1}, 1, False),
        ({}, STALE + 60, True),  # asleep
        ({}, STALE_IF_ENDED + 60, False),
    ],
)
def test_a_lock_without_a_sign_of_life_is_taken_over(tmp_path, changes, silent, free):
    with held(tmp_path, "a"):
        silent_for(note(tmp_path, **changes), silent)
        if free:
            with held(tmp_path, "a") as ours:
                assert holder_of(tmp_path, "a") == ours
        else:
            with pytest.raises(LockedError):
                held(tmp_path, "a").__enter__()


def test_whoever_was_replaced_removes_nothing_of_the_next(tmp_path, quick):
    with held(tmp_path, "a"):
        silent_for(note(tmp_path, host="elsewhere"), 2 * STALE)
        nexts = held(tmp_path, "a")
        ours = nexts.__enter__()
        locks._beats._notes.clear()
    assert holder_of(tmp_path, "a") == ours
    with pytest.raises(LockedError):
        held(tmp_path, "a").__enter__()
    nexts.__exit__(None, None, None)


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "No locks available"), NotImplementedError("no flock")])
def test_without_flock_the_existence_of_a_file_is_the_lock(tmp_path, monkeypatch, error):
    def refuse(lock, timeout):
        raise error

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with held(tmp_path, "a"):
        assert (tmp_path / "a.soft").exists()
        with pytest.raises(LockedError):
            held(tmp_path, "a").__enter__()
        silent_for(note(tmp_path, host="elsewhere"), 2 * STALE)
        with held(tmp_path, "a"):  # of a node that died
            pass


def test_other_errors_are_not_taken_for_a_missing_flock(tmp_path, monkeypatch):
    def refuse(lock, timeout):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    with pytest.raises(OSError, match="Read-only"):
        held(tmp_path, "a").__enter__()


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"pid": "x"}', '{"pid": 1, "step": 0}', "[" * 10**5])
def test_a_note_that_is_none_names_nobody(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    assert holder_of(tmp_path, "a") is None


def test_a_process_that_has_ended_is_known_by_its_number():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert Holder(pid=child.pid).ended
    assert not Holder().ended
    assert not Holder(pid=child.pid, host="elsewhere").ended
