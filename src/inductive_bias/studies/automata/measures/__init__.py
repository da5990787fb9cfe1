"""Numbers and contrasts of the three pages on automata, and the multiplications that a model needs."""
