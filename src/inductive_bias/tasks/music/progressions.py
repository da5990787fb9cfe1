"""Made-up pieces: chords of a major key that follow one another, under a wandering voice. No composer wrote them."""

import numpy as np
from jaxtyping import UInt8

from inductive_bias.tasks.music.files import KEYS, Pieces

SOURCE = "generated:chord progressions"
#: Semitones above the tonic of the three voices of each chord, and of its bass.
CHORDS = {"I": (0, 4, 7), "IV": (5, 9, 12), "V": (7, 11, 14), "vi": (9, 12, 16)}
#: What may follow each chord, equally probable.
NEXT = {"I": ("IV", "V", "vi"), "IV": ("I", "V"), "V": ("I", "vi"), "vi": ("IV", "V")}
#: Keys of the tonics: A2 to G♯3, in the middle of which the choir's tenor lies.
TONICS = (24, 36)
OCTAVE = 12


def piece(rng: np.random.Generator, *, chords: tuple[int, int] = (4, 12)) -> UInt8[np.ndarray, "t 88"]:
    """A piece of a random number of chords, each held for one to four steps; a voice above moves in every step."""
    tonic = int(rng.integers(*TONICS))
    chord, steps = "I", []
    for _ in range(rng.integers(*chords, endpoint=True)):
        voices = [tonic + above for above in CHORDS[chord]]
        for _ in range(rng.integers(1, 4, endpoint=True)):
            step = np.zeros(KEYS, np.uint8)
            step[[voices[0] - OCTAVE, *voices, int(rng.choice(voices)) + OCTAVE]] = 1
            steps.append(step)
        chord = str(rng.choice(NEXT[chord]))
    return np.stack(steps)


def pieces(rng: np.random.Generator, number: int) -> Pieces:
    """A ``number`` of random pieces; the first are those of a smaller number."""
    return [piece(rng) for _ in range(number)]
