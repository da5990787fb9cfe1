"""Languages by length under the reader's hands."""

from inductive_bias.plotting import PageWidget, slice_widget
from inductive_bias.protocols.measures.formal import STEP
from inductive_bias.studies.formal_models import TITLES
from inductive_bias.studies.preconditions import MASTERED
from inductive_bias.studies.regular_languages.measures import ANSWERS, STRINGS, mean_by_length
from inductive_bias.studies.results import Results
from inductive_bias.tasks.formal import LANGUAGES


def lengths(results: Results) -> PageWidget:
    """A slider for the length; whole strings of that length that are right, or single answers at that place."""
    means = mean_by_length(results)
    steps = sorted(means["length"].unique())
    return slice_widget(
        means,
        along="length",
        y="language",
        x="mixer",
        by="measure",
        steps={step: step_words(results, step) for step in steps},
        measures={STRINGS: STRINGS, ANSWERS: ANSWERS},
        reached=MASTERED,
        words="languages",
        instead="The heat map above shows the same for one range of lengths.",
        titles=TITLES,
        groups={name: LANGUAGES[name].family for name in TITLES},
    )


def step_words(results: Results, middle: float) -> str:
    """``51–60, longer than in training``."""
    low, high = (int(middle + side * (STEP - 1) / 2) for side in (-1, 1))
    trained = {trials[0].task.bins["train"].longest for trials in results.cells.values()}
    longer = "longer than in training" if low > max(trained) else "in part longer than in training"
    return f"{low}–{high} symbols, {'as in training' if high <= min(trained) else longer}"
