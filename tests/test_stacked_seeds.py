"""Seeds trained together: what a stack shares, and that each of its runs is what it is alone."""

import contextlib
import copy
import shutil

import pandas as pd
import pytest
import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.testing import assert_close

from inductive_bias import engine, stacked_seeds
from inductive_bias.engine import run_missing
from inductive_bias.layers import LSTM, RSASpec
from inductive_bias.running import ALONE, Run, reproducible, run_trial
from inductive_bias.stacked_seeds import MOST, Stack, clip_each, reason_alone, run_together, stacks
from inductive_bias.store import Store
from inductive_bias.studies.run_provenance import problems_of_ways
from inductive_bias.studies.signal_models import PLANE_MODELS, SIZES, Kind
from inductive_bias.trials import Trial
from tests.tiny import CNN, tiny_language_trial, tiny_sentence_trial, tiny_student, tiny_trial

STACKED = tuple(kind for kind in PLANE_MODELS if kind.model != "LSTM")
PLACE = torch.device("cpu")


def signal(kind: Kind = STACKED[-1], number: int = 0, *, rho: float = 0.5, samples: int = 64, **model) -> Trial:
    """The design's first trial with the seeds of a number that it need not have."""
    found = SIZES["smoke"].trial(kind, rho=rho, samples=samples, seed=0)
    task = found.task.model_copy(update={"data_seed": number})
    changed = {"task": task, "seed": number, "model": found.model.model_copy(update=model)}
    return found.model_copy(update=changed)


def of(outcome, metric: str) -> list[float]:
    return [row["value"] for row in outcome.rows if row["metric"] == metric]


def places(outcome) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "value"} for row in outcome.rows]


def begun(found: Trial) -> Run:
    with reproducible(found.seed, PLACE):
        return Run(found, PLACE, None)


class TestAsAlone:
    @pytest.mark.parametrize("kind", STACKED, ids=str)
    def test_every_run_of_a_stack_is_what_it_is_alone(self, kind):
        """50 steps: longer ones drift apart, as two machines do."""
        trials = [signal(kind, 0), signal(kind, 1), signal(kind, 0, rho=1.0, samples=16)]
        for alone, ours in zip(map(run_trial, trials), run_together(trials, compiled=False), strict=True):
            assert places(ours) == places(alone)
            assert_close(of(ours, "loss"), of(alone, "loss"), rtol=1e-3, atol=0)
            assert_close(of(ours, "excess_error"), of(alone, "excess_error"), rtol=1e-2, atol=1e-4)
            assert ours.weights.keys() == alone.weights.keys()
            assert ours.data_sha256 == alone.data_sha256
            assert ours.arrays.keys() == alone.arrays.keys()
            assert alone.together == ALONE
            assert ours.together == "3 stacked"

    def test_what_is_frozen_stays_as_each_run_drew_it(self):
        mixer = RSASpec(frozen=True)
        trials = [signal(number=number, mixer=mixer) for number in range(2)]
        drawn = [begun(each).model for each in trials]
        for alone, ours, first in zip(map(run_trial, trials), run_together(trials, compiled=False), drawn, strict=True):
            frozen = [name for name, weight in first.named_parameters() if not weight.requires_grad]
            assert frozen
            for name in frozen:
                assert torch.equal(ours.weights[name], first.state_dict()[name])
            for name, weight in alone.weights.items():
                assert_close(ours.weights[name], weight, rtol=1e-2, atol=1e-3)

    def test_first_losses_and_gradients_are_those_of_each_run(self):
        trials = [signal(number=number) for number in range(3)]
        runs = [begun(each) for each in trials]
        stack = Stack(runs, compiled=False)
        batches = next(stack.batches())
        losses = stack(batches)
        losses.sum().backward()
        for number, each in enumerate(trials):
            run = begun(each)
            batch = next(iter(run.batches()))
            assert torch.equal(batch.inputs, batches[0][number])
            loss = run.loss(run.model.train(), batch)
            loss.backward()
            assert_close(losses[number], loss)
            for name, weight in run.model.named_parameters():
                found = stack.weights[name.replace(".", "/")].grad[number]
                assert_close(found, weight.grad, rtol=1e-4, atol=1e-6)

    def test_a_compiled_stack_gives_the_same(self):
        trials = [signal(STACKED[0], number) for number in range(2)]
        with_compiler, without = run_together(trials), run_together(trials, compiled=False)
        if "compiled" not in with_compiler[0].together:
            pytest.skip("there is no compiler here")
        for ours, theirs in zip(with_compiler, without, strict=True):
            assert_close(of(ours, "loss"), of(theirs, "loss"), rtol=1e-3, atol=0)

    def test_where_nothing_can_be_compiled_the_step_is_run_as_it_is(self, monkeypatch):
        def broken(function, **options):
            def fail(*inputs):
                raise RuntimeError("no compiler")

            return fail

        monkeypatch.setattr(torch, "compile", broken)
        monkeypatch.setattr(stacked_seeds, "_KEPT", {})
        trials = [signal(number=number) for number in range(2)]
        with pytest.warns(UserWarning, match="no compiler"):
            found = run_together(trials)
        assert found[0].together == "2 stacked"
        assert of(found[1], "loss") == of(run_together(trials, compiled=False)[1], "loss")

    def test_a_run_that_diverges_ends_alone(self, monkeypatch):
        trials = [signal(number=number) for number in range(3)]
        sound = run_together(trials, compiled=False)
        batches = Run.batches

        def one_is_broken(run):
            for batch in batches(run):
                yield batch._replace(labels=batch.labels * torch.inf) if run.trial == trials[1] else batch

        monkeypatch.setattr(Run, "batches", one_is_broken)
        found = run_together(trials, compiled=False)
        assert [of(each, "diverged") for each in found] == [[0.0], [1.0], [0.0]]
        assert [row["epoch"] for row in found[1].rows if row["metric"] == "diverged"] == [1]
        assert not of(found[1], "loss")
        for number in (0, 2):
            assert of(found[number], "loss") == of(sound[number], "loss")

    def test_dropout_is_drawn_for_each_model(self):
        """Two runs with equal weights and batches differ by their masks alone."""
        for found, same in ((signal(), True), (signal(dropout=0.5), False)):
            stack = Stack([begun(found), begun(found)], compiled=False)
            first, second = stack(next(stack.batches()))
            assert bool(first == second) is same


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_killed_compiler_left_half_written_is_compiled_again_once(tmp_path, monkeypatch, times):
    half, calls = tmp_path / "cu" / "cufh.main.so", []
    half.parent.mkdir()
    half.write_bytes(b"ELF")

    def train(trials, *options):
        calls.append(half.exists())
        if len(calls) <= times:
            raise RuntimeError(f"InductorError: ImportError: {half}: file too short")
        return []

    monkeypatch.setattr(stacked_seeds, "_trained", train)
    if times == 1:
        assert run_together([signal()]) == []
    else:
        with pytest.raises(RuntimeError, match="file too short"):
            run_together([signal()])
    assert calls == [True, False]


def test_other_errors_of_a_compiler_are_none_of_this():
    assert stacked_seeds.half_compiled(ImportError("/a/b.so: undefined symbol: x")) is None
    assert stacked_seeds.half_compiled(ImportError("/a/b.so: file too short")).name == "b.so"


def test_clipping_is_that_of_each_model():
    torch.manual_seed(0)
    shapes, most = [(3, 4), (5,), ()], 0.7
    alone = [[nn.Parameter(torch.randn(shape)) for shape in shapes] for _ in range(3)]
    for size, weights in zip((0.01, 1.0, 100.0), alone, strict=True):
        for weight in weights:
            weight.grad = size * torch.randn_like(weight)
    stack = [nn.Parameter(torch.stack(list(each)).detach()) for each in zip(*alone, strict=True)]
    for place, weight in enumerate(stack):
        weight.grad = torch.stack([weights[place].grad for weights in alone])
    clip_each(stack, most)
    for number, weights in enumerate(alone):
        nn.utils.clip_grad_norm_(weights, most)
        for weight, ours in zip(weights, stack, strict=True):
            assert_close(ours.grad[number], weight.grad)


class TestWhoIsStacked:
    @pytest.mark.parametrize(
        ("found", "reason"),
        [
            (tiny_student(), "teacher"),
            (tiny_trial(), "mixers"),
            (tiny_trial(model=CNN), "mixers"),
            (tiny_sentence_trial(), "one size"),
            (tiny_language_trial(), "one size"),
            (signal(Kind("LSTM")), "fused kernel"),
            (signal(width=2**10), "numbers a step"),
        ],
    )
    def test_others_are_trained_alone_and_it_says_why(self, found, reason):
        assert reason in reason_alone(found)
        with pytest.raises(ValueError, match=reason):
            run_together([found])

    def test_half_precision_stays_alone(self):
        narrow = signal().schedule.model_copy(update={"precision": "bfloat16"})
        assert "float32" in reason_alone(signal().model_copy(update={"schedule": narrow}))

    def test_arithmetic_without_denormal_numbers_stays_alone(self):
        flushed = signal().schedule.model_copy(update={"flush_denormals": True})
        assert "denormal" in reason_alone(signal().model_copy(update={"schedule": flushed}))

    def test_stacks_hold_what_differs_in_seeds_and_data_alone(self):
        same = [signal(number=number, rho=rho) for rho in (0.0, 0.5) for number in range(2)]
        few = signal(samples=16)
        assert SIZES["smoke"].schedule.batch_size == 16  # so that a batch of few examples is as large
        other = signal(STACKED[0])
        lstm = [signal(Kind("LSTM"), number) for number in range(2)]
        assert stacks([*same, few, other, *lstm]) == [[*same, few], [other], [lstm[0]], [lstm[1]]]

    def test_a_batch_of_fewer_examples_is_another_stack(self):
        fewer = signal().task.model_copy(update={"train_size": 8})
        assert len(stacks([signal(), signal().model_copy(update={"task": fewer})])) == 2

    def test_a_stack_has_a_largest_size(self):
        trials = [signal(number=number) for number in range(MOST + 1)]
        assert [len(each) for each in stacks(trials)] == [MOST, 1]
        assert [each for stack in stacks(trials) for each in stack] == trials

    def test_strangers_and_nobody_are_refused(self):
        with pytest.raises(ValueError, match="seeds and data alone"):
            run_together([signal(), signal(STACKED[0])])
        with pytest.raises(ValueError, match="at least one"):
            run_together([])


class TestEngine:
    def test_runs_are_kept_one_by_one_and_say_how_they_were_made(self, tmp_path, monkeypatch):
        monkeypatch.setattr(torch, "compile", lambda function, **options: function)
        monkeypatch.setattr(stacked_seeds, "_KEPT", {})
        store, lstm = Store(tmp_path), signal(Kind("LSTM"))
        trials = [signal(number=0), signal(number=1), lstm]
        assert run_missing(trials, store, device="cpu", jobs=1, progress=False, together=True) == 3
        assert [store.record(each)["together"] for each in trials] == ["2 stacked, compiled"] * 2 + [ALONE]
        assert run_missing(trials, store, device="cpu", jobs=1, progress=False, together=True) == 0
        assert run_missing([*trials, signal(number=2)], store, device="cpu", jobs=1, progress=False) == 1
        assert store.record(signal(number=2))["together"] == ALONE

    def test_a_stack_of_which_another_process_has_one_is_left_to_it(self, tmp_path):
        store, trials = Store(tmp_path), (signal(number=0), signal(number=1))
        with store.lock(trials[0]):
            unit = trials, tuple(each.id for each in trials)
            found = engine._run(unit, runs=tmp_path, device="cpu", root=None, together=True, folder=None)
        assert [found[each.id].state for each in trials] == ["busy", "busy"]
        with store.lock(trials[1]):  # nothing of the refused stack is held any longer
            pass

    def test_a_stack_waits_until_all_of_it_is_free(self, tmp_path, monkeypatch):
        store, trials = Store(tmp_path), [signal(number=number) for number in range(2)]
        sweep, slept = engine._Sweep(store, {each.id for each in trials}), []
        with contextlib.ExitStack() as other:
            other.enter_context(store.lock(trials[1]))

            def sleep(seconds):
                slept.append(seconds)
                if len(slept) == 3:
                    other.close()

            monkeypatch.setattr(engine.time, "sleep", sleep)
            with pytest.warns(UserWarning, match="waiting for") as said:
                sweep._wait([trials])
        assert len(slept) == 3
        assert len(said) == 1

    def test_rows_do_not_depend_on_where_a_sweep_was_cut(self, tmp_path, monkeypatch):
        """A stack of which some runs are there is trained whole again: numbers would else hang on what is missing."""
        monkeypatch.setattr(torch, "compile", lambda function, **options: function)
        monkeypatch.setattr(stacked_seeds, "_KEPT", {})
        trials = [signal(number=number, dropout=0.2) for number in range(3)]
        options = {"device": "cpu", "jobs": 1, "progress": False, "together": True}
        whole, cut = Store(tmp_path / "whole"), Store(tmp_path / "cut")
        assert run_missing(trials, whole, **options) == 3
        shutil.copytree(whole.root, cut.root)
        kept = cut.fingerprint(trials[0])
        for each in trials[1:]:
            shutil.rmtree(cut.folder(each))
        assert run_missing(trials, Store(cut.root), **options) == 2
        assert cut.fingerprint(trials[0]) == kept
        for each in trials:
            pd.testing.assert_frame_equal(cut.rows(each), whole.rows(each), check_exact=True)
            assert cut.record(each)["stack"] == [other.id for other in trials]
            assert cut.record(each)["together"] == "3 stacked, compiled"

    def test_ways_are_not_published_in_one_table_unless_mixed(self):
        trials = [signal(number=0), signal(number=1), signal(Kind("LSTM"))]
        old = [{"id": each.id} for each in trials]
        stacked = [{"id": each.id, "together": "2 stacked"} for each in trials[:2]] + [old[2]]
        assert not problems_of_ways(trials, old, mixed=False)
        assert not problems_of_ways(trials, stacked, mixed=False)
        mixture = [stacked[0], *old[1:]]
        assert "1 runs were trained together and 1 alone" in problems_of_ways(trials, mixture, mixed=False)[0]
        assert not problems_of_ways(trials, mixture, mixed=True)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("length", [1, 5])
def test_an_lstm_written_out_is_the_fused_one(length, bias):
    torch.manual_seed(0)
    layers, x = [LSTM(6, 3, bias=bias) for _ in range(2)], torch.randn(2, 4, length, 6)
    state = {
        name: torch.stack([dict(each.named_parameters())[name] for each in layers]).detach().requires_grad_()
        for name, _ in layers[0].named_parameters()
    }
    base = copy.deepcopy(layers[0])
    found = vmap(lambda weights, inputs: functional_call(base, weights, (inputs,)))(state, x)
    found.square().sum().backward()
    for number, layer in enumerate(layers):
        wanted = layer(x[number])
        assert_close(found[number], wanted)
        wanted.square().sum().backward()
        for name, weight in layer.named_parameters():
            assert_close(state[name].grad[number], weight.grad)
