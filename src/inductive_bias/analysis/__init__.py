"""Analysis of trained models: representations, training paths, loss barriers, equivariance."""

from inductive_bias.errors import extras_named

with extras_named():
    from inductive_bias.analysis.alignment import align_hidden_units, match_hidden_units, permute_hidden_units
    from inductive_bias.analysis.barrier import barrier, interpolate, interpolation_curve, recompute_batch_statistics
    from inductive_bias.analysis.embedding import joint_mds, stress, turned_to
    from inductive_bias.analysis.equivariance import (
        equivariance_error,
        invariance_error,
        linear_equivariance_error,
        shift,
    )
    from inductive_bias.analysis.linear_part import AffineSystem, LinearFilter, fit_affine, fit_filter, linearise
    from inductive_bias.analysis.paths import path_distance, path_lengths, path_smoothness
    from inductive_bias.analysis.similarity import (
        distance_matrix,
        noise_floor,
        representational_similarity,
        similarity_between,
        similarity_matrix,
    )

__all__ = [
    "AffineSystem",
    "LinearFilter",
    "align_hidden_units",
    "barrier",
    "distance_matrix",
    "equivariance_error",
    "fit_affine",
    "fit_filter",
    "interpolate",
    "interpolation_curve",
    "invariance_error",
    "joint_mds",
    "linear_equivariance_error",
    "linearise",
    "match_hidden_units",
    "noise_floor",
    "path_distance",
    "path_lengths",
    "path_smoothness",
    "permute_hidden_units",
    "recompute_batch_statistics",
    "representational_similarity",
    "shift",
    "similarity_between",
    "similarity_matrix",
    "stress",
    "turned_to",
]
