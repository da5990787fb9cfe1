"""Does recurrence improve forecasts? Informer, LogSparse and Transformer-XL with and without RSA, and baselines."""

from pathlib import Path

from inductive_bias.studies.forecasting.claims import CLAIMS
from inductive_bias.studies.forecasting.design import DESIGN, TUNING
from inductive_bias.studies.forecasting.tables import TABLES
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="forecasting",
    question="Does recurrence improve time series forecasting?",
    part="Recurrence inside attention",
    design=DESIGN,
    pages=(
        Page(
            "attention/forecasting",
            question="Does recurrence improve time series forecasting?",
            tests="RSA lowers the errors of three forecasters on four tables",
        ),
    ),
    claims=CLAIMS,
    tables=TABLES,
    tuning=TUNING,
    paper=Path(__file__).parent / "paper.csv",
    min_seeds=3,
    sizes={
        "smoke": Size("made-up days with noise", "tiny", "a minute"),
        "laptop": Size(
            "ETTh1, ETTh2, ETTm1 and WTH; at most a week is read", "width 32, 360 steps", "seven hours of one core"
        ),
        "paper": Size("the same with the published windows", "width 512, six epochs"),
    },
)
