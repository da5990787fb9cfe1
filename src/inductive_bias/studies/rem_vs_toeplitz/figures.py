"""What the page draws and prints: bits per character by mixer, and beside those of attention alone."""

import pandas as pd

from inductive_bias.formatting import number
from inductive_bias.studies import heads_search
from inductive_bias.studies.frames import mean_std, search_table
from inductive_bias.studies.rem_vs_toeplitz.design import RATE_AND_HEADS, SETTINGS, TUNING, mixer_name, twin_of
from inductive_bias.studies.rem_vs_toeplitz.measures import fewer_bits
from inductive_bias.studies.results import Results


def with_mixer(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with a column of what mixes the tokens, for panels whose titles say the positions."""
    names = list(map(mixer_name, frame["positions"], frame["model"], frame["variant"]))
    return frame.assign(mixer=pd.Categorical(names, list(dict.fromkeys(names)), ordered=True))


def less_twin(frame: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Every ``value`` of :func:`with_mixer` less that of its twin, by number and coordinates; without the twins.

    It has the numbers that the twin has, and NaN where one of the two diverged.
    """
    at = ["number", *by]
    twins = [twin_of(*place) for place in zip(frame["positions"], frame["variant"], strict=True)]
    names = [mixer_name(**twin) for twin in twins]
    values = frame.astype({"mixer": str})[["mixer", *at, "value"]].rename(columns={"mixer": "twin", "value": "twin's"})
    tall = frame.assign(twin=names).merge(values, on=["twin", *at])
    tall = tall[tall["mixer"] != tall["twin"]].assign(value=tall["value"] - tall["twin's"])
    return tall.assign(mixer=tall["mixer"].cat.remove_unused_categories()).drop(columns=["twin", "twin's"])


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


def settings_tried(results: Results) -> pd.DataFrame:
    """The first step of the search: a row a place, ``model``, its settings, ``bits`` and whether it was chosen."""
    return heads_search.settings_tried(results, TUNING, SETTINGS)


def chosen_tried(results: Results) -> pd.DataFrame:
    """The second step of the search, for rate and number of heads: validation bits, a column per rate."""
    return search_table(results, TUNING, search=RATE_AND_HEADS)


def heads_tried(results: Results) -> pd.DataFrame:
    """What heads of RSA gain in the first step: ``kinds, dilation, gate_logit, gain``; see `heads_search`."""
    return heads_search.heads_tried(settings_tried(results), "model")
