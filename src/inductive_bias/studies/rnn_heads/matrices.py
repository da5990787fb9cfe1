"""Recurrent matrices drawn from seeds, and how exactly their heads give the RNN back. Nothing here is trained."""

import warnings
from collections.abc import Callable, Iterator
from itertools import product

import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.layers import Heads, NearlyDefectiveWarning, decompose

SIZES = (2, 4, 8, 16, 32, 64)
#: Largest modulus of an eigenvalue.
RADII = (0.5, 0.9, 1.0)
#: Distances from a matrix that has no eigenvectors to speak of, and that matrix's size and eigenvalue.
DISTANCES = (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 0.0)
JORDAN_SIZE, JORDAN_RADIUS = 4, 0.9
STEPS = 64


def gaussian(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """Independent normal entries, scaled to the spectral radius."""
    weight = torch.randn(size, size, dtype=torch.float64, generator=rng)
    return weight * (radius / torch.linalg.eigvals(weight).abs().max())


def orthogonal(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """A random rotation or reflection times the radius: eigenvectors at right angles, condition number 1."""
    return torch.linalg.qr(torch.randn(size, size, dtype=torch.float64, generator=rng))[0] * radius


def triangular(size: int, radius: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """Eigenvalues drawn between ± radius on the diagonal, normal entries above: far from orthogonal eigenvectors."""
    above = torch.randn(size, size, dtype=torch.float64, generator=rng).triu(1) * (radius / size**0.5)
    eigenvalues = torch.rand(size, dtype=torch.float64, generator=rng) * 2 - 1
    return above + torch.diag(eigenvalues * (radius / eigenvalues.abs().max()))


FAMILIES: dict[str, Callable[[int, float, torch.Generator], Tensor]] = {
    "orthogonal": orthogonal,
    "gaussian": gaussian,
    "triangular": triangular,
}
NEARLY_DEFECTIVE = "nearly defective"


def nearly_defective(distance: float, rng: torch.Generator) -> Float64[Tensor, "n n"]:
    """One Jordan block with eigenvalue .9, four times, moved by ``distance`` in a random direction of norm 1."""
    above = torch.diag(torch.ones(JORDAN_SIZE - 1, dtype=torch.float64), 1)
    block = JORDAN_RADIUS * torch.eye(JORDAN_SIZE, dtype=torch.float64) + above
    direction = torch.randn(block.shape, dtype=torch.float64, generator=rng)
    return block + distance * direction / direction.norm()


def random_matrices(draw: int) -> Iterator[tuple[dict[str, object], Float64[Tensor, "n n"]]]:
    """Every matrix of one draw (a seed) with its labels: ``family, size, radius, draw`` and, if any, ``distance``."""
    for name, size, radius in product(FAMILIES, SIZES, RADII):
        labels = {"family": name, "size": size, "radius": radius, "draw": draw}
        yield labels, FAMILIES[name](size, radius, torch.Generator().manual_seed(draw))
    for distance in DISTANCES:
        labels = {"family": NEARLY_DEFECTIVE, "size": JORDAN_SIZE, "radius": JORDAN_RADIUS, "draw": draw}
        yield labels | {"distance": distance}, nearly_defective(distance, torch.Generator().manual_seed(draw))


def noise(size: int, draw: int) -> Float64[Tensor, "b t n"]:
    """What drives the random matrices: two sequences of white noise."""
    return torch.randn(2, STEPS, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1_000 + draw))


def heads_quietly(weight: Tensor) -> tuple[Heads, bool]:
    """The heads, and whether decomposing warned."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", NearlyDefectiveWarning)
        heads = decompose(weight)
    return heads, any(issubclass(each.category, NearlyDefectiveWarning) for each in said)


def exactness(weight: Tensor, inputs: Float64[Tensor, "b t n"]) -> dict[str, object]:
    """Heads against the recurrence, step by step: ``condition, heads, state_error, power_error, warned``.

    The state error is the largest difference of a state, over the largest state; the power error is the decomposition's
    own (:class:`~inductive_bias.layers.Heads`), which may be of a neighbouring matrix; the condition is that of the
    eigenvectors of the matrix itself.
    """
    weight = weight.detach().double()
    heads, warned = heads_quietly(weight)
    state, states = torch.zeros_like(inputs[:, 0]), []
    for drive in inputs.unbind(1):
        state = state @ weight.mT + drive
        states.append(state)
    wanted, scales = torch.stack(states, 1), torch.linalg.svdvals(torch.linalg.eig(weight)[1])
    error = ((heads.apply(inputs) - wanted).abs().max() / wanted.abs().max()).item()
    return {
        "condition": (scales[0] / scales[-1]).item(),
        "heads": len(heads.kinds),
        "state_error": error,
        "power_error": heads.error,
        "warned": warned,
    }
