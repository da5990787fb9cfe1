"""The probes of the bias profile against naive twins that read one sequence at a time."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import torch
from pydantic import ValidationError
from scipy.signal import lfilter

from inductive_bias.tasks import ProbeTask
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.probes import CONFLICT, PROBES, STRETCHES, Preference, Skill
from inductive_bias.tasks.probes.base import fading_sums

SKILLS = [name for name, probe in PROBES.items() if isinstance(probe, Skill)]
PREFERENCES = [name for name, probe in PROBES.items() if isinstance(probe, Preference)]


def naive(name, tokens):
    """The labels of one sequence, as a person would find them."""
    answers = []
    if name == "flip-flop":
        bit = None
        for token in tokens:
            bit = token - 1 if token in (1, 2) else bit
            answers.append(bit if token == 5 else IGNORED)
    elif name == "parity":
        ones = 0
        for token in tokens:
            ones += token == 2
            answers.append(ones % 2)
    elif name == "permutations":
        # three things in a row; a move is a sentence about them
        orders, things = [list(order) for order in permutations("abc")], list("abc")
        for token in tokens:
            if token == 2:
                things = [things[1], things[0], things[2]]
            if token == 3:
                things = [things[1], things[2], things[0]]
            answers.append(orders.index(things))
    elif name == "brackets":
        stack, text = [], " ([)]"
        for token in tokens:
            sign = text[token]
            if sign in "([":
                stack.append(sign)
                answers.append(IGNORED)
            else:
                assert stack.pop() + sign in ("()", "[]")
                answers.append({"": 0, "(": 1, "[": 2}[stack[-1] if stack else ""])
    elif name == "recall":
        known, pairs = {}, min(len(tokens) // 4, 32)
        for place, token in enumerate(tokens):
            if place % 2 == 0:
                answers.append(known[token] if place >= 2 * pairs else IGNORED)
            else:
                known.setdefault(tokens[place - 1], token - 33)
                answers.append(IGNORED)
    elif name == "fading sum":
        for place in range(len(tokens)):
            # in whole numbers: the sum of .9 ** (place - earlier), times 10 ** place
            parts = [9 ** (place - earlier) * 10**earlier * (2 * tokens[earlier] - 3) for earlier in range(place + 1)]
            assert sum(parts) != 0
            answers.append(int(sum(parts) > 0))
    elif name == "selective copy":
        kept = [token - 1 for token in tokens if token <= 8]
        answers = [IGNORED] * (len(tokens) - len(kept)) + kept
    return answers


@pytest.mark.parametrize("stretch", STRETCHES)
@pytest.mark.parametrize("name", SKILLS)
def test_labels_are_what_a_person_would_say(name, stretch):
    probe = PROBES[name]
    words = probe.draw(np.random.default_rng(3), 20, stretch * probe.length)
    assert words.tokens.shape == words.labels.shape == (20, stretch * probe.length)
    assert words.tokens.min() >= 1
    assert words.tokens.max() <= probe.tokens
    for tokens, labels in zip(words.tokens.tolist(), words.labels.tolist(), strict=True):
        assert naive(name, tokens) == labels


@pytest.mark.parametrize("name", SKILLS)
def test_every_answer_and_every_token_occurs(name):
    probe = PROBES[name]
    words = probe.draw(np.random.default_rng(0), 400, probe.length)
    assert set(np.unique(words.labels)) - {IGNORED} == set(range(probe.outputs))
    assert set(np.unique(words.tokens)) == set(range(1, probe.tokens + 1))


def rules(name, tokens):
    """What the two rules answer to one sequence."""
    body = tokens[:-1]
    if name == "first noun or nearest":
        nouns = [(token - 1) // 6 for token in body if token <= 12]
        return nouns[0], nouns[-1]
    if name == "recency or majority":
        ones = sum(token == 2 for token in body)
        return body[-1] - 1, int(2 * ones > len(body))
    if name == "content or position":
        return tokens[tokens.index(9) + 1] - 1, tokens[16 // 3 + 1] - 1
    if name == "decay or period":
        ago = [None, *(2 * token - 3 for token in reversed(body))]
        faded = sum(Fraction(17, 20) ** (lag - 1) * ago[lag] for lag in range(1, len(ago)))
        assert abs(faded) >= Fraction(1, 4)
        return int(faded > 0), int(ago[5] + ago[10] + ago[15] > 0)
    raise AssertionError(name)


@pytest.mark.parametrize(
    "name", ["first noun or nearest", "recency or majority", "content or position", "decay or period"]
)
def test_two_rules_agree_in_training_and_differ_in_conflicts(name):
    probe = PROBES[name]
    words = probe.draw(np.random.default_rng(1), 200, probe.length)
    for tokens, labels in zip(words.tokens.tolist(), words.labels.tolist(), strict=True):
        assert labels[:-1] == [IGNORED] * (probe.length - 1)
        assert rules(name, tokens) == (labels[-1], labels[-1])
    words, second = probe.conflict(np.random.default_rng(1), 200, probe.length)
    for tokens, labels, other in zip(words.tokens.tolist(), words.labels.tolist(), second.tolist(), strict=True):
        assert labels[-1] != other
        assert rules(name, tokens) == (labels[-1], other)


def test_a_count_is_as_far_as_it_was_said_or_as_far_as_always():
    probe = PROBES["count or memorise"]
    words = probe.draw(np.random.default_rng(1), 50, probe.length)
    for tokens, labels in zip(words.tokens.tolist(), words.labels.tolist(), strict=True):
        assert len(set(tokens[:10])) == 1
        assert tokens[10:] == [5] * 10
        assert labels == [IGNORED] * 10 + [0] * 9 + [1]
    words, second = probe.conflict(np.random.default_rng(1), 300, probe.length)
    told = set()
    for tokens, labels, other in zip(words.tokens.tolist(), words.labels.tolist(), second.tolist(), strict=True):
        letters = sum(token < 5 for token in tokens)
        (place,) = (place for place, label in enumerate(labels) if label != IGNORED)
        so_far = place + 1 - letters
        assert labels[place] == int(so_far == letters)
        assert other == int(so_far == 10)
        assert labels[place] != other
        told.add(letters)
    # as many sequences go on for less long as for longer
    assert told == {5, 6, 7, 8, 12, 13, 14, 15}


def test_more_than_one_attractor_does_not_decide_a_conflict():
    words, _ = PROBES["first noun or nearest"].conflict(np.random.default_rng(0), 100, 16)
    assert ((words.tokens <= 12).sum(1) == 2).all()


@pytest.mark.parametrize("decay", [-0.5, 0.0, 0.9, 1.0], ids="decay{}".format)
@pytest.mark.parametrize("length", [1, 2, 17], ids="T{}".format)
def test_a_fading_sum_is_a_filter_with_one_pole(length, decay):
    values = np.random.default_rng(0).integers(-1, 2, size=(5, length))
    assert fading_sums(values, decay) == pytest.approx(lfilter([1.0], [1.0, -decay], values))


def every(length):
    """All sequences of two symbols of this length, as ones and minus ones."""
    return 2 * (np.arange(2**length)[:, None] >> np.arange(length) & 1) - 1


def share(answers, labels):
    """How often a sign is that of the label; a tie is right in half of the cases."""
    return ((answers * labels > 0) + 0.5 * (answers == 0)).mean()


@pytest.fixture(scope="module")
def signs():
    """All 65,536 sequences: values, the sign of the decay, that of the period, and whether the sum is large."""
    values = every(16)
    faded = values @ 0.85 ** np.arange(16)[::-1]
    periodic = np.sign(values[:, [11, 6, 1]].sum(1))
    return values, np.sign(faded), periodic, np.abs(faded) >= 0.25


class TestDecay:
    PROBE = PROBES["decay or period"]

    def test_chance_is_a_half_and_each_rule_is_right_in_all_of_training_alone(self, signs):
        _, faded, periodic, large = signs
        for agree in (True, False):
            kept = large & ((faded == periodic) == agree)
            assert (faded[kept] > 0).mean() == (periodic[kept] > 0).mean() == 0.5
            assert share(periodic[kept], faded[kept]) == agree

    def test_no_shorter_way_counts_as_learnt(self, signs):
        values, faded, periodic, large = signs
        training, conflict = (large & (faded == sign * periodic) for sign in (1, -1))

        def right(answers, kept=training):
            return share(answers[kept], faded[kept])

        assert right(values[:, -1]) == pytest.approx(0.71, abs=0.005)
        assert right(values.sum(1)) == pytest.approx(0.90, abs=0.005)
        assert max(right(values[:, place]) for place in range(16)) == pytest.approx(0.81, abs=0.005)
        assert max(right(values[:, -last:].sum(1)) for last in range(1, 17)) == pytest.approx(0.93, abs=0.005)
        assert right(values[:, -1], conflict) == pytest.approx(0.80, abs=0.005)
        # nine tenths of the way from chance to the ceiling
        assert 0.93 < 0.5 + 0.9 / 2

    def test_what_is_drawn_has_the_shares_of_all_sequences(self, signs):
        values, faded, periodic, large = signs
        rng = np.random.default_rng(0)
        drawn = self.PROBE.draw(rng, 20_000, 17), self.PROBE.conflict(rng, 20_000, 17)[0]
        for sign, words in zip((1, -1), drawn, strict=True):
            kept = large & (faded == sign * periodic)
            wanted = (values[kept] * faded[kept, None] > 0).mean(0)
            found = (words.tokens[:, :-1] - 1 == words.labels[:, -1:]).mean(0)
            assert found == pytest.approx(wanted, abs=0.015)
            assert words.labels[:, -1].mean() == pytest.approx(0.5, abs=0.015)

    @pytest.mark.parametrize("length", [16, 17, 40])
    @pytest.mark.parametrize("count", [0, 1, 7])
    def test_there_are_as_many_as_were_asked_for_at_every_length(self, length, count):
        words, second = self.PROBE.conflict(np.random.default_rng(0), count, length)
        assert words.tokens.shape == words.labels.shape == (count, length)
        assert (words.tokens[:, -1] == 3).all()
        for tokens, labels, other in zip(words.tokens.tolist(), words.labels.tolist(), second.tolist(), strict=True):
            assert rules("decay or period", tokens) == (labels[-1], other)

    @pytest.mark.parametrize("length", [0, 1, 15])
    def test_a_sequence_without_three_periods_is_refused(self, length):
        with pytest.raises(ValueError, match=f"length={length} must be at least 16"):
            self.PROBE.draw(np.random.default_rng(0), 2, length)


class TestFadingSum:
    PROBE = PROBES["fading sum"]

    def test_chance_is_a_half_at_every_place(self):
        sums = fading_sums(every(12), self.PROBE.decay)
        assert (sums != 0).all()
        assert ((sums > 0).mean(0) == 0.5).all()

    def test_the_last_symbol_is_enough_for_two_and_then_falls_behind(self):
        values = every(12)
        sums = fading_sums(values, self.PROBE.decay)
        shares = [share(values[:, place], sums[:, place]) for place in range(12)]
        # .9 is less than one symbol, .9 + .81 is more: one of four pairs outweighs the third
        assert shares[:3] == [1, 1, 0.75]
        assert shares[-1] < 0.7

    @pytest.mark.parametrize(("stretch", "last", "all_alike", "eleven"), [(1, 0.72, 0.85, 0.89), (4, 0.69, 0.71, 0.87)])
    def test_shorter_ways_are_what_the_docstring_says(self, stretch, last, all_alike, eleven):
        words = self.PROBE.draw(np.random.default_rng(1), 20_000, stretch * self.PROBE.length)
        values, labels = 2 * words.tokens - 3, 2 * words.labels - 1
        counts = values.cumsum(1)
        window = counts - np.pad(counts, ((0, 0), (11, 0)))[:, :-11]
        assert share(values, labels) == pytest.approx(last, abs=0.006)
        assert share(counts, labels) == pytest.approx(all_alike, abs=0.006)
        assert share(window, labels) == pytest.approx(eleven, abs=0.006)
        assert words.labels.mean() == pytest.approx(0.5, abs=0.005)

    def test_one_symbol_is_its_own_sum(self):
        words = self.PROBE.draw(np.random.default_rng(0), 50, 1)
        assert (words.labels == words.tokens - 1).all()
        assert self.PROBE.draw(np.random.default_rng(0), 0, 3).tokens.shape == (0, 3)


@pytest.mark.parametrize("name", PROBES)
def test_a_task_has_its_splits(name):
    task = ProbeTask(probe=name, validation_size=4, test_size=3)
    data, preference = task.load(), name in PREFERENCES
    assert set(data) == {"train", "validation", "test", *([CONFLICT] if preference else [])}
    lengths = [stretch * task.length for stretch in STRETCHES] if name in SKILLS else [task.length]
    # white noise has every sequence with every question, and no right answer to any
    times = task.sequences.questions if task.fixed else 1
    assert data["test"].slices["length"].tolist() == [length for length in lengths for _ in range(3 * times)]
    for name, split in data.items():
        padded = torch.arange(split.inputs.shape[1]) >= split.slices["length"][:, None]
        assert (split.inputs[padded] == 0).all()
        assert (split.labels[padded] == IGNORED).all()
        assert (split.inputs[~padded] > 0).all()
        assert split.inputs.max() < task.dimensions["vocabulary"]
        assert split.labels.max() < task.dimensions["outputs"]
        assert (split.labels >= 0).any(1).all() == (task.trains and not (task.fixed and name == "test"))
    if preference:
        assert ((data[CONFLICT].labels >= 0).sum(1) == 1).all()


def test_seeds_decide_what_is_drawn():
    task = ProbeTask(probe="parity")
    one, same, other = (task.draw(5, torch.Generator().manual_seed(seed))[0] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    fixed = ProbeTask(probe="parity", data_seed=1).load()["test"]
    assert torch.equal(fixed.inputs, ProbeTask(probe="parity", data_seed=1).load()["test"].inputs)
    assert not torch.equal(fixed.inputs, task.load()["test"].inputs)


@pytest.mark.parametrize(
    "wrong", [{"probe": "telepathy"}, {"probe": "parity", "test_size": 0}, {"probe": "parity", "x": 1}]
)
def test_unknown_settings_are_refused(wrong):
    with pytest.raises(ValidationError):
        ProbeTask(**wrong)


class TestUntrained:
    def test_every_symbol_is_as_likely_everywhere_and_nothing_is_asked(self):
        split = ProbeTask(probe="untrained", test_size=4000).load()["test"]
        assert split.inputs.shape == (4000, 32)
        assert (split.labels == IGNORED).all()
        counts = np.stack([(split.inputs == symbol).float().mean(0).numpy() for symbol in range(1, 17)])
        assert counts == pytest.approx(np.full((16, 32), 1 / 16), abs=0.02)

    def test_it_alone_has_no_training(self):
        assert [name for name in PROBES if not ProbeTask(probe=name).trains] == ["untrained"]
