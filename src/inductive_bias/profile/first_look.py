"""A look at a model before it is trained: what is wrong with it is said in seconds, and not after minutes."""

import traceback
from collections.abc import Iterable
from pathlib import Path

import torch

from inductive_bias.errors import SettingError
from inductive_bias.plugins import Own
from inductive_bias.profile.contract import FAILS, LENGTH, NOT_APPLICABLE, PASSES, foresight
from inductive_bias.profile.subject import VOCABULARY, TokenSubject
from inductive_bias.profile.token_contract import tokens_of
from inductive_bias.protocols.causality import ROWS
from inductive_bias.running import Run, reproducible
from inductive_bias.seeding import seeded
from inductive_bias.trials import ModelSpec, Trial

#: Tokens of the sequences in which a future is looked for; the second for models that refuse the first.
LENGTHS = LENGTH, 32


def look_at(trials: Iterable[Trial], place: torch.device) -> None:
    """Refuse a model of one's own that cannot be trained on a probe, or cannot be asked its longest sequences.

    Args:
        trials: runs that are not there yet.
        place: where the model is asked.

    Raises:
        SettingError: naming the file, what is wrong, and the line of the file where it was raised.
    """
    for trial in trials:
        if isinstance(trial.model, Own):
            # a teacher changes what is learnt, not what the model takes and answers
            _look(trial.model_copy(update={"distill": None}), place)


def _look(trial: Trial, place: torch.device) -> None:
    source, probe = trial.model.source, trial.task.probe
    with reproducible(trial.seed, place):
        try:
            run = Run(trial, place, None)
        except SettingError as error:
            raise SettingError(f"{error}{_where(error.__cause__, source)}") from error
        given = run.protocol.given
        for split in ("validation", "test"):
            # those of a test are sorted by length: the last are the longest
            inputs = given.data[split].inputs[-ROWS:].to(place)
            size = f"{inputs.shape[1]} tokens" if inputs.ndim == 2 else f"{' × '.join(map(str, inputs.shape[1:]))}"
            try:
                with torch.no_grad():
                    answer = run.model(inputs)
            except Exception as error:
                raise SettingError(
                    f"{source}: {type(error).__name__}: {error}{_where(error, source)}. This happens with inputs of "
                    f"{size}, which the probe {probe} has: let the model take them, or ask others with --probes"
                ) from error
            if split == "validation" and not answer.isfinite().all():
                raise SettingError(
                    f"{source}: some outputs are NaN or infinite before any training (inputs of {size}, probe {probe}):"
                    " look for a logarithm, a root, a division or an exponential"
                )


def _where(error: BaseException | None, source: str) -> str:
    """The line of the user's file in which an error was raised, or nothing."""
    file = source.rpartition(":")[0]
    path = str(Path(file).resolve())
    frames = [] if error is None else traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    return f" ({file}, line {lines[-1]})" if lines else ""


def future_seen(model: ModelSpec, place: torch.device) -> str:
    """Whether a model of tokens sees the future, in words. A fresh one tells: training makes no new connections.

    A model that refuses the first length, such as one of even lengths alone, is asked another one.
    """
    said = ""
    for length in LENGTHS:
        try:
            with seeded(1, torch.device("cpu")):
                module, inputs = TokenSubject(model).build().to(place), tokens_of(length).to(place)
                found = tuple(foresight(module, torch.nn.Module.__call__, inputs, vocabulary=VOCABULARY))
        except Exception as error:  # it is from outside
            said = said or f"{NOT_APPLICABLE}: {type(error).__name__}: {error}"
            continue
        return ": ".join([FAILS if found else PASSES, *found[:1]])
    return said
