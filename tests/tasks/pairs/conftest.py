import pytest


@pytest.fixture
def write(tmp_path):
    """``write(name, lines)`` puts a text file below a root folder and gives that folder."""

    def put(name, lines):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return tmp_path / "root"

    return put
