"""The plane under the reader's hands."""

from inductive_bias.plotting import PageWidget, palette, plane_widget
from inductive_bias.studies.results import Results
from inductive_bias.studies.signal_models import PLANE
from inductive_bias.studies.signal_vs_samples.measures import winners

LETTERS = {"LSTM": "L", "Linear RNN": "N", "Attention": "A", "RSA": "R"}


def plane(results: Results) -> PageWidget:
    """Sliders for ρ and the number of sequences; the errors of every run at that place, and who is best where."""
    errors = results.frame("excess_error", split="test", **PLANE)
    return plane_widget(
        errors,
        x="rho",
        y="samples",
        hue="model",
        best=winners(results),
        letters=LETTERS,
        words={"rho": "ρ", "samples": "training sequences", "value": "excess error"},
        instead="The figures above show the means at every place and who is best there.",
        palette=palette(errors["model"]),
    )
