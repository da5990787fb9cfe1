"""Tables behind the figures of the three pages on automata: depth, speed, explanation."""
