"""A function as an editor shows it, every token coloured by what it is worth to a network's answer."""

import matplotlib as mpl
import pandas as pd
from matplotlib.colors import to_hex

from inductive_bias import checks
from inductive_bias.plotting.heat import CHANGES
from inductive_bias.plotting.interactive.base import Choice, PageWidget, Switch, page_widget, rounded

#: Red: a token that speaks for yes; blue: against it.
FOR, AGAINST = map(to_hex, mpl.colormaps[CHANGES]([0.1, 0.9]))
#: Letters at most of a token that is shown whole.
LONGEST = 40
#: Columns that tell where a token stands, which are the same for all networks.
PLACE = ["place", "token", "line", "column", "altered"]


def code_widget(
    data: pd.DataFrame, *, answers: tuple[str, str], instead: str, full: float = 0.3, start: str | None = None
) -> PageWidget:
    """A choice among functions and networks; every token has the colour of its worth, and what was changed a frame.

    Args:
        data: columns ``model, name, kind, place, token, line, column, altered, odds, worth``: of every model and
            function each token in its order, the line and column of its first letter, whether it is what was changed,
            the log odds of the second answer, and by how much they fall without the token.
        answers: the two answers in words.
        instead: a sentence for who has no JavaScript.
        full: the worth from which on a token has the full colour, of every function and network: .3 turns one half into
            .57.
        start: the model that is chosen at first; None for the first one.

    Raises:
        ValueError: if ``full`` is not positive, there is no function, or models do not read the same tokens.
    """
    checks.number("full", full, low=0, above=True)
    models, names = (list(dict.fromkeys(data[column])) for column in ("model", "name"))
    if not names:
        raise ValueError("there must be a function to show, but there is none")
    functions = []
    for name in names:
        rows = [data[(data["name"] == name) & (data["model"] == model)].sort_values("place") for model in models]
        first = rows[0]
        if any(each[PLACE].to_numpy().tolist() != first[PLACE].to_numpy().tolist() for each in rows):
            raise ValueError(f"all models must read the same tokens of {name}")
        functions.append(
            {
                "kind": str(first["kind"].iloc[0]),
                "tokens": [
                    [int(line), int(column), _short(token), int(altered)]
                    for line, column, token, altered in first[["line", "column", "token", "altered"]].itertuples(
                        index=False
                    )
                ],
                "odds": [rounded(float(each["odds"].iloc[0])) for each in rows],
                "worth": [[rounded(value) for value in each["worth"]] for each in rows],
            }
        )
    return page_widget(
        "code",
        {"models": models, "names": names, "answers": list(answers), "full": full, "functions": functions},
        controls=[
            Choice("function", "function", names),
            Choice("model", "network", models, start=models.index(start) if start else 0, open=True),
            Switch("bug", "show what was changed"),
        ],
        pictures={
            "code": f"Red: the token makes “{answers[1]}” more likely. Blue: less likely. Framed: what was changed."
        },
        text="Interactive code: what every token of a function is worth to a network’s answer.",
        instead=instead,
        colours=(FOR, AGAINST),
    )


def _short(token: str) -> str:
    token = token.replace("\n", "⏎")
    return token if len(token) <= LONGEST else f"{token[: LONGEST - 2]}…{token[-1]}"
