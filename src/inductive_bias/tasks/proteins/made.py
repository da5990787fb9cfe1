"""Made-up proteins: random residues, some behind a start, a stretch that shuns water and a place to cut."""

import numpy as np

from inductive_bias.tasks.proteins.files import RESIDUES, Protein

SOURCE = "generated:random residues"
#: Residues that shun water; a signal has ten of them after a methionine and a positive one.
SHUNS, STRETCH = "AILVF", 10
#: Share of proteins with a signal, and the shortest protein.
POSITIVE, SHORTEST = 0.4, 20


def made_proteins(rng: np.random.Generator, number: int, longest: int) -> list[Protein]:
    """A ``number`` of random proteins of 20 to ``longest`` residues; the first two are one of each label."""
    labels = [1, 0, *(rng.random(max(0, number - 2)) < POSITIVE).astype(int).tolist()][:number]
    found = []
    for label in labels:
        residues = rng.choice(list(RESIDUES), rng.integers(SHORTEST, longest, endpoint=True))
        if label:
            residues[: STRETCH + 2] = ["M", "K", *rng.choice(list(SHUNS), STRETCH)]
        found.append(Protein("".join(residues), label))
    return found
