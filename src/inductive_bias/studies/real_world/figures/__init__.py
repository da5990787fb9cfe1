"""From results to what the figures and tables of the pages show: scores, patients, attributions."""
