"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

The text has no number: with RSA inside CodeT5 defects and clones are said to be found better. So the direction is
tested, with half a point as the least gain worth the name. Runs and what they are scored on are both taken as random
(:mod:`inductive_bias.studies.code.drawing`).
"""

from inductive_bias.studies.claims import Claim, Finding, no_runs_yet
from inductive_bias.studies.code.design import (
    CLONES,
    DATA,
    DEFECTS,
    INJECTED,
    MODELS,
    PROGRAMS,
    REPAIRS,
    RSA,
    TRANSFORMER,
    TWINS,
    UNSEEN,
    has,
)
from inductive_bias.studies.code.drawing import (
    METRIC,
    ahead,
    baseline_names,
    baseline_value,
    retrieval,
    score,
)
from inductive_bias.studies.results import Results
from inductive_bias.verdicts import all_of, crossed, exceeds, given, untestable

PAGE = "attention/code"
TEXT = "Huang et al. 2023, Encoding Recurrence into Transformers, the experiments on code with CodeT5-small"
OURS = "a question of our own"
#: The least gain of RSA that is worth the name: half a point.
GAIN = 0.005
#: So far ahead of every answer without a network must a model be to have learnt what is asked.
LEARNT = 0.01
#: Data on which all four networks are compared with the answers without one.
COMPARED = tuple(data for data in DATA if data != UNSEEN)


def lacking(results: Results, data: str, models: tuple[str, ...]) -> str:
    """Which of these models have no run on the data at this scale, in words; empty if none."""
    reason = no_runs_yet(model for model in models if not has(results.scale, data, model))
    return reason and f"{reason} on {data}"


def subject(results: Results, data: str) -> tuple[bool, str]:
    """Whether the better twin is ahead of every answer without a network; and what it does if not."""
    lines = {name: baseline_value(results, data, name) for name in baseline_names(results, data)}
    name = max(lines, key=lines.__getitem__)
    best = max(float(score(results, data, model).values.mean()) for model in TWINS)
    words = f"on {data} the better of Transformer and RSA has {best:.3f}, {name} {lines[name]:.3f}"
    return best >= lines[name] + LEARNT, words


def recurrence_helps(results: Results, data: str) -> Finding:
    """RC1 to RC3: RSA scores higher than the same Transformer without it, if there is something to learn."""
    if reason := lacking(results, data, TWINS):
        return Finding(untestable(reason))
    contrast = score(results, data, RSA).less(score(results, data, TRANSFORMER)).contrast(f"{data}: RSA − Transformer")
    holds, words = subject(results, data)
    note = f"{contrast}, seen from {contrast.visible:.3f}; {words}"
    return Finding(given(holds, words, exceeds(contrast, GAIN)), effect=contrast, note=note)


def finds_more(results: Results) -> Finding:
    """RC2-retrieval: RSA finds more of the programs that solve the same problem."""
    if reason := lacking(results, PROGRAMS, TWINS):
        return Finding(untestable(reason))
    tables = [retrieval(results, model) for model in (RSA, TRANSFORMER)]
    contrast = crossed(*tables, name="MAP@R: RSA − Transformer", unit="MAP@R")
    return Finding(exceeds(contrast, GAIN), effect=contrast)


def networks_learn(results: Results, data: tuple[str, ...]) -> Finding:
    """RC4: every network is ahead of every answer without one."""
    judged, words = [], []
    for each in data:
        if reason := lacking(results, each, MODELS):
            return Finding(untestable(reason))
        for model in MODELS:
            found = [
                ahead(results, each, model, name).contrast(f"{each}: {model} − {name}")
                for name in baseline_names(results, each)
            ]
            judged += [exceeds(contrast, LEARNT) for contrast in found]
            least = min(found, key=lambda contrast: contrast.estimate)
            words.append(f"{least.name} {least}")
    return Finding(all_of(judged), note="; ".join(words))


def _unit(data: str) -> str:
    return {"accuracy": "accuracy", "f1": "F1", "auc": "AUC"}[METRIC[data]]


def _helps(name: str, source: str, data: str, what: str, *, own: bool, primary: bool = True) -> Claim:
    return Claim(name, PAGE, source, f"{what}: a bidirectional Transformer with unmasked RSA has at least half a point "
                 f"more {_unit(data)} than the same without it.",
                 "said to help CodeT5-small; no number at hand" if not own else "not asked",
                 lambda results: recurrence_helps(results, data), own=own, primary=primary)  # fmt: skip


CLAIMS = (
    _helps("RC1", TEXT, DEFECTS, "Recurrence helps to find defects (Devign)", own=False),
    _helps("RC2", TEXT, PROGRAMS, "Recurrence helps to find clones (POJ-104, problems never seen)", own=False),
    _helps("RC2-functions", TEXT, CLONES, "The same on BigCloneBench, functions never seen", own=False, primary=False),
    _helps("RC2-kinds", TEXT, UNSEEN, "The same on BigCloneBench, kinds of function never seen", own=False,
           primary=False),
    Claim("RC2-retrieval", PAGE, TEXT,
          "The same where clones are sought among all programs: half a point more of MAP@R on POJ-104.",
          "said to help CodeT5-small; no number at hand", finds_more, primary=False),
    _helps("RC3", OURS, INJECTED, "Recurrence helps to find injected bugs", own=True),
    _helps("RC3-repairs", OURS, REPAIRS, "The same of methods before and after a repair", own=True, primary=False),
    Claim("RC4", PAGE, OURS,
          "There is something to learn that a bag of tokens does not know: on each of the five sets all four networks "
          "are a point ahead of the most frequent answer and of a bag of tokens.",
          "not asked; accuracies are reported without such lines", lambda results: networks_learn(results, COMPARED),
          own=True),
    *(
        Claim(f"RC4-{short}", PAGE, OURS, f"The same of {data} alone.", "not asked",
              lambda results, data=data: networks_learn(results, (data,)), own=True, primary=False)
        for short, data in zip(("defects", "functions", "programs", "repairs", "injected"), COMPARED, strict=True)
    ),
)  # fmt: skip
