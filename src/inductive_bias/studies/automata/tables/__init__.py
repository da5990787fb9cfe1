"""Tables that are made from trained models: attention against the truth, words as models read them, attributions."""

from inductive_bias.studies.automata.tables import attention, attribution

TABLES = attention.TABLES | attribution.TABLES
