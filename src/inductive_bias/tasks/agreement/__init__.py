"""Subject-verb agreement on real English: the number of a verb from the words before it."""

from inductive_bias.tasks.agreement.own import OwnPreambles
from inductive_bias.tasks.agreement.task import Agreement

__all__ = ["Agreement", "OwnPreambles"]
