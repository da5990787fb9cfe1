"""When the compiled form of a REM is used, how it is built, and everything that keeps it from being used."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from torch._subclasses import FakeTensorMode

from inductive_bias.errors import SettingError
from inductive_bias.layers import RSAttention, apply_rem, kernel, kernel_status, native
from inductive_bias.layers.kernels import asked, form_for, kernel_versions, only_if_asked
from inductive_bias.layers.native import KernelError


@pytest.fixture
def no_kernel_yet(tmp_path, monkeypatch):
    """A process that has built nothing, with an empty cache."""
    monkeypatch.setenv("INDUCTIVE_BIAS_CACHE", str(tmp_path / "cache"))
    for each in (native.library, native.why_not):
        each.cache_clear()
    yield tmp_path / "cache" / "kernels"
    for each in (native.library, native.why_not):
        each.cache_clear()


class Own(torch.Tensor):
    """A subclass, which may have rules of its own."""


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (torch.zeros(1, 1, 2, 1), "C++"),
        (torch.zeros(1, 1, 2, 1).bfloat16(), "C++"),
        (torch.zeros(1, 1, 2, 1).double(), "C++"),
        (torch.nn.Parameter(torch.zeros(1, 1, 2, 1)), "C++"),
        (torch.zeros(1, 1, 2, 1).half(), "chunks"),
        (torch.zeros(1, 1, 2, 1, device="meta"), "chunks"),
        (torch.zeros(1, 1, 2, 1).as_subclass(Own), "chunks"),
    ],
)
def test_what_the_kernel_takes(values, form, built):
    with kernel(True):
        assert form_for(values, torch.zeros(1, device=values.device)) == form


def test_tensors_without_numbers_pass_through_a_layer(built):
    with kernel(True), FakeTensorMode():
        assert RSAttention(12, 6)(torch.zeros(2, 9, 12)).shape == (2, 9, 12)


@pytest.mark.parametrize(("named", "wanted"), [("", None), ("0", False), ("1", True)])
def test_the_environment_chooses_and_a_block_overrides_it(named, wanted, monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_KERNEL", named)
    assert asked() is wanted
    for on in (True, False):
        with kernel(on):
            assert asked() is on
    with only_if_asked():
        assert asked() is (wanted is True)
    assert asked() is wanted
    assert set(kernel_versions()) == ({"kernel"} if wanted else set())


def test_another_word_in_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv("INDUCTIVE_BIAS_KERNEL", "yes")
    with pytest.raises(SettingError, match="INDUCTIVE_BIAS_KERNEL must be 0, 1 or empty, not 'yes'"):
        RSAttention(12, 6)(torch.zeros(1, 2, 12))


def test_switched_off_nothing_is_built(no_kernel_yet):
    with kernel(False):
        RSAttention(12, 6)(torch.zeros(1, 2, 12))
        assert kernel_status() == "chunks: the kernel is switched off"
    assert not no_kernel_yet.exists()


def test_without_a_compiler_the_chunks_give_the_same(no_kernel_yet, monkeypatch):
    torch.manual_seed(0)
    layer, x = RSAttention(12, 6), torch.randn(2, 40, 12)
    with kernel(False):
        want = layer(x)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert torch.equal(layer(x), want)
    assert kernel_status() == "chunks: there is no C++ compiler here (c++, g++, clang++)"
    with kernel(True), pytest.raises(KernelError, match=r"there is no C\+\+ compiler here"):
        layer(x)


def test_a_compiler_that_fails_is_told_and_not_asked_again(no_kernel_yet, tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    broken = tmp_path / "broken"
    broken.write_text(f"#!/bin/sh\necho called >> {calls}\necho no such language >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    for _ in range(3):
        apply_rem(torch.zeros(1, 1, 2, 1), "real", torch.tensor([0.5]), None)
    assert kernel_status() == f"chunks: {broken} failed to build the kernel: no such language"
    assert len(calls.read_text().split()) == len(native.FLAGS)
    assert list(no_kernel_yet.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_no_error(no_kernel_yet):
    no_kernel_yet.parent.write_text("a file where the folder should be")
    apply_rem(torch.zeros(1, 1, 2, 1), "real", torch.tensor([0.5]), None)
    assert kernel_status().startswith("chunks: the kernel cannot be built")


@pytest.fixture
def quick_build(monkeypatch, built):
    """Builds that only copy the one that is there."""
    good = Path(native.library()._name).read_bytes()

    def compile_(command):
        Path(command[-1]).write_bytes(good)

    monkeypatch.setattr(native, "_compile", compile_)
    return good


@pytest.mark.parametrize("damage", [b"", b"\x7fELF", b"nonsense" * 9])
def test_a_damaged_build_is_built_again(quick_build, no_kernel_yet, damage):
    native.library()
    (path,) = no_kernel_yet.iterdir()
    path.unlink()  # this process still has the good one in its memory
    path.write_bytes(damage)
    native.library.cache_clear()
    assert apply_rem(torch.ones(1, 1, 2, 1), "real", torch.tensor([0.5]), None)[0, 0, 1, 0] == 0.5
    assert [each.read_bytes() == quick_build for each in no_kernel_yet.iterdir()] == [True]


def test_a_build_is_used_again_without_a_compiler(quick_build, no_kernel_yet, monkeypatch):
    native.library()
    native.library.cache_clear()
    monkeypatch.setenv("PATH", "")
    native.library()


def test_a_build_is_the_users_alone_whatever_the_mask(quick_build, no_kernel_yet):
    before = os.umask(0)
    try:
        native.library()
    finally:
        os.umask(before)
    (path,) = no_kernel_yet.iterdir()
    assert [each.stat().st_mode & 0o077 for each in (path, no_kernel_yet)] == [0, 0]


def test_a_build_that_others_could_have_written_is_not_loaded(quick_build, no_kernel_yet, monkeypatch):
    native.library()
    (path,) = no_kernel_yet.iterdir()
    path.chmod(0o722)
    native.library.cache_clear()
    loaded = []
    load = native._loaded
    monkeypatch.setattr(native, "_loaded", lambda path: loaded.append(path.stat().st_mode & 0o022) or load(path))
    native.library()
    assert loaded == [0]  # it was built again


@pytest.mark.parametrize("change", ["mode", "owner"])
def test_nothing_is_loaded_from_a_folder_of_somebody_else(quick_build, no_kernel_yet, monkeypatch, change):
    native.library()
    if change == "mode":
        no_kernel_yet.chmod(0o777)
    else:
        monkeypatch.setattr(native.os, "getuid", lambda: no_kernel_yet.stat().st_uid + 1)
    native.library.cache_clear()
    monkeypatch.setattr(native, "_loaded", lambda path: pytest.fail(f"{path} was loaded"))
    with pytest.raises(KernelError, match="belongs to somebody else, or others can write in it"):
        native.library()
    apply_rem(torch.zeros(1, 1, 2, 1), "real", torch.tensor([0.5]), None)  # in chunks
    assert kernel_status().startswith("chunks: ")


def test_another_source_or_processor_has_a_build_of_its_own(quick_build, no_kernel_yet, monkeypatch):
    native.library()
    monkeypatch.setattr(native, "source", lambda: b"other")
    native.library.cache_clear()
    native.library()
    monkeypatch.setattr(native, "_processor", lambda: (b"other",))
    native.library.cache_clear()
    native.library()
    assert len(list(no_kernel_yet.iterdir())) == 3


def test_builds_at_once_do_not_disturb_one_another(quick_build, no_kernel_yet, monkeypatch):
    together, build = threading.Barrier(4, timeout=60), native._compile
    monkeypatch.setattr(native, "_compile", lambda command: (together.wait(), build(command))[1])
    with ThreadPoolExecutor(4) as threads:
        found = [each.result() for each in [threads.submit(native.library.__wrapped__) for _ in range(4)]]
    assert all(each.rem_float32 for each in found)
    assert [each.read_bytes() == quick_build for each in no_kernel_yet.iterdir()] == [True]
