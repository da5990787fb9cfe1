"""The design: models × shares of recurrent signal × numbers of training sequences, and controls beside this plane."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from inductive_bias.studies.design import Cells, Design
from inductive_bias.studies.scales import Scale
from inductive_bias.studies.signal_models import (
    MIXERS,
    PLANE_MODELS,
    REM,
    REM_SMALL,
    RSA,
    RSA_SMALL,
    SIZES,
    TWIN,
    TWIN_ALIBI,
    Kind,
    place_label,
)

#: How the decays start, with attention and without; and whether attention was given the worse encoding of positions.
#: By control: the kind that it varies, and the ρ for which it is trained.
CONTROLS: dict[Kind, tuple[Kind, tuple[float, ...]]] = {
    RSA_SMALL: (RSA, (0.5, 1.0)),
    REM: (RSA, (1.0,)),
    REM_SMALL: (REM, (1.0,)),
    TWIN_ALIBI: (TWIN, (0.5, 1.0)),
}


@dataclass(frozen=True)
class Plan:
    """What is run at a scale beside :data:`~inductive_bias.studies.signal_models.SIZES`.

    Attributes:
        control_size: the training size beside the plane.
        price_seeds: runs of RSA and its twin where no signal is recurrent, by training size: small sets scatter, and R3
            asks for a small difference there.
        saving_seeds: runs of both at every size where some of it is: R2 asks for a mean over all of these places.
        gate_seeds: runs with the most sequences by model: R4 asks for the order of RSA's gates within each.
    """

    control_size: int
    price_seeds: Mapping[int, int] = field(default_factory=dict)
    saving_seeds: int = 0
    gate_seeds: Mapping[str, int] = field(default_factory=dict)


PLANS: dict[Scale, Plan] = {
    "smoke": Plan(control_size=64, price_seeds={16: 3}),
    "laptop": Plan(
        control_size=2048,
        price_seeds={32: 48, 128: 16},
        # so many were to decide R2, by the mean and the spread of four (before it was two claims)
        saving_seeds=30,
        # so many decide R4 by the spread of 24 (probability .8, if what these found is true)
        gate_seeds={TWIN.model: 24, RSA.model: 117},
    ),
    "paper": Plan(control_size=8192),
}


def seeds_of(scale: Scale, kind: Kind, *, rho: float, samples: int) -> int:
    """How many runs of a cell there are."""
    plan, sizes = PLANS[scale], SIZES[scale]
    if kind not in (RSA, TWIN):
        return sizes.seeds
    placed = plan.price_seeds.get(samples, 0) if rho == 0 else plan.saving_seeds
    gated = plan.gate_seeds.get(kind.model, 0) if samples == sizes.samples[-1] else 0
    return max(sizes.seeds, placed, gated)


def cells(scale: Scale) -> Cells:
    """The plane of every model, and controls at the size and the shares that are theirs."""
    sizes = SIZES[scale]
    for kind in MIXERS:
        on_plane = kind in PLANE_MODELS
        for rho in sizes.shares if on_plane else CONTROLS[kind][1]:
            for samples in sizes.samples if on_plane else (PLANS[scale].control_size,):
                place = {"rho": rho, "samples": samples}
                seeds = range(seeds_of(scale, kind, **place))
                yield kind._asdict() | place, [sizes.trial(kind, **place, seed=seed) for seed in seeds]


DESIGN = Design(cells, (*Kind._fields, "rho", "samples"), label=place_label)
