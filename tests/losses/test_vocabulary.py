import pytest
import torch
import torch.nn.functional as F

from inductive_bias.losses import OutputLayer, distillation_loss, vocabulary_cross_entropy


def example(n: int = 7, d: int = 5, v: int = 11, seed: int = 0, dtype: torch.dtype = torch.float64):
    rng = torch.Generator().manual_seed(seed)
    states, weight, bias = (
        torch.randn(*shape, generator=rng, dtype=dtype).requires_grad_() for shape in ((n, d), (v, d), (v,))
    )
    return states, weight, bias, torch.randint(v, (n,), generator=rng)


def gradients(value, *leaves):
    return torch.autograd.grad(value * 3, leaves)  # a factor: backward must use what comes from above


@pytest.mark.parametrize("chunk", [1, 3, 7, 100])
@pytest.mark.parametrize("n", [1, 7])
def test_hard_targets_equal_cross_entropy_of_the_linear_layer(n, chunk):
    states, weight, bias, targets = example(n)
    ours = vocabulary_cross_entropy(states, OutputLayer(weight, bias), targets, chunk=chunk, precision=torch.float64)
    want = F.cross_entropy(F.linear(states, weight, bias), targets)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, states, weight, bias), gradients(want, states, weight, bias))


@pytest.mark.parametrize("scaling", ["squared", "inverse", "none"])
@pytest.mark.parametrize(("temperature", "mixing"), [(1.0, 1.0), (2.5, 1.0), (2.5, 0.3), (1.0, 0.0)])
def test_soft_targets_equal_the_distillation_loss_of_all_logits(temperature, mixing, scaling):
    states, weight, bias, targets = example()
    teacher_states, teacher_weight, teacher_bias, _ = example(d=3, seed=1)
    settings = {"temperature": temperature, "mixing": mixing, "scaling": scaling}
    ours = vocabulary_cross_entropy(
        states,
        OutputLayer(weight, bias),
        targets,
        teacher_states=teacher_states,
        teacher_output=OutputLayer(teacher_weight, teacher_bias),
        precision=torch.float64,
        chunk=2,
        **settings,
    )
    theirs = F.linear(teacher_states, teacher_weight, teacher_bias)
    want = distillation_loss(F.linear(states, weight, bias), theirs, targets, **settings)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, states, weight, bias), gradients(want, states, weight, bias))


def test_the_gradient_agrees_with_finite_differences():
    states, weight, bias, targets = example(n=3, d=2, v=4)
    assert torch.autograd.gradcheck(
        lambda *leaves: vocabulary_cross_entropy(
            leaves[0], OutputLayer(*leaves[1:]), targets, precision=torch.float64, chunk=2
        ),
        (states, weight, bias),
    )


def test_bfloat16_products_stay_close_to_float32():
    states, weight, bias, targets = example(n=64, d=32, v=50, dtype=torch.float32)
    exact, rough = (
        vocabulary_cross_entropy(states, OutputLayer(weight, bias), targets, precision=precision)
        for precision in (torch.float32, torch.bfloat16)
    )
    # bfloat16 keeps 8 bits of a mantissa: the logits, of size 6 here, are off by up to 2⁻⁸ of that
    torch.testing.assert_close(rough, exact, rtol=0, atol=6 * 2**-8)
    for ours, want in zip(gradients(rough, states, weight), gradients(exact, states, weight), strict=True):
        assert F.cosine_similarity(ours.flatten(), want.flatten(), dim=0) > 0.999


def test_large_logits_do_not_overflow():
    states, weight, bias, targets = example(dtype=torch.float32)
    value = vocabulary_cross_entropy(states * 1000, OutputLayer(weight, bias), targets)
    assert torch.isfinite(value)


def test_the_teacher_receives_no_gradient():
    states, weight, bias, targets = example()
    teacher_states, teacher_weight, teacher_bias, _ = example(seed=1)
    value = vocabulary_cross_entropy(
        states,
        OutputLayer(weight, bias),
        targets,
        teacher_states=teacher_states,
        teacher_output=OutputLayer(teacher_weight, teacher_bias),
        precision=torch.float64,
    )
    assert torch.autograd.grad(value, teacher_states, allow_unused=True) == (None,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"states": torch.zeros(0, 5), "targets": torch.zeros(0, dtype=torch.int64)}, "at least one"),
        ({"teacher_states": torch.zeros(7, 5)}, "both or neither"),
        ({"chunk": 0}, "chunk must be an integer of at least 1, not 0"),
        ({"temperature": 0.0}, "temperature must be positive and finite, not 0.0"),
        ({"mixing": 1.5}, r"mixing must lie in \[0, 1\], not 1.5"),
        (
            {"teacher_states": torch.zeros(7, 5), "teacher_output": OutputLayer(torch.zeros(4, 5), torch.zeros(4))},
            "a vocabulary of its 11 words, not of 7 and 4",
        ),
    ],
)
def test_bad_arguments_are_refused(change, message):
    states, weight, bias, targets = example()
    arguments = {"states": states, "output": OutputLayer(weight, bias), "targets": targets} | change
    with pytest.raises(ValueError, match=message):
        vocabulary_cross_entropy(**arguments)


@pytest.mark.parametrize(("temperature", "mixing"), [(1.0, 1.0), (2.5, 0.3), (1.0, 0.0)])
def test_words_with_a_bias_of_minus_infinity_in_both_are_no_words(temperature, mixing):
    states, weight, bias, _ = example()
    teacher_states, *teacher, _ = example(d=3, seed=1)
    kept, out = torch.tensor([0, 1, 4, 5, 8, 9, 10]), torch.tensor([2, 3, 6, 7])
    targets = torch.arange(7)  # among those kept
    options = {"temperature": temperature, "mixing": mixing, "precision": torch.float64, "chunk": 3}

    def loss(weight, bias, theirs, targets):
        theirs = OutputLayer(*theirs)
        given = {"teacher_states": teacher_states, "teacher_output": theirs}
        return vocabulary_cross_entropy(states, OutputLayer(weight, bias), targets, **given, **options)

    masked = (teacher[0], teacher[1].index_fill(0, out, -torch.inf))
    ours = loss(weight, bias.index_fill(0, out, -torch.inf), masked, kept[targets])
    want = loss(weight[kept], bias[kept], [each[kept] for each in teacher], targets)
    torch.testing.assert_close(ours, want)
    torch.testing.assert_close(gradients(ours, states, weight, bias), gradients(want, states, weight, bias))
    hard = vocabulary_cross_entropy(states, OutputLayer(weight, bias.index_fill(0, out, -torch.inf)), kept[targets])
    torch.testing.assert_close(
        hard, vocabulary_cross_entropy(states, OutputLayer(weight[kept], bias[kept]), targets), rtol=1e-6, atol=1e-6
    )


def test_a_word_that_the_student_alone_rules_out_is_an_infinite_loss():
    states, weight, bias, targets = example()
    teacher_states, *teacher, _ = example(d=3, seed=1)
    given = {"teacher_states": teacher_states, "teacher_output": OutputLayer(*teacher)}
    out = torch.tensor([2])
    student = OutputLayer(weight, bias.index_fill(0, out, -torch.inf))
    assert vocabulary_cross_entropy(states, student, targets, **given) == torch.inf
    broken = OutputLayer(weight, bias.index_fill(0, torch.tensor([3]), torch.nan))
    assert vocabulary_cross_entropy(states, broken, targets, **given).isnan()
