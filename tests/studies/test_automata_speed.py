"""What is judged of times made by hand, the sizes of the models, and their products counted twice."""

import pandas as pd
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from inductive_bias.layers import ToeplitzSpec
from inductive_bias.models import MixingSpec, RecurrentSpec
from inductive_bias.protocols.automata import EVALUATIONS
from inductive_bias.protocols.automata import SOLVED as ENOUGH
from inductive_bias.protocols.measures.automata import LAST_QUARTER
from inductive_bias.studies.automata import STUDY
from inductive_bias.studies.automata.claims.speed import CLAIMS as SPEED_CLAIMS
from inductive_bias.studies.automata.design import (
    ATTENTION,
    BENCHMARK,
    DECODING,
    LSTM,
    PLANS,
    RSA,
    SPEED_MODELS,
    STEP,
    Shape,
    named,
)
from inductive_bias.studies.automata.figures import speed as figures
from inductive_bias.studies.automata.measures.products import products, seen
from inductive_bias.studies.automata.measures.speed import exponents
from inductive_bias.studies.parameter_matching import TOLERANCE, parameters
from inductive_bias.studies.state_tracking import SETUPS
from inductive_bias.studies.timings import INFERENCE, TRAINING
from tests.fakes import fake_results

LENGTHS = (64, 512, 1024, 2048, 4096)
SMALL = Shape(width=16, heads=2, symbols=5)


def times(attention=1.8, lstm=1.0, *, at_64=0.7, at_4096=2.0, rsa=1.0, noise=0.01, repeats=5):
    """Power laws from 1,024 tokens on, with these exponents; at the ends, attention's time over the LSTM's.

    RSA takes ``rsa`` times as long as attention at every length; without rows of it if None.
    """
    rows = []
    for repeat in range(repeats):
        for length in LENGTHS:
            common = 1e-6 * 2 ** (noise * (repeat - repeats // 2))
            long = common * (length / 4096) ** (lstm - 1), common * at_4096 * (length / 4096) ** (attention - 1)
            short = common, common * at_64
            for model, value in zip((LSTM, ATTENTION), long if length >= 1024 else short, strict=True):
                # no two repeats are alike, so that ratios and slopes have a spread
                place = 2 + LENGTHS.index(length) + 3 * (model == ATTENTION)
                value *= 2 ** (noise * (repeat * place % 5 - 2) / 2)
                rows.append({"measure": TRAINING, "model": model, "size": length, "repeat": repeat, "value": value})
    found = pd.DataFrame(rows)
    if rsa is None:
        return found
    other = found[found["model"] == ATTENTION].assign(model=RSA)
    other["value"] *= rsa * 2 ** (noise * (other["repeat"] % 3))
    return pd.concat([found, other], ignore_index=True)


def results(table=None):
    tables = {} if table is None else {BENCHMARK: table}
    return fake_results(STUDY, lambda **_: {("test", "accuracy"): 1.0}, scale="smoke", tables=tables)


@pytest.mark.parametrize(
    ("claim", "given", "verdict"),
    [
        ("Q19", {}, "confirmed"),
        ("Q19", {"attention": 1.3}, "refuted"),
        ("Q19", {"lstm": 1.3}, "refuted"),
        ("Q19", {"lstm": 0.8}, "refuted"),
        ("Q19", {"attention": 1.49, "noise": 0.2}, "undecided"),
        ("Q20", {}, "confirmed"),
        ("Q20", {"at_64": 1.2}, "refuted"),
        ("Q20", {"at_64": 0.97, "noise": 0.002}, "refuted"),
        ("Q20", {"at_4096": 0.8}, "refuted"),
        ("Q20", {"at_64": 0.96, "noise": 0.5}, "undecided"),
        ("Q20-parallel", {}, "confirmed"),
        ("Q20-parallel", {"at_64": 1.1, "at_4096": 8.0}, "refuted"),
        ("Q20-parallel", {"rsa": 1.8}, "refuted"),
        ("Q20-parallel", {"rsa": None}, "not testable here"),
        # on the longest sequences alone is enough too
        ("Q20-parallel", {"at_64": 1.1, "at_4096": 0.5}, "confirmed"),
    ],
)
def test_rules_judge_what_was_measured(claim, given, verdict):
    one = next(each for each in STUDY.claims if each.id == claim)
    assert one.word(one.judge(results(times(**given)))) == verdict


def test_without_a_published_measurement_nothing_is_judged():
    for claim in SPEED_CLAIMS:
        finding = claim.judge(results())
        assert claim.word(finding) == "not testable here"
        assert "has not been published" in finding.judgement.reason


def test_the_exponent_is_that_of_a_sequence_from_1024_tokens_on():
    found = exponents(times(attention=1.6, noise=0.0), ATTENTION)
    assert found.tolist() == pytest.approx([1.6] * 5)


@pytest.mark.parametrize("shape", [Shape(), SMALL], ids=["whole", "small"])
def test_all_models_are_of_one_size(shape):
    sizes = pd.Series({name: parameters(spec, shape.dimensions) for name, spec in shape.specs.items()})
    assert list(sizes.index) == list(SPEED_MODELS)
    assert (sizes / sizes[ATTENTION] - 1).abs().max() <= TOLERANCE


def counted(work):
    """Multiplications, by PyTorch's counter: half of its operations."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        work()
    return counter.get_total_flops() / 2


@pytest.mark.parametrize("length", [1, 7])
@pytest.mark.parametrize("model", [LSTM, ATTENTION])
def test_products_are_those_that_pytorch_counts_of_a_whole_sequence(model, length):
    spec = SMALL.specs[model]
    network, batch = spec.build(**SMALL.dimensions).double().eval(), 3
    inputs = torch.randint(SMALL.symbols, (batch, length))
    # fused kernels are not counted: an LSTM has none in float64, and attention's plain form multiplies masked keys too
    with sdpa_kernel(SDPBackend.MATH):
        found = counted(lambda: network(inputs))
    assert products(spec, outputs=SMALL.symbols, keys=length) * batch * length == found


@pytest.mark.parametrize("before", [1, 6])
@pytest.mark.parametrize("model", [name for name in SPEED_MODELS if name != LSTM])
def test_products_are_those_that_pytorch_counts_of_one_more_token(model, before):
    spec = SMALL.specs[model]
    network, inputs = spec.build(**SMALL.dimensions).eval(), torch.randint(SMALL.symbols, (1, before + 1))
    with torch.no_grad():
        _, caches = network.prefill(inputs[:, :-1])
    with sdpa_kernel(SDPBackend.MATH):
        found = counted(lambda: network.step(inputs[:, -1], caches))
    assert products(spec, outputs=SMALL.symbols, keys=before + 1) == found


def test_every_weight_multiplies_a_token_once():
    for spec in SMALL.specs.values():
        network = spec.build(**SMALL.dimensions)
        weights = sum(
            each.numel()
            for name, each in network.named_parameters()
            if each.ndim == 2 and not name.startswith("embedding")
        )
        assert products(spec, outputs=SMALL.symbols, keys=0) == weights


@pytest.mark.parametrize("length", [1, 2, 9])
def test_a_token_sees_itself_and_all_before_it(length):
    assert seen(length) == torch.ones(length, length).tril().sum() / length


@pytest.mark.parametrize("spec", [RecurrentSpec(cell="tanh"), MixingSpec(mixer=ToeplitzSpec(length=4, heads=2))])
def test_what_is_not_counted_is_refused(spec):
    with pytest.raises(ValueError, match="are not counted"):
        products(spec, outputs=2, keys=1)


def test_layers_of_equal_width_cost_the_same_at_twice_the_width():
    width = 128
    attention, lstm = (lambda keys: 4 * width**2 + 2 * keys * width), 8 * width**2
    assert attention(2 * width) == lstm
    specs = [
        MixingSpec(mixer={"kind": "attention", "heads": 4}, width=width, layers=1, feedforward=0),
        RecurrentSpec(cell="lstm", states=width, embedding=width),
    ]
    assert len({products(spec, outputs=2, keys=2 * width) for spec in specs}) == 1


def trained(looks, steps=1000.0):
    """Runs with these scores at the looks at validation words, whatever the cell; the run numbered 1 diverged."""

    def values(number, **_):
        at = ("length", SETUPS["smoke"].length)
        late = {("test", "accuracy", at, ("part", LAST_QUARTER)): 1.0 if number == 0 else float("nan")}
        seen = {("validation", "accuracy", ("epoch", 1.0 + k)): value for k, value in enumerate(looks)}
        return late | {("train", "steps"): steps} | (seen if number == 0 else {})

    return fake_results(STUDY, values, scale="smoke")


def steps_of(seconds=0.01):
    plan = PLANS["smoke"]
    names = [named(model, layers) for model, depths in plan.layers.items() for layers in depths]
    return pd.DataFrame(
        [
            {"measure": STEP, "model": name, "repeat": repeat, "value": (1 + place) * seconds * (1 + repeat)}
            for place, name in enumerate(names)
            for repeat in (0, 1, 2)
        ]
    )


@pytest.mark.parametrize(
    ("looks", "reached"),
    [
        ([0.1] + [1.0] * EVALUATIONS, True),
        ([1.0] * (EVALUATIONS - 1), False),
        ([1.0] * EVALUATIONS + [ENOUGH - 1e-4], False),
        ([ENOUGH] * EVALUATIONS, True),
    ],
)
def test_a_run_is_there_when_its_last_looks_found_the_automaton_simulated(looks, reached):
    found = figures.to_target(trained(looks), steps_of())
    assert found.loc[found["number"] == 0, "reached"].eq(reached).all()
    assert not found.loc[found["number"] == 1, "reached"].any()


def test_the_time_to_the_target_is_steps_times_the_median_time_of_one():
    found = figures.to_target(trained([1.0] * EVALUATIONS, steps=300.0), steps_of(seconds=0.5))
    first = named(ATTENTION, 1)
    assert (found.loc[found["name"] == first, "seconds"] == 300 * 0.5 * 2).all()
    rows = figures.waiting(found).set_index(["automaton", "model"])
    assert rows.loc[("C2", first), "runs"] == "1 of 2"
    assert rows.loc[("C2", first), "minutes"] == pytest.approx(300 * 0.5 * 2 / 60)
    assert len(found) == len(found.drop_duplicates(["automaton", "place"]))


def test_a_time_is_the_count_times_what_is_left_for_the_machine():
    table = pd.concat(
        [
            pd.DataFrame(
                [
                    {
                        "measure": measure,
                        "model": name,
                        "size": 64,
                        "repeat": repeat,
                        "value": 3.0,
                        "ratio": 1.0 if name == LSTM else 2.0,
                    }
                    for name in SPEED_MODELS
                    for repeat in (0, 1)
                ]
            )
            for measure in (TRAINING, INFERENCE, DECODING)
        ]
    )
    parts = figures.apart(table, SMALL, [64])
    assert len(parts) == 3 * (len(SPEED_MODELS) - 1)
    assert (parts["the model’s part"] * parts["the machine’s part"]).tolist() == pytest.approx([2.0] * len(parts))
    spec, lstm = SMALL.specs[ATTENTION], SMALL.specs[LSTM]
    one = parts[(parts["model"] == ATTENTION) & (parts["measure"] == DECODING)]["the model’s part"].item()
    wanted = [products(each, outputs=SMALL.symbols, keys=65) for each in (spec, lstm)]
    assert one == pytest.approx(wanted[0] / wanted[1])
