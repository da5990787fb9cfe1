"""Small tasks of images that each ask one thing of a model: the probes for images of the bias profile."""

from inductive_bias.tasks.image_probes.base import SIZE, ImagePreference, ImageProbe, Images, ImageSkill
from inductive_bias.tasks.image_probes.digits import CHANGES, MOVE, MOVED, SCALED, TURNED, Digits
from inductive_bias.tasks.image_probes.task import IMAGE_PROBES, ImageProbeTask
from inductive_bias.tasks.image_probes.untrained import UntrainedImages

__all__ = [
    "CHANGES",
    "IMAGE_PROBES",
    "MOVE",
    "MOVED",
    "SCALED",
    "SIZE",
    "TURNED",
    "Digits",
    "ImagePreference",
    "ImageProbe",
    "ImageProbeTask",
    "ImageSkill",
    "Images",
    "UntrainedImages",
]
