"""One model family a file, readable top to bottom; a ``…Spec`` holds the choices and builds the module.

Every spec says what it takes, ``inputs``: sets of dimensions, any one of which a task must have for the model to be
trained on it; and whether it is ``causal``, that is whether no position sees a later one.
"""

from inductive_bias.models.bidirectional import BidirectionalSpec
from inductive_bias.models.bilstm import BiLSTMSpec
from inductive_bias.models.block_recurrent import BlockRecurrentSpec
from inductive_bias.models.cnn import CNN, CNNSpec
from inductive_bias.models.code_classifier import FunctionClassifier
from inductive_bias.models.convolution import ConvolutionalModel
from inductive_bias.models.flat_mlp import FlattenedModel, FlattenedSpec
from inductive_bias.models.gated_convolution import GatedConvolutionSpec
from inductive_bias.models.informer import InformerSpec, LogSparseSpec
from inductive_bias.models.language_xl import LanguageXLSpec
from inductive_bias.models.latent_bottleneck import LatentBottleneckSpec
from inductive_bias.models.lstm import LSTMEncoder, LSTMSpec
from inductive_bias.models.mixer_model import MixingModel, MixingSpec
from inductive_bias.models.mlp import MLP, MLPSpec
from inductive_bias.models.patches import PatchModel, PatchSpec
from inductive_bias.models.recurrent import RecurrentModel, RecurrentSpec
from inductive_bias.models.sentence_heads import LanguageModel, SentenceClassifier
from inductive_bias.models.tcn import TCNSpec
from inductive_bias.models.text_cnn import TextCNNSpec
from inductive_bias.models.transformer import TransformerEncoder, TransformerSpec
from inductive_bias.models.transformer_xl import TransformerXLSpec
from inductive_bias.models.unrolled import UnrolledLSTM, UnrolledSpec
from inductive_bias.models.window_mlp import WindowMLPSpec

__all__ = [
    "CNN",
    "MLP",
    "BiLSTMSpec",
    "BidirectionalSpec",
    "BlockRecurrentSpec",
    "CNNSpec",
    "ConvolutionalModel",
    "FlattenedModel",
    "FlattenedSpec",
    "FunctionClassifier",
    "GatedConvolutionSpec",
    "InformerSpec",
    "LSTMEncoder",
    "LSTMSpec",
    "LanguageModel",
    "LanguageXLSpec",
    "LatentBottleneckSpec",
    "LogSparseSpec",
    "MLPSpec",
    "MixingModel",
    "MixingSpec",
    "PatchModel",
    "PatchSpec",
    "RecurrentModel",
    "RecurrentSpec",
    "SentenceClassifier",
    "TCNSpec",
    "TextCNNSpec",
    "TransformerEncoder",
    "TransformerSpec",
    "TransformerXLSpec",
    "UnrolledLSTM",
    "UnrolledSpec",
    "WindowMLPSpec",
]
