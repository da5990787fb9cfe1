"""How every model is trained on a probe: the population's rule, and that of a model of one's own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from inductive_bias.own_probes import OwnProbeTask, is_own
from inductive_bias.protocols.batching import FRESH_STEPS
from inductive_bias.studies.design import Cells
from inductive_bias.studies.tuning import FIRST_TUNING_SEED
from inductive_bias.tasks import ImageProbeTask, ProbeTask
from inductive_bias.tasks.image_probes import IMAGE_PROBES
from inductive_bias.training import OptimiserSpec, ScheduleSpec
from inductive_bias.trials import Distillation, ModelSpec, Trial


def probe_task(probe: str, **options: int) -> ProbeTask | ImageProbeTask | OwnProbeTask:
    """The task of a probe by its name, of sequences or of images; one of one's own has its source for a name."""
    if is_own(probe):
        return OwnProbeTask(probe, **options)
    return (ImageProbeTask if probe in IMAGE_PROBES else ProbeTask)(probe=probe, **options)


def probe_of(trial: Trial) -> str:
    """The name of the probe of a trial, or the source of one of one's own: what :func:`probe_task` takes."""
    return trial.task.source if isinstance(trial.task, OwnProbeTask) else trial.task.probe


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How every model is trained on a probe.

    Attributes:
        rates: learning rates that are tried on the pilot seed.
        runs: judged runs, with seeds 0, 1, …
        hundreds: steps, in hundreds (:data:`~inductive_bias.protocols.batching.FRESH_STEPS`).
        batch_size: examples a step.
        warmup: steps over which the rate rises first; it then falls as half a cosine.
        test_size: examples of a test.
    """

    rates: tuple[float, ...] = (3e-3, 1e-2)
    runs: int = 4
    hundreds: int = 5
    batch_size: int = 64
    warmup: int = 50
    test_size: int = 512

    @property
    def steps(self) -> int:
        """Steps of a run."""
        return self.hundreds * FRESH_STEPS

    def trial(self, model: ModelSpec, probe: str, *, seed: int, learning_rate: float) -> Trial:
        """One run of one model on one probe; it has no steps where the probe has no question.

        Where all there is to learn is one set, runs with one number have the same one, and others have others.
        """
        task = probe_task(probe, test_size=self.test_size)
        if isinstance(task, ProbeTask) and task.fixed:
            task = probe_task(probe, test_size=self.test_size, data_seed=seed)
        epochs = self.hundreds if task.trains else 0
        return Trial(
            task=task,
            model=model,
            optimiser=OptimiserSpec(learning_rate=learning_rate),
            schedule=ScheduleSpec(epochs=epochs, batch_size=self.batch_size, warmup=self.warmup),
            seed=seed,
        )

    def taught(self, trial: Trial, teacher: ModelSpec, *, learning_rate: float) -> Trial:
        """The trial with the answers of a teacher in place of the labels; as it is where nothing is trained.

        The teacher learns the same task with the seed of the trial, so that it saw the same sequences.
        """
        if not trial.task.trains:
            return trial
        teaching = self.trial(teacher, probe_of(trial), seed=trial.seed, learning_rate=learning_rate)
        return trial.model_copy(update={"distill": Distillation(teacher=teaching, temperature=1.0, mixing=1.0)})

    def judged(self, model: ModelSpec, probe: str, learning_rate: float) -> list[Trial]:
        """The runs that are judged, by number."""
        return [self.trial(model, probe, seed=seed, learning_rate=learning_rate) for seed in range(self.runs)]

    def pilots(self, model: ModelSpec, probe: str) -> list[Trial]:
        """The runs that choose a rate, in the order of :attr:`rates`; none where nothing is trained."""
        if not probe_task(probe).trains:
            return []
        return [self.trial(model, probe, seed=FIRST_TUNING_SEED, learning_rate=rate) for rate in self.rates]

    def pilot_cells(self, models: Mapping[str, ModelSpec], probes: Iterable[str]) -> Cells:
        """A cell for every pilot run of the models, by name, on the probes: ``model, probe, learning_rate``."""
        for (model, spec), probe in product(models.items(), probes):
            for run in self.pilots(spec, probe):
                yield {"model": model, "probe": probe, "learning_rate": run.optimiser.learning_rate}, [run]
