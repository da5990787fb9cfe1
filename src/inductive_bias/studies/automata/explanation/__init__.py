"""What does it look at? Attributions of the networks of the study of depths, where it is known what decides."""
