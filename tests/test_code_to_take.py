"""Lines that a reader copies: they need torch alone, and do what the package's layers do."""

import ast

import nbformat
import pytest
import torch
import torch.nn.functional as F
import yaml

from inductive_bias import paths
from inductive_bias.layers import REM, rem_matrix
from inductive_bias.studies import fetching
from tests.notebooks import run_notebook

PAGE = paths.home() / "book" / "code-to-take.ipynb"
CELLS = [cell for cell in nbformat.read(PAGE, as_version=4).cells if cell.get("id", "").startswith("thirty-lines")]
SOURCE = "\n\n".join(cell.source for cell in CELLS)


@pytest.fixture(scope="module")
def taken():
    """What the lines define, run alone."""
    space = {"__name__": "taken"}
    exec(compile(SOURCE, "thirty lines", "exec"), space)
    return space


def test_a_first_cell_on_a_rented_machine_names_what_the_repository_has():
    page = "\n".join(cell.source for cell in nbformat.read(PAGE, as_version=4).cells if cell.cell_type == "markdown")
    branch = yaml.safe_load((paths.home() / "_config.yml").read_text("utf8"))["repository"]["branch"]
    tables = paths.published("vision").parent.relative_to(paths.home())
    assert f"%env {fetching.SOURCE}=URL/raw/{branch}/{tables}\n" in page
    assert "sparse-checkout set src\n" in page
    assert (paths.home() / "src" / "inductive_bias").is_dir()


def test_they_are_thirty_and_import_torch_alone():
    lines = [line for line in SOURCE.splitlines() if line.strip()]
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80  # at a desk nothing of it scrolls
    imported = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imported}
    assert {name.split(".")[0] for name in names} == {"torch"}


@pytest.mark.parametrize("length", [1, 2, 17])
@pytest.mark.parametrize("dilation", [1, 3])
@pytest.mark.parametrize(("kind", "decay"), [("real", 0.9), ("real", -0.7), ("cos", 0.8), ("sin", 0.8)])
def test_their_matrix_is_the_package_s_in_value_and_gradient(taken, kind, decay, dilation, length):
    found = []
    for make in (taken["rem"], None):
        size = torch.tensor(decay, dtype=torch.float64, requires_grad=True)
        angle = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
        if make:
            matrix = make(kind, size, angle, length, dilation)
        else:
            matrix = rem_matrix(kind, size[None], angle[None], length, dilation=dilation)[0]
        grads = torch.autograd.grad(
            (matrix.square().sum() + 0 * (size + angle)), (size, angle)
        )  # of a real head the angle's is 0
        found.append((matrix, *grads))
    torch.testing.assert_close(found[0], found[1])


@pytest.mark.parametrize("kind", ["real", "cos", "sin"])
@pytest.mark.parametrize("dilation", [1, 2])
def test_their_head_mixes_as_the_package_s_layer_does(taken, kind, dilation):
    torch.manual_seed(0)
    head = taken["RSAHead"](width=6, head=4, kind=kind, dilation=dilation).double()
    torch.nn.init.constant_(head.gate, 0.3)
    counts = [0] * 6
    counts[("real", "cos", "sin").index(kind) + 3] = 1
    rem = REM(1, counts, dilation=dilation).double()
    with torch.no_grad():
        for own in filter(lambda each: each is not None, (rem.eta, rem.nu)):
            own.copy_(head.raw_decay[None])
        if rem.theta is not None:
            rem.theta.copy_(head.angle[None])
    x = torch.randn(3, 7, 6, dtype=torch.float64)
    q, k, v = (part[:, None] for part in head.qkv(x).chunk(3, dim=-1))
    attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(head(x), rem.mix(v, attended, head.gate[None])[:, 0])


def test_the_page_runs():
    run_notebook(PAGE)
