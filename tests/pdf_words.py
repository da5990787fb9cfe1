"""The words of a PDF that Chromium printed, without a PDF library: enough to see that something is on paper."""

import re
import unicodedata
import zlib

_OBJECT = re.compile(rb"(?:^|\n)(\d+) 0 obj\b(.*?)\bendobj", re.DOTALL)
_STREAM = re.compile(rb"/Length (\d+)[^<>]*>>\s*stream\r?\n")
_HEX = rb"\s*<([0-9A-Fa-f]+)>"
_PARTS = {b"char": re.compile(_HEX * 2), b"range": re.compile(_HEX * 3)}
_SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>")


def pages_of(pdf: bytes) -> int:
    """How many pages there are."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def words_of(pdf: bytes) -> str:
    """All that is printed, in the order of printing, without white space: see :func:`bare`."""
    objects = dict(_OBJECT.findall(pdf))
    # Skia names a font by the number of its object
    letters = {}
    for number, text in objects.items():
        if found := re.search(rb"/ToUnicode (\d+) 0 R", text):
            letters[b"F" + number] = _letters(_stream(objects[found[1]]))
    shown = []
    for text in objects.values():
        content = _stream(text) if b"stream" in text else b""
        if b"BT" not in content:
            continue
        font = {}
        for name, codes in _SHOWN.findall(content):
            if name:
                font = letters[name]
            else:
                size = len(next(iter(font), b"0000"))  # digits of a code: drawn fonts have two, others four
                shown += [font.get(codes[i : i + size].upper(), "") for i in range(0, len(codes), size)]
    return bare("".join(shown))


def bare(text: str) -> str:
    """Text as it can be compared: no white space, no ligatures, no soft hyphens."""
    return re.sub(r"[\s\u00ad\u200b]+", "", unicodedata.normalize("NFKC", text))


def _stream(text: bytes) -> bytes:
    found = _STREAM.search(text)
    if not found:
        return b""
    content = text[found.end() : found.end() + int(found[1])]
    return zlib.decompress(content) if b"/FlateDecode" in text[: found.end()] else content


def _letters(table: bytes) -> dict[bytes, str]:
    """What each code of a font stands for."""
    letters = {}
    for kind, section in re.findall(rb"beginbf(char|range)(.*?)endbf", table, re.DOTALL):
        for first, *rest in _PARTS[kind].findall(section):
            if kind == b"char":
                letters[first.upper()] = _said(rest[0])
                continue
            last, said = (int(each, 16) for each in rest)
            for step in range(last - int(first, 16) + 1):
                letters[b"%0*X" % (len(first), int(first, 16) + step)] = _said(b"%04X" % (said + step))
    return letters


def _said(codes: bytes) -> str:
    return bytes.fromhex(codes.decode()).decode("utf-16-be")
