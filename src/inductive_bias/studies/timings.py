"""Published times that several studies judge: names of the benchmark's measures, and the machine that measured them."""

from inductive_bias.studies.manifest import read_manifest
from inductive_bias.studies.published import BENCHMARKS

#: The benchmark of five models of equal size by the length of their sequences, as on the command line.
SPEED = "speed"
#: Two of its measures: a step of training per token, and what the model says of a whole sequence, per token.
TRAINING, INFERENCE = "training", "inference"


def variant(length: int) -> str:
    """How the benchmark's table names a length."""
    return f"{length:,} tokens"


def on_parallel_hardware(benchmark: str) -> tuple[bool, str]:
    """Whether a published benchmark was measured on a GPU, and in words on what it was measured if not.

    A sentence about computing all steps of a sequence side by side says nothing of one core, which takes one after the
    other.
    """
    machine = read_manifest(BENCHMARKS).get(benchmark, {}).get("machine", {})
    threads = machine.get("threads", 1)
    where = f"{threads} thread{'s' * (threads != 1)} of a CPU"
    reason = f"the times are of {where}, and the sentence is about hardware that computes in parallel"
    return "gpu" in machine, reason
