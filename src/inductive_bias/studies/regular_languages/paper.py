"""What is published of these languages: string accuracies of a Transformer (Bhattamishra, Ahuja & Goyal 2020).

As tabulated by Sarrof et al. (2024) from that paper; of each language the better of causal mask only (``mask``) and
sinusoidal positions (``sinusoidal``), the better epoch of each bin chosen on that bin. Of the LSTM the paper's abstract
says that it is nearly perfect on the regular ones; its numbers, and those of RSA, are not known to us.
"""

import pandas as pd

from inductive_bias.tasks.formal import LanguageName

# in-distribution, longer, longest (None: not reported), positions ("": not said)
_TRANSFORMER: dict[LanguageName, tuple[float, float, float | None, str]] = {
    "dyck_1": (100.0, 100.0, 100.0, ""),
    "anbncn": (100.0, 100.0, 100.0, ""),
    "tomita_1": (100.0, 100.0, None, "mask"),
    "tomita_2": (100.0, 100.0, None, ""),
    "tomita_4": (100.0, 92.4, None, "sinusoidal"),
    "tomita_7": (100.0, 100.0, None, "mask"),
    "d_2": (74.6, 3.1, None, "mask"),
    "d_3": (80.9, 8.5, None, "mask"),
    "d_4": (90.2, 3.3, None, "mask"),
    "parity": (68.7, 0.0, None, "mask"),
    "aa": (100.0, 0.0, None, "mask"),
    "abab": (100.0, 2.5, None, "mask"),
    "tomita_3": (75.4, 10.8, None, "mask"),
    "tomita_5": (29.3, 0.0, None, "mask"),
    "tomita_6": (88.8, 0.0, None, "sinusoidal"),
}
SPLITS = ("validation", "longer", "longest")


def paper_table() -> pd.DataFrame:
    """One row a number: ``language, split, value`` (a share, not per cent) and ``positions``."""
    return pd.DataFrame(
        [
            {"language": language, "split": split, "value": value / 100, "positions": positions}
            for language, (*values, positions) in _TRANSFORMER.items()
            for split, value in zip(SPLITS, values, strict=True)
            if value is not None
        ]
    )


def reported(language: LanguageName, split: str) -> float | None:
    """The Transformer's string accuracy as a share, or None where it is not reported."""
    table = paper_table()
    row = table[(table["language"] == language) & (table["split"] == split)]
    return None if row.empty else float(row["value"].iloc[0])
