"""Tables of the study: answers without a network, scores of proteins, patients and their beats, attributions."""

from inductive_bias.studies.real_world.tables import attributions, baselines, patients

TABLES = patients.TABLES | baselines.TABLES | attributions.TABLES
