"""From results to what the figures and tables of each page show: depth, speed, explanation."""
