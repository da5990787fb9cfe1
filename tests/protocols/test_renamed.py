import pytest
import torch

from inductive_bias import protocols
from inductive_bias.protocols import Measures, Objective


@pytest.mark.parametrize(("old", "new"), [(old, found.__name__) for old, found in protocols.RENAMED.items()])
def test_an_objective_is_found_by_its_old_name_with_a_warning(old, new):
    with pytest.warns(DeprecationWarning, match=f"{old} is now called {new}"):
        found = getattr(protocols, old)
    assert found is getattr(protocols, new)
    assert old not in protocols.__all__


def test_any_other_name_is_none_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        protocols.Nothing  # noqa: B018


def test_parts_from_outside_may_use_old_names_for_one_release():
    with pytest.warns(DeprecationWarning, match="Own.sees_the_future is now called allows_noncausal"):

        class Own(Objective):
            sees_the_future = False

            def loss(self, model, batch):
                return torch.zeros(())

            def shape(self, batch):
                return ()

    assert not Own.allows_noncausal

    with pytest.warns(DeprecationWarning, match="OwnMeasures.enough is now called should_stop"):

        class OwnMeasures(Measures):
            @property
            def enough(self):
                return True

            def after_epoch(self, model, epoch):
                yield from ()

            def final(self, model, *, diverged):
                yield from ()

    assert OwnMeasures.should_stop is OwnMeasures.enough
