"""Music as a task: what is predicted, the made-up pieces, and predictions that know nothing, against loops."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from inductive_bias.tasks import PolyphonicMusic
from inductive_bias.tasks.data import IGNORED
from inductive_bias.tasks.music import BASELINES, baseline_nlls, key_frequencies, last_step_rates
from inductive_bias.tasks.music.progressions import CHORDS, NEXT, piece, pieces
from inductive_bias.tasks.music.task import to_split
from tests.tasks.music.conftest import as_npz, random_rolls

MADE = PolyphonicMusic(data="generated", pieces=6)


class TestSplits:
    @pytest.mark.parametrize("lengths", [(2,), (2, 2), (5, 2, 9), (3, 3, 4, 8)], ids=str)
    def test_a_label_is_the_next_step_of_its_piece(self, lengths):
        rolls = random_rolls({"train": lengths})["train"]
        split = to_split(rolls, "made up")
        assert split.inputs.shape == split.labels.shape == (len(lengths), max(lengths) - 1, 88)
        for row, roll in enumerate(rolls):
            for step in range(max(lengths) - 1):
                if step < len(roll) - 1:
                    assert split.inputs[row, step].tolist() == roll[step].tolist()
                    assert split.labels[row, step].tolist() == roll[step + 1].tolist()
                else:
                    assert (split.inputs[row, step] == 0).all()
                    assert (split.labels[row, step] == IGNORED).all()
        assert split.slices["length"].tolist() == [length - 1 for length in lengths]

    @pytest.mark.parametrize("lengths", [(), (1,), (5, 1), (0, 3)], ids=str)
    def test_pieces_without_a_next_step_are_refused(self, lengths):
        with pytest.raises(ValueError, match="pieces of at least 2 steps"):
            to_split(random_rolls({"train": lengths})["train"], "made up")

    def test_rolls_of_your_own_are_named_in_every_split(self, tmp_path, put):
        put("jsb_chorales.npz", as_npz(random_rolls()))
        data = PolyphonicMusic(allow_other=True).load(tmp_path)
        assert {split.source for split in data.values()} == {"own:jsb_chorales.npz"}
        assert not data.is_sample

    def test_the_real_chorales_say_that_they_are_real(self, shared_data_folder):
        if not (shared_data_folder / "poly_music").is_dir():
            pytest.skip("the real files are not here: no poly_music/ in INDUCTIVE_BIAS_DATA or ../shared/data")
        data = PolyphonicMusic().load(shared_data_folder)
        assert {split.source for split in data.values()} == {"real:jsb"}
        train = data["train"]
        assert train.inputs.shape == (229, 128, 88)
        # four voices, of which two may sing one note or rest
        assert float((train.labels == 1).sum() / train.slices["length"].sum()) == pytest.approx(3.9, abs=0.05)


class TestMadeUpPieces:
    def test_they_depend_on_the_seed_alone_and_say_what_they_are(self):
        data = MADE.load()
        assert {split.source for split in data.values()} == {"generated:chord progressions"}
        assert data.is_sample
        assert data.sha256 == {}
        assert [len(data[name]) for name in data] == [6, 10, 10]
        other = PolyphonicMusic(data="generated", pieces=6, data_seed=1).load()
        more = PolyphonicMusic(data="generated", pieces=9).load()
        for name in data:
            assert not torch.equal(data[name].inputs[:, :4], other[name].inputs[:, :4])
        assert torch.equal(data["test"].labels, more["test"].labels)
        assert data["train"].slices["length"].tolist() == more["train"].slices["length"][:6].tolist()
        assert len(PolyphonicMusic(data="generated").load()["train"]) == 40

    def test_no_split_has_a_piece_of_another(self):
        data = MADE.load()
        found = [{row.numpy().tobytes() for row in data[name].labels[:, :8]} for name in data]
        assert sum(map(len, found)) == len(set().union(*found)) == 26

    def test_every_step_is_a_chord_of_the_key_with_its_bass_and_one_voice_above(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            roll = piece(rng)
            tonic = min(np.flatnonzero(roll[0])) + 12
            names = []
            for step in roll:
                keys = np.flatnonzero(step)
                (name,) = [
                    n
                    for n, above in CHORDS.items()
                    if {tonic + a for a in above} <= set(keys) and tonic + above[0] - 12 == keys[0]
                ]
                top = set(keys) - {tonic + above for above in CHORDS[name]} - {keys[0]}
                assert len(top) <= 1
                assert all(key - 12 in keys for key in top)
                names.append(name)
            assert names[0] == "I"
            assert all(b == a or b in NEXT[a] for a, b in pairwise(names))
            assert 4 <= len(roll) <= 48

    def test_the_first_pieces_are_those_of_a_smaller_number(self):
        few, many = (pieces(np.random.default_rng(3), number) for number in (2, 5))
        assert all(np.array_equal(a, b) for a, b in zip(few, many, strict=False))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"pieces": 4}, "belong to the data 'generated', not to 'jsb'"),
        ({"data": "nottingham", "data_seed": 1}, "belong to the data 'generated', not to 'nottingham'"),
        ({"data": "generated", "allow_other": True}, "allow_other=True belongs to data that are read from a file"),
        ({"data": "generated", "pieces": 0}, "greater than or equal to 1"),
        ({"data": "generated", "data_seed": -1}, "greater than or equal to 0"),
        ({"data": "beatles"}, "Input should be 'jsb'"),
        ({"keys": 12}, "Extra inputs are not permitted"),
    ],
)
def test_settings_that_do_not_fit_are_refused(choices, message):
    with pytest.raises(ValidationError, match=message):
        PolyphonicMusic(**choices)


def test_dimensions_are_those_of_a_piano_whatever_the_set():
    wanted = {"channels": 88, "outputs": 88}
    assert PolyphonicMusic().dimensions == MADE.dimensions == PolyphonicMusic(data="musedata").dimensions == wanted


class TestBaselines:
    """Against loops over pieces, steps and keys."""

    @pytest.fixture
    def data(self):
        return {
            name: to_split(rolls, "made up")
            for name, rolls in random_rolls({"train": (5, 2, 9), "validation": (3, 4), "test": (2, 7)}).items()
        }

    @staticmethod
    def steps(split):
        """Pairs of a step and the next, of all pieces."""
        for row, length in enumerate(split.slices["length"].tolist()):
            for step in range(length):
                yield split.inputs[row, step].tolist(), split.labels[row, step].tolist()

    def test_frequencies_are_counts_by_the_rule_of_succession(self, data):
        counts, steps = [0] * 88, 0
        for _, after in self.steps(data["train"]):
            steps += 1
            counts = [count + key for count, key in zip(counts, after, strict=True)]
        assert steps == 4 + 1 + 8
        assert key_frequencies(data["train"]).tolist() == pytest.approx([(c + 1) / (steps + 2) for c in counts])

    def test_rates_are_shares_of_keys_that_sounded_and_of_those_that_did_not(self, data):
        seen = {1: [], 0: []}
        for before, after in self.steps(data["validation"]):
            for was, is_ in zip(before, after, strict=True):
                seen[was].append(is_)
        held, struck = ((sum(seen[was]) + 1) / (len(seen[was]) + 2) for was in (1, 0))
        assert last_step_rates(data["validation"]) == pytest.approx((held, struck))

    def test_likelihoods_are_sums_over_keys_and_means_over_steps(self, data):
        share, rates = key_frequencies(data["train"]).tolist(), last_step_rates(data["validation"])
        independent, repeated, steps = 0.0, 0.0, 0
        for before, after in self.steps(data["test"]):
            steps += 1
            for key in range(88):
                p = share[key]
                independent -= math.log(p if after[key] else 1 - p)
                p = rates.held if before[key] else rates.struck
                repeated -= math.log(p if after[key] else 1 - p)
        wanted = {"key_frequency": independent / steps, "last_step": repeated / steps}
        assert baseline_nlls(data) == pytest.approx(wanted)
        assert tuple(baseline_nlls(data)) == BASELINES

    def test_pieces_of_silence_are_nearly_certain(self):
        silence = to_split([np.zeros((1001, 88), np.uint8)], "silence")
        found = baseline_nlls({"train": silence, "validation": silence, "test": silence})
        assert found["key_frequency"] == pytest.approx(-88 * math.log(1001 / 1002))
        assert found["last_step"] == pytest.approx(-88 * math.log(88_001 / 88_002))

    def test_the_last_step_is_a_good_guess_where_nothing_changes(self, data):
        held = to_split([np.tile(roll[:1], (50, 1)) for roll in random_rolls()["train"]], "held")
        found = baseline_nlls({"train": held, "validation": held, "test": held})
        assert found["last_step"] < 0.1 < found["key_frequency"]
