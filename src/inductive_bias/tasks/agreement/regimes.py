"""Which rows are trained on and which are tested on, regime by regime, with no preamble on both sides."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inductive_bias.tasks import files, identity
from inductive_bias.tasks.agreement.linzen import read_numpred, read_tsv
from inductive_bias.tasks.agreement.preambles import cut_preambles
from inductive_bias.tasks.agreement.rows import Parsed, Rows, preambles, split_by_preamble, without
from inductive_bias.tasks.agreement.wikipedia import read_wiki_agreement
from inductive_bias.tasks.lines import FileKey, file_key
from inductive_bias.tasks.wikitext import locate_wikitext, read_sentences

TEST_SHARE, VALIDATION_SHARE = 0.18, 0.065  # of numpred.val: about 2,800 and 1,000 rows
SPLIT_SEED = 20_160_601
TSV_SEED, TSV_TRAIN, TSV_VALIDATION = 42, 0.10, 0.01  # as in Abnar et al. (2020); the rest is the test
ATTRACTOR_COUNTS = range(1, 6)

LINZEN, WIKITEXT, ATTRACTORS = "real:linzen", "real:wikitext2", "real:linzen attractors"
WIKIPEDIA = "real:wiki_agreement"
SPLITS = ("train", "validation", "test", "attractors", "wikitext", "wikipedia")


class Reading(NamedTuple):
    """Where files are sought, whether they may be fetched, and whether they may be other ones than the public."""

    where: files.Places
    download: bool
    allow_other: bool


@dataclass
class Gathered:
    """Rows and source of every split, how many rows were left out by reason, and the SHA-256 of every file.

    ``own`` holds the names of files that are not the public ones.
    """

    splits: dict[str, Rows]
    sources: dict[str, str]
    skipped: Counter[str]
    sha256: dict[str, str]
    own: set[str]

    def note(self, parsed: Parsed) -> Rows:
        """The rows of a file or text; what it skipped and its sum are kept."""
        self.skipped.update(parsed.skipped)
        return self.identify(parsed)

    def identify(self, parsed: Parsed) -> Rows:
        """The rows of a file or text; its sum is kept, and its name if it is not the public one."""
        self.sha256.update(parsed.sha256)
        self.own.update(parsed.own)
        return parsed.rows

    def put(self, name: str, rows: Rows, source: str, *, not_in: Collection[str] = (), of: str = "") -> None:
        """Add a split without the preambles ``not_in``, those of ``of``."""
        kept = without(rows, not_in) if not_in else rows
        if dropped := len(rows) - len(kept):
            self.skipped[f"{name}: preamble also in {of}"] += dropped
        self.splits[name], self.sources[name] = kept, source


def gather(
    regime: str, where: files.Places, *, download: bool, attractor_share: float, allow_other: bool = False
) -> Gathered:
    """All rows of a regime, as :class:`inductive_bias.tasks.agreement.Agreement` describes them.

    A preamble that several sets hold stays in one of them. ``numpred.val`` keeps its own; the attractor sets lose what
    is in ``numpred.val``; held-out text loses what is in any of these or in the training text; training text loses
    what is in a test. In ``official`` and ``tsv`` the training rows are all kept, and validation and tests lose them.
    In ``wikipedia`` and ``wiki_agreement`` the test of ``wiki_agreement`` loses what is in another test or in Linzen's
    validation, and its validation and the training rows lose what is in any of these.

    Raises:
        DataError: If a file is missing or not what it should be.
    """
    out, reading = Gathered({}, {}, Counter(), {}, set()), Reading(where, download, allow_other)
    if regime == "tsv":
        for_training = _tsv(out, reading)
    else:
        for_training = _numpred(out, reading, attractor_share, official=regime == "official")
    text = {part: _cut_wikitext(part, reading) for part in ("train", "valid", "test")}
    # the training text is read in every regime
    seen = preambles(*out.splits.values(), for_training, out.identify(text["train"]))
    held_out = [row for part in ("valid", "test") for row in out.note(text[part])]
    out.put("wikitext", held_out, WIKITEXT, not_in=seen, of="another set or the training text")
    if regime == "attractor-rich":
        out.put("train", out.splits["train"] + for_training, f"{LINZEN}+attractors")
    if regime == "wikitext":
        natural = out.splits.pop("train")
        out.put(
            "train", out.note(text["train"]), f"{LINZEN}+wikitext2", not_in=preambles(*out.splits.values()), of="a test"
        )
        out.splits["train"] = natural + out.splits["train"]
    if regime == "wiki_agreement":
        _wikipedia(out, reading, for_training)
    if regime == "wikipedia":
        linzen = out.splits["train"], out.splits["validation"]
        _wikipedia(out, reading, for_training, linzen=linzen, text=out.note(text["train"]))
    out.splits = {name: out.splits[name] for name in SPLITS if name in out.splits}
    out.sources = {name: identity.source_of(source, out.own) for name, source in out.sources.items()}
    return out


def _numpred(out: Gathered, reading: Reading, attractor_share: float, *, official: bool) -> Rows:
    """Natural splits and the attractor test; returns the rows of the attractor sets that are for training."""
    official_split = out.note(read_numpred("val", **reading._asdict()))
    one_percent = preambles(official_split)
    if official:
        out.put("train", out.note(read_numpred("train", **reading._asdict())), LINZEN)
        trained = preambles(out.splits["train"])
        out.put("validation", official_split, LINZEN, not_in=trained, of="train")
        test = out.note(read_numpred("test", **reading._asdict()))
        out.put("test", test, LINZEN, not_in=trained | one_percent, of="train or validation")
    else:
        trained: set[str] = set()
        parts = split_by_preamble(
            official_split, [TEST_SHARE, VALIDATION_SHARE], by=lambda row: row.label, seed=SPLIT_SEED
        )
        for name, rows in zip(("test", "validation", "train"), parts, strict=True):
            out.put(name, rows, LINZEN)
    sets = [
        row
        for count in ATTRACTOR_COUNTS
        for row in out.note(read_numpred(f"test.{count}", attractors=count, **reading._asdict()))
    ]
    out.put("attractors", sets, ATTRACTORS, not_in=one_percent, of="numpred.val")
    for_training, held_out = split_by_preamble(
        out.splits["attractors"], [attractor_share], by=lambda row: row.attractors, seed=SPLIT_SEED
    )
    out.put("attractors", held_out, ATTRACTORS, not_in=trained, of="train")
    return for_training


def _wikipedia(
    out: Gathered, reading: Reading, attractors: Rows, *, linzen: tuple[Rows, Rows] = ([], []), text: Rows = ()
) -> None:
    """Training on ``wiki_agreement``, with more if there is any; all attractor rows are a test.

    Args:
        out: with the tests of Linzen and of WikiText-2.
        reading: how files are read.
        attractors: rows of the attractor sets that other regimes train on.
        linzen: natural rows for training and for validation.
        text: rows cut from WikiText-2 for training.
    """
    parts = {
        part: out.note(read_wiki_agreement(part, reading.where, allow_other=reading.allow_other))
        for part in ("train", "valid", "test")
    }
    training, validation = linzen
    for name in ("train", "validation"):
        out.splits.pop(name)
    out.splits["attractors"] = out.splits["attractors"] + attractors
    seen = preambles(*out.splits.values(), validation)
    out.put("wikipedia", parts["test"], WIKIPEDIA, not_in=seen, of="another test or Linzen's validation")
    source = f"{WIKIPEDIA}+linzen" if training else WIKIPEDIA
    out.put("validation", parts["valid"], source, not_in=preambles(*out.splits.values(), validation), of="another set")
    out.splits["validation"] = [*validation, *out.splits["validation"]]
    source = f"{source}+wikitext2" if text else source
    rows = [*parts["train"], *training, *text]
    out.put("train", rows, source, not_in=preambles(*out.splits.values()), of="validation or a test")


def _tsv(out: Gathered, reading: Reading) -> Rows:
    rows = out.note(read_tsv(**reading._asdict()))
    # the shares and the seed are the paper's; which row falls where is not known to be
    order = np.random.RandomState(TSV_SEED).permutation(len(rows))
    cuts = [round(len(rows) * TSV_TRAIN), round(len(rows) * (TSV_TRAIN + TSV_VALIDATION))]
    train, validation, test = ([rows[i] for i in part] for part in np.split(order, cuts))
    out.put("train", train, LINZEN)
    out.put("validation", validation, LINZEN, not_in=preambles(train), of="train")
    out.put("test", test, LINZEN, not_in=preambles(train, validation), of="train or validation")
    out.put("attractors", [row for row in out.splits["test"] if row.attractors in ATTRACTOR_COUNTS], ATTRACTORS)
    return []


def _cut_wikitext(part: str, reading: Reading) -> Parsed:
    path = locate_wikitext(part, reading.where, download=reading.download)
    return _cut(file_key(path), part, reading.allow_other)


@lru_cache(maxsize=6)
def _cut(key: FileKey, part: str, allow_other: bool) -> Parsed:
    text = read_sentences(key, part, allow_other)
    return Parsed(*cut_preambles(text.sentences), text.sha256, text.own)
