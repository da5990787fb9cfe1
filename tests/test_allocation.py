"""Freed memory stays with a process that trains."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
from inductive_bias.allocation import keep_freed_memory

def held():  # MiB, by proc(5)
    return int(Path("/proc/self/statm").read_text().split()[1]) / 256

if sys.argv[1] == "kept":
    assert keep_freed_memory()
block = bytearray(b"x") * 2**26
before = held()
del block
print(before - held())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left as they are")
@pytest.mark.parametrize(("how", "given_back"), [("untold", 64), ("kept", 0)])
def test_a_large_block_that_is_freed_is_kept(how, given_back):
    found = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
    assert float(found.stdout) == pytest.approx(given_back, abs=2)
