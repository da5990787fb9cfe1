"""Tables behind the figures of the page on speed, made from the runs and from the benchmark of speed."""

from collections.abc import Sequence

import pandas as pd

from inductive_bias.protocols.automata import EVALUATIONS
from inductive_bias.protocols.automata import SOLVED as ENOUGH
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata.design import DECODING, FEW, KEPT, LSTM, MEMORY, STEP, Shape, named
from inductive_bias.studies.automata.figures.depth import learning, scores
from inductive_bias.studies.automata.measures.products import TRAINING as PASSES
from inductive_bias.studies.automata.measures.products import products, seen
from inductive_bias.studies.results import Results
from inductive_bias.studies.timings import INFERENCE, TRAINING

#: How far apart the runs of a model stand, where the next model is one away.
SPREAD = 0.12
#: What tells a run from the others.
RUN = ["automaton", "model", "layers", "number"]


def by_length(table: pd.DataFrame, measures: str | Sequence[str]) -> pd.DataFrame:
    """Every repeat of some measures: ``measure, model, length, repeat, value, ratio``."""
    wanted = [measures] if isinstance(measures, str) else list(measures)
    rows = table[table["measure"].isin(wanted)]
    found = rows.assign(length=rows["size"].astype(int))
    return found[["measure", "model", "length", "repeat", "value", "ratio"]].reset_index(drop=True)


def counted(shape: Shape, lengths: Sequence[int]) -> pd.DataFrame:
    """Multiplications per token that the models ask for: ``measure, model, length, value``, and ``ratio`` to the LSTM.

    Of a whole sequence each token sees half of the keys on average; a token more sees all of them.
    """
    specs, rows = shape.specs, []
    for length in lengths:
        kinds = {TRAINING: (PASSES, seen(length)), INFERENCE: (1, seen(length)), DECODING: (1, length + 1)}
        for measure, (times, keys) in kinds.items():
            found = {name: times * products(spec, outputs=shape.symbols, keys=keys) for name, spec in specs.items()}
            rows += [
                {"measure": measure, "model": name, "length": length, "value": value, "ratio": value / found[LSTM]}
                for name, value in found.items()
            ]
    return pd.DataFrame(rows)


def both(table: pd.DataFrame, shape: Shape, lengths: Sequence[int]) -> pd.DataFrame:
    """What was measured and what is counted, of training, inference and decoding: ``what`` is the row of a figure.

    Microseconds, and millions of multiplications, per token.
    """
    measured = by_length(table, [TRAINING, INFERENCE, DECODING]).assign(what="measured (µs)")
    asked = counted(shape, lengths).assign(what="counted (10⁶ products)")
    measured["value"] *= 1e6
    asked["value"] /= 1e6
    return pd.concat([measured, asked], ignore_index=True)


def apart(table: pd.DataFrame, shape: Shape, lengths: Sequence[int]) -> pd.DataFrame:
    """Time over the LSTM's as the product of two parts: a row per measure, model and length.

    Columns ``measured`` (the median of the ratios), ``the model's part`` (multiplications over the LSTM's) and ``the
    machine's part`` (how much longer one takes than one of the LSTM's).
    """
    asked = counted(shape, lengths).set_index(["measure", "model", "length"])["ratio"]
    found = by_length(table, [TRAINING, INFERENCE, DECODING])
    found = found[found["length"].isin(lengths) & (found["model"] != LSTM)]
    measured = found.groupby(["measure", "model", "length"], sort=False)["ratio"].median()
    parts = pd.DataFrame({"measured": measured, "the model’s part": asked.reindex(measured.index)})
    return parts.assign(**{"the machine’s part": parts["measured"] / parts["the model’s part"]}).reset_index()


def per_product(table: pd.DataFrame, shape: Shape, lengths: Sequence[int]) -> pd.DataFrame:
    """Picoseconds of training per multiplication, every repeat: what is left of the time when the count is taken out.

    Columns ``model, length, repeat, sequences`` and ``value``; ``sequences`` says whether steps of every length have
    equally many tokens, or as few sequences as the longest.
    """
    ways = {TRAINING: "as many tokens at every length", FEW: "as few sequences at every length"}
    found = by_length(table, list(ways))
    asked = counted(shape, lengths)
    asked = asked[asked["measure"] == TRAINING].set_index(["model", "length"])["value"]
    at = pd.MultiIndex.from_frame(found[["model", "length"]])
    return found.assign(
        value=1e12 * found["value"] / asked.reindex(at).to_numpy(), sequences=found["measure"].map(ways)
    )


def memory(table: pd.DataFrame) -> pd.DataFrame:
    """Kibibytes: at the peak of a training pass per token, and kept after n tokens: ``what, model, length, value``."""
    ways = {MEMORY: "training, per token", KEPT: "kept after n tokens"}
    found = by_length(table, list(ways))
    found = found[found["repeat"] == found["repeat"].min()]
    return found.assign(what=found["measure"].map(ways), value=found["value"] / 1024)


def medians(table: pd.DataFrame, lengths: Sequence[int]) -> pd.DataFrame:
    """Microseconds per token of training and inference and of one more token, medians: a row per model and length."""
    found = by_length(table, [TRAINING, INFERENCE, DECODING])
    found = found[found["length"].isin(lengths)]
    middle = found.groupby(["model", "length", "measure"], sort=False)["value"].median() * 1e6
    return middle.unstack("measure")[[TRAINING, INFERENCE, DECODING]].rename_axis(columns=None).reset_index()


def to_target(results: Results, table: pd.DataFrame) -> pd.DataFrame:
    """Every run of the study: ``automaton, model, layers, number, steps, reached, seconds, value, name, place``.

    ``reached`` is whether it simulated its automaton: the last looks at the validation words found enough of the states
    right, and training ended; without that all steps are made. ``seconds`` are its steps times the median time of one,
    measured apart from the training: runs are trained beside others and on other days. ``value`` is the share of the
    last quarter's states; ``place`` where a figure draws the run: models side by side, and the runs of each.

    Args:
        results: of the study.
        table: of the benchmark, with the steps of this scale's models.
    """
    last = learning(results).sort_values("epoch").groupby(RUN, observed=True)["value"].apply(_simulated)
    found = results.frame("steps", split="train")[[*RUN, "value"]].rename(columns={"value": "steps"})
    found = found.merge(scores(results, LAST_QUARTER)[[*RUN, "value"]], on=RUN)
    found = found.join(last.rename("reached"), on=RUN)
    found["reached"] = found["reached"].eq(True)  # a run that diverged at once has no look
    steps = table[table["measure"] == STEP].groupby("model")["value"].median()
    names = [named(model, layers) for model, layers in zip(found["model"], found["layers"], strict=True)]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    middle = found.groupby(RUN[:-1], observed=True)["number"].transform("mean")
    beside = pd.Series(names, index=found.index).map(places) + SPREAD * (found["number"] - middle)
    return found.assign(seconds=found["steps"] * steps.reindex(names).to_numpy(), name=names, place=beside)


def _simulated(values: pd.Series) -> bool:
    return len(values) >= EVALUATIONS and bool((values.tail(EVALUATIONS) >= ENOUGH).all())


def waiting(found: pd.DataFrame) -> pd.DataFrame:
    """A row per automaton and model: runs that simulate it, and the median minutes of those that do.

    Args:
        found: of :func:`to_target`.
    """
    rows = []
    for (automaton, name), runs in found.groupby(["automaton", "name"], observed=True, sort=False):
        reached = runs[runs["reached"]]
        rows.append(
            {
                "automaton": automaton,
                "model": name,
                "runs": f"{len(reached)} of {len(runs)}",
                "minutes": reached["seconds"].median() / 60,
                "steps": reached["steps"].median(),
                "ms per step": 1e3 * (runs["seconds"] / runs["steps"]).iloc[0],
            }
        )
    return pd.DataFrame(rows)
