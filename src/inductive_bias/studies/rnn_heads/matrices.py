"""Recurrent matrices drawn from seeds, and how exactly their heads give the RNN back. Nothing here is trained."""

import warnings
from collections.abc import Callable, Iterator

import torch
from jaxtyping import Float64
from torch import Tensor

from inductive_bias.layers import Heads, NearlyDefectiveWarning, decompose

SIZES = (2, 4, 8, 16, 32, 64)
#: Largest modulus of an eigenvalue.
RADII = (0.5, 0.9, 1.0)
#: Distances from a matrix that has no eigenvectors to speak of, and its size.
DISTANCES = (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 0.0)
JORDAN_SIZE = 4
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
    block = 0.9 * torch.eye(JORDAN_SIZE, dtype=torch.float64) + torch.diag(torch.ones(JORDAN_SIZE - 1).double(), 1)
    direction = torch.randn(block.shape, dtype=torch.float64, generator=rng)
    return block + distance * direction / direction.norm()


def random_matrices(seed: int) -> Iterator[tuple[dict[str, object], Float64[Tensor, "n n"]]]:
    """Every matrix of one seed with its labels: ``family, size, radius, distance``."""
    for name, make in FAMILIES.items():
        for size in SIZES:
            for radius in RADII:
                rng = torch.Generator().manual_seed(seed)
                yield {"family": name, "size": size, "radius": radius, "distance": None}, make(size, radius, rng)
    for distance in DISTANCES:
        rng = torch.Generator().manual_seed(seed)
        labels = {"family": NEARLY_DEFECTIVE, "size": JORDAN_SIZE, "radius": 0.9, "distance": distance}
        yield labels, nearly_defective(distance, rng)


def heads_quietly(weight: Tensor) -> tuple[Heads, bool]:
    """The heads, and whether decomposing warned."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", NearlyDefectiveWarning)
        heads = decompose(weight)
    return heads, any(issubclass(each.category, NearlyDefectiveWarning) for each in said)


def eigenvector_condition(weight: Tensor) -> float:
    """Of the matrix itself; :func:`decompose` reports that of the matrix whose heads it gives."""
    scales = torch.linalg.svdvals(torch.linalg.eig(weight.detach().double())[1])
    return (scales[0] / scales[-1]).item()


def exactness(weight: Tensor, inputs: Float64[Tensor, "b t n"]) -> dict[str, object]:
    """Heads against the recurrence, step by step: ``condition, heads, state_error, power_error, warned``.

    The state error is the largest difference of a state, over the largest state; the power error is the decomposition's
    own (:class:`~inductive_bias.layers.Heads`).
    """
    weight = weight.detach().double()
    heads, warned = heads_quietly(weight)
    state, states = torch.zeros_like(inputs[:, 0]), []
    for drive in inputs.unbind(1):
        state = state @ weight.mT + drive
        states.append(state)
    wanted = torch.stack(states, 1)
    error = ((heads.apply(inputs) - wanted).abs().max() / wanted.abs().max()).item()
    return {"condition": eigenvector_condition(weight), "heads": len(heads.kinds), "state_error": error,
            "power_error": heads.error, "warned": warned}  # fmt: skip


def noise(size: int, seed: int) -> Float64[Tensor, "b t n"]:
    """What drives the random matrices: two sequences of white noise."""
    return torch.randn(2, STEPS, size, dtype=torch.float64, generator=torch.Generator().manual_seed(1_000 + seed))
