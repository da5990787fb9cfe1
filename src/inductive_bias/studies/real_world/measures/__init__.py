"""From results and tables to numbers and contrasts: scores, what is recognised of patients, what attributions cost."""
