import re

from inductive_bias import paths

README = (paths.home() / "README.md").read_text()


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    scope = {}
    exec(code, scope)
    assert 0 <= scope["ece"] <= 1
    assert scope["student"].readout.weight.grad is not None


def test_every_link_to_a_file_leads_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if not link.startswith("http")]
    assert links
    assert not [link for link in links if not (paths.home() / link).exists()]


def test_every_make_target_it_names_exists():
    makefile = (paths.home() / "Makefile").read_text()
    targets = set(re.findall(r"(?:`|\$ )make ([a-z-]+)\b", README))
    assert targets
    assert not [target for target in targets if not re.search(rf"^{target}:", makefile, flags=re.MULTILINE)]


def test_it_can_be_read_in_a_minute():
    assert len(README.splitlines()) <= 150
