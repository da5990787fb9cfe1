import pytest

from inductive_bias.errors import StoreError
from inductive_bias.studies.atomic_write import write


def test_a_file_appears_with_its_folder_and_leaves_no_draft(tmp_path):
    path = tmp_path / "new" / "table.csv"
    write(path, lambda draft: draft.write_text("whole"))
    assert path.read_text() == "whole"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (OSError("No space left"), StoreError),
        (ValueError("no table"), ValueError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ],
    ids=["full disk", "fault of the writer", "stopped"],
)
@pytest.mark.parametrize("begun", [True, False], ids=["half written", "not begun"])
def test_a_writer_that_fails_leaves_the_old_file_and_no_draft(tmp_path, error, raised, begun):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail(draft):
        if begun:
            draft.write_text("half a table")
        raise error

    with pytest.raises(raised):
        write(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
