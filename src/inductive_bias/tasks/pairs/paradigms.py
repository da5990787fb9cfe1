"""The paradigms of BLiMP (Warstadt et al. 2020), the phenomenon that each tests, and the digests of their files.

61 of the 67; the six of ``subject_verb_agreement`` are not among the files that could be had.
"""

import csv
from pathlib import Path

with Path(__file__).with_name("paradigms.csv").open(encoding="utf-8", newline="") as _file:
    _ROWS = tuple(csv.DictReader(line for line in _file if not line.startswith("#")))

#: The phenomenon, as the authors call it, by paradigm.
PHENOMENA: dict[str, str] = {row["paradigm"]: row["phenomenon"] for row in _ROWS}
SHA256: dict[str, tuple[str, ...]] = {f"blimp/{row['paradigm']}.jsonl": (row["sha256"],) for row in _ROWS}
