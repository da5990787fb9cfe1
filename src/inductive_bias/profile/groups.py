"""Two groups of models that can be profiled, of sequences and of images: their probes, budgets and known models."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from inductive_bias.errors import SettingError
from inductive_bias.plugins import OwnModel
from inductive_bias.studies.image_axes import image_scores
from inductive_bias.studies.image_profiles import design as of_images
from inductive_bias.studies.image_profiles.measures import profile_scores as image_population
from inductive_bias.studies.known_image_models import IMAGE_MODELS
from inductive_bias.studies.known_models import BY_NAME, Member
from inductive_bias.studies.profile_axes import scores
from inductive_bias.studies.profile_budget import Budget
from inductive_bias.studies.profiles import design as of_sequences
from inductive_bias.studies.profiles.measures import first_runs
from inductive_bias.studies.results import Results
from inductive_bias.studies.scales import PUBLISHED
from inductive_bias.studies.tuning import Tuned
from inductive_bias.tasks.image_probes import IMAGE_PROBES
from inductive_bias.tasks.probes import PROBES
from inductive_bias.tasks.probes.base import Question
from inductive_bias.trials import ModelSpec

GroupName = Literal["sequences", "images"]
#: The dimension of a task that models of images alone take.
IMAGE = "image"
#: Runs of every probe by the length of a profile.
RUNS = {"quick": 2, "default": 3, "full": 4}


@dataclass(frozen=True)
class Group:
    """Models of one kind of input.

    Attributes:
        name: for people.
        study: that published the known models.
        probes: by name.
        lengths: names of the probes by the length of a profile.
        budget: how every run is trained.
        members: known models by name.
        tuned: their learning rates.
        scores: from final rows to the value of every run on every axis; of sequences, with probes of one's own too.
        known: from the study's results to the same of the known models.
    """

    name: GroupName
    study: str
    probes: Mapping[str, Question]
    lengths: Mapping[str, tuple[str, ...]]
    budget: Budget
    members: Mapping[str, Member]
    tuned: Tuned
    scores: Callable[..., pd.DataFrame]
    known: Callable[[Results], pd.DataFrame]


GROUPS: dict[str, Group] = {
    group.name: group
    for group in (
        Group(
            name="sequences",
            study="profiles",
            probes=PROBES,
            lengths={"quick": of_sequences.QUICK, "default": of_sequences.DEFAULT, "full": of_sequences.FULL},
            budget=of_sequences.PLANS[PUBLISHED].budget,
            members=BY_NAME,
            tuned=of_sequences.TUNED,
            scores=scores,
            known=first_runs,
        ),
        Group(
            name="images",
            study="image_profiles",
            probes=IMAGE_PROBES,
            lengths={"quick": of_images.QUICK, "default": of_images.DEFAULT, "full": of_images.DEFAULT},
            budget=of_images.PLANS[PUBLISHED].budget,
            members=IMAGE_MODELS,
            tuned=of_images.TUNED,
            scores=image_scores,
            known=image_population,
        ),
    )
}
#: Every probe of every group: no name stands for two.
EVERY_PROBE: dict[str, Question] = PROBES | IMAGE_PROBES


def group_of(model: ModelSpec) -> Group:
    """The group of a model, by what it is built from: the size of an image, or else of a vocabulary."""
    if isinstance(model, OwnModel):
        return GROUPS["images" if IMAGE in inspect.signature(model.target).parameters else "sequences"]
    return GROUPS["images" if any(IMAGE in each for each in model.inputs) else "sequences"]


def group_named(name: str) -> Group:
    """The group of that name.

    Raises:
        SettingError: if there is none.
    """
    if name not in GROUPS:
        raise SettingError(f"no group {name!r} of known models; there are: {', '.join(GROUPS)}")
    return GROUPS[name]
