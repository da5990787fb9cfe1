"""A recurrence encoding matrix under the reader's hands."""

from inductive_bias.plotting.interactive.base import Choice, PageWidget, Slider, Switch, page_widget


def rem_widget(length: int = 24) -> PageWidget:
    """A recurrence encoding matrix with sliders for λ or γ, θ and dilation, and switches for future and diagonal.

    Its script computes the same lags as :func:`inductive_bias.layers.rem_lags`, and offers them to tests as
    ``element.remLags(kind, decay, angle, length, dilation, diagonal)``.

    Args:
        length: tokens, at least 2.

    Raises:
        ValueError: if there are fewer than 2 tokens.
    """
    if length < 2:
        raise ValueError(f"length must be at least 2, not {length}")
    return page_widget(
        "rem",
        {"length": length},
        controls=[
            Choice("kind", "Kind", ("real, λⁿ", "cos, γⁿ cos nθ", "sin, γⁿ sin nθ"), open=True),
            Slider("decay", "λ", -0.99, 0.99, 0.9, 0.01, says="decay"),
            Slider("angle", "θ", 0, 180, 45, says="angle"),
            Slider("dilation", "dilation d", 1, 6, 1, says="dilation"),
            Switch("symmetric", "sees the future as well"),
            Switch("printed", "diagonal as printed (cos only)"),
        ],
        pictures={"lags": "", "matrix": ""},
        text=f"Interactive recurrence encoding matrix of {length} tokens: kind, decay, angle, dilation, diagonal.",
        instead="The figure below shows the same matrices.",
    )
