"""Old name of :mod:`inductive_bias.plugins`, for files of users; it goes with the next release."""

import warnings

from inductive_bias.plugins import OwnModel, OwnTask

warnings.warn("inductive_bias.outside is called inductive_bias.plugins now", DeprecationWarning, stacklevel=2)

__all__ = ["OwnModel", "OwnTask"]
