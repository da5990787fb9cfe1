"""From results to numbers and contrasts: depth, speed, explanation; and the products that a model asks for."""
