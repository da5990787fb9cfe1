"""Batches of sentences: similar lengths together, nothing lost, no more padding than needed."""

from itertools import pairwise

import pytest
import torch

from inductive_bias.tasks.batching import bucketed_batches, length_chunks, sentence_batches
from inductive_bias.tasks.vocabulary import PAD, lengths_of, pad_sentences


def sentences(n, longest=20):
    """``n`` sentences of 0 to ``longest`` words in no order of length; labels are their numbers."""
    lengths = torch.randint(longest + 1, (n,), generator=torch.Generator().manual_seed(n)).tolist()
    return pad_sentences([[4 + number % 7] * length for number, length in enumerate(lengths)]), torch.arange(n)


def epoch(tokens, labels, *, batch_size=4, generator=None, **options):
    generator = generator or torch.Generator().manual_seed(0)
    return list(bucketed_batches(tokens, labels, batch_size=batch_size, generator=generator, **options))


every_kind = pytest.mark.parametrize("even", ["sentences", "tokens"])
every_size = pytest.mark.parametrize(("n", "batch_size"), [(1, 1), (1, 8), (7, 1), (7, 3), (64, 8), (101, 16)])


@every_kind
@every_size
def test_every_sentence_comes_once_with_its_label_and_its_number(n, batch_size, even):
    tokens, labels = sentences(n)
    found = epoch(tokens, labels, batch_size=batch_size, even=even)
    assert sorted(torch.cat([batch.index for batch in found]).tolist()) == list(range(n))
    for batch in found:
        assert torch.equal(batch.labels, labels[batch.index])
        longest = batch.inputs.shape[1]
        assert torch.equal(batch.inputs, tokens[batch.index, :longest])
        assert (tokens[batch.index, longest:] == PAD).all()  # what was cut off was padding


@every_kind
@every_size
def test_a_batch_is_as_wide_as_its_longest_sentence(n, batch_size, even):
    for batch in epoch(*sentences(n), batch_size=batch_size, even=even):
        assert (batch.inputs[:, -1] != PAD).any()


@every_kind
def test_sentences_of_similar_length_come_together(even):
    """Ranges of lengths of two batches share an end at most."""
    found = epoch(*sentences(101), batch_size=9, even=even)
    ranges = sorted((int(lengths_of(b.inputs).min()), int(lengths_of(b.inputs).max())) for b in found)
    assert all(before[1] <= after[0] for before, after in pairwise(ranges))
    assert [int(lengths_of(b.inputs).max()) for b in found] != sorted(int(lengths_of(b.inputs).max()) for b in found)


@every_size
def test_batches_of_sentences_are_of_one_size_or_one_less_and_never_larger_than_asked(n, batch_size):
    sizes = [len(batch.index) for batch in epoch(*sentences(n), batch_size=batch_size)]
    assert len(sizes) == sentence_batches(n, batch_size)
    assert max(sizes) <= batch_size
    assert max(sizes) - min(sizes) <= 1


def test_batches_of_tokens_hold_equally_many_to_within_the_longest_sentence():
    tokens, labels = sentences(500)
    found = epoch(tokens, labels, batch_size=20, even="tokens")
    counts = [int(lengths_of(batch.inputs).sum()) for batch in found]
    assert sum(counts) == int((tokens != PAD).sum())
    share = sum(counts) / sentence_batches(500, 20)
    # a sentence belongs to the batch in which its middle lies: half a sentence may stick out at either end
    assert all(abs(count - share) <= int(lengths_of(tokens).max()) for count in counts)
    by_sentences = [int(lengths_of(batch.inputs).sum()) for batch in epoch(tokens, labels, batch_size=20)]
    assert max(counts) - min(counts) < (max(by_sentences) - min(by_sentences)) / 4


@every_size
def test_batches_of_tokens_are_nearly_as_many_as_the_schedule_expects(n, batch_size):
    found = epoch(*sentences(n), batch_size=batch_size, even="tokens")
    expected = sentence_batches(n, batch_size)
    assert len(found) <= expected
    if batch_size > 2:  # with one sentence a batch a long one fills the share of several
        assert len(found) >= expected - 1


def test_one_sentence_longer_than_all_others_is_a_batch_of_its_own():
    tokens = pad_sentences([[5]] * 30 + [[5] * 500])
    found = epoch(tokens, torch.arange(31), batch_size=8, even="tokens")
    assert sorted(len(batch.index) for batch in found) == [1, 30]


@every_kind
def test_one_seed_gives_one_order_and_every_epoch_another(even):
    tokens, labels = sentences(60)

    def order(generator):
        return [batch.index.tolist() for batch in epoch(tokens, labels, generator=generator, even=even)]

    generator = torch.Generator().manual_seed(3)
    first, second = order(generator), order(generator)
    assert first == order(torch.Generator().manual_seed(3))
    assert first != second
    assert {frozenset(batch) for batch in first} != {frozenset(batch) for batch in second}
    assert first != order(torch.Generator().manual_seed(4))


def test_sentences_of_one_length_are_shuffled_among_all_their_batches():
    tokens, labels = pad_sentences([[4, 5]] * 64), torch.arange(64)
    batches = [batch.index.sort().values.tolist() for batch in epoch(tokens, labels, batch_size=8)]
    assert all(batch != list(range(batch[0], batch[0] + 8)) for batch in batches)


@every_kind
@every_size
def test_steps_whose_lengths_are_given_and_labels_of_each_are_trimmed_together(n, batch_size, even):
    tokens, _ = sentences(n)
    lengths = lengths_of(tokens)
    # 0 is a step like any other here
    steps, labels = torch.stack((tokens % 2, tokens), -1), tokens * 10
    found = epoch(steps, labels, batch_size=batch_size, even=even, lengths=lengths)
    for batch, same in zip(found, epoch(tokens, labels, batch_size=batch_size, even=even), strict=True):
        assert torch.equal(batch.index, same.index)
        longest = int(lengths[batch.index].max())
        assert torch.equal(batch.inputs, steps[batch.index, :longest])
        assert torch.equal(batch.labels, labels[batch.index, :longest])
        assert torch.equal(same.labels, batch.labels)


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (3, {"even": "words"}, "even must be one of sentences, tokens, not 'words'"),
        (3, {"batch_size": 0}, "batch_size must be an integer of at least 1, not 0"),
        (0, {}, "examples must be an integer of at least 1, not 0"),
    ],
)
def test_bad_arguments_are_refused(n, options, message):
    with pytest.raises(ValueError, match=message):
        epoch(*sentences(n), **options)


@pytest.mark.parametrize(("n", "size", "batches"), [(1, 1, 1), (1, 8, 1), (8, 8, 1), (9, 8, 2), (16, 8, 2), (7, 1, 7)])
def test_an_epoch_needs_as_many_batches_as_hold_everything(n, size, batches):
    assert sentence_batches(n, size) == batches


@pytest.mark.parametrize(("n", "size"), [(0, 1), (1, 0), (-1, 1)])
def test_no_sentences_and_no_size_are_refused(n, size):
    with pytest.raises(ValueError, match=r"(examples|batch_size) must be an integer of at least 1, not (0|-1)"):
        sentence_batches(n, size)


@pytest.mark.parametrize(("n", "chunk"), [(1, 1), (1, 8), (7, 1), (7, 3), (101, 16)])
def test_chunks_hold_everything_once_shortest_first_and_trimmed(n, chunk):
    tokens, _ = sentences(n)
    found = list(length_chunks(tokens, chunk=chunk))
    assert sorted(torch.cat([index for index, _ in found]).tolist()) == list(range(n))
    assert all(len(index) <= chunk for index, _ in found)
    for index, part in found:
        assert torch.equal(part, tokens[index, : part.shape[1]])
        assert part.shape[1] == lengths_of(tokens)[index].max()
    lengths = torch.cat([lengths_of(part) for _, part in found])
    assert torch.equal(lengths, lengths.sort().values)
    steps = tokens[..., None].expand(-1, -1, 3)
    given = length_chunks(steps, chunk=chunk, lengths=lengths_of(tokens))
    for (index, part), (same, inputs) in zip(found, given, strict=True):
        assert torch.equal(index, same)
        assert torch.equal(inputs, part[..., None].expand(-1, -1, 3))
