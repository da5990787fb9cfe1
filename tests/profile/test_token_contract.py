"""Each check of a model of tokens passes for an honest model and names the fault of one that has it.

Checks of a mask and of steps are made where a model has them: ``Masked`` does, ``Honest`` does not.
"""

import sys

import pytest

from inductive_bias import cli
from inductive_bias.profile import TOKEN_CHECKS, check_token_model, token_subject_of
from inductive_bias.profile.contract import FAILS, NOT_APPLICABLE, PASSES, made
from inductive_bias.profile.subject import TokenSubject
from inductive_bias.studies.known_models import BY_NAME

OF_A_MASK = {"padding on the right", "padding on the left", "a masked gap", "rows of padding", "step by step"}
HONEST = """
from types import SimpleNamespace

import torch
from torch import nn

class Honest(nn.Module):
    def __init__(self, vocabulary, outputs, width=6):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.readout = nn.Linear(width, outputs)

    def forward(self, tokens):
        return self.readout(self.embedding(tokens).cumsum(1).tanh())

class Logits(Honest):
    def forward(self, tokens):
        return SimpleNamespace(logits=super().forward(tokens))

def build(vocabulary, outputs):
    return Honest(vocabulary, outputs)

class Masked(Honest):
    # skips what is masked, on the left, on the right and in between

    def forward(self, tokens, attention_mask=None):
        x = self.embedding(tokens)
        return self.readout((x if attention_mask is None else x * attention_mask[..., None]).cumsum(1).tanh())

    def prefill(self, tokens, attention_mask=None):
        x = self.embedding(tokens)
        total = (x if attention_mask is None else x * attention_mask[..., None]).cumsum(1)
        return self.readout(total.tanh()), total[:, -1]

    def step(self, token, total):
        total = total + self.embedding(token)
        return self.readout(total.tanh()), total

class TakesPaddingForTokens(Masked):
    def forward(self, tokens, attention_mask=None):
        return super().forward(tokens)

class CountsFromTheLeft(Masked):
    def forward(self, tokens, attention_mask=None):
        return super().forward(tokens, attention_mask) + torch.arange(tokens.shape[1])[:, None]

class TurnsTheMaskRound(Masked):
    def forward(self, tokens, attention_mask=None):
        return super().forward(tokens, None if attention_mask is None else ~attention_mask)

class DividesByTheNumber(Masked):
    def forward(self, tokens, attention_mask=None):
        answer = super().forward(tokens, attention_mask)
        return answer if attention_mask is None else answer / attention_mask.sum().div(attention_mask.sum(1).min())

class ForgetsItsPrompt(Masked):
    def step(self, token, total):
        return super().step(token, torch.zeros_like(total))

class StepsOverPadding(Masked):
    def prefill(self, tokens, attention_mask=None):
        return super().prefill(tokens)

class TooMany(Honest):
    def __init__(self, vocabulary, outputs):
        super().__init__(vocabulary, outputs + 2)

class NotFinite(Honest):
    def forward(self, tokens):
        return super().forward(tokens) / 0

class Leaks(Honest):
    def forward(self, tokens):
        return super().forward(tokens.flip(1)).flip(1)

class Draws(Honest):
    def forward(self, tokens):
        return super().forward(tokens) + torch.rand(())

class NeedsTwo(Honest):
    def forward(self, tokens):
        if tokens.shape[1] < 2:
            raise ValueError("two tokens at least")
        return super().forward(tokens)

class Wide(Honest):
    def forward(self, tokens):
        return super().forward(tokens).float()

class Branches(Honest):
    def forward(self, tokens):
        found = super().forward(tokens)
        return found if float(found.sum()) == 0 else found * 2

class Forgets(Honest):
    def __init__(self, vocabulary, outputs):
        super().__init__(vocabulary, outputs)
        self.factor = float(torch.rand(()))

    def forward(self, tokens):
        return super().forward(tokens) * self.factor
"""
FAULTS = {
    "TooMany": ("answers every token", "give (3, 9, 7), not (3, 9, 5)"),
    "NotFinite": ("answers every token", "logits that are not finite"),
    "Leaks": ("sees no future", "its outputs at position 0"),
    "Draws": ("answers alike", "a second call"),
    "TakesPaddingForTokens": ("padding on the left", "with padding the answer differs"),
    "CountsFromTheLeft": ("padding on the left", "with padding the answer differs"),
    "TurnsTheMaskRound": ("padding on the right", "TurnsTheMaskRound has it for padding"),
    "DividesByTheNumber": ("rows of padding", "the other rows alone"),
    "ForgetsItsPrompt": ("step by step", "steps after a prompt"),
    "StepsOverPadding": ("step by step", "steps after a padded prompt"),
    "NeedsTwo": ("batches of none, single tokens", "two tokens at least"),
    "Wide": ("bfloat16", "gives float32"),
    "Branches": ("vmap", "RuntimeError"),
    "Forgets": ("copies and checkpoints", "its weights in a fresh model"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_model.py").write_text(HONEST)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found_by_name(name):
    return {each.name: each for each in check_token_model(token_subject_of(f"my_model.py:{name}"))}


@pytest.mark.parametrize("name", ["Honest", "build", "Logits", "Masked"])
def test_an_honest_model_of_tokens_passes_all_that_it_has(folder, name):
    found = found_by_name(name)
    assert list(found) == list(TOKEN_CHECKS)
    assert {each.name: each.lines for each in found.values() if each.state == FAILS} == {}
    left_out = {each.name for each in found.values() if each.state == NOT_APPLICABLE}
    assert left_out == (set() if name == "Masked" else OF_A_MASK)


def test_a_gap_in_which_tokens_matter_is_named(folder):
    found = found_by_name("TakesPaddingForTokens")["a masked gap"]
    assert (found.state, len(found.lines)) == (FAILS, 1)
    assert "with other tokens in the gap" in found.lines[0]


@pytest.mark.parametrize("name", BY_NAME)
def test_masks_and_steps_of_the_population_hold_where_a_model_has_them(name):
    subject = TokenSubject(BY_NAME[name].spec())
    found = [made(check, TOKEN_CHECKS[check], subject) for check in OF_A_MASK]
    assert {each.name: each.lines for each in found if each.state == FAILS} == {}
    assert {each.state for each in found} == {PASSES if hasattr(subject.build(), "prefill") else NOT_APPLICABLE}


@pytest.mark.parametrize(("name", "fault"), FAULTS.items())
def test_a_fault_of_a_model_of_tokens_is_named(folder, name, fault):
    check, reason = fault
    found = found_by_name(name)[check]
    assert found.state == FAILS
    assert reason in " ".join(found.lines)


def test_the_command_checks_a_model_of_tokens(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["inductive-bias", "profile", "my_model.py:Leaks", "--check"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if " fails: " in line] == [line for line in lines if "sees no future" in line]
    assert lines[-1] == f"1 of {len(TOKEN_CHECKS)} checks fail"
