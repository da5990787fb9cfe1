"""Tables behind the figures of the three pages on real data: scores, patients, attributions."""
