"""Tables behind the figures of the page on longer words and words with few ones."""

import numpy as np
import pandas as pd
from jaxtyping import Int64

from inductive_bias.protocols.measures.shifted import BEYOND, PARTS, TWICE, WITHIN
from inductive_bias.studies.frames import listed, search_table
from inductive_bias.studies.results import Results
from inductive_bias.studies.shift.design import (
    ANSWERS,
    FORMS,
    LSTM,
    MODELS,
    PARITY,
    SCRATCHPAD,
    SIZES,
    TUNING,
    TWIN,
    USUAL_SIZE,
)
from inductive_bias.studies.shift.tables import COUNTS
from inductive_bias.studies.state_tracking import FAILED
from inductive_bias.tasks import ShiftedStates
from inductive_bias.tasks.automata import SHARES

#: Positions of one point of a curve: parity goes up and down from one to the next.
STEP = 4
#: Fewer words with a number of ones, or fewer states after it, say little.
LEAST_WORDS, LEAST_STATES = 20, 10
#: An odd number of ones, and the even one after it.
PAIR = 2
#: The name of a row of a table, and of words so far.
CONSTANT = "best constant"
MIXED, ONES_ALONE = "ones and zeros", "ones alone"


def _frame(results: Results, **levels: object) -> pd.DataFrame:
    return results.frame("accuracy", **{"form": ANSWERS, "size": USUAL_SIZE} | levels)


def _facts(results: Results, metric: str, automaton: str, **at: object) -> pd.DataFrame:
    return results.facts_of(metric, automaton=automaton, form=ANSWERS, size=USUAL_SIZE, **at)


def by_position(results: Results, automaton: str = PARITY, *, step: int = STEP, **levels: object) -> pd.DataFrame:
    """Every run on long words: ``model, number, position, value``, a mean of ``step`` positions at their middle.

    The last step ends with the word, and may be shorter.
    """
    found = _frame(results, split="test", by="position", automaton=automaton, **levels)
    return _stepped(found, ["model", "form", "size", "number"], step)


def constant_by_position(results: Results, automaton: str = PARITY, *, step: int = STEP) -> pd.DataFrame:
    """The best answer that knows the position alone, in the same places: ``position, value``."""
    return _stepped(_facts(results, "constant_accuracy", automaton, split="test", by="position"), [], step)


def _stepped(found: pd.DataFrame, keys: list[str], step: int) -> pd.DataFrame:
    first = (found["position"].astype(int) - 1) // step * step
    groups = found.assign(first=first).groupby([*keys, "first"], observed=True, sort=False)
    return groups[["position", "value"]].mean().reset_index().drop(columns="first")


def beside_lstm(results: Results, automaton: str = PARITY, *, step: int = STEP) -> pd.DataFrame:
    """:func:`by_position` of one panel a model: ``panel``, ``who`` is the model itself or the LSTM beside it."""
    found = by_position(results, automaton, step=step)
    lstm = found[found["model"] == LSTM]
    panels = [name for name in MODELS if name != LSTM and (found["model"] == name).any()]
    parts = [
        part.assign(panel=name, who=who)
        for name in panels
        for who, part in (("this model", found[found["model"] == name]), (LSTM, lstm))
    ]
    return pd.concat(parts, ignore_index=True)


def by_share(results: Results, automaton: str = PARITY, **levels: object) -> pd.DataFrame:
    """Every run by how often ones come: ``model, form, number, share, value``."""
    return _frame(results, split=SHARES, by="share", automaton=automaton, **levels)


def constant_by_share(results: Results, automaton: str = PARITY) -> pd.DataFrame:
    """The best answer that knows position and share: ``share, value``."""
    return _facts(results, "constant_accuracy", automaton, split=SHARES, by="share")[["share", "value"]]


def by_ones(results: Results, automaton: str = PARITY, **levels: object) -> pd.DataFrame:
    """Every run by the number of ones in a word: ``model, form, number, ones, value``, and ``n``, words of that number.

    Numbers of which there are fewer than :data:`LEAST_WORDS` words are left out, unless all are.
    """
    at = {"split": SHARES, "by": "ones"}
    found = _frame(results, automaton=automaton, **at, **levels)
    counts = _facts(results, "n", automaton, **at).set_index("ones")["value"]
    found = found.assign(n=found["ones"].map(counts))
    return found[found["n"] >= min(LEAST_WORDS, counts.max())].reset_index(drop=True)


def by_count(results: Results) -> pd.DataFrame:
    """Every run of parity by the ones read so far: ``model, form, number, ones, value``, and ``word``, what was read.

    A value is the mean of an odd number of ones and of the even one after it, at their middle: an answer that is always
    the same has a half. A word of ones alone is told from one that has both.
    """
    table = results.table(COUNTS)
    found = table[(table["n"] >= LEAST_STATES) & (table["ones"] > 0)].assign(
        word=lambda rows: rows["alone"].map({False: MIXED, True: ONES_ALONE}),
        ones=lambda rows: (rows["ones"] - 1) // 2 * 2 + 1.5,
    )
    keys = ["model", "form", "number", "word", "ones"]
    pairs = found.groupby(keys, observed=True)["right"].agg(["mean", "size"]).reset_index()
    both = pairs[pairs["size"] == PAIR].rename(columns={"mean": "value"}).drop(columns="size")
    return both.assign(model=both["model"].cat.remove_unused_categories()).reset_index(drop=True)


def counters(results: Results) -> pd.DataFrame:
    """A row per model and form: the ends of the counters that runs come nearest to, and how many answers are theirs."""
    rows = []
    for (form, model), some in results.table(COUNTS).groupby(["form", "model"], observed=True, sort=True):
        ends, agree = zip(*(nearest_counter(run) for _, run in some.groupby("number")), strict=True)
        row = {"model": model, "form": form, "counts to": ", ".join(map(str, ends))}
        rows.append(row | {"share of answers that agree": listed(agree)})
    return pd.DataFrame(rows)


def nearest_counter(run: pd.DataFrame) -> tuple[int, float]:
    """The end of the counter whose answers are most often those of a run of :data:`COUNTS`, and how often they are.

    Of two answers, who is right says which was given. Of counters that are equally near, the one with the lowest end.
    """
    ones, right = run["ones"].to_numpy(), run["right"].to_numpy()
    agree = {
        end: float(np.average(np.where(counted(ones, end) == ones % 2, right, 1 - right), weights=run["n"]))
        for end in range(ones.max() + 1)
    }
    end = max(agree, key=agree.__getitem__)
    return end, agree[end]


def counted(ones: Int64[np.ndarray, " n"], end: int) -> Int64[np.ndarray, " n"]:
    """What a counter says that counts ones as far as ``end`` and then stops: 1 where its count is odd."""
    return np.minimum(ones, end) % 2


def without_places(task: ShiftedStates) -> float:
    """The most states of its fresh words of parity that a model without any place can be expected to have right.

    To such a model (attention without positions, or with distances alone) a word of ones alone looks the same at every
    length: its answer to all of them is one, and the better one is right after odd lengths.
    """
    lengths = range(1, task.length + 1)
    lost = sum(task.share**even * (task.length - even + 1) for even in lengths if even % 2 == 0)
    return 1 - lost / sum(lengths)


def reported(results: Results, by: str) -> pd.DataFrame:
    """The paper's numbers of parity ``by`` share or ones: ``model, form, <by>, mean``."""
    return results.paper.dropna(subset=[by])[["model", "form", by, "mean"]].reset_index(drop=True)


def notes(results: Results) -> pd.DataFrame:
    """Every run of parity with a scratchpad, and of the same models without: ``model, form, part, number, value``."""
    noted = dict.fromkeys(each["model"] for each in results.cells if each["form"] == SCRATCHPAD)
    at = {"split": "test", "by": "part", "automaton": PARITY, "form": [ANSWERS, SCRATCHPAD]}
    return _frame(results, model=[*noted, LSTM], **at)


def sizes(results: Results) -> pd.DataFrame:
    """Every run of parity with sines and cosines, by size: ``size, part, number, value``."""
    return _frame(results, split="test", by="part", automaton=PARITY, model=TWIN, size=list(SIZES))


def by_length(results: Results, automaton: str) -> pd.DataFrame:
    """Means over runs by model and part of long words, whose columns say which actions they are; a diverged run has 0.

    The last row is the best answer that knows the position alone.
    """
    at = {"split": "test", "by": "part"}
    found = _frame(results, automaton=automaton, **at).fillna({"value": FAILED})
    table = found.groupby(["model", "part"], observed=True)["value"].mean().unstack("part")
    line = _facts(results, "constant_accuracy", automaton, **at).set_index("part")["value"]
    once, longest = (int(results.trials[f"task.{name}"].max()) for name in ("length", "longest"))
    words = {WITHIN: (1, once), TWICE: (once + 1, 2 * once), BEYOND: (2 * once + 1, longest)}
    rows = pd.concat([table, line.rename(CONSTANT).to_frame().T])[list(words)]
    return rows.rename(columns={name: f"{first}–{last}" for name, (first, last) in words.items()})


def all_runs(results: Results) -> pd.DataFrame:
    """A row per cell: within the positions of training and beyond twice as far, every run; a diverged one is a dash."""
    found = _frame(results, split="test", by="part", form=list(FORMS), size=list(SIZES))
    keys = ["automaton", "model", "form", "size"]
    rows = []
    for levels, some in found.groupby(keys, observed=True, sort=False):
        row = dict(zip(keys, levels, strict=True))
        rows.append(row | {part: listed(some[some["part"] == part]["value"]) for part in PARTS})
    return pd.DataFrame(rows)


def beside_reported(results: Results) -> pd.DataFrame:
    """A row per model and share that the paper reports of parity, and our mean and runs; a dash where there is none."""
    ours = by_share(results, form=list(FORMS))
    rows = []
    for _, line in reported(results, "share").iterrows():
        same = ours[(ours["model"] == line["model"]) & (ours["form"] == line["form"])]
        values = same[(same["share"] - line["share"]).abs() < 1e-9]["value"]
        mean = "–" if values.empty else f"{values.fillna(FAILED).mean():.3f}"
        rows.append(
            {
                "model": line["model"],
                "form": line["form"],
                "P(1)": f"{line['share']:g}",
                "reported": f"{line['mean']:g}",
                "ours": mean,
                "runs": listed(values),
            }
        )
    return pd.DataFrame(rows)


def learning(results: Results, **levels: object) -> pd.DataFrame:
    """Validation accuracy after every hundred steps: ``model, form, size, number, epoch, value``."""
    return results.frame("accuracy", split="validation", epochs=True, **levels)


def grid(results: Results) -> pd.DataFrame:
    """The search for rates: the best validation accuracy of every model, form and size, a column per rate."""
    return search_table(results, TUNING)
