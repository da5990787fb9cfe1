"""Measures on real data: scores, the recall of each patient, and what attributions cost a model."""
