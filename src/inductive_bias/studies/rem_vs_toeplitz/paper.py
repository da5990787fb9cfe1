"""What the paper's authors report of language models in bits per character (section 4 of our notes).

Source: their replies to reviewers (OpenReview 7YfHla7IxBJ). BRT: Block-Recurrent Transformer; XL: Transformer-XL;
TL: the same with a free learnable Toeplitz matrix in place of the REM.
"""

import pandas as pd

# layers: TL-XL, RSA-XL, parameters of RSA-XL, how many more TL-XL has
_TOEPLITZ = {
    8: (1.193, 1.181, 34_139_725, 40_920),
    10: (1.188, 1.170, 40_964_695, 49_104),
    12: (1.183, 1.164, 47_789_665, 57_288),
    14: (1.178, 1.160, 54_614_635, 65_472),
}
# text, layers (None: the final model): BRT, RSA-BRT, extra parameters
_GAINS = (
    ("Enwik8", 8, 1.127, 1.120, 35),
    ("Enwik8", 10, 1.106, 1.104, 45),
    ("Enwik8", 12, 1.098, 1.092, 55),
    ("Enwik8", 14, 1.079, 1.072, 65),
    ("Enwik8", None, 1.0746, 1.0683, None),
    ("Text8", None, 1.1652, 1.1625, None),
)


def against_free_matrix() -> pd.DataFrame:
    """Text8, one row a depth: BPC of both, their difference, and how many more parameters the free matrix has."""
    return pd.DataFrame(
        [
            {"layers": layers, "TL-XL": free, "RSA-XL": rem, "RSA − TL": round(rem - free, 3),
             "parameters of RSA-XL": f"{total:,}", "TL-XL has more": f"{more:,}"}
            for layers, (free, rem, total, more) in _TOEPLITZ.items()
        ]
    )  # fmt: skip


def against_attention() -> pd.DataFrame:
    """One row a model: BPC without and with RSA, the difference, also in percent, and the extra parameters."""
    return pd.DataFrame(
        [
            {"text": text, "layers": str(layers or "final"), "BRT": base, "RSA-BRT": rem,
             "RSA − BRT": round(rem - base, 4), "in percent": f"{100 * (rem / base - 1):+.2f}".replace("-", "−"),
             "extra parameters": "–" if extra is None else f"+{extra}"}
            for text, layers, base, rem, extra in _GAINS
        ]
    )  # fmt: skip
