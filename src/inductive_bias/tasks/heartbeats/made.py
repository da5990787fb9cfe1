"""Made-up beats: a wave, its complex and a second wave; early ones, and wide ones. No heart made them."""

import numpy as np

from inductive_bias.tasks.heartbeats.files import RATE, SAMPLES, SEXES, Beats, Patient

SOURCE = "generated:bumps on a line"
#: Shares of normal, early and wide beats; and the sample of the R mark.
SHARES, R_MARK = (0.8, 0.1, 0.1), 50
#: Beats of a record, and how many records there are to learn from and to test on (numbers from 0 and from 100 on).
PER_RECORD, LEARNT, TESTED = 40, 6, 4
#: Seconds from a beat to the next: usual, and before an early one.
USUAL, EARLY = 0.8, 0.5


def _bump(at: float | int, width: float | int, height: float) -> np.ndarray:
    return height * np.exp(-(((np.arange(SAMPLES["mitbih"]) - at) / width) ** 2) / 2)


def made_beats(rng: np.random.Generator, per_record: int = PER_RECORD) -> Beats:
    """Records with a shape of their own; a wide beat has no first wave, an early one a first wave that comes sooner."""
    values, classes, records, intervals = [], [], [], []
    for record in (*range(LEARNT), *range(100, 100 + TESTED)):
        tall, wide = rng.uniform(0.8, 1.2), rng.uniform(2.5, 3.5)
        # the first ones are one of each class, so that no part lacks one
        kinds = [*range(len(SHARES)), *rng.choice(len(SHARES), per_record - len(SHARES), p=SHARES)]
        for kind in kinds:
            first = 0.0 if kind == 2 else 0.2
            beat = _bump(R_MARK, wide * (3 if kind == 2 else 1), tall) + _bump(R_MARK + 45, 9, 0.3)
            beat += _bump(R_MARK - (35 if kind == 1 else 22), 5, first) + 0.03 * rng.standard_normal(len(beat))
            values.append(2 * (beat - beat.min()) / np.ptp(beat) - 1)
            intervals.append((EARLY if kind else USUAL) * rng.uniform(0.9, 1.1))
        classes += kinds
        records += [record] * len(kinds)
    seconds = np.round(np.array(intervals) * RATE) / RATE
    return Beats(np.array(values, np.float32), np.array(classes), np.array(records), seconds.astype(np.float32))


def made_patients() -> dict[int, Patient]:
    """Made-up patients of the records: every other one a woman, with an age from 30 on in steps of seven years."""
    learnt, tested = range(LEARNT), range(100, 100 + TESTED)
    return {
        record: Patient("DS1" if record < LEARNT else "DS2", SEXES[record % 2], 30 + 7 * place)
        for place, record in enumerate((*learnt, *tested))
    }
