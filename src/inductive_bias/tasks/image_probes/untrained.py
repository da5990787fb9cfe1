"""A probe without training: digits, of which a new model's answer is heard when they move or fall into pieces."""

from inductive_bias.tasks.image_probes.digits import Digits


class UntrainedImages(Digits):
    """Digits and no question: what is measured is how a model's answer changes when the image does."""

    name, axis = "untrained images", "invariance at the start"
    asks = "Does the answer of a model stay when an image moves, before the model is trained?"
    source = "our own"
