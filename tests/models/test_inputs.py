"""What a spec says that it takes is what its model can be built from."""

import inspect

import pytest

from inductive_bias.models import (
    BidirectionalSpec,
    BiLSTMSpec,
    BlockRecurrentSpec,
    CNNSpec,
    FlattenedSpec,
    GatedConvolutionSpec,
    InformerSpec,
    LanguageXLSpec,
    LatentBottleneckSpec,
    LogSparseSpec,
    LSTMSpec,
    MixingSpec,
    MLPSpec,
    PatchSpec,
    RecurrentSpec,
    TCNSpec,
    TextCNNSpec,
    TransformerSpec,
    TransformerXLSpec,
    UnrolledSpec,
    WindowMLPSpec,
)
from inductive_bias.tasks import (
    MNIST,
    Adding,
    CharacterModelling,
    Clones,
    Copying,
    Defects,
    FlipFlop,
    Forecasting,
    FormalLanguage,
    GeneratedAgreement,
    GeneratedSignals,
    Heartbeats,
    InjectedBugs,
    LanguageModelling,
    LastParity,
    MixedSignal,
    PolyphonicMusic,
    Programs,
    Proteins,
    Repairs,
    SlotFilling,
    Stocks,
)

IMAGES, SENTENCES, STRINGS, SIGNALS, SERIES, CODE = (
    (MNIST(),),
    (GeneratedAgreement(), LanguageModelling()),
    (
        FormalLanguage(language="parity"),
        CharacterModelling(),
        SlotFilling(),
        Copying(),
        FlipFlop(),
        LastParity(),
        Proteins(),
    ),
    (GeneratedSignals(), MixedSignal(), PolyphonicMusic(), Adding(), Heartbeats(), Stocks()),
    (Forecasting(),),
    (Defects(), Clones(), Programs(), Repairs(), InjectedBugs()),
)
TASKS = (*IMAGES, *SENTENCES, *STRINGS, *SIGNALS, *SERIES, *CODE)
TRAINABLE = {
    MLPSpec(widths=(4,)): IMAGES,
    CNNSpec(): IMAGES,
    PatchSpec(): IMAGES,
    LSTMSpec(width=4): SENTENCES,
    TransformerSpec(width=8, causal=True): SENTENCES,
    MixingSpec(width=8): (*STRINGS, *SIGNALS),
    RecurrentSpec(): (*STRINGS, *SIGNALS),
    TCNSpec(width=4): (*STRINGS, *SIGNALS),
    GatedConvolutionSpec(width=4): (*STRINGS, *SIGNALS),
    FlattenedSpec(length=3): (*STRINGS, *SIGNALS),
    InformerSpec(width=8): SERIES,
    LogSparseSpec(width=8): SERIES,
    TransformerXLSpec(width=8): SERIES,
    LanguageXLSpec(width=8): STRINGS,
    BlockRecurrentSpec(width=8): STRINGS,
    LatentBottleneckSpec(width=8): STRINGS,
    BiLSTMSpec(width=4, states=3): CODE,
    TextCNNSpec(width=4, filters=3): CODE,
    BidirectionalSpec(width=8): CODE,
    UnrolledSpec(length=3): STRINGS,
    WindowMLPSpec(width=4): (*STRINGS, *SIGNALS),
}
every_spec = pytest.mark.parametrize("spec", TRAINABLE, ids=lambda spec: spec.kind)


@every_spec
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.kind)
def test_a_model_is_trainable_on_the_tasks_that_have_its_inputs(spec, task):
    fits = any(inputs <= set(task.dimensions) for inputs in spec.inputs)
    assert fits == (task in TRAINABLE[spec])
    if fits:
        spec.build(**task.dimensions)


@every_spec
def test_inputs_are_arguments_of_build(spec):
    known = set(inspect.signature(spec.build).parameters)
    assert all(inputs <= known for inputs in spec.inputs)


def test_models_say_whether_a_position_sees_a_later_one():
    assert {spec.kind: spec.causal for spec in TRAINABLE} == {
        "mlp": False,
        "cnn": False,
        "patches": False,
        "lstm": True,
        "transformer": True,
        "mixing": True,
        "recurrent": True,
        "tcn": True,
        "gated_convolution": True,
        "flattened": False,
        "informer": False,
        "log_sparse": False,
        "transformer_xl": True,
        "language_xl": True,
        "block_recurrent": True,
        "latent_bottleneck": True,
        "bilstm": False,
        "text_cnn": False,
        "bidirectional": False,
        "unrolled": True,
        "window_mlp": True,
    }
    assert not TransformerSpec().causal
