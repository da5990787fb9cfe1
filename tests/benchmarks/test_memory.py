import torch

from inductive_bias.benchmarks.memory import peak_bytes

N = 1000


def test_what_is_alive_at_one_moment_is_added_up():
    assert peak_bytes(lambda: (torch.empty(N), torch.empty(N, dtype=torch.float64))) == 12 * N


def test_what_is_gone_is_not():
    def one_after_the_other():
        for _ in range(5):
            torch.empty(N)

    assert peak_bytes(one_after_the_other) == 4 * N


def test_views_and_work_in_place_need_nothing():
    assert peak_bytes(lambda: torch.ones(N).view(2, -1)[0].mul_(2)[:, None]) == 4 * N


def test_what_was_there_before_is_not_counted():
    before = torch.ones(N)
    assert peak_bytes(lambda: before.add_(1).exp(), known=(before,)) == 4 * N


def test_a_graph_keeps_what_its_backward_pass_needs_and_gradients_count():
    x = torch.ones(N, requires_grad=True)
    upstream = torch.ones(N)
    # exp keeps its result; the gradient is one more
    assert peak_bytes(lambda: x.exp().backward(upstream), known=(x, upstream)) == 8 * N
