"""Every decided claim in a line: the verdict, the sentence, the number, the runs, the size and the chapter."""

import pandas as pd

from inductive_bias.plotting import PageTable, display_table
from inductive_bias.plotting.page import PageHTML
from inductive_bias.studies import study_named
from inductive_bias.verdicts import DECIDED, OWN_WORDS

#: Words of verdicts that answer, for a sentence of a paper and for a question of our own.
ANSWERED = {word for verdict in DECIDED for word in (verdict, OWN_WORDS[verdict])}


def findings(claims: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Decided claims that count, corrected for their number, by parts of the book.

    Args:
        claims: of :func:`~inductive_bias.record.all_claims`.

    Returns:
        Columns ``verdict, sentence, number, runs, seen at, chapter``.
    """
    rows = claims[claims["primary"] & claims["corrected"].isin(ANSWERED)]
    parts = rows["study"].map(lambda name: study_named(name).part)
    return {part: _in_lines(rows[parts == part]) for part in dict.fromkeys(parts)}


def _in_lines(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "verdict": row["corrected"],
                "sentence": f"{row['statement']} ({row['claim']})",
                "number": row["found"],
                "runs": row["finding"].judgement.deciding.n,
                "seen at": row["regime"],
                "chapter": row["chapter"],
            }
            for row in rows.to_dict("records")
        ]
    )


def finding_tables(claims: pd.DataFrame) -> PageHTML:
    """:func:`findings` for a page: a table a part, under its name."""
    tables: list[PageTable] = [display_table(table, part, index=False) for part, table in findings(claims).items()]
    return PageHTML("".join(each.html for each in tables), "\n\n".join(each.text for each in tables))


def findings_in_words(claims: pd.DataFrame) -> str:
    """How many claims are decided, and how many are open."""
    counted = claims[claims["primary"]]
    decided = counted["corrected"].isin(ANSWERED).sum()
    return f"{decided} of {len(counted)} claims are decided; {len(counted) - decided} are open."
