"""A small widget of each kind, for the tests without a browser and with one; ``change`` replaces an argument."""

import numpy as np
import pandas as pd

from inductive_bias.plotting import (
    Played,
    Word,
    automaton_widget,
    beats_widget,
    code_widget,
    flow_widget,
    forecast_widget,
    forest_widget,
    influence_widget,
    plane_widget,
    rem_widget,
    shift_widget,
    slice_widget,
    temperature_widget,
    window_widget,
)


def plane(**change):
    """Two models at two by two places; errors fall with ``samples`` and rise with ``rho``."""
    data = pd.DataFrame(
        {"rho": rho, "samples": n, "model": model, "value": 0.1 * (place + 1) * (1 + rho) / n}
        for rho in (0.0, 1.0)
        for n in (8, 1024)
        for place, model in enumerate(("LSTM", "RSA"))
        for _ in range(3)
    )
    best = data.drop_duplicates(["rho", "samples"])[["rho", "samples", "model"]]
    words = {"rho": "ρ", "samples": "sequences", "value": "excess error"}
    settings = {
        "data": data,
        "best": best,
        "x": "rho",
        "y": "samples",
        "hue": "model",
        "words": words,
        "letters": {"LSTM": "L", "RSA": "R"},
        "instead": "See the figure.",
    }
    return plane_widget(**settings | change)


def slices(**change):
    """Two languages, two models, two lengths."""
    data = pd.DataFrame(
        {"length": length, "language": language, "mixer": mixer, "measure": "whole strings right", "value": 0.5}
        for length in (5.5, 15.5)
        for language in ("parity", "aa")
        for mixer in ("LSTM", "RSA")
    )
    settings = {
        "data": data,
        "along": "length",
        "y": "language",
        "x": "mixer",
        "by": "measure",
        "steps": {5.5: "1–10", 15.5: "11–20"},
        "measures": {"whole strings right": "whole strings right"},
        "reached": 0.99,
        "words": "languages",
        "instead": "See the figure.",
    }
    return slice_widget(**settings | change)


def forest(**change):
    """Three teachers by two measures, of which one has no interval."""
    data = pd.DataFrame(
        [
            (teacher, measure, "minus alone", 0.1, *interval)
            for teacher in ("LSTM", "RSA", "MLP")
            for measure, interval in {
                "A-acc": (0.05, 0.15, "+0.100 [+0.050, +0.150]"),
                "ECE": (-np.inf, np.inf, "+0.100 [−∞, +∞]"),
            }.items()
        ],
        columns=["teacher", "measure", "baseline", "estimate", "low", "high", "text"],
    )
    settings = {
        "data": data,
        "choices": {"teacher": "Teacher", "measure": "Measure"},
        "y": "baseline",
        "better": {"A-acc": 1, "ECE": -1},
        "start": {"teacher": "LSTM", "measure": "A-acc"},
        "words": "{teacher}, {measure}:",
        "instead": "See the table.",
    }
    return forest_widget(**settings | change)


def temperature(**change):
    """Three classes."""
    return temperature_widget(**{"logits": [1.0, 3.0, -2.0], "label": 1, "instead": "See the figure."} | change)


def shift(**change):
    """A diagonal line, and two models at three shifts."""
    data = pd.DataFrame(
        {"shift": by, "model": model, "value": 0.9 - by / 10} for by in (0, 1, 2) for model in ("CNN", "MLP")
    )
    settings = {"image": np.eye(4), "data": data, "hue": "model", "words": "digits", "note": "", "instead": "See."}
    return shift_widget(**settings | change)


def window(**change):
    """The echo at λ = .9 and an error of .01."""
    return window_widget(**{"instead": "See the figure."} | change)


def influence(**change):
    """Six words; the word before makes one easier by 3 bits, the one before that harder by 1."""
    worth = [0.0, 3.0, 2.0]
    data = pd.DataFrame(
        {"model": model, "place": place, "word": word, "context": context, "bits": cost - worth[context]}
        for model, cost in (("RNN", 8.0), ("LSTM", 7.0))
        for place, word in enumerate(("the", "old", "keys", "in", "a", "box"))
        for context in range(min(place, 2) + 1)
    )
    return influence_widget(**{"data": data, "kept": 1, "instead": "See the figure."} | change)


def automaton(**change):
    """Two words of a walk on three cells, with a head that looks at the last wall; a model that is wrong at the end."""
    words = [
        Word(
            [1, 1, 1, 0],
            [1, 2, 2, 1],
            {"1 layer": [1, 2, 2, 0], "2 layers": [1, 2, 2, 1]},
            [[1], [0.4, 0.6], [0, 0.001, 0.999], [0, 0.1, 0.8, 0.1]],
            [-1, 1, 2, 2],
        ),
        Word(
            [0, 0, 1, 1],
            [0, 0, 1, 2],
            {"1 layer": [0, 0, 0, 0], "2 layers": [0, 0, 1, 2]},
            [[1], [0.5, 0.5], [0, 0.9, 0.1], [0, 0.1, 0.1, 0.8]],
            [0, 1, 1, 3],
        ),
    ]
    walk = Played(
        "Grid3",
        ["0", "1", "2"],
        ["left", "right"],
        ["←", "→"],
        [[0, 1], [0, 2], [1, 2]],
        words,
        line=True,
        head="Head 1 of layer 2",
    )
    turn = Played(
        "C2",
        ["0", "1"],
        ["+0", "+1"],
        ["0", "1"],
        [[0, 1], [1, 0]],
        [Word([1, 0, 1, 1], [1, 1, 0, 1], {"1 layer": [1, 1, 0, 0]})] * 2,
    )
    return automaton_widget(**{"played": [walk, turn], "instead": "See the figure."} | change)


def forecast_rows():
    """Two tables, horizons and starts; what came rises by 1 per step, and RSA is half as far off as attention."""
    rows = []
    for data, apart in (("ETTh1", 1.0), ("ETTm1", 0.25)):
        for steps in (4, 8):
            for shift in (0, 1):
                at = {"data": data, "horizon": f"{steps * apart:g} hours", "start": f"day {shift}, 05:00"}
                came = {step: 20.0 + shift + step for step in range(-3, steps + 1)}
                curves = {("", "truth"): came, ("", "last value"): {step: came[0] for step in range(1, steps + 1)}}
                for place, model in enumerate(("Informer", "LogSparse"), start=1):
                    for kind, off in (("Attention", 2.0), ("RSA", 1.0)):
                        curves[model, kind] = {step: came[step] + place * off for step in range(1, steps + 1)}
                rows += [
                    at | {"model": model, "what": what, "hour": step * apart, "value": value}
                    for (model, what), curve in curves.items()
                    for step, value in curve.items()
                ]
    return pd.DataFrame(rows)


def forecasts(**change):
    """Two models, one baseline."""
    settings = {
        "data": forecast_rows(),
        "truth": "truth",
        "models": {"Attention": "#9a4123", "RSA": "#5d2a82"},
        "baselines": ["last value"],
        "instead": "See the figure.",
        "units": dict.fromkeys(("ETTh1", "ETTm1"), ("oil temperature", "°C")),
    }
    return forecast_widget(**settings | change)


def beat_rows():
    """Five samples of two patients' beats, R mark at the second: one has normal and wide ones, the other early ones."""
    peak = {"N": 0.9, "S": 0.7, "V": 0.2}
    courses = pd.DataFrame(
        {"record": record, "kind": kind, "sample": sample, "mean": mean, "low": mean - 0.05, "high": mean + 0.1}
        for record, kind in ((100, "N"), (100, "V"), (232, "S"))
        for sample, mean in enumerate((-0.9, peak[kind], -0.5, record / 1000, -0.9))
    )
    learnt = pd.DataFrame(
        {"kind": kind, "sample": sample, "mean": mean}
        for kind in "NSV"
        for sample, mean in enumerate((-0.8, peak[kind], -0.6, 0.0, -0.8))
    )
    recalls = pd.DataFrame(
        [
            (model, record, kind, beats, value)
            for model, values in (("LSTM", (0.9, 0.25, 0.0)), ("Attention", (1.0, 0.5, 0.125)))
            for (record, kind, beats), value in zip(
                ((100, "N", 2000), (100, "V", 1), (232, "S", 1382)), values, strict=True
            )
        ],
        columns=["model", "record", "kind", "beats", "value"],
    )
    return {"courses": courses, "learnt": learnt, "recalls": recalls}


def beats(**change):
    """Two patients, two models."""
    settings = beat_rows() | {
        "patients": {100: "record 100, man of 69", 232: "record 232, woman of 76"},
        "kinds": {"N": "normal", "S": "supraventricular", "V": "ventricular"},
        "colours": {"LSTM": "#155fc4", "Attention": "#9a4123"},
        "mark": 1,
        "rate": 10.0,
        "instead": "See the figure.",
    }
    return beats_widget(**settings | change)


def code_rows():
    """Two models, a function of two lines."""
    tokens = [
        ("def", 0, 0),
        ("f", 0, 4),
        ("(", 0, 5),
        ("low", 0, 6),
        (")", 0, 9),
        (":", 0, 10),
        ("return", 1, 4),
        ("low", 1, 11),
        ("-", 1, 15),
        ("'a long text of more than forty letters, it is'", 1, 17),
    ]
    return pd.DataFrame(
        {
            "model": model,
            "name": "m.py, f",
            "kind": "swapped operands",
            "place": place,
            "token": token,
            "line": line,
            "column": column,
            "altered": place >= 7,
            "odds": 1.5 - number,
            "worth": (place - 4) / 10,
        }
        for number, model in enumerate(("Transformer", "RSA"))
        for place, (token, line, column) in enumerate(tokens)
    )


def code(**change):
    return code_widget(
        **{"data": code_rows(), "answers": ("as it was", "changed"), "instead": "See the figure."} | change
    )


def flow(**change):
    """Three words, of which the last asks for the first."""
    words = {
        "words": ("a", "bc", "d"),
        "meanings": {"a": ((1.0,), (0.0,)), "bc": ((0.0,), (0.5,)), "d": ((-1.0,), (2.0,))},
        "followed": 0,
        "decay": 0.5,
        "instead": "See the figure.",
    }
    return flow_widget(**words | change)


WIDGETS = {
    "rem": rem_widget,
    "plane": plane,
    "slices": slices,
    "forest": forest,
    "temperature": temperature,
    "shift": shift,
    "window": window,
    "influence": influence,
    "automaton": automaton,
    "forecast": forecasts,
    "beats": beats,
    "code": code,
    "flow": flow,
}
