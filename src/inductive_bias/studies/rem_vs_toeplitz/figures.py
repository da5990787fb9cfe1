"""What the page draws and prints: bits per character by mixer, and beside those of attention alone."""

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.rem_vs_toeplitz.design import ATTENTION, mixer_name, twin_of
from inductive_bias.studies.rem_vs_toeplitz.measures import fewer_bits
from inductive_bias.studies.results import Results


def with_mixer(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with a column of what mixes the tokens, for panels whose titles say the positions."""
    names = list(map(mixer_name, frame["positions"], frame["model"], frame["variant"]))
    return frame.assign(mixer=pd.Categorical(names, list(dict.fromkeys(names)), ordered=True))


def less_twin(frame: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Every ``value`` of :func:`with_mixer` less that of attention alone, by number and coordinates; without the twin.

    It has the numbers that the twin has, and NaN where one of the two diverged.
    """
    frame = frame[frame["number"].isin(frame.loc[frame["mixer"] == ATTENTION, "number"])]
    wide = frame.pivot(index=["number", *by], columns="mixer", values="value")
    tall = wide.sub(wide[ATTENTION], axis=0).drop(columns=ATTENTION).melt(ignore_index=False).reset_index()
    return tall.assign(mixer=tall["mixer"].cat.remove_unused_categories())


def bpc_table(results: Results) -> pd.DataFrame:
    """One row a cell: test BPC, that with half a window of context or more, and the difference to the twin.

    The difference is given with its paired and its Welch interval, and in percent of the twin's BPC. A diverged run
    counts in it, and is left out of the means.
    """
    rows = []
    for cell in results.cells:
        bits, late = (results.values("bpc", split="test", **cell, **part) for part in ({}, {"part": "second half"}))
        lost = f" ({bits.isna().sum()} diverged)" if bits.isna().any() else ""
        row = {"model": results.design.name(cell), "BPC": mean_std(bits) + lost, "BPC, second half": mean_std(late)}
        if cell != (twin := twin_of(cell["positions"], cell["variant"])):
            pairs, welch = (fewer_bits(results, twin, cell, pairs=each) for each in (True, False))
            share = pairs.estimate / results.values("bpc", split="test", **twin).mean()
            percent = number(100 * share, "+.2f")
            row |= {"− twin, paired": str(pairs), "− twin, Welch": str(welch), "in percent": percent}
        rows.append(row)
    return pd.DataFrame(rows)
