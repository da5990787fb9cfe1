"""The adapter for Hugging Face: the reference is the model itself, and each text alone.

``transformers`` is an extra: without it these tests are skipped.
"""

import json
import re

import pytest
import torch

pytest.importorskip("transformers")

from transformers import AutoModelForCausalLM

from inductive_bias import paths
from inductive_bias.hugging_face import MixingConfig, MixingForCausalLM, MixingOutput
from inductive_bias.layers import RSASpec
from inductive_bias.models import MixingSpec
from tests.hostile import refused
from tests.models.test_mixer_model import MIXERS, spec

every_mixer = pytest.mark.parametrize("mixer", MIXERS)
VOCABULARY = 7


def made(mixer="rsa", positions="sinusoidal", **choices):
    torch.manual_seed(0)
    more = {"length": 30} if mixer == "toeplitz" else {}
    settings = spec(mixer, model={"positions": positions}, **more, **choices)
    model = MixingForCausalLM(MixingConfig(settings, vocab_size=VOCABULARY)).double().eval()
    with torch.no_grad():  # sharper than a fresh model, so that texts differ
        model.model.readout.weight.mul_(8)
    return model


def texts(*lengths):
    rng = torch.Generator().manual_seed(1)
    return [torch.randint(1, VOCABULARY, (1, length), generator=rng) for length in lengths]


def padded(rows, side):
    longest = max(row.shape[1] for row in rows)
    tokens, mask = torch.zeros(2, len(rows), longest, dtype=torch.int64)
    for i, row in enumerate(rows):
        place = slice(0, row.shape[1]) if side == "right" else slice(longest - row.shape[1], longest)
        tokens[i, place], mask[i, place] = row[0], 1
    return tokens, mask


def greedy(model, text, more):
    for _ in range(more):
        text = torch.cat((text, model.model(text)[:, -1:].argmax(-1)), 1)
    return text


def generated(model, tokens, **options):
    return model.generate(tokens, max_new_tokens=5, do_sample=False, pad_token_id=0, **options)


@every_mixer
def test_texts_are_generated_with_a_cache_as_without_one(mixer):
    model, (text,) = made(mixer), texts(4)
    want = greedy(model, text, 5)
    assert torch.equal(generated(model, text), want)
    assert torch.equal(generated(model, text, use_cache=False), want)


@every_mixer
def test_prompts_padded_on_the_left_are_gone_on_from_as_each_alone(mixer):
    model, rows = made(mixer), texts(6, 2, 4)
    tokens, mask = padded(rows, "left")
    ours = generated(model, tokens, attention_mask=mask)
    for i, row in enumerate(rows):
        assert torch.equal(ours[i, 6:], greedy(model, row, 5)[0, row.shape[1] :])
    assert torch.equal(generated(model, tokens, attention_mask=mask, use_cache=False), ours)


@pytest.mark.parametrize("mixer", ["rsa", "rem", "lstm", "linear_rnn"])
def test_a_search_with_beams_keeps_the_states_of_its_beams(mixer):
    model, rows = made(mixer), texts(5, 3)
    tokens, mask = padded(rows, "left")
    ours, want = (generated(model, tokens, attention_mask=mask, num_beams=3, use_cache=each) for each in (True, False))
    assert torch.equal(ours, want)


@every_mixer
def test_rows_of_a_cache_can_be_chosen_and_repeated(mixer):
    model, rows = made(mixer), texts(5, 3, 4)
    tokens, mask = padded(rows, "right")
    cache, following = model(tokens, attention_mask=mask).cache, texts(2, 2, 2)
    chosen = torch.tensor([2, 0, 0])
    cache.reorder_cache(chosen)
    ours = model(torch.cat(following), cache=cache).logits
    for i, row in enumerate(chosen.tolist()):
        want = model.model(torch.cat((rows[row], following[i]), 1))[:, -2:]
        torch.testing.assert_close(ours[i : i + 1], want)


def test_a_text_is_gone_on_from_with_its_cache():
    model, (text, following) = made(), texts(4, 3)
    cache = model(text).cache
    assert cache.get_seq_length() == 4
    whole = torch.cat((text, following), 1)
    torch.testing.assert_close(model(following, cache=cache).logits, model(whole).logits[:, 4:])
    assert torch.equal(generated(model, whole, cache=cache), greedy(model, whole, 5))


@every_mixer
@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_changes_no_logit(mixer, side):
    model, rows = made(mixer), texts(6, 3)
    tokens, mask = padded(rows, side)
    for training in (False, True):
        logits = model.train(training)(tokens, attention_mask=mask).logits
        for i, row in enumerate(rows):
            torch.testing.assert_close(logits[i, mask[i].bool()], model.model(row)[0])


def test_the_loss_is_the_mean_cross_entropy_of_the_next_tokens():
    model, (text,) = made(), texts(6)
    labels = text.clone()
    labels[0, 2] = -100
    answer = model(text, labels=labels)
    scores = model.model(text)[0, :-1].float().log_softmax(-1)
    want = -torch.stack([scores[t, text[0, t + 1]] for t in range(5) if t + 1 != 2]).mean()
    torch.testing.assert_close(answer.loss, want)
    answer.loss.backward()
    assert all(weight.grad is not None for weight in model.parameters())
    # as the trainer asks for it over some batches
    torch.testing.assert_close(model(text, labels=labels, num_items_in_batch=8).loss, want * 4 / 8)


@every_mixer
def test_a_saved_model_is_read_again(mixer, tmp_path):
    model, (text,) = made(mixer), texts(6)
    model.save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "inductive_bias_mixing"
    assert not list(tmp_path.glob("*.bin"))
    for read in (MixingForCausalLM, AutoModelForCausalLM):
        other = read.from_pretrained(tmp_path).eval()
        assert type(other) is MixingForCausalLM
        assert other.config.settings == model.config.settings
        assert all(torch.equal(value, model.state_dict()[name]) for name, value in other.state_dict().items())
        # weights that lie elsewhere in memory may be rounded otherwise
        torch.testing.assert_close(other(text).logits, model(text).logits)
        assert torch.equal(generated(other, text), generated(model, text))


def test_a_model_begins_with_the_package_s_own_weights():
    settings = MixingSpec(mixer=RSASpec(heads=2), width=12)
    torch.manual_seed(3)
    ours = MixingForCausalLM(MixingConfig(settings, vocab_size=5)).model.state_dict()
    torch.manual_seed(3)
    want = settings.build(outputs=5, vocabulary=5).state_dict()
    assert all(torch.equal(ours[name], want[name]) for name in want)
    assert ours.keys() == want.keys()


def test_a_model_trained_elsewhere_is_wrapped_and_not_copied(tmp_path):
    settings = MixingSpec(width=12, mixer=RSASpec(heads=2, counts=(0, 1, 1, 0, 0, 0)))
    inner = settings.build(outputs=5, vocabulary=5)
    model = MixingForCausalLM.of(inner, settings, eos_token_id=2)
    assert model.model is inner
    assert model.config.eos_token_id == 2
    model.save_pretrained(tmp_path)
    again = MixingForCausalLM.from_pretrained(tmp_path)
    assert all(torch.equal(again.model.state_dict()[name], value) for name, value in inner.state_dict().items())
    refused(MixingForCausalLM.of, "must be one that spec builds", inner, MixingSpec(width=12))
    other = settings.build(outputs=3, vocabulary=5)
    refused(MixingForCausalLM.of, "must read and predict the same tokens", other, settings)


def test_answers_may_be_tuples_and_have_no_cache_while_training():
    model, (text,) = made(), texts(3)
    answer = model(text)
    assert isinstance(answer, MixingOutput)
    assert answer.cache is not None
    assert model.train()(text).cache is None
    logits, cache = model.eval()(text, return_dict=False)
    assert torch.equal(logits, answer.logits)
    assert cache.length == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"spec": {"width": 10}}, "spec does not fit: .*heads=4 must divide width=10"),
        ({"spec": {"mixer": {"kind": "mamba"}}}, "spec does not fit: mixer"),
        ({"spec": MixingSpec(causal=False)}, "causal must be True for a language model"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, message):
    refused(MixingConfig, message, **given)


def test_a_mask_of_fewer_places_than_tokens_is_refused():
    refused(made(), r"attention_mask must be \[b, t or more\] for 4 tokens", *texts(4), torch.ones(1, 3).long())


def test_the_longest_text_is_known_where_there_is_one():
    config = MixingConfig(MixingSpec(positions="learned", reach=40))
    assert config.max_position_embeddings == 40
    assert not hasattr(MixingConfig(), "max_position_embeddings")


def test_the_page_s_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (paths.home() / "book" / "own-layers.md").read_text("utf8")
    first, second = re.findall(r"```\{code-block\} py\n(.*?)```", page, re.DOTALL)
    scope = {}
    exec(first, scope)
    assert scope["text"].shape == (2, 13)
    assert scope["loss"].ndim == 0
    assert "HFLM(pretrained=model, tokenizer=tokenizer)" in second  # what the next test does


@pytest.mark.filterwarnings("ignore")  # what another package says of yet others
def test_lm_eval_takes_the_model():
    huggingface = pytest.importorskip("lm_eval.models.huggingface")
    from lm_eval.api.instance import Instance
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<pad>", "the", "cat", "cats", "sleep", "sleeps", "."]
    raw = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<pad>"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", eos_token="<pad>")
    model = made()
    judged = huggingface.HFLM(pretrained=model, tokenizer=tokenizer, batch_size=2)
    asked = [("the cat", " sleeps ."), ("the cats", " sleep"), ("the", " cat sleeps the cat .")]
    requests = [Instance(request_type="loglikelihood", doc={}, arguments=each, idx=i) for i, each in enumerate(asked)]
    for (before, after), (found, _) in zip(asked, judged.loglikelihood(requests), strict=True):
        tokens = torch.tensor([[words.index(word) for word in (before + after).split()]])
        scores = model.model(tokens)[0].log_softmax(-1)
        first = len(before.split())
        want = sum(scores[t - 1, tokens[0, t]] for t in range(first, tokens.shape[1]))
        assert found == pytest.approx(float(want), rel=1e-4)
