"""A training set that the study grows by: its models and settings, and how many runs of each cell there are by now."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from inductive_bias.studies.design import NO_TEACHER
from inductive_bias.studies.searching import CHOSEN, STANDARD, TUNING, Grid
from inductive_bias.tasks import Agreement, GeneratedAgreement
from inductive_bias.training import ScheduleSpec

#: The ladder, from no recurrent bias to all of it (Abnar et al. 2020, section 3).
LADDER = ("Bidirectional Transformer", "Sequential Transformer", "Sequential Universal Transformer", "LSTM")
WEAK, SEQUENTIAL, SHARED, STRONG = LADDER
#: With the Universal Transformer that reads both ways, the four Transformers are every combination of two choices.
MODELS = (*LADDER, "Universal Transformer")
#: What the claims are judged on, at every scale. At laptop scale it has the paper's size: sentences of today's
#: Wikipedia, which one set of rules has found, Linzen's sample and WikiText-2.
MAIN = "main"
#: Smaller or plainer sets of real sentences: Linzen's sample, that and WikiText-2, that and some attractors; and those
#: of today's Wikipedia alone.
NATURAL, SAMPLE, RICH, PLAIN = "natural", "small sample", "attractor-rich", "wiki_agreement"
#: Of generated ones: one draw, one with more attractors, and a draw for every number.
GRAMMAR, ENRICHED, DRAWN = "grammar", "grammar, enriched", "grammar, drawn anew"
#: The number of sentences that stands for the whole of a training set.
ALL = 0
#: Variants beside those of every search; of the last, a student's start and order, with the labels for a teacher.
TRAIN_MODE, LONGER, LABELS = "teacher in train mode", "longer", "hard labels"
#: Model and teacher that are trained several times as long too: would patience open the way that a teacher does not?
PATIENT = ((WEAK, NO_TEACHER), (WEAK, STRONG), (STRONG, NO_TEACHER))
Task = Agreement | GeneratedAgreement


@dataclass(frozen=True)
class Part:
    """A training set that the study grows by, and how many runs of each cell there are by now.

    Attributes:
        task: of a number; generated sentences are drawn anew for each.
        training: of every model, with a teacher and without.
        settings: learning rate and dropout by model, chosen by ``grid``; those of the scale where there are none.
        sizes: training by number of sentences, of sets that are smaller than the whole, or larger.
        grid: what ``settings`` are chosen from.
        alone: runs of each rung without a teacher.
        universal: the same of the Universal Transformer, which is no rung.
        taught: of each pair of teacher and student.
        controls: of a Transformer whose LSTM keeps its dropout, if it has any, and of one that starts as its students
            do.
        longer, patient: a longer training, and how many runs of each of :data:`PATIENT` have it.
        sized: of each such size, by rung.
        shown: of each such size, by student and teacher: a teacher that learnt from the whole, on other sentences.
        tuned: of each place of the grid, by rung.
    """

    task: Callable[[int], Task]
    training: ScheduleSpec
    settings: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    sizes: Mapping[int, ScheduleSpec] = field(default_factory=dict)
    grid: Grid | None = None
    alone: int = 0
    universal: int = 0
    taught: int = 0
    controls: int = 0
    longer: ScheduleSpec | None = None
    patient: int = 0
    sized: Mapping[str, int] = field(default_factory=dict)
    shown: Mapping[tuple[str, str], int] = field(default_factory=dict)
    tuned: Mapping[str, int] = field(default_factory=dict)

    @property
    def begun(self) -> bool:
        """Whether there is any run."""
        counts = self.alone, self.universal, self.taught, self.controls, self.patient
        return any((*counts, self.sized, self.shown, self.tuned))

    def runs(self, *, model: str, teacher: str, sentences: int, variant: str, rate: float, dropout: float) -> int:
        """How many runs of a cell there are."""
        rung, alone = model in LADDER, teacher == NO_TEACHER
        if variant == TUNING:
            there = self.grid and self.grid.has(model, rate, dropout)
            return self.tuned.get(model, 0) if there and alone and sentences == self.grid.task.train_size else 0
        if (rate, dropout) != (CHOSEN, CHOSEN):
            return 0
        if sentences != ALL:
            if sentences not in self.sizes or variant != STANDARD:
                return 0
            return self.sized.get(model, 0) if alone else self.shown.get((model, teacher), 0)
        if variant == STANDARD:
            return (self.alone if rung else self.universal) if alone else self.taught * rung
        if variant == LONGER:
            return self.patient if (model, teacher) in PATIENT else 0
        of_control = {LABELS: (WEAK, NO_TEACHER)} | ({TRAIN_MODE: (WEAK, STRONG)} if self.teacher_has_dropout else {})
        return self.controls if of_control.get(variant) == (model, teacher) else 0

    @property
    def teacher_has_dropout(self) -> bool:
        """Whether an LSTM has a dropout that it may keep while it teaches; unknown settings may have one."""
        return STRONG not in self.settings or self.settings[STRONG][1] > 0
