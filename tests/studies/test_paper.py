"""A paper's numbers: factors and what only the paper varies; what is missing is refused by name."""

import pytest

from inductive_bias.studies.paper import paper_numbers

TEXT = "# from nowhere\nlayers,model,split,metric,mean,std,seeds,source\n8,none,test,bpc,1.2,,,table\n"


def test_further_columns_stand_between_factors_and_numbers(tmp_path):
    path = tmp_path / "paper.csv"
    path.write_text(TEXT)
    table = paper_numbers(path, ["model"])
    assert list(table.columns) == ["model", "layers", "split", "metric", "mean", "std", "seeds", "source"]
    assert table.loc[0, ["model", "layers"]].tolist() == ["none", 8]
    with pytest.raises(ValueError, match="has no column 'positions'; it has layers, model"):
        paper_numbers(path, ["positions", "model"])
    path.write_text(TEXT.replace("1.2", ""))
    with pytest.raises(ValueError, match="a row without a mean"):
        paper_numbers(path, ["model"])
    assert paper_numbers(tmp_path / "none.csv", ["model"]).empty
