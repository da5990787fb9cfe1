"""What the study tests, and the rule by which each sentence is judged; written before any run that it judges.

The text has no number: with RSA inside CodeT5 defects and clones are said to be found better. So the direction is
tested, with half a point as the least gain worth the name. Runs and what they are scored on are both taken as random
(:mod:`inductive_bias.studies.code.measures`). A difference between two networks counts only where the better of them is
a point ahead of every answer without a network; of RC2-retrieval this is asked since all runs were known.
"""

from inductive_bias.studies.claims import Claim, Finding
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
    cell,
)
from inductive_bias.studies.code.measures import (
    ITEMS,
    METRIC,
    UNITS,
    ahead,
    baseline_names,
    baseline_value,
    retrieval,
    retrieval_by_bag,
    score,
)
from inductive_bias.studies.preconditions import beats_naive
from inductive_bias.studies.results import Results
from inductive_bias.tasks.code import BAG
from inductive_bias.verdicts import all_of, crossed, exceeds, given

PAGE = "attention/code"
TEXT = "Huang et al. 2023, Encoding Recurrence into Transformers, the experiments on code with CodeT5-small"
OURS = "a question of our own"
#: The least gain of RSA that is worth the name: half a point.
GAIN = 0.005
#: So far ahead of every answer without a network must a model be to have learnt what is asked.
LEAST_LEAD = 0.01
#: Data on which all four networks are compared with the answers without one.
WITH_ALL_MODELS = tuple(data for data in DATA if data != UNSEEN)


def subject(results: Results, data: str) -> tuple[bool, str]:
    """Whether the better twin is ahead of every answer without a network; and what both have if not."""
    lines = {name: baseline_value(results, data, name) for name in baseline_names(results, data)}
    best = max(float(score(results, data, model).values.mean()) for model in TWINS)
    return beats_naive(best, lines, what=data, by=LEAST_LEAD)


def recurrence_helps(results: Results, data: str) -> Finding:
    """RC1 to RC3: RSA scores higher than the same Transformer without it, if there is something to learn."""
    contrast = score(results, data, RSA).less(score(results, data, TRANSFORMER)).contrast(f"{data}: RSA − Transformer")
    holds, words = subject(results, data)
    judgement = given(holds, words, exceeds(contrast, GAIN))
    if contrast.pivot.silent:  # runs that are all equal have no interval to show
        return Finding(judgement, note=f"RSA and Transformer have the same score in every run; {words}")
    return Finding(judgement, effect=contrast, note=f"{contrast}, seen from {contrast.visible:.3f}; {words}")


def finds_more(results: Results) -> Finding:
    """RC2-retrieval: RSA finds more of the programs that solve the same problem, if counting tokens finds fewer."""
    tables = [retrieval(results, model) for model in (RSA, TRANSFORMER)]
    unit = UNITS["map_at_r"]
    contrast = crossed(*tables, name=f"{unit}: RSA − Transformer", unit=unit, item=ITEMS[PROGRAMS])
    best = max(float(table.to_numpy().mean()) for table in tables)
    holds, words = beats_naive(best, {BAG: retrieval_by_bag(results)}, what=f"{PROGRAMS}, {unit}", by=LEAST_LEAD)
    return Finding(given(holds, words, exceeds(contrast, GAIN)), effect=contrast, note=words)


def networks_learn(results: Results, data: tuple[str, ...]) -> Finding:
    """RC4: every network is ahead of every answer without one."""
    judged, words = [], []
    for each in data:
        results.need(*(cell(each, model) for model in MODELS))
        for model in MODELS:
            found = [
                ahead(results, each, model, name).contrast(f"{each}: {model} − {name}")
                for name in baseline_names(results, each)
            ]
            judged += [exceeds(contrast, LEAST_LEAD) for contrast in found]
            least = min(found, key=lambda contrast: contrast.estimate)
            words.append(f"{least.name} {least}")
    return Finding(all_of(judged), note="; ".join(words))


def regime(results: Results) -> str:
    """The sizes at which networks were compared with baselines that are not networks, in words."""
    trials = results.trials
    runs = results.runs()[-1]
    return f"width {trials['model.width'].max()}, no pretraining, {runs} runs per network"


def regime_of_twins(results: Results) -> str:
    """The sizes at which RSA was compared with its twin without recurrence, in words."""
    width, rest = regime(results).split(", ", 1)
    return f"{width}, {results.trials['model.layers'].max()} layers, {rest}"


def _helps(name: str, source: str, data: str, what: str, *, own: bool, primary: bool = True) -> Claim:
    statement = (
        f"{what}: a bidirectional Transformer with unmasked RSA has at least half a point more {UNITS[METRIC[data]]} "
        "than the same Transformer without RSA."
    )
    paper = "not asked" if own else "said to help CodeT5-small; no number at hand"
    return Claim(
        name,
        PAGE,
        source,
        statement,
        paper,
        lambda results: recurrence_helps(results, data),
        own=own,
        primary=primary,
        regime=regime_of_twins,
    )


CLAIMS = (
    _helps("RC1", TEXT, DEFECTS, "Recurrence helps to find defects in C functions (Devign)", own=False),
    _helps(
        "RC2",
        TEXT,
        PROGRAMS,
        "Recurrence helps to find clones among programs for problems never seen (POJ-104)",
        own=False,
    ),
    _helps(
        "RC2-functions",
        TEXT,
        CLONES,
        "Recurrence helps to find clones among Java functions never seen (BigCloneBench)",
        own=False,
        primary=False,
    ),
    _helps(
        "RC2-kinds",
        TEXT,
        UNSEEN,
        "Recurrence helps to find clones among Java functions of kinds never seen (BigCloneBench)",
        own=False,
        primary=False,
    ),
    Claim(
        "RC2-retrieval",
        PAGE,
        TEXT,
        "Recurrence helps to find all programs that solve the same problem (POJ-104): a bidirectional Transformer "
        "with unmasked RSA has at least half a point more MAP@R than the same Transformer without RSA.",
        "said to help CodeT5-small; no number at hand",
        finds_more,
        primary=False,
        regime=regime_of_twins,
    ),
    _helps("RC3", OURS, INJECTED, "Recurrence helps to find bugs that were put into Python functions", own=True),
    _helps(
        "RC3-repairs",
        OURS,
        REPAIRS,
        "Recurrence helps to tell Java methods before their repair from those after",
        own=True,
        primary=False,
    ),
    Claim(
        "RC4",
        PAGE,
        OURS,
        "Networks learn more from code than a count of tokens tells: on each of five data sets a Transformer, RSA, a "
        "BiLSTM and a TextCNN are all a point ahead of every answer without a network.",
        "not asked; accuracies are reported without such lines",
        lambda results: networks_learn(results, WITH_ALL_MODELS),
        own=True,
        regime=regime,
    ),
    *(
        Claim(
            f"RC4-{short}",
            PAGE,
            OURS,
            f"Networks learn more from {what} than a count of tokens tells: a Transformer, RSA, a BiLSTM and a TextCNN "
            "are all a point ahead of every answer without a network.",
            "not asked",
            lambda results, data=data: networks_learn(results, (data,)),
            own=True,
            primary=False,
            regime=regime,
        )
        for short, data, what in (
            ("defects", DEFECTS, "the C functions of Devign"),
            ("functions", CLONES, "the Java functions of BigCloneBench"),
            ("programs", PROGRAMS, "the programs of POJ-104"),
            ("repairs", REPAIRS, "Java methods before and after a repair"),
            ("injected", INJECTED, "Python functions with injected bugs"),
        )
    ),
)
