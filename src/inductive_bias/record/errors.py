"""How often a rule itself decides wrongly: what `data/results/verdict_errors.csv` says of simulated claims."""

import pandas as pd

from inductive_bias import paths
from inductive_bias.plotting import PageTable, display_table, paragraph
from inductive_bias.plotting.page import PageHTML

FILE = "verdict_errors.csv"
#: What a row of the table is about, beside its number of runs; the last two where there are such columns.
ABOUT = ("rule", "outcomes", "items", "looks")
#: Numbers of runs that have a column of their own, and the name of the column of all others: the rule says how many.
RUNS, MORE = (3, 4, 6, 10), "more"


def error_rates() -> pd.DataFrame:
    """Simulated shares of wrong decisions where the truth lies at the margin; empty if none were simulated.

    Returns:
        One row a rule and kind of outcomes: ``rule, outcomes``, ``items`` and ``looks`` where they differ, and a column
        for each number of runs, and one for all larger ones, with a share in percent.
    """
    path = paths.published(FILE)
    if not path.is_file():
        return pd.DataFrame()
    table = pd.read_csv(path, comment="#", dtype={name: str for name in ABOUT}, keep_default_na=False)
    about = [name for name in ABOUT if name in table and (name in ABOUT[:2] or table[name].nunique() > 1)]
    table["wrong"] = 100 * pd.to_numeric(table["wrong"])
    table["column"] = [str(runs) if runs in RUNS else MORE for runs in table["runs"]]
    wide = table.sort_values("runs", kind="stable").pivot_table(
        index=about, columns="column", values="wrong", aggfunc="last", sort=False
    )
    names = [name for name in (*map(str, RUNS), MORE) if name in wide]
    rows = table[about].drop_duplicates()  # as in the file
    return rows.merge(wide[names].reset_index(), "left", about, validate="one_to_one").reset_index(drop=True)


def error_table() -> PageTable | PageHTML:
    """:func:`error_rates` for a page, or a line that says that there are none yet."""
    table = error_rates()
    if table.empty:
        return paragraph("The rules have not been simulated yet.")
    caption = "Wrong decisions at the margin in percent, by number of runs; 5 are promised"
    return display_table(table, caption, decimals=1, index=False)
