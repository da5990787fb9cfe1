"""How often a rule itself decides wrongly: what `data/results/verdict_errors.csv` says of simulated claims."""

import pandas as pd

from inductive_bias import places
from inductive_bias.plotting import PageTable, display_table, paragraph
from inductive_bias.plotting.page import PageHTML

FILE = "verdict_errors.csv"
#: What a row of the table is about, beside its number of runs.
ABOUT = ("rule", "outcomes", "items", "looks")


def error_rates() -> pd.DataFrame:
    """Simulated shares of wrong decisions where the truth lies at the margin; empty if none were simulated.

    Returns:
        One row a rule and kind of outcomes: ``rule, outcomes``, ``items`` and ``looks`` where they differ, and a column
        for each number of runs with a share in percent.
    """
    path = places.published(FILE)
    if not path.is_file():
        return pd.DataFrame()
    table = pd.read_csv(path, comment="#", dtype={name: str for name in ABOUT}, keep_default_na=False)
    about = [name for name in ABOUT if name in ("rule", "outcomes") or table[name].nunique() > 1]
    order = table[about].drop_duplicates()
    table["wrong"] = 100 * pd.to_numeric(table["wrong"])
    wide = table.pivot_table(index=about, columns="runs", values="wrong", sort=False).sort_index(axis=1)
    wide.columns = [f"{runs} runs, %" for runs in wide.columns]
    return order.merge(wide.reset_index(), "left", about, validate="one_to_one").reset_index(drop=True)


def error_table() -> PageTable | PageHTML:
    """:func:`error_rates` for a page, or a line that says that there are none yet."""
    table = error_rates()
    if table.empty:
        return paragraph("The rules have not been simulated yet.")
    return display_table(table, "Wrong decisions at the margin, in percent; 5 are promised", decimals=1, index=False)
