"""A language model of the package's mixers as a model of Hugging Face's ``transformers``, an extra.

::

    from inductive_bias.hugging_face import MixingConfig, MixingForCausalLM
    from inductive_bias.layers import RSASpec
    from inductive_bias.models import MixingSpec

    model = MixingForCausalLM(MixingConfig(MixingSpec(mixer=RSASpec(heads=8), width=256), vocab_size=5000))
    model.generate(tokens, attention_mask=mask, max_new_tokens=20)
    model.save_pretrained("my_model")
    MixingForCausalLM.from_pretrained("my_model")

Once this module is imported, ``AutoModelForCausalLM.from_pretrained("my_model")`` knows the model too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from jaxtyping import Bool, Int64, Integer
from pydantic import ValidationError
from torch import Tensor, nn

from inductive_bias.errors import extras_named
from inductive_bias.models.mixer_model import Caches, MixingModel, MixingSpec
from inductive_bias.settings import first_fault

with extras_named():
    from transformers import AutoConfig, AutoModelForCausalLM, GenerationMixin, PreTrainedConfig, PreTrainedModel
    from transformers.utils import ModelOutput


class MixingConfig(PreTrainedConfig):
    """Choices of a :class:`MixingForCausalLM`.

    Args:
        spec: the model's settings, or the same as plain data; None for those of :class:`~.models.MixingSpec`.
        vocab_size: how many tokens there are.
        options: further ones of every configuration, such as ``eos_token_id``.

    Attributes:
        spec: as plain data, which is what the file ``config.json`` holds.
        max_position_embeddings: the longest text where learned positions or a free matrix limit it; else not there.

    Raises:
        ValueError: for settings that do not fit, or a model that is not causal.
    """

    model_type = "inductive_bias_mixing"

    def __init__(self, spec: MixingSpec | Mapping[str, object] | None = None, vocab_size: int = 256, **options: object):
        try:
            chosen = spec if isinstance(spec, MixingSpec) else MixingSpec.model_validate(dict(spec or {}))
        except ValidationError as error:
            raise ValueError(f"spec does not fit: {first_fault(error)}") from error
        if not chosen.causal:
            raise ValueError("causal must be True for a language model, not False")
        self.spec, self.vocab_size = chosen.model_dump(mode="json"), vocab_size
        limits = [chosen.reach] if chosen.positions == "learned" else []
        limits += [chosen.mixer.length] if chosen.mixer.kind == "toeplitz" else []
        if limits:
            options["max_position_embeddings"] = min(limits)
        super().__init__(**options)

    @property
    def settings(self) -> MixingSpec:
        """The model's settings."""
        return MixingSpec.model_validate(self.spec)


class ReadText:
    """What a model keeps of the texts read, in the form in which ``generate`` hands it on.

    Attributes:
        caches: of the model.
        length: tokens read, padding too.
    """

    is_compileable = False
    is_linear = (True,)

    def __init__(self, caches: Caches, length: int):
        self.caches, self.length = caches, length

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Tokens read, padding too."""
        return self.length

    def reorder_cache(self, beam_idx: Integer[Tensor, " n"]) -> None:
        """Keep these rows, in this order: of a search with beams."""
        self.caches = self.caches.rows(beam_idx)


@dataclass
class MixingOutput(ModelOutput):
    """Answer of a :class:`MixingForCausalLM`.

    Attributes:
        loss: mean cross-entropy of the next tokens in nats, a scalar; None without labels.
        logits: ``[b, t, vocab_size]``.
        cache: what was read; None if it was not asked for.
    """

    loss: Tensor | None = None
    logits: Tensor | None = None
    cache: ReadText | None = None


class MixingForCausalLM(PreTrainedModel, GenerationMixin):
    """A :class:`~inductive_bias.models.MixingModel` as a causal language model of ``transformers``.

    Its weights begin as the package draws them. Padding may stand in front of a text or behind it; positions count from
    the first real token.

    Attributes:
        model: the model itself.
    """

    config_class = MixingConfig
    base_model_prefix = "model"
    _is_stateful = True  # a state cannot be taken back: no assisted generation
    _supports_sdpa = True

    def __init__(self, config: MixingConfig):
        super().__init__(config)
        self.model = config.settings.build(outputs=config.vocab_size, vocabulary=config.vocab_size)
        self.post_init()

    @classmethod
    def of(cls, model: MixingModel, spec: MixingSpec, **options: object) -> "MixingForCausalLM":
        """A model that was trained elsewhere, itself and not a copy; ``options`` are the configuration's.

        Raises:
            ValueError: if it does not read and predict the same tokens, or is not of these settings.
        """
        embedding = model.embedding
        if not isinstance(embedding, nn.Embedding) or model.readout.out_features != embedding.num_embeddings:
            raise ValueError("model must read and predict the same tokens: outputs must be its vocabulary")
        wrapped = cls(MixingConfig(spec, vocab_size=embedding.num_embeddings, **options))
        shapes, wanted = (
            {name: value.shape for name, value in each.state_dict().items()} for each in (model, wrapped.model)
        )
        if shapes != wanted:
            raise ValueError(f"model must be one that spec builds, {spec.name}, not one with other weights")
        wrapped.model = model
        return wrapped

    def forward(
        self,
        input_ids: Int64[Tensor, "b t"],
        attention_mask: Integer[Tensor, "b n"] | Bool[Tensor, "b n"] | None = None,
        cache: ReadText | None = None,
        labels: Int64[Tensor, "b t"] | None = None,
        use_cache: bool | None = None,
        return_dict: bool | None = None,
        **options: object,
    ) -> MixingOutput | tuple:
        """Logits of the next token at every place.

        Args:
            input_ids: tokens that follow those of the cache.
            attention_mask: 1 for real tokens; of these tokens, or of all since the first.
            cache: what was read before.
            labels: the tokens themselves, −100 where none is asked for; moved by one place here.
            use_cache: whether to give the cache after these tokens; None for no while training.
            return_dict: False for a tuple.
            options: for the loss; all others are ignored.

        Raises:
            ValueError: if the mask has fewer places than there are tokens.
        """
        mask = _real(attention_mask, input_ids)
        keep = not self.training if use_cache is None else use_cache
        if cache is not None:
            logits, caches = self.model.step(input_ids, cache.caches, mask)
        elif keep:
            logits, caches = self.model.prefill(input_ids, mask)
        else:
            logits, caches = self.model(input_ids, mask), None
        read = ReadText(caches, input_ids.shape[1] + (0 if cache is None else cache.length)) if keep else None
        loss = None
        if labels is not None:
            given = {name: options[name] for name in ("num_items_in_batch", "shift_labels") if name in options}
            loss = self.loss_function(logits=logits, labels=labels, vocab_size=self.config.vocab_size, **given)
        answer = MixingOutput(loss=loss, logits=logits, cache=read)
        return answer.to_tuple() if return_dict is False else answer

    def prepare_inputs_for_generation(
        self,
        input_ids: Int64[Tensor, "b n"],
        cache: ReadText | None = None,
        attention_mask: Integer[Tensor, "b m"] | Bool[Tensor, "b m"] | None = None,
        use_cache: bool | None = None,
        **options: object,
    ) -> dict[str, object]:
        """The tokens that were not read yet, beside what was."""
        total = input_ids.shape[1] if attention_mask is None else attention_mask.shape[1]
        new = input_ids if cache is None else input_ids[:, -(total - cache.length) :]
        return {"input_ids": new, "attention_mask": attention_mask, "cache": cache, "use_cache": use_cache}

    def get_input_embeddings(self) -> nn.Module:
        """The embedding."""
        return self.model.embedding

    def get_output_embeddings(self) -> nn.Module:
        """The read-out."""
        return self.model.readout

    def _init_weights(self, module: nn.Module) -> None:
        """Leave the weights as the package has drawn them."""

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False


def _real(attention_mask: Tensor | None, tokens: Int64[Tensor, "b t"]) -> Bool[Tensor, "b t"] | None:
    """Which of the tokens are real; None if all are."""
    if attention_mask is None:
        return None
    if attention_mask.ndim != 2 or attention_mask.shape[1] < tokens.shape[1]:
        shape = tuple(attention_mask.shape)
        raise ValueError(f"attention_mask must be [b, t or more] for {tokens.shape[1]} tokens, not {shape}")
    mask = attention_mask[:, -tokens.shape[1] :].bool()
    return None if bool(mask.all()) else mask


AutoConfig.register(MixingConfig.model_type, MixingConfig)
AutoModelForCausalLM.register(MixingConfig, MixingForCausalLM)
