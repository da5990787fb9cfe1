"""Every decided claim in a line: the verdict, the sentence, the number, the runs, the size and the chapter."""

import html
from collections.abc import Mapping

import pandas as pd

from inductive_bias.plotting import verdict_badge
from inductive_bias.plotting.page import PageHTML
from inductive_bias.record.chapters import chapter_numbers
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
    """:func:`findings` for a page that can be printed: a table a part, under its name."""
    tables, lines = [], []
    numbers = chapter_numbers()
    columns = ("finding", "number", "runs", "seen at", "chapter")
    head = "".join(f'<th scope="col">{words}</th>' for words in columns)
    for part, table in findings(claims).items():
        rows = table.to_dict("records")
        body = "".join(_row(row, numbers) for row in rows)
        tables.append(
            f'<table class="findings" data-live><caption>{html.escape(part)}</caption><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
        )
        lines += [part, *(f"{row['verdict']}: {row['sentence']} {row['number']}, {row['runs']} runs" for row in rows)]
    return PageHTML("".join(tables), "\n".join(lines))


def _row(row: Mapping, numbers: Mapping[str, int]) -> str:
    e, chapter = html.escape, row["chapter"]
    # a narrow column may break a line before the interval, nowhere else in a number
    shown = row["number"].replace("\u00a0[", " [", 1)
    cells = {"number": shown, "runs": str(row["runs"]), "seen at": row["seen at"]}
    told = "".join(f'<td data-label="{name}">{e(words)}</td>' for name, words in cells.items())
    number = numbers[chapter.page.removesuffix(".html")]
    link = f'<a href="{e(chapter.page)}" title="{e(chapter.words)}">{number}</a>'
    return (
        f'<tr><th scope="row">{verdict_badge(row["verdict"])} {e(row["sentence"])}</th>{told}'
        f'<td data-label="chapter">{link}</td></tr>'
    )


def findings_in_words(claims: pd.DataFrame) -> str:
    """How many claims are decided, and how many are open."""
    counted = claims[claims["primary"]]
    decided = counted["corrected"].isin(ANSWERED).sum()
    return f"{decided} of {len(counted)} claims are decided; {len(counted) - decided} are open."
