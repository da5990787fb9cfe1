"""From the study's results to the tidy frames that its figures draw and the tables beside them print."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from inductive_bias.analysis import Interval
from inductive_bias.protocols.batching import EPOCH_STEPS
from inductive_bias.studies.claims import signed
from inductive_bias.studies.frames import mean_std
from inductive_bias.studies.signal_vs_samples import measures
from inductive_bias.studies.signal_vs_samples.design import (
    ALONE,
    ALONE_SMALL,
    CONTROLS,
    MODELS,
    SIZES,
    SMALL,
    TWIN,
    Place,
)
from inductive_bias.studies.study import Results
from inductive_bias.tasks import MixedSignal
from inductive_bias.tasks.signals.mixed import draw, parts_of

#: Letters for the map of winners.
SHORT = {"LSTM": "L", "Linear RNN": "N", "Transformer": "T", "RSA": "R"}
#: What an error owes to either part, and the words for it.
PARTS = {"recurrent_error": "owed to the drives (recurrent part)", "lookup_error": "owed to keys and values (lookup)"}


def plane_means(results: Results, model: str, metric: str = "excess_error") -> pd.DataFrame:
    """Mean error over the seeds that did not diverge: a row a sample size, the largest on top, and a column a ρ."""
    table = measures.error_table(results, metric)
    rows = table[table["model"] == model]
    return _as_map(rows.groupby(["size", "rho"])["value"].mean().unstack())


def twin_ratios(results: Results, first: str = "RSA", second: str = TWIN) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean log₂ of the ratio of two models' errors by size and ρ, and the same as words, in brackets where it is open.

    Open means that the paired 95 % interval over seeds holds 0.
    """
    found = {
        (size, rho): measures.log_ratio(results, Place(first, rho, size), Place(second, rho, size))
        for size in _samples(results)
        for rho in _shares(results)
    }
    numbers = pd.Series({place: each.mean for place, each in found.items()}).unstack()
    words = pd.Series({place: _bracketed(each) for place, each in found.items()}).unstack()
    return _as_map(numbers), _as_map(words)


def winners(results: Results, models: Sequence[str] = tuple(MODELS)) -> dict[tuple[str, str], list[str]]:
    """The best models at every (n, ρ), keyed by the labels of :func:`plane_means`, the best first.

    The best has the lowest mean log error over seeds. Another is tied with it where the paired interval of the log
    ratio of both errors holds 0. A model of which no run has a finite error is no candidate.
    """
    best = {}
    for size in _samples(results):
        for rho in _shares(results):
            levels = {name: _log_level(results, Place(name, rho, size)) for name in models}
            order = sorted((name for name in models if np.isfinite(levels[name])), key=levels.get)
            tied = [name for name in order[1:] if _tied(results, Place(name, rho, size), order[0])]
            best[_size_label(size), _rho_label(rho)] = [*order[:1], *tied]
    return best


def sample_curves(results: Results, rho: float, metric: str = "excess_error") -> pd.DataFrame:
    """Test error of every seed by sample size, all models of the plane: ``cell, seed, n, value``."""
    table = measures.error_table(results, metric)
    table = table[table["model"].isin(MODELS) & (table["rho"] == rho)]
    return table.rename(columns={"model": "cell", "size": "n"})[["cell", "seed", "n", "value"]]


def gate_curves(results: Results) -> dict[str, pd.DataFrame]:
    """Final gate of every seed by ρ, at every sample size by its label: ``cell, seed, rho, value``."""
    table = measures.gates(results).assign(cell="RSA")
    columns = ["cell", "seed", "rho", "value"]
    return {_size_label(size): table.loc[table["size"] == size, columns] for size in _samples(results)}


def start_curves(results: Results) -> pd.DataFrame:
    """Validation error over training from both kinds of starting decays, ρ = 1: ``cell, seed, step, value``."""
    size = SIZES[results.scale].control_size
    places = [Place(name, 1.0, size) for name in ("RSA", SMALL, ALONE, ALONE_SMALL)]
    return measures.validation_curves(results, places, EPOCH_STEPS)


def decay_curves(results: Results, models: Sequence[str] = ("RSA", SMALL)) -> pd.DataFrame:
    """The largest |λ| or γ of all heads over training, ρ = 1: ``cell, seed, step, value``."""
    size = SIZES[results.scale].control_size
    rows = results.rows
    rows = rows[(rows["metric"] == "decay") & rows["epoch"].notna()]
    frames = []
    for model in models:
        found = rows[rows["cell"] == Place(model, 1.0, size).cell]
        largest = found.assign(value=found["value"].abs()).groupby(["seed", "epoch"], as_index=False)["value"].max()
        frames.append(largest.assign(cell=model, step=(largest["epoch"] * EPOCH_STEPS).astype(int)))
    return pd.concat(frames, ignore_index=True)[["cell", "seed", "step", "value"]]


def plane_table(results: Results, rho: float) -> pd.DataFrame:
    """Mean ± standard deviation of the error at one ρ: one row a model and one column a size."""
    table = measures.error_table(results)
    table = table[(table["rho"] == rho) & table["size"].isin(_samples(results))]
    rows = []
    for model in MODELS:
        own = table[table["model"] == model]
        row = {"model": model}
        for size in _samples(results):
            row[_size_label(size)] = mean_std(own.loc[own["size"] == size, "value"])
        rows.append(row)
    return pd.DataFrame(rows)


def need_table(results: Results) -> pd.DataFrame:
    """Sequences needed to reach the goal: geometric means over seeds, ``>`` where some seed never does."""
    table = measures.needs(results)
    rows = []
    for rho in _shares(results):
        row: dict[str, object] = {"ρ": f"{rho:g}"}
        for model in MODELS:
            own = table[(table["rho"] == rho) & (table["model"] == model) & np.isfinite(table["value"])]
            row[model] = _need(own)
        rows.append(row)
    return pd.DataFrame(rows)


def gate_table(results: Results) -> pd.DataFrame:
    """Final gate, mean ± standard deviation: one row a ρ and one column a size."""
    table = measures.gates(results)
    rows = []
    for rho in _shares(results):
        own = table[table["rho"] == rho]
        by_size = {_size_label(n): mean_std(own.loc[own["size"] == n, "value"], 2) for n in _samples(results)}
        rows.append({"ρ": f"{rho:g}"} | by_size)
    return pd.DataFrame(rows)


def control_table(results: Results) -> pd.DataFrame:
    """The cells beside the plane, each with the one that it varies: error, and log₂ of the ratio to that."""
    size = SIZES[results.scale].control_size
    varied = {SMALL: "RSA", ALONE_SMALL: ALONE, ALONE: "RSA"} | {name: TWIN for name in CONTROLS if TWIN in name}
    rows = []
    for name, (_, shares) in CONTROLS.items():
        for rho in shares:
            place, base = Place(name, rho, size), Place(varied[name], rho, size)
            rows.append(
                {"model": name, "ρ": f"{rho:g}", "error": mean_std(measures.values(results, place)),
                 "against": base.model, "its error": mean_std(measures.values(results, base)),
                 "log₂ of the ratio": signed(measures.log_ratio(results, place, base), 2)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def example_signal(setting: MixedSignal, *, sequence: int = 0) -> pd.DataFrame:
    """The two parts of one training sequence's target at its scored positions, and three mixtures: ``position, …``."""
    recurrent, lookup = (part[sequence] for part in parts_of(setting, draw(setting, "train", sequence + 1)))
    frame = {"position": np.arange(setting.length - setting.scored, setting.length)}
    for rho in (1.0, 0.5, 0.0):
        frame[_rho_label(rho)] = np.sqrt(rho) * recurrent + np.sqrt(1 - rho) * lookup
    return pd.DataFrame(frame)


def _need(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "–"
    middle = 2 ** np.log2(rows["value"]).mean()
    if not rows["reached"].any():
        return "never"
    return f"{'' if rows['reached'].all() else '> '}{middle:.0f}"


def _tied(results: Results, place: Place, best: str) -> bool:
    """Whether the interval of the log ratio to the best holds 0; one seed left, or none, settles nothing."""
    ratio = measures.log_ratio(results, place, place._replace(model=best))
    return not (np.isfinite(ratio.low) and ratio.low > 0)


def _log_level(results: Results, place: Place) -> float:
    found = measures.values(results, place)
    found = found[np.isfinite(found)]
    return float(np.log2(found).mean()) if len(found) else float("nan")


def _bracketed(ratio: Interval) -> str:
    if not np.isfinite(ratio.mean):
        return "–"
    text = f"{ratio.mean:+.1f}".replace("-", "−")
    return text if ratio.low > 0 or ratio.high < 0 else f"({text})"


def _as_map(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows labelled by n from the largest down, columns by ρ from the left."""
    frame = frame.sort_index(ascending=False).sort_index(axis=1)
    frame.index, frame.columns = [_size_label(n) for n in frame.index], [_rho_label(rho) for rho in frame.columns]
    return frame


def _size_label(size: int) -> str:
    return f"n = {size}"


def _rho_label(rho: float) -> str:
    return f"ρ = {rho:g}"


def _samples(results: Results) -> tuple[int, ...]:
    return SIZES[results.scale].samples


def _shares(results: Results) -> tuple[float, ...]:
    return SIZES[results.scale].shares
