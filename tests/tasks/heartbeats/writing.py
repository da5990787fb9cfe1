"""Records written by tests, and read again byte by byte, after the pages of the WFDB Applications Guide."""

import numpy as np

CODES = {
    "N": 1,
    "L": 2,
    "R": 3,
    "a": 4,
    "V": 5,
    "F": 6,
    "J": 7,
    "A": 8,
    "S": 9,
    "E": 10,
    "j": 11,
    "/": 12,
    "Q": 13,
    "~": 14,
    "B": 25,
    "+": 28,
    "e": 34,
    "f": 38,
}


def header(number, units, *, leads=("MLII", "V1"), rate=360, form=212, remark="69 M 1085 1629 x1"):
    """``units`` is ``[n, 2]``; the sum is kept in 16 bits with a sign."""
    lines = [f"{number} {len(leads)} {rate} {len(units)}"]
    for name, column in zip(leads, units.T, strict=True):
        total = (int(column.sum()) + 2**15) % 2**16 - 2**15
        lines.append(f"{number}.dat {form} 200 11 1024 {column[0]} {total} 0 {name}")
    return "\r\n".join([*lines, f"# {remark}", "# Aldomet, Inderal", ""]).encode()


def format_212(units):
    out = bytearray()
    for one, two in units.tolist():
        one, two = one % 4096, two % 4096
        out += bytes([one % 256, one // 256 + 16 * (two // 256), two % 256])
    return bytes(out)


def read_212(content):
    """The twin of ``leads_of``: a loop over every third byte."""
    rows = []
    for place in range(0, len(content), 3):
        first, both, third = content[place : place + 3]
        rows.append([both % 16 * 256 + first, both // 16 * 256 + third])
    return np.array([[each - 4096 if each >= 2048 else each for each in row] for row in rows])


def word(code, value):
    return (code * 1024 + value).to_bytes(2, "little")


def skip(samples):
    high, low = divmod(samples % 2**32, 2**16)
    return word(59, 0) + high.to_bytes(2, "little") + low.to_bytes(2, "little")


def text(content):
    return word(63, len(content)) + content + b"\0" * (len(content) % 2)


def annotations(marks, *, end=b"\0\0"):
    """Of ``(sample, symbol)`` in order; a pause that ten bits cannot hold is skipped first."""
    out, before = word(CODES["+"], 18) + text(b"(N\0"), 18
    for sample, symbol in marks:
        pause, before = sample - before, sample
        out += word(CODES[symbol], pause) if 0 <= pause < 1024 else skip(pause) + word(CODES[symbol], 0)
    return out + end


def low_passed(beat):
    """The twin of the filter: a windowed sinc of 41 values whose sum is 1, over zeros beyond the beat."""
    kernel = np.sinc(np.arange(-20, 21) / 2) * np.kaiser(41, 5.0)
    kernel /= kernel.sum()
    wide = np.concatenate([np.zeros(20), beat, np.zeros(20)])
    return np.array([np.dot(kernel[::-1], wide[place : place + 41]) for place in range(0, len(beat), 2)])
