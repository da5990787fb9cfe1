"""CodeT5's pre-trained encoder (Wang et al. 2021, arXiv:2109.00859) in place of one from scratch, where there is a hub.

It needs the package ``transformers`` and the weights of ``Salesforce/codet5-small`` (Hugging Face hub), neither of
which comes with this package; no result of this book uses it. Our types take the place of its sub-words: each starts as
the mean of those that CodeT5 writes it with, so that tasks, protocols and head stay as they are::

    data = Defects().load()
    model = codet5_classifier(data.vocabulary.words, classes=2)
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from inductive_bias.errors import SettingError
from inductive_bias.models.code_classifier import FunctionClassifier

#: On the hub; 60 million parameters, width 512, of which the encoder is a half.
NAME = "Salesforce/codet5-small"


class PretrainedEncoder(nn.Module):
    """An encoder of ``transformers`` that reads embeddings.

    Args:
        encoder: called as ``encoder(inputs_embeds=…, attention_mask=…)``; answers with ``last_hidden_state``.
        width: of its states.

    Attributes:
        d: of the outputs.
    """

    def __init__(self, encoder: nn.Module, width: int):
        super().__init__()
        self.pretrained, self.d = encoder, width

    def forward(self, x: Float[Tensor, "b t d"], real: Bool[Tensor, "b t"]) -> Float[Tensor, "b t d"]:
        """States of every token; padding is seen by none."""
        return self.pretrained(inputs_embeds=x, attention_mask=real.long()).last_hidden_state


def codet5_classifier(
    words: Sequence[str], *, classes: int, sides: int = 1, dropout: float = 0.1, name: str = NAME
) -> FunctionClassifier:
    """A classifier of functions whose encoder is pre-trained, to be fine-tuned.

    Args:
        words: types in the order of their ids, 0 for padding: those of a task's vocabulary.
        classes: answers.
        sides: functions of an example.
        dropout: on the embeddings and on what the read-out sees.
        name: of the model on the hub, or a folder that holds it.

    Raises:
        SettingError: if ``transformers`` is not installed, or the model is neither there nor to be had.
    """
    try:
        from transformers import AutoTokenizer, T5EncoderModel

        tokenizer, encoder = AutoTokenizer.from_pretrained(name), T5EncoderModel.from_pretrained(name)
    except ImportError as error:
        raise SettingError(f"{name} needs the package transformers, which is not installed ({error})") from error
    except (OSError, ValueError) as error:
        raise SettingError(f"{name} could not be loaded ({' '.join(str(error).split())})") from error
    table = encoder.get_input_embeddings().weight.detach()
    options = {"vocabulary": len(words), "classes": classes, "sides": sides, "dropout": dropout}
    model = FunctionClassifier(PretrainedEncoder(encoder, table.shape[1]), table.shape[1], **options)
    with torch.no_grad():
        for number, word in enumerate(words):
            ids = tokenizer(word, add_special_tokens=False)["input_ids"]
            model.embedding.weight[number] = table[ids].mean(0) if ids else 0.0
    return model
