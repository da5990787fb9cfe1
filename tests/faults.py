"""Twenty faults, each put into a copy of the package: the fast tests must find every one of them.

``make test-faults`` runs it. A fault that is not found means that a test went, or moved to the slow ones, that was
needed; a fault whose text is no longer there must be written anew.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HOME = Path(__file__).parents[1]
#: Where the fault is put in, what stands there, what the fault makes of it, and the tests that are run.
FAULTS = (
    ("layers/chunked_reference.py", "clamp(min=0)].tril(-1)", "clamp(min=0)].tril(0)", "layers"),
    ("layers/rsa.py", "for mu in (self.mu, -self.mu))", "for mu in (-self.mu, self.mu))", "layers/test_rsa.py"),
    ("layers/heads.py", "q @ k.mT / math.sqrt(q.shape[-1])", "q @ k.mT / q.shape[-1]", "layers"),
    ("layers/attention.py", "device=x.device).tril()", "device=x.device).tril(1)", "layers"),
    ("layers/lags.py", "matrix.tril() if causal", "matrix if causal", "layers"),
    ("losses/distillation.py", '"squared": lambda t: t**2', '"squared": lambda t: t', "losses"),
    ("metrics/calibration.py", "gap.abs().sum() / len", "gap.sum().abs() / len", "metrics"),
    ("metrics/likelihood.py", "square().sum(dim=-1).mean()", "square().mean(dim=-1).mean()", "metrics"),
    ("analysis/similarity.py", "rows[row, diagonal] = 0.0", "pass", "analysis/test_similarity.py"),
    ("training.py", "min(1.0, (step + 1) / max(1, self.warmup))", "min(1.0, step / max(1, self.warmup))", "test_training.py"),
    ("training.py", "stepper.zero_grad(set_to_none=True)", "pass", "test_training.py"),
    ("training.py", "clip(model.parameters(), optimiser.clip_norm)", "pass", "test_training.py"),
    ("store.py", "        if checksum(path) != expected:\n", "        if False:\n", "test_store.py"),
    ("verdicts/test_statistics.py", "stdtrit(freedom, (1 + level) / 2)", "stdtrit(freedom, level)", "verdicts"),
    ("verdicts/rules.py", 'the effect in the paper")) / 2)', 'the effect in the paper")))', "verdicts"),
    ("models/lstm.py", "std=spec.embedding_std", "std=1.0", "models"),
    ("models/sentence_heads.py", "lengths_of(tokens) - 2", "lengths_of(tokens) - 1", "models"),
    ("protocols/objectives.py", '.teacher_mode == "train")', '.teacher_mode == "eval")', "protocols"),
    ("studies/results.py", 'rows[name].nunique() > 1 for name in ("cell", "split")', "False for name in ()", "studies/test_results.py"),
    ("studies/tuning.py", "np.where(self._higher(table), -1.0, 1.0)", "1.0", "studies/test_tuning.py"),
)  # fmt: skip


def found(place: str, right: str, wrong: str, tests: str) -> bool:
    """Whether the tests fail once the fault is in.

    Raises:
        ValueError: if the text is not there once.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", "--depth=1", f"file://{HOME}", copy], check=True)
        file = copy / "src" / "inductive_bias" / place
        text = file.read_text("utf8")
        if text.count(right) != 1:
            raise ValueError(f"{right!r} is {text.count(right)} times in {place}, not once")
        file.write_text(text.replace(right, wrong), "utf8")
        command = [sys.executable, "-m", "pytest", f"tests/{tests}", "-m", "not slow and not site", "-x", "-q"]
        code = "import sys, runpy; sys.path.insert(0, 'src'); runpy.run_module('pytest', run_name='__main__')"
        done = subprocess.run([sys.executable, "-c", code, *command[3:]], cwd=copy, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise ValueError(f"the tests of {place} did not run: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.returncode == 1


def main() -> int:
    """Try every fault; the exit status is how many were not found."""
    missed = 0
    for place, right, wrong, tests in FAULTS:
        there = found(place, right, wrong, tests)
        missed += not there
        print(f"{'found ' if there else 'MISSED'}  {place}: {right.strip()} → {wrong.strip()}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
