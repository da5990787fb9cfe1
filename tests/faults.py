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
    ("training.py", "(step + 1) / max(1, self.warmup)", "step / max(1, self.warmup)", "test_training.py"),
    ("training.py", "stepper.zero_grad(set_to_none=True)", "pass", "test_training.py"),
    ("training.py", "clip(model.parameters(), optimiser.clip_norm)", "pass", "test_training.py"),
    ("store.py", "        if checksum(path) != expected:\n", "        if False:\n", "test_store.py"),
    (
        "verdicts/test_statistics.py",
        "half = error * float(stdtrit(freedom, (1 + level) / 2))",
        "half = error * float(stdtrit(freedom, level))",
        "verdicts",
    ),
    ("verdicts/rules.py", 'the effect in the paper")) / 2)', 'the effect in the paper")))', "verdicts"),
    ("models/lstm.py", "std=spec.embedding_std", "std=1.0", "models"),
    ("models/sentence_heads.py", "lengths_of(tokens) - 2", "lengths_of(tokens) - 1", "models"),
    ("protocols/objectives.py", '.teacher_mode == "train")', '.teacher_mode == "eval")', "protocols"),
    ("studies/results.py", "rows[name].nunique() > 1 for name", "False for name", "studies/test_results.py"),
    ("studies/tuning.py", "np.where(self._higher(table), -1.0, 1.0)", "1.0", "studies/test_tuning.py"),
)


def fail(tests: str, place: str = "", right: str = "", wrong: str = "") -> bool:
    """Whether the tests fail in a copy of what is committed, with the fault in it if there is one.

    Raises:
        ValueError: if the text is not there once, or the tests cannot be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", "--depth=1", f"file://{HOME}", copy], check=True)
        if place:
            file = copy / "src" / "inductive_bias" / place
            text = file.read_text("utf8")
            if text.count(right) != 1:
                raise ValueError(f"{right!r} is {text.count(right)} times in {place}, not once")
            file.write_text(text.replace(right, wrong), "utf8")
        # the package of the copy, and not the one that is installed
        code = "import sys, runpy; sys.path.insert(0, 'src'); runpy.run_module('pytest', run_name='__main__')"
        command = [sys.executable, "-c", code, f"tests/{tests}", "-m", "not slow and not site", "-x", "-q"]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise ValueError(f"tests/{tests} did not run: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.returncode == 1


def main() -> int:
    """Try every fault; the exit status is how many were not found.

    Raises:
        ValueError: if tests fail without any fault: then they tell nothing.
    """
    missed = 0
    for tests in dict.fromkeys(tests for *_, tests in FAULTS):
        if fail(tests):
            raise ValueError(f"tests/{tests} fail without a fault")
    for place, right, wrong, tests in FAULTS:
        there = fail(tests, place, right, wrong)
        missed += not there
        print(f"{'found ' if there else 'MISSED'}  {place}: {right.strip()} → {wrong.strip()}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
